import Foundation
import TestSupport
import Testing

@testable import MeshplanCLI

@Suite("Taking changes back cuts nobody off")
struct WayBackCommandTests {
    /// A task that one definition gives to a node and the next one to `mary`.
    struct Move: Sendable, CustomTestStringConvertible {
        var testDescription: String
        /// The node that has the task before.
        let other: String
        /// What stands in the lines of `mary` and of the other node before, and what stands there after.
        let before: (mary: String, other: String)
        let after: (mary: String, other: String)
        /// What waits.
        let waits: String
        /// The line of `show` that tells whether `mary` has the task, and the word there.
        let shown: (line: String, word: String)
    }

    static let moves = [
        Move(
            testDescription: "proxy",
            other: "bell",
            before: ("features: { proxy: off }", "features: { proxy: on }"),
            after: ("features: { proxy: on }", "features: { proxy: off }"),
            waits: "GATT proxy off of mary waits for bell (proxy), which did not answer.",
            shown: ("features", "proxy")
        ),
        Move(
            testDescription: "relay",
            other: "brian",
            before: ("features: { relay: off }", "features: { relay: on }"),
            after: ("features: { relay: on }", "features: { relay: off }"),
            waits: "Relay off of mary waits for brian (relay), which did not answer.",
            shown: ("features", "relay")
        ),
        Move(
            testDescription: "subnet",
            other: "bell",
            before: ("features: { proxy: on }, subnets: [home]", "features: { proxy: on }, subnets: [home, molly]"),
            after: ("features: { proxy: on }, subnets: [home, molly]", "features: { proxy: on }, subnets: [home]"),
            waits: "Leaving a subnet of mary waits for bell (proxy), which did not answer.",
            shown: ("subnets", "molly")
        ),
    ]

    /// The house, in which the other node has the task, and a definition that gives it to `mary`.
    private func house(_ move: Move) throws -> CommandFixture {
        let fixture = try CommandFixture()
        try fixture.copy("house.yaml")
        try fixture.copy("network.json")
        // Mary's light can be a proxy, too.
        let network = String(decoding: try #require(fixture.read("network.json")), as: UTF8.self)
        let light = try #require(network.range(of: "Bedside Light (Mary)"))
        let proxy = try #require(network[light.upperBound...].firstMatch(of: #/"proxy" ?: ?2/#))
        try fixture.writePrivate(network.replacingCharacters(in: proxy.range, with: #""proxy":0"#), to: "network.json")
        try #require(fixture.run("init").status == 0)
        try #require(fixture.run("import", "--cdb", "network.json").status == 0)
        try write(move.before, move, to: fixture)
        let first = fixture.run(HistoryCommandTests.apply)
        try #require(first.status == 0, "\(first.output)\(first.error)")
        try write(move.after, move, to: fixture)
        return fixture
    }

    private func write(_ lines: (mary: String, other: String), _ move: Move, to fixture: CommandFixture) throws {
        let house = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "Resources/house.yaml")
        var text = try String(contentsOf: house, encoding: .utf8)
            .replacing("ttl: 4, tags: { bed: right }", with: "ttl: 4, tags: { bed: right }, \(lines.mary)")
        switch move.other {
        case "bell": text = text.replacing("features: { proxy: on }, protect", with: "\(lines.other), protect")
        default: text = text.replacing("tags: { bed: left }", with: "tags: { bed: left }, \(lines.other)")
        }
        try fixture.write(text, to: "house.yaml")
    }

    private func hasTask(_ move: Move, _ fixture: CommandFixture) -> Bool {
        fixture.run("show", "node.mary").output.split(separator: "\n").contains {
            $0.hasPrefix("  " + move.shown.line) && $0.contains(move.shown.word)
        }
    }

    @Test("a rollback takes nothing away while who had it before does not answer, and goes on then", arguments: moves)
    func rollback(move: Move) throws {
        let fixture = try house(move)
        let moved = fixture.run(HistoryCommandTests.apply)
        try #require(moved.status == 0, "\(moved.output)\(moved.error)")
        try #require(hasTask(move, fixture))
        let rollback = ["rollback", "--via", "simulator", "--auto-approve"]
        let cut = fixture.run(rollback + ["--off", move.other])
        #expect(cut.status == 4 && cut.output.contains(move.waits), "\(cut.output)\(cut.error)")
        #expect(hasTask(move, fixture))
        let again = fixture.run(rollback)
        #expect(again.status == 0 && !hasTask(move, fixture), "\(again.output)\(again.error)")
        #expect(fixture.run("sim", "status").output.hasSuffix("All agree with the mesh database.\n"))
    }

    @Test("what nobody confirmed is taken back in the same way", arguments: moves.prefix(2))
    func undo(move: Move) throws {
        let fixture = try house(move)
        // Only what is known can be taken back.
        try #require(fixture.run("refresh", "--via", "simulator").status == 0)
        let other = CommandFixture(sharing: fixture)
        var pauses = 0
        fixture.whilePausing = {
            pauses += 1
            guard pauses == 3 else { return }
            let undo = other.run("rollback", "--unconfirmed", "--via", "simulator", "--off", move.other)
            #expect(undo.status == 4 && undo.output.contains(move.waits), "\(undo.output)\(undo.error)")
            #expect(hasTask(move, other))
        }
        // The time ends after the first attempt; what it left is taken back then.
        let result = fixture.run(HistoryCommandTests.apply + ["--confirm-within", "1m"])
        #expect(result.status == 8 && pauses >= 3, "\(pauses) \(result.output)\(result.error)")
        #expect(!hasTask(move, fixture))
        #expect(fixture.run("sim", "status").output.hasSuffix("All agree with the mesh database.\n"))
    }

    @Test("a key refresh excludes no proxy before another one has answered")
    func exclusion() throws {
        let move = Self.moves[0]
        let fixture = try house(move)
        try write((move.after.mary, move.before.other), move, to: fixture)
        let both = fixture.run(HistoryCommandTests.apply)
        try #require(both.status == 0, "\(both.output)\(both.error)")
        let refresh = ["keys", "refresh", "home", "--via", "simulator", "--auto-approve", "--exclude", "mary"]
        let cut = fixture.run(refresh + ["--off", "bell"])
        #expect(cut.status == 4, "\(cut.output)\(cut.error)")
        #expect(
            cut.output.contains("The exclusion of mary waits for bell (proxy), which did not answer."),
            "\(cut.output)"
        )
        #expect(!fixture.run("plan").output.contains("subnet home is not finished"), "no key is replaced before")
        #expect(!fixture.run("show", "node.mary").output.contains("excluded"))
        let again = fixture.run(refresh)
        #expect(again.status == 0, "\(again.output)\(again.error)")
        #expect(fixture.run("show", "node.mary").output.contains("excluded"))
    }

    @Test("A proxy that is linked to but has not answered yet is asked to the end before another one goes")
    func openQuestion() throws {
        let fixture = try CommandFixture()
        try fixture.write(
            """
            products:
              lamp:
                company: 0x0059
                product: 0x0020
                features: [relay, proxy]
                elements: [{ models: [generic-onoff-server] }]
            devices:
              a: { uuid: 0d5c5a0e-6f5b-4f0e-a1a5-0b1f1c1f0001, product: lamp }
              b: { uuid: 0d5c5a0e-6f5b-4f0e-a1a5-0b1f1c1f0002, product: lamp }
              c: { uuid: 0d5c5a0e-6f5b-4f0e-a1a5-0b1f1c1f0003, product: lamp }
            """,
            to: "sim/devices.yaml"
        )
        try fixture.write(
            """
            version: 1
            network: wb
            subnets: { home: { index: 0 } }
            application_keys: { lighting: { subnet: home } }
            profiles:
              hub: { features: { proxy: on, relay: on }, elements: { 0: { generic-onoff-server: { keys: [lighting] } } } }
              lamp: { features: { proxy: off, relay: on }, elements: { 0: { generic-onoff-server: { keys: [lighting] } } } }
            nodes:
              hub: { uuid: 0d5c5a0e-6f5b-4f0e-a1a5-0b1f1c1f0001, profile: hub }
              lamp-2: { uuid: 0d5c5a0e-6f5b-4f0e-a1a5-0b1f1c1f0002, profile: hub }
              lamp-3: { uuid: 0d5c5a0e-6f5b-4f0e-a1a5-0b1f1c1f0003, profile: lamp }
            """,
            to: "wb.yaml"
        )
        let way = ["--via", "simulator", "--devices", "sim/devices.yaml", "--auto-approve"]
        try #require(fixture.run("init", "--network", "wb").status == 0)
        let applied = fixture.run(["apply"] + way)
        try #require(applied.status == 0, "\(applied.error)")
        // The question goes through hub to a node that does not hear it, and meanwhile a link to that node comes up.
        let refresh = fixture.run(["keys", "refresh", "home", "--exclude", "hub", "--deaf", "lamp-2"] + way)
        #expect(refresh.status == 4, "\(refresh.output)\(refresh.error)")
        #expect(fixture.run("state", "verify").status == 0)
    }
}
