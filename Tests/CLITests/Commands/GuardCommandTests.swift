import TestSupport
import Testing

@testable import MeshplanCLI

@Suite("Guards, selection and approval on the command line")
struct GuardCommandTests {
    /// The applied example house, with the protected bell removed from the definition.
    private func houseWithoutBell() throws -> CommandFixture {
        let fixture = try CommandFixture.house()
        #expect(fixture.run("apply", "--via", "simulator", "--auto-approve").status == 0)
        let definition = String(decoding: try #require(fixture.read("house.yaml")), as: UTF8.self)
        let lines = definition.split(separator: "\n", omittingEmptySubsequences: false)
        try fixture.write(lines.filter { !$0.hasPrefix("  bell:") }.joined(separator: "\n"), to: "house.yaml")
        return fixture
    }

    @Test("a refused plan is shown with what is blocked, saved nowhere, and let pass by name")
    func refused() throws {
        let fixture = try houseWithoutBell()
        expectSnapshot(fixture.run("plan", "--out", "house.mplan").transcript, "plan-refused.txt")
        #expect(fixture.read("house.mplan") == nil)
        expectSnapshot(fixture.run("plan", "--json").transcript, "plan-refused.jsonl")
        expectSnapshot(
            fixture.run("plan", "--allow", "protected-node", "--out", "house.mplan").transcript,
            "plan-allowed.txt"
        )
        // The saved plan contains what was allowed, so apply takes no --allow.
        let shown = fixture.run("show", "house.mplan")
        #expect(shown.status == 0 && shown.output.contains("Allowed (protected-node): "))
        let again = fixture.run("apply", "house.mplan", "--allow", "protected-node", "--via", "simulator")
        #expect(again.status == 64)
        #expect(fixture.run("apply", "house.mplan", "--via", "simulator").status == 0)
        #expect(fixture.run("plan").output.hasPrefix("No changes."))
    }

    @Test(
        "a guard that does not exist, or cannot be allowed, is a mistake on the command line",
        arguments: [("protected-nod", "did you mean `protected-node`?"), ("last-net-key", "cannot be allowed")]
    )
    func unknownGuard(name: String, hint: String) throws {
        let result = try CommandFixture.house().run("plan", "--allow", name)
        #expect(result.status == 64 && result.error.contains(hint))
    }

    @Test("a selection limits the plan and says what is left out; one that selects nothing is a mistake")
    func selection() throws {
        let fixture = try CommandFixture.house()
        expectSnapshot(fixture.run("plan", "--node", "b*", "--exclude", "brian").transcript, "plan-selected.txt")
        let nothing = fixture.run("plan", "--node", "bel")
        #expect(nothing.status == 64 && nothing.output.isEmpty)
        #expect(nothing.error.contains("`bel` names no managed node") && nothing.error.contains("`bell`"))
        #expect(fixture.run("plan", "--tag", "room").status == 64)
        #expect(fixture.run("plan", "--tag", "room=attic").status == 64)
        #expect(fixture.run("apply", "--node", "bell", "--via", "simulator", "--auto-approve").status == 0)
        let rest = fixture.run("plan", "--node", "bell")
        #expect(rest.output.hasPrefix("No changes. What is selected by --node bell matches the definition.\n"))
        #expect(rest.output.contains("left out by --node bell") && rest.status == 0)
        #expect(fixture.run("plan", "--detailed-exitcode").status == 2)
    }

    @Test("only a plan with the expected digest is applied, and it needs no further approval")
    func digest() throws {
        let fixture = try CommandFixture.house()
        let output = fixture.run("plan", "--out", "house.mplan").output
        let line = try #require(output.split(separator: "\n").first { $0.hasPrefix("Digest: ") })
        let digest = String(line.dropFirst("Digest: ".count))
        #expect(digest.count == 64)
        // Planning again gives the same plan.
        #expect(fixture.run("plan").output.contains(digest))
        #expect(fixture.run("plan", "--json").output.contains(digest))
        #expect(fixture.run("show", "house.mplan").output.contains(digest))
        for arguments in [["house.mplan"], []] {
            let wrong = fixture.run(["apply"] + arguments + ["--via", "simulator", "--expect-digest", "00000000"])
            #expect(wrong.status == 7 && wrong.error.contains("the plan is not what was approved"))
        }
        #expect(fixture.run("apply", "--via", "simulator", "--expect-digest", "1234567").status == 64)
        let start = String(digest.prefix(12))
        #expect(fixture.run("apply", "--via", "simulator", "--expect-digest", start).status == 0)
        // The saved plan is now out of date, and an applied plan is not applied again.
        #expect(fixture.run("apply", "house.mplan", "--via", "simulator", "--expect-digest", start).status == 7)
        let stale = fixture.run("show", "house.mplan")
        #expect(stale.status == 0 && stale.error.contains("This plan is out of date"))
    }

    @Test("to destroy takes the network's name, resets every managed node, and leaves nothing to destroy")
    func destroy() throws {
        let fixture = try CommandFixture.house()
        #expect(fixture.run("apply", "--via", "simulator", "--auto-approve").status == 0)
        #expect(fixture.run("plan", "--destroy").status == 5)
        let guards = ["protected-node", "last-proxy", "last-relay", "group-in-use"]
        let allow = ["--destroy"] + guards.flatMap { ["--allow", $0] }
        expectSnapshot(fixture.run(["plan"] + allow).transcript, "plan-destroy.txt")
        fixture.isTerminal = true
        fixture.answers = ["yes"]
        #expect(fixture.run(["apply", "--via", "simulator"] + allow).status == 8)
        fixture.answers = ["house"]
        #expect(fixture.run(["apply", "--via", "simulator"] + allow).status == 0)
        fixture.isTerminal = false
        #expect(fixture.run("plan", "--destroy").output.hasPrefix("No changes. There is nothing left to destroy.\n"))
    }
}
