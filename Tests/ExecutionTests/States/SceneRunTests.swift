import Catalogue
import DefinitionModel
import Definitions
import Execution
import MeshCore
import Planning
import Simulator
import TestSupport
import Testing

@Suite("Scenes and schedules over the simulated network")
struct SceneRunTests {
    /// Lamps with lights, scenes, schedules and a clock on the first element.
    private static func network(lamps: Int) throws -> MeshNetwork {
        var network = try House.network(lamps: lamps)
        let names = [
            "generic-level-server", "generic-default-transition-time-server", "generic-power-onoff-server",
            "generic-power-onoff-setup-server", "light-lightness-server", "light-lightness-setup-server",
            "time-server", "time-setup-server", "scene-server", "scene-setup-server", "scheduler-server",
            "scheduler-setup-server",
        ]
        let models = try names.map { Model(identifier: try required(ModelCatalogue.model(named: $0)).identifier) }
        let controller = try ["generic-onoff-server", "light-lc-server", "light-lc-setup-server"].map {
            Model(identifier: try required(ModelCatalogue.model(named: $0)).identifier)
        }
        for place in network.nodes.indices.dropFirst() {
            network.nodes[place].elements[0].models += models
            network.nodes[place].elements[1].models += controller
        }
        return network
    }

    private static let bare = [
        "scene-server: { keys: [lighting] }", "light-lightness-server: { keys: [lighting] }",
        "scheduler-server: { keys: [lighting] }", "time-server: { keys: [lighting] }",
    ]

    private static func lights(_ scenes: String) -> [String] {
        bare.map { $0.hasPrefix("light-") ? "light-lightness-server: { keys: [lighting], scenes: { \(scenes) } }" : $0 }
    }

    private static func definition(
        lamps: Int = 2,
        models: [String] = lights("presentation: { lightness: 20% }, evening: { lightness: 80% }"),
        second: [String] = [],
        scenes: String = "presentation: 1, evening: 2",
        schedules: [String] = []
    ) throws -> Definition {
        try House.definition(lamps: lamps) { text in
            var lines: [Substring] = []
            for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
                if line == "nodes:" {
                    if !scenes.isEmpty { lines.append("scenes: { \(scenes) }") }
                    if !schedules.isEmpty { lines += ["schedules:"] + schedules.map { Substring("  " + $0) } }
                }
                lines.append(line)
                if line.contains("generic-onoff-client: {") { lines += models.map { Substring("        " + $0) } }
                if line.contains("0x0059:0x0001: {") { lines += second.map { Substring("        " + $0) } }
            }
            return lines.joined(separator: "\n")
        }
    }

    private func site(lamps: Int = 2, _ definition: Definition? = nil) throws -> Site {
        try Site(
            lamps: lamps,
            database: Self.network(lamps: lamps),
            definition: definition ?? Self.definition(lamps: lamps, models: Self.bare, scenes: "")
        )
    }

    /// What a lamp shows, in percent.
    private func level(_ lamp: UInt64, _ site: Site) -> Int64? {
        site.world.lights.first { $0.uuid == uuid(lamp) && $0.element == 0 }.map { ($0.level * 100 + 32_767) / 65_535 }
    }

    /// Sets a state as somebody else would.
    private func set(
        _ name: String,
        _ values: FieldValues,
        _ lamps: [UInt64],
        on element: UInt8 = 0,
        _ site: Site
    ) throws {
        let state = try required(StateCatalogue.state(named: name)).modelState(values)
        let model = ModelAddress(element: element, model: state.form.server)
        let key = try required(site.lamp(1).model(at: model)?.bindings.first)
        let action = ConfigurationAction.setBriefly(ModelStateSet(state, of: model, key: key, readingKey: key))
        for lamp in lamps {
            #expect(try site.apply(try site.plan(of: [action], on: uuid(lamp))).isComplete)
            site.world.advance(to: site.world.now.advanced(by: .seconds(7)))
        }
    }

    private func actions(_ plan: Plan, on lamp: UInt64) -> [String] {
        plan.steps.compactMap { step in
            guard case .configure(uuid(lamp), let action) = step.work else { return nil }
            switch action {
            case .holdState(let request): return "hold \(request.state.form.name)"
            case .setBriefly(let set): return "try \(set.state.form.name)"
            case .setModelState(let set): return "\(set.state.isRemoval ? "delete" : "set") \(set.state.form.name)"
            case .restoreState(let request): return "restore \(request.state.form.name)"
            default: return nil
            }
        }
    }

    @Test("Scenes are stored, the lamps end at what they were, and the plan is empty")
    func store() throws {
        let site = try site()
        #expect(try site.apply(try site.plan()).isComplete)
        try set("lightness", ["lightness": .integer(0x6666)], [1, 2], site)
        #expect(level(1, site) == 40 && level(2, site) == 40)
        site.definition = try Self.definition()
        let plan = try site.plan()
        #expect(
            actions(plan, on: 1) == [
                "hold lightness", "try lightness", "set scene.1", "try lightness", "set scene.2", "restore lightness",
            ]
        )
        #expect(plan.notes.contains { "\($0)".hasPrefix("To store scenes, 2 nodes change their light for a moment") })
        let changes = plan.changes.filter { $0.kind == .modelState }
        #expect(
            changes.map(\.after) == [
                "presentation: lightness 20%", "evening: lightness 80%", "presentation: lightness 20%",
                "evening: lightness 80%",
            ]
        )
        let recap = try site.apply(plan)
        #expect(recap.isComplete, "\(recap)")
        #expect(level(1, site) == 40 && level(2, site) == 40)
        #expect(try site.lamp(1).held.isEmpty)
        #expect(try site.plan().isEmpty)
        try set("scene", ["scene": .integer(1)], [1, 2], site)
        #expect(level(1, site) == 20 && level(2, site) == 20)
        try set("scene", ["scene": .integer(2)], [1], site)
        #expect(level(1, site) == 80 && level(2, site) == 20)
    }

    @Test("A changed scene costs only its own messages, a dropped one is deleted")
    func change() throws {
        let site = try site(Self.definition())
        #expect(try site.apply(try site.plan()).isComplete)
        site.definition = try Self.definition(
            models: Self.lights("presentation: { lightness: 30% }, evening: { lightness: 80% }")
        )
        let change = try site.plan()
        #expect(actions(change, on: 2) == ["hold lightness", "try lightness", "set scene.1", "restore lightness"])
        #expect(change.changes.first?.before == "lightness 20%")
        #expect(change.changes.first?.after == "presentation: lightness 30%")
        #expect(try site.apply(change).isComplete && site.plan().isEmpty)
        try set("scene", ["scene": .integer(1)], [2], site)
        #expect(level(2, site) == 30)
        site.definition = try Self.definition(models: Self.bare, scenes: "")
        let removal = try site.plan()
        #expect(actions(removal, on: 1) == ["delete scene.1", "delete scene.2"])
        #expect(removal.changes.allSatisfy { $0.action == .delete })
        #expect(try site.apply(removal).isComplete && site.plan().isEmpty)
        #expect(try site.lamp(1).elements[0].models.flatMap(\.states).isEmpty)
    }

    @Test("A definition made from the database has the scenes, and nothing is to be done for it")
    func adopt() throws {
        let site = try site(Self.definition(second: ["light-lc-server: { keys: [lighting], states: { mode: on } }"]))
        #expect(try site.apply(try site.plan()).isComplete)
        let definition = Adoption.make(of: try site.network, named: "house").definition
        #expect(definition.scenes.map(\.name.value) == ["scene-1", "scene-2"])
        #expect(definition.scenes.map(\.number.value) == [1, 2])
        site.definition = definition
        #expect(try site.plan().steps.isEmpty)
        let written = DefinitionWriter.text(of: definition)
        #expect(written.contains("scene-1: { lightness: 20% }") && written.contains("mode: on"), "\(written)")
    }

    @Test("A scene that somebody has deleted is drift, and is stored again")
    func drift() throws {
        let first = try site(Self.definition())
        #expect(try first.apply(try first.plan()).isComplete)
        // The same database beside lamps without scenes.
        let site = try Site(lamps: 2, database: first.network, definition: first.definition)
        #expect(try site.plan().isEmpty)
        let recap = try site.execute { $0.readBack([uuid(2)]) }
        #expect(recap.isComplete, "\(recap)")
        let network = try site.network
        let paths = try required(network.drifts[uuid(2)]).resources.map { $0.path(in: network) }
        #expect(paths == ["element[0].scene-server.state.scene.1", "element[0].scene-server.state.scene.2"])
        let plan = try site.plan()
        #expect(actions(plan, on: 1).isEmpty && actions(plan, on: 2).count == 6)
        #expect(try site.apply(plan).isComplete)
        #expect(try site.network.drifts.isEmpty && site.plan().isEmpty)
    }

    @Test("A light that its controller has switched on goes back to its controller")
    func controller() throws {
        let control = ["light-lc-server: { keys: [lighting], states: { mode: on } }"]
        let site = try site(Self.definition(models: Self.bare, second: control, scenes: ""))
        #expect(try site.apply(try site.plan()).isComplete)
        try set("lc-onoff", ["onoff": .integer(1)], [1, 2], on: 1, site)
        #expect(level(1, site) == 100)
        site.definition = try Self.definition(second: control)
        let plan = try site.plan()
        let held = ["lightness", "lc-mode", "lc-occupancy-mode", "lc-onoff"]
        let stored = ["try lightness", "set scene.1", "try lightness", "set scene.2"]
        #expect(actions(plan, on: 1) == held.map { "hold \($0)" } + stored + held.map { "restore \($0)" })
        let recap = try site.apply(plan)
        #expect(recap.isComplete, "\(recap)")
        #expect(try site.plan().isEmpty)
        // The controller has the light again: it fades on now, and to standby when its time is over.
        site.world.advance(to: site.world.now.advanced(by: .seconds(5)))
        #expect(level(1, site) == 100)
        site.world.advance(to: site.world.now.advanced(by: .seconds(150)))
        #expect(level(1, site) == 0)
    }

    @Test("A run that is killed anywhere while it stores scenes leaves nothing changed", arguments: 1..<28)
    func killed(packets: Int) throws {
        let site = try site(lamps: 1)
        #expect(try site.apply(try site.plan()).isComplete)
        try set("lightness", ["lightness": .integer(0x6666)], [1], site)
        site.definition = try Self.definition(lamps: 1)
        let runs = MortalRuns(site, moment: packets)
        var recap = try site.apply(try site.plan())
        while try runs.revive() { recap = try site.resolveAndApply() }
        runs.endDeaths()
        if !recap.isComplete { recap = try site.resolveAndApply() }
        #expect(recap.isComplete, "\(recap)")
        #expect(level(1, site) == 40)
        #expect(try site.lamp(1).held.isEmpty && site.plan().isEmpty)
        try set("scene", ["scene": .integer(2)], [1], site)
        #expect(level(1, site) == 80)
    }

    @Test("Schedules become entries of schedulers that know the time, and fire")
    func schedules() throws {
        let site = try site(
            Self.definition(
                schedules: [
                    "evening: every day at 06:20 recall evening everywhere",
                    "off: every day at 06:30 switch off everywhere",
                ]
            )
        )
        let plan = try site.plan()
        let texts = plan.changes.filter { $0.kind == .modelState && $0.address.contains("lamp-1") }
            .compactMap { change in change.after.map { "\(change.address.split(separator: ".").last ?? "") \($0)" } }
        #expect(texts.contains("0 every day at 06:20 recall evening"), "\(texts)")
        #expect(texts.contains("1 every day at 06:30 switch off"), "\(texts)")
        #expect(texts.contains("time that of this computer, UTC"), "\(texts)")
        #expect(texts.contains("time-role client"), "\(texts)")
        let recap = try site.apply(plan)
        #expect(recap.isComplete, "\(recap)")
        #expect(try site.plan().isEmpty)
        // It is 06:16:58 UTC when the run begins.
        site.world.advance(to: site.world.now.advanced(by: .seconds(4 * 60)))
        #expect(level(1, site) == 80 && level(2, site) == 80)
        site.world.advance(to: site.world.now.advanced(by: .seconds(10 * 60)))
        #expect(level(1, site) == 0)
        // Another schedule takes the place of the one that goes; the other keeps its own.
        site.definition = try Self.definition(
            schedules: [
                "off: every day at 06:30 switch off everywhere",
                "night: every day at 23:00 switch off everywhere",
            ]
        )
        let change = try site.plan()
        #expect(actions(change, on: 1) == ["set schedule.0"])
        #expect(change.changes.first?.after == "every day at 23:00 switch off")
        #expect(try site.apply(change).isComplete && site.plan().isEmpty)
        site.definition = try Self.definition()
        let removal = try site.plan()
        #expect(actions(removal, on: 1) == ["delete schedule.0", "delete schedule.1"])
        #expect(try site.apply(removal).isComplete && site.plan().isEmpty)
    }

    @Test("What does not fit a scheduler, or cannot be done, is said at its line")
    func problems() throws {
        func problems(_ definition: Definition) throws -> [String] {
            Planner.plan(
                definition: definition,
                network: try Self.network(lamps: 2),
                base: (Octets16(high: 1, low: 1), 1),
                identifier: Octets16(high: 2, low: 2)
            )
            .diagnostics.filter { $0.severity == .error }.map(\.message)
        }
        let many = (0...16).map { "s\($0): every day at \($0):00 switch off everywhere" }
        let full = try problems(Self.definition(schedules: many))
        #expect(!full.isEmpty && full.allSatisfy { $0.hasPrefix("the schedule `s16` does not fit the scheduler of") })
        #expect(
            try problems(
                Self.definition(models: Self.bare, schedules: ["a: every day at 1:00 recall evening everywhere"])
            ) == ["no selected node can do what the schedule `a` says"]
        )
        let timeless = try Self.definition(
            models: Self.bare.filter { !$0.hasPrefix("time") },
            schedules: ["a: every day at 1:00 switch off everywhere"]
        )
        let plan = Planner.plan(
            definition: timeless,
            network: try Self.network(lamps: 2),
            base: (Octets16(high: 1, low: 1), 1),
            identifier: Octets16(high: 2, low: 2)
        ).plan
        let notes = try required(plan).notes.map { "\($0)" }
        #expect(notes.contains { $0.hasPrefix("Schedules will never do anything where no time is known") })
    }
}
