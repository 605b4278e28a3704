import DefinitionModel
import MeshCore
import Store
import TestSupport
import Testing

@testable import MeshplanCLI

/// Two nodes with one name, as after replacing a device: all commands use the same rule.
@Suite("Two nodes of one name")
struct NamesakeTests {
    /// The applied house. In its definition, `brian` is now another device, and the old one is forgotten.
    private func house() throws -> CommandFixture {
        let fixture = try CommandFixture.house()
        let text = String(decoding: try #require(fixture.read("house.yaml")), as: UTF8.self)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        // At first the switch has the name. Then its line is removed, and another node gets the name.
        let first = text.replacing("  brian:   {", with: "  second:  {").replacing("  switch:  {", with: "  brian:   {")
        let second = lines.filter { !$0.hasPrefix("  switch:") }.joined(separator: "\n")
        for definition in [first, second] {
            try fixture.write(definition, to: "house.yaml")
            let applied = fixture.run("apply", "--via", "simulator", "--auto-approve")
            try #require(applied.status == 0, "\(applied.output)\(applied.error)")
        }
        return fixture
    }

    private let managed = "0x0007"
    private let other = "0x0002"

    @Test("whoever looks sees the managed one, and that there is another")
    func looking() throws {
        let fixture = try house()
        let shown = fixture.run("show", "node.brian")
        #expect(shown.status == 0 && shown.output.lowercased().contains("345e8227"), "\(shown.output)")
        #expect(
            shown.error.hasPrefix(
                "Note: This is the managed node of the name brian, at \(managed); \(other) (not managed"
            )
        )
        let why = fixture.run("show", "node.brian", "--why")
        #expect(why.status == 0 && why.output.contains("Node brian  \(managed)") && why.error.hasPrefix("Note: "))
        let refreshed = fixture.run("refresh", "--node", "brian", "--via", "simulator")
        #expect(
            refreshed.output.contains("1 node") && refreshed.error.contains("Note: "),
            "\(refreshed.output)\(refreshed.error)"
        )
        // Each suggested form means exactly one node.
        for word in [other, "559b8c9732a345b691494865d288cbf3"] {
            let one = fixture.run("show", "node.\(word)")
            #expect(one.status == 0 && one.error.isEmpty && one.output.contains(other), "\(one.error)")
        }
        #expect(fixture.run("show", "node.mary").error.isEmpty)
    }

    @Test("whoever changes something has to say which, in a form that works")
    func changing() throws {
        let fixture = try house()
        let commands = [
            ["keys", "refresh", "home", "--exclude", "brian", "--out", "new.mplan"],
            ["keys", "refresh", "home", "--exclude", "brian"],
            ["keys", "refresh", "home", "--exclude", "brian", "--via", "unix:/nosuch"],
            ["node", "was-reset", "brian", "--auto-approve"],
            ["state", "rm", "node.brian", "--dry-run"],
            ["state", "mv", "node.brian", "node.bob", "--dry-run"],
            ["reprovision", "brian", "--device-key", "--via", "simulator", "--auto-approve"],
        ]
        for command in commands {
            let refused = fixture.run(command)
            #expect(refused.status == 64, "\(command) \(refused.output)")
            let told = refused.error.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            #expect(told.contains("several nodes are called"), "\(told)")
            #expect(told.contains("\(other) (not managed") && told.contains("\(managed) (managed"), "\(told)")
        }
        #expect(fixture.run("keys", "refresh", "home", "--exclude", other, "--out", "new.mplan").status == 0)
        #expect(
            fixture.run("state", "rm", "node.\(other)", "--dry-run").output.contains("Would remove node.brian (559")
        )
        #expect(
            fixture.run("state", "mv", "node.559b8c9732a345b691494865d288cbf3", "node.bob", "--dry-run").status == 0
        )
        // A plan suggests one of those forms.
        let plan = fixture.run("plan", "--node", managed)
        #expect(plan.status == 0, "\(plan.error)")
    }

    @Test("a group says of whom it lists that is no member of ours any more")
    func group() throws {
        let fixture = try CommandFixture.house()
        try #require(fixture.run("apply", "--via", "simulator", "--auto-approve").status == 0)
        #expect(!fixture.run("show", "group.bedroom").output.contains("excluded"))
        let excluded = fixture.run(
            "keys",
            "refresh",
            "home",
            "--exclude",
            "brian",
            "--via",
            "simulator",
            "--auto-approve"
        )
        try #require(excluded.status == 0, "\(excluded.output)\(excluded.error)")
        #expect(excluded.output.contains("If the definition still has brian, remove it before"))
        let shown = fixture.run("show", "group.bedroom").output
        #expect(shown.contains("excluded"), "\(shown)")
        // A definition that still contains the node gets an error.
        #expect(fixture.run("plan").status == 65)
    }
}
