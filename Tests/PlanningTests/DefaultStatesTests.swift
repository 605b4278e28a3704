import DefinitionModel
import MeshCore
import Planning
import Testing

@Suite("States of models in defaults")
struct DefaultStatesTests {
    private static let range =
        "defaults: { states: { generic-level-server: {}, light-lightness-server: { default: 80% } } }\n"

    /// The office with setup servers beside the Light Lightness Servers of its lamps.
    private func office(_ lamps: [String] = ["lamp-1", "lamp-2"]) throws -> Office {
        var office = try Office()
        for lamp in lamps {
            try office.change(lamp) { node in
                node.elements[0].models.append(Model(identifier: .sig(0x1301)))
            }
        }
        return office
    }

    @Test("Every element with the models gets the state, and what nodes and profiles say wins")
    func known() throws {
        let own = "elements: { 0: { light-lightness-server: { states: { default: 50% } } } }"
        let plan = try office().plan(Self.range + Office.nodes(lamp2: own))
        #expect(plan.contains("~ node.lamp-1.element[0].light-lightness-server.state.lightness-default -> [80%]"))
        #expect(plan.contains("~ node.lamp-2.element[0].light-lightness-server.state.lightness-default -> [50%]"))
        #expect(!plan.contains("switch-1"))
    }

    @Test("Nodes that cannot be set are left alone")
    func lacking() throws {
        let plan = try office(["lamp-1"]).plan(Self.range + Office.nodes())
        #expect(plan.contains("lamp-1.element[0].light-lightness-server.state.lightness-default"))
        #expect(!plan.contains("lamp-2"))
    }

    @Test("Without a key for it a default is left out with a warning")
    func withoutKey() throws {
        var office = try office(["lamp-1"])
        try office.change("lamp-1") { $0.elements[0].models[2].bindings = [] }
        #expect(
            try office.diagnostics(Self.range + Office.nodes()).contains(
                "no application key is bound to `light-lightness-server`, so the default does not apply"
            )
        )
    }

    @Test(
        "While the composition is unknown the state waits in a step, and counts as no change: the model may be missing"
    )
    func unknown() throws {
        var office = try office()
        try office.change("lamp-1") { $0.elements = [] }
        try office.change("lamp-1") { $0.product = nil }
        let yaml = Office.definition + Self.range + Office.nodes()
        let plan = try #require(try office.result(yaml).plan)
        #expect(!plan.changes.contains { $0.address.contains("lamp-1") && $0.kind == .modelState })
        let waiting = plan.steps.compactMap { step in
            if case .configureWhenKnown(let configuration) = step.work { configuration.rules } else { nil }
        }
        #expect(
            waiting.joined().contains { if case .state(let state) = $0.effect { state.text == "80%" } else { false } }
        )
        #expect(try PlanFile.decode(PlanFile.encode(plan)) == plan)
    }

    @Test("A default outside of the range, declared or recorded, is a warning at its line")
    func ranges() throws {
        var office = try office(["lamp-1"])
        func found(_ states: String) throws -> [String] {
            let lamp = "elements: { 0: { light-lightness-server: { states: { \(states) } } } }"
            return try office.result(Office.definition + Office.nodes(lamp1: lamp)).diagnostics
                .filter { $0.severity == .warning }.map(\.message)
        }
        #expect(try found("range: [5%, 100%], default: 80%") == [])
        #expect(try found("range: [5%, 100%], default: last") == [])
        #expect(
            try found("range: [50%, 90%], default: 20%") == [
                "the default lightness 20% is outside of the range 50% to 90%, which the definition declares"
            ]
        )
        #expect(try found("default: 20%") == [])
        try office.apply(
            Office.definition
                + Office.nodes(lamp1: "elements: { 0: { light-lightness-server: { states: { range: [50%, 90%] } } } }")
        )
        #expect(
            try found("default: 20%") == [
                "the default lightness 20% is outside of the range 50% to 90%, which node `lamp-1` has"
            ]
        )
    }
}
