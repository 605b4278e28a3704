import Foundation
import TestSupport
import Testing

@testable import MeshplanCLI

@Suite("meshplan report")
struct ReportCommandTests {
    private func page(_ fixture: CommandFixture, _ arguments: [String] = []) throws -> String {
        let result = fixture.run(["report", "--html", "house.html"] + arguments)
        #expect(result.status == 0, "\(result.combined)")
        return String(decoding: try #require(fixture.read("house.html")), as: UTF8.self)
    }

    @Test("the report of a house tells everything that was recorded, and no key")
    func house() throws {
        let fixture = try CommandFixture.house()
        try #require(fixture.run("apply", "--via", "simulator", "--auto-approve").status == 0)
        let html = try page(fixture)
        for section in ["control", "nodes", "groups", "keys", "tests", "drift", "faults", "history", "words"] {
            #expect(html.contains("<section id=\"\(section)\""), "\(section)")
        }
        for text in [
            "brian", "bedside-mary", "home-automation", "nodes are configured", "tester@bench", "0xC023",
        ] {
            #expect(html.contains(text), "\(text)")
        }
        // network.json has the keys in hexadecimal, and none of them may get into a report.
        let network = String(decoding: try #require(fixture.read("network.json")), as: UTF8.self)
        let keys = network.matches(of: #/"(?:key|oldKey|deviceKey)"\s*:\s*"([0-9A-Fa-f]{32})"/#).map { String($0.1) }
        #expect(keys.count > 5)
        for key in keys { #expect(!html.lowercased().contains(key.lowercased())) }
        #expect(try page(fixture) == html, "the same network at the same time gives the same report")
    }

    @Test("what is broken stands at the top: nodes in doubt, places without a device, drift, faults, failed tests")
    func broken() throws {
        let fixture = try CommandFixture.house()
        try fixture.write(
            """
            {"type":"version","format":"1.0","tool":"meshplan","tool_version":"0.3.0","command":"test"}
            {"type":"test","name":"the <bell> rings","passed":false,"runs":1,"held":0,"file":"t.yaml","line":3}
            {"type":"test_failure","name":"the <bell> rings","seed":1,"step":2,"problems":[{"node":"bell","text":"onoff is off"}]}
            {"type":"test","name":"skipped","passed":false,"runs":0,"held":0,"skipped":"needs power cuts"}
            """,
            to: "tests.jsonl"
        )
        try fixture.write(
            """
            {"type":"version","format":"1.0","tool":"meshplan","tool_version":"0.3.0","command":"health"}
            {"type":"health","node":"bell","element":0,"registered_faults":[{"number":14,"name":"overheat-error"}],"test":0}
            {"type":"health","node":"push","element":0,"reason":"no answer"}
            """,
            to: "health.jsonl"
        )
        let definition = String(decoding: try #require(fixture.read("house.yaml")), as: UTF8.self)
        try fixture.put(nil, to: "house.yaml")
        try fixture.write(
            definition.replacing("nodes:\n", with: "nodes:\n  attic: { profile: bedside-light }\n"),
            to: "house.yaml"
        )
        let html = try page(fixture, ["--test-results", "tests.jsonl", "--health", "health.jsonl"])
        for text in [
            "Not commissioned yet: 1 node (attic)", "that were not applied", "1 test failed", "1 test skipped",
            "Faults: bell.", "Did not tell of faults (no answer): push.",
            "the &lt;bell&gt; rings",
            "bell: onoff is off",
            "overheat-error", "needs power cuts",
        ] {
            #expect(html.contains(text), "\(text)")
        }
    }

    @Test("tests of other programs are read, too; what is no result is refused with its place")
    func results() throws {
        let fixture = try CommandFixture.house()
        try fixture.write(
            """
            <?xml version="1.0"?><testsuites><testsuite name="house"><testcase name="a &amp; b" time="1"/>
            <testcase name="c"><failure message="step 1">lamp: off</failure></testcase></testsuite></testsuites>
            """,
            to: "junit.xml"
        )
        let html = try page(fixture, ["--test-results", "junit.xml"])
        #expect(html.contains("a &amp; b") && html.contains("lamp: off") && html.contains("1 of 2"))
        for (text, expected) in [
            ("<a>", "line 1: the document ends within `a`"),
            ("<!DOCTYPE a [<!ENTITY b 'c'>]><a/>", "declares entities"),
            ("<html/>", "holds no results of tests"), ("\n{", "bad.txt, line 2, column "),
            ("[]\n", "is an array, not an object"),
            (#"{"type":"version","command":"plan"}"#, "is not what meshplan test --json writes"),
            ("", "is not what meshplan test --json writes"),
        ] {
            try fixture.write(text, to: "bad.txt")
            let result = fixture.run("report", "--html", "x.html", "--test-results", "bad.txt")
            #expect(result.status == 65 && result.error.contains(expected), "\(result.combined)")
            #expect(fixture.read("x.html") == nil)
        }
    }

    @Test("needs no database; tests need a definition; and the options must go together")
    func options() throws {
        let fixture = try CommandFixture()
        #expect(fixture.run("report", "--html", "a.html").status != 0)
        #expect(fixture.run("report", "--html", "-").error.contains("- does not stand for standard output"))
        try fixture.copy("house.yaml")
        let html = try page(fixture)
        #expect(html.contains("Not commissioned yet: 6 nodes"))
        #expect(fixture.run("report", "--html", "a.html", "--test", "--test-results", "b").status == 64)
        #expect(fixture.run("report", "--html", "a.html", "--devices", "b").status == 64)
        #expect(fixture.run("report").status == 64)
        #expect(fixture.run("report", "--html", "no/such/folder/a.html").status == 1)
    }
}
