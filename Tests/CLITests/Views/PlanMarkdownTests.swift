import TestSupport
import Testing

@testable import MeshplanCLI

@Suite("Plans as Markdown")
struct PlanMarkdownTests {
    /// The Markdown without digests, which depend on the encoding of plans.
    private func markdown(_ fixture: CommandFixture, _ name: String) throws -> String {
        String(decoding: try #require(fixture.read(name)), as: UTF8.self).replacing(#/[0-9a-f]{64}/#, with: "(digest)")
    }

    @Test("a plan has figures, like nodes in one line, every change, notes, a picture and the digest to approve")
    func house() throws {
        let fixture = try CommandFixture.house()
        let result = fixture.run("plan", "--markdown", "plan.md")
        #expect(result.status == 0)
        expectSnapshot(try markdown(fixture, "plan.md"), "plan-house.md")
        let digest = try #require(result.output.firstMatch(of: #/Digest: ([0-9a-f]{64})/#)).1
        let text = String(decoding: try #require(fixture.read("plan.md")), as: UTF8.self)
        #expect(text.contains("\nhouse \(digest)\n") && text.contains("--expect-digest \(digest)"))
        // It replaces its own file, and no other one.
        #expect(fixture.run("plan", "--markdown", "plan.md").status == 0)
        let refused = fixture.run("plan", "--markdown", "house.yaml")
        #expect(refused.status == 1 && refused.error.contains("house.yaml exists and is not a plan in Markdown"))
    }

    @Test("a refused plan is written, too, with the guard and its override, and without anything to approve")
    func refused() throws {
        let fixture = try CommandFixture.house()
        try #require(fixture.run("apply", "--via", "simulator", "--auto-approve").status == 0)
        let definition = String(decoding: try #require(fixture.read("house.yaml")), as: UTF8.self)
        let lines = definition.split(separator: "\n", omittingEmptySubsequences: false)
        try fixture.write(lines.filter { !$0.hasPrefix("  bell:") }.joined(separator: "\n"), to: "house.yaml")
        #expect(fixture.run("plan", "--markdown", "plan.md").status == 5)
        let text = try markdown(fixture, "plan.md")
        expectSnapshot(text, "plan-refused.md")
        #expect(text.contains("`--allow protected-node`") && !text.contains("(digest)"))
    }

    @Test("an empty plan says so, and nothing else")
    func empty() throws {
        let fixture = try CommandFixture.house()
        try #require(fixture.run("apply", "--via", "simulator", "--auto-approve").status == 0)
        #expect(fixture.run("plan", "--markdown", "plan.md").status == 0)
        let text = try markdown(fixture, "plan.md")
        #expect(text.contains("**No changes.**") && !text.contains("|") && !text.contains("approve"), "\(text)")
    }

    @Test(
        "nothing of a text becomes markup, a link or a mention",
        arguments: [
            ("<img src=x> & @team", "&lt;img src=x&gt; &amp; &#64;team"),
            ("*a* _b_ [c](d) #1", ##"\*a\* \_b\_ \[c\](d) \#1"##),
            ("see https://x.example", "see https:&#47;/x.example"), ("node `bell` | x", #"node `bell` \| x"#),
            ("one ` only <b>", "one ʼ only &lt;b&gt;"), ("a\nb\u{202E}c", "a\u{FFFD}b\u{FFFD}c"),
        ]
    )
    func hostile(_ text: String, _ markdown: String) {
        #expect(MarkdownText.prose(text) == markdown)
    }

    @Test("code ends where its text ends")
    func code() {
        #expect(MarkdownText.code("a`b|c\\d") == "`aʼb¦c∖d`")
        #expect(MarkdownText.code("") == "" && MarkdownText.code("@x <b>") == "`@x <b>`")
    }
}
