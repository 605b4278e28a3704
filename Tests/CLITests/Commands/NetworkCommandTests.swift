import Foundation
import TestSupport
import Testing

@testable import MeshplanCLI

@Suite("meshplan network iv")
struct NetworkCommandTests {
    private let apply = ["apply", "house.yaml", "--via", "simulator", "--auto-approve"]
    private let recover = ["network", "iv", "recover", "--via", "simulator"]

    @Test("show tells the IV index, since when, and the sequence numbers of our own address")
    func show() throws {
        let fixture = try CommandFixture.house()
        expectSnapshot(fixture.run("network", "iv", "show").transcript, "network-iv-show-imported.txt")
        try #require(fixture.run(apply + ["--iv-index", "5"]).status == 0)
        expectSnapshot(fixture.run("network", "iv", "show").transcript, "network-iv-show.txt")
        expectSnapshot(fixture.run("network", "iv", "show", "--json").transcript, "network-iv-show.jsonl")
    }

    @Test("a database behind catches up by itself; one too far behind is told the command that mends it, which does")
    func recovers() throws {
        let fixture = try CommandFixture.house()
        try #require(fixture.run(apply).status == 0)
        try change(fixture)
        let near = fixture.run(apply + ["--iv-index", "5"])
        #expect(near.status == 0, "\(near.error)")
        #expect(fixture.run("network", "iv", "show").output.contains("IV index 5\n"))

        try change(fixture)
        let far = fixture.run(apply + ["--iv-index", "65"])
        expectSnapshot(far.transcript, "network-iv-too-far.txt")
        #expect(far.status == 1)
        let command = "meshplan network iv recover --network house --via simulator"
        #expect(far.error.contains(command))

        #expect(fixture.run(recover).status == 8, "nobody can be asked")
        #expect(fixture.run("network", "iv", "show").output.contains("IV index 5\n"))
        fixture.isTerminal = true
        fixture.answers = ["no"]
        #expect(fixture.run(recover).status == 8)
        fixture.answers = ["yes"]
        let typed = fixture.run(command.split(separator: " ").dropFirst().map(String.init))
        expectSnapshot(typed.transcript, "network-iv-recover.txt")
        #expect(typed.status == 0)
        fixture.isTerminal = false
        let after = fixture.run(apply)
        #expect(after.status == 0, "\(after.error)")
        expectSnapshot(fixture.run(recover).transcript, "network-iv-recover-unchanged.txt")
    }

    /// Changes the definition, so that there is something to send.
    private func change(_ fixture: CommandFixture) throws {
        let definition = String(decoding: try #require(fixture.read("house.yaml")), as: UTF8.self)
        let ttl = definition.contains("ttl: 4") ? ("ttl: 4", "ttl: 6") : ("ttl: 6", "ttl: 4")
        #expect(definition.contains(ttl.0))
        try fixture.write(definition.replacing(ttl.0, with: ttl.1), to: "house.yaml")
    }

    @Test("recover follows what the rules allow unasked, and never goes back")
    func follows() throws {
        let fixture = try CommandFixture.house()
        try #require(fixture.run(apply + ["--iv-index", "9"]).status == 0)
        expectSnapshot(fixture.run(recover + ["--iv-index", "12", "--json"]).transcript, "network-iv-recover.jsonl")
        let soon = fixture.run(recover + ["--iv-index", "13:updating"])
        #expect(soon.status == 0 && soon.output.contains("Nothing to do"), "\(soon.output)\(soon.error)")
        let behind = fixture.run(recover + ["--iv-index", "4"])
        expectSnapshot(behind.transcript, "network-iv-behind.txt")
        #expect(behind.status == 5)
        #expect(fixture.run("network", "iv", "show").output.contains("IV index 12\n"))
    }

    @Test("a run that has too few sequence numbers is refused; one that has few warns")
    func numbers() throws {
        let fixture = try CommandFixture.house()
        try #require(fixture.run(apply).status == 0)
        try change(fixture)
        let file = ".meshplan/house.meshdb.sequence"
        let text = String(decoding: try #require(fixture.read(file)), as: UTF8.self)
        let line = try #require(text.split(separator: "\n").dropFirst().first)
        let source = try #require(line.split(separator: " ").first)
        func setLimit(_ limit: Int) throws {
            try fixture.write("meshplan sequence numbers 1\n\(source) 0 \(limit)\nend\n", to: file)
        }
        try setLimit(16_000_000)
        let few = fixture.run("plan", "house.yaml")
        #expect(few.status == 0)
        #expect(few.error.hasPrefix("Warning: 777216 of 16777216 sequence numbers of 0x"), "\(few.error)")
        #expect(few.error.contains("nodes start"))
        let json = fixture.run("plan", "house.yaml", "--json")
        #expect(json.output.contains(#""type":"warning","code":"sequence_numbers_urgent""#))
        try setLimit(16_777_216)
        let none = fixture.run(apply)
        #expect(none.status == 5, "\(none.error)")
        #expect(
            none.error.contains("sequence numbers of 0x") && none.error.contains("but only 0 are left"),
            "\(none.error)"
        )
        expectSnapshot(fixture.run("network", "iv", "show").transcript, "network-iv-show-exhausted.txt")
        #expect(fixture.run(apply + ["--iv-index", "1"]).status == 5, "it is not known yet that there are new numbers")
        #expect(fixture.run(recover).status == 0)
        #expect(fixture.run(apply).status == 0, "there are new numbers")
    }

    @Test("set states the IV index of an imported network, which is shown as stated until a node confirms it")
    func set() throws {
        let fixture = try CommandFixture.house()
        let set = ["network", "iv", "set"]
        #expect(fixture.run(set + ["60"]).status == 8, "nobody can be asked")
        fixture.isTerminal = true
        fixture.answers = ["no"]
        #expect(fixture.run(set + ["60"]).status == 8)
        fixture.answers = ["yes"]
        let stated = fixture.run(set + ["60"])
        expectSnapshot(stated.transcript, "network-iv-set.txt")
        #expect(stated.status == 0)
        fixture.isTerminal = false
        expectSnapshot(fixture.run("network", "iv", "show").transcript, "network-iv-show-stated.txt")
        #expect(fixture.run("network", "iv", "show", "--json").output.contains(#""stated_at":"20"#))
        let applied = fixture.run(apply + ["--iv-index", "60"])
        #expect(applied.status == 0, "\(applied.error)")
        #expect(applied.error.contains("Warning: the IV index was stated by a person"), "\(applied.error)")
        let shown = fixture.run("network", "iv", "show").output
        #expect(shown.contains("IV index 60\n") && !shown.contains("stated"), "\(shown)")
        let lower = fixture.run(set + ["59", "--auto-approve"])
        #expect(lower.status == 5)
        #expect(lower.error.contains("under IV index 60, and an IV index never goes back"), "\(lower.error)")
        let same = fixture.run(set + ["60", "--json"])
        #expect(same.status == 0 && same.output.contains(#""outcome":"unchanged""#), "\(same.output)")
        let higher = fixture.run(set + ["61:updating", "--auto-approve", "--json"])
        #expect(higher.status == 0 && higher.output.contains(#""outcome":"stated","before":60"#), "\(higher.output)")
        #expect(fixture.run(set + ["61:soon"]).status == 64)
    }

    @Test("what the options take")
    func options() throws {
        let fixture = try CommandFixture.house()
        for index in ["", "-1", "5:", "5:update", "0:updating", "4294967296", "0x5"] {
            #expect(fixture.run(recover + ["--iv-index", index]).status == 64, "\(index)")
        }
        #expect(fixture.run(recover + ["--listen", "10ms"]).status == 64)
        #expect(fixture.run("network", "iv", "recover").status == 64)
    }
}
