import DefinitionModel
import Execution
import MeshCore
import Planning
import Simulator
import Store
import TestSupport
import Testing

/// Lamps with everything that a definition says of their behaviour, set up by runs that are killed.
@Suite("A run with states, scenes and schedules that is killed")
struct StateCrashTests {
    private static let settings: WorldSettings = {
        var settings = WorldSettings.ideal
        settings.copyLoss = 0.1
        settings.topology = .hops(2)
        return settings
    }()

    private static func models(_ names: String...) throws -> [Model] {
        try names.map { Model(identifier: try required(ModelCatalogue.model(named: $0)).identifier) }
    }

    private static func network() throws -> MeshNetwork {
        var network = try House.network(lamps: 2)
        let light = try models(
            "generic-level-server",
            "generic-default-transition-time-server",
            "generic-power-onoff-server",
            "generic-power-onoff-setup-server",
            "light-lightness-server",
            "light-lightness-setup-server",
            "time-server",
            "time-setup-server",
            "scene-server",
            "scene-setup-server",
            "scheduler-server",
            "scheduler-setup-server"
        )
        let controller = try models("generic-onoff-server", "light-lc-server", "light-lc-setup-server")
        for place in network.nodes.indices.dropFirst() {
            network.nodes[place].elements[0].models += light
            network.nodes[place].elements[1].models += controller
        }
        return network
    }

    /// Keys only, or all states, two scenes and a schedule.
    private static func definition(isBare: Bool) throws -> Definition {
        func model(_ name: String, _ rest: String) -> String {
            "        \(name): { keys: [lighting]\(isBare ? "" : rest) }"
        }
        let light = [
            model("generic-power-onoff-server", ", states: { on_power_up: restore }"),
            model(
                "light-lightness-server",
                ", states: { range: [5%, 90%], default: 40% }, "
                    + "scenes: { evening: { lightness: 60% }, night: { lightness: 10% } }"
            ),
            model("time-server", ""), model("scene-server", ""), model("scheduler-server", ""),
        ]
        let properties = "{ light-control-time-run-on: 10m, light-control-lightness-on: 80% }"
        let controller = model("light-lc-server", ", states: { mode: on, properties: \(properties) }")
        return try House.definition(lamps: 2) { text in
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false).flatMap { line -> [String] in
                var lines = [String(line)]
                if line == "nodes:", !isBare {
                    lines = ["scenes: { evening: 1, night: 2 }", "schedules:"]
                    lines += ["  evening: every day at 19:30 recall evening everywhere", "nodes:"]
                }
                if line.contains("generic-onoff-client: {") { lines += light }
                if line.contains("0x0059:0x0001: {") { lines.append(controller) }
                return lines
            }
            return lines.joined(separator: "\n")
        }
    }

    private static func site(seed: UInt64) throws -> Site {
        let site = try Site(
            lamps: 2,
            settings: settings,
            seed: seed,
            database: network(),
            definition: definition(isBare: true)
        )
        var recap = try site.apply(try site.plan())
        // Over this radio a node may stay pending.
        for _ in 0..<5 where !recap.isComplete { recap = try site.resolveAndApply() }
        try #require(recap.isComplete, "\(recap)")
        site.definition = try definition(isBare: false)
        return site
    }

    /// What came of a run: the states of the lamps but the time, what is still to be restored, and their lights.
    private struct Ending: Equatable {
        var states: [String]
        var held: [HeldState]
        var lights: [Int64]

        init(_ site: Site) throws {
            let nodes = try site.network.nodes
            states = nodes.flatMap { node in
                node.elements.flatMap(\.models).flatMap(\.states).filter { $0.form.name != "time" }
                    .map { "\(node.name) \($0.form.name) \($0.form.text(of: $0.status))" }
            }
            held = nodes.flatMap(\.held)
            site.world.advance(to: site.world.now.advanced(by: .seconds(10)))
            lights = site.world.lights.map(\.level)
        }
    }

    private static let undisturbed = Result { () throws -> (ending: Ending, moments: Int) in
        let site = try Self.site(seed: 1)
        let packets = try MortalRuns.packets(of: site) { () throws in
            #expect(try site.apply(try site.plan()).isComplete)
        }
        #expect(try site.plan().isEmpty)
        return (try Ending(site), packets)
    }

    @Test("At 40 moments, one more apply ends in the same states, scenes and light", arguments: 0..<4)
    func converges(part: Int) throws {
        let (expected, moments) = try Self.undisturbed.get()
        #expect(expected.states.count == 20 && expected.held.isEmpty, "\(expected)")
        for index in 0..<10 {
            let moment = 1 + (part * 10 + index) * moments / 40
            let site = try Self.site(seed: UInt64(moment))
            let runs = MortalRuns(site, moment: moment)
            var recap = try site.apply(try site.plan())
            while try runs.revive() { recap = try site.resolveAndApply() }
            runs.endDeaths()
            if !recap.isComplete { recap = try site.resolveAndApply() }
            #expect(recap.isComplete, "moment \(moment): \(recap)")
            #expect(try Ending(site) == expected, "moment \(moment)")
            #expect(try site.database.snapshot().unresolved == [], "moment \(moment)")
            #expect(try site.plan().isEmpty, "moment \(moment)")
            // The lamps themselves have it all.
            #expect(try site.execute { $0.readBack([uuid(1), uuid(2)]) }.isComplete, "moment \(moment)")
            #expect(try site.network.drifts.isEmpty, "moment \(moment)")
        }
    }
}
