import DefinitionModel
import Definitions
import MeshCore
import TestSupport
import Testing

@testable import Planning

@Suite("Plans for subscription lists that models share")
struct SharedListTests {
    private static let product = Node.Product(company: 1, product: 2, version: 3, replayListSize: 100)
    private static let models: [ModelIdentifier] = [.sig(0x1000), .sig(0x1006), .sig(0x1300)]
    private static let groups = ["all-lights", "kitchen"]

    /// The office with a lamp of three models that extend one another.
    private func office(_ lists: [[Int]], isShared: Bool? = true, lamps: [String] = ["lamp-1"]) throws -> Office {
        var office = try Office()
        let addresses = office.network.groups.map(\.address)
        for name in lamps {
            try office.change(name) { node in
                node.product = Self.product
                node.elements[0].models = zip(Self.models, lists).map { identifier, list in
                    Model(identifier: identifier, subscriptions: list.map { addresses[$0] })
                }
            }
        }
        guard let isShared else { return office }
        for (one, other) in zip(Self.models, Self.models.dropFirst()) {
            _ = office.network.learn(
                ListSharing(product: Self.product, element: 0, one, other, isShared: isShared)
            )
        }
        return office
    }

    private func yaml(_ declared: [[Int]?], lamp2: String = "") -> String {
        let models = zip(Self.models, declared).compactMap { model, list in
            list.map { list in "\(model.name): { subscribe: [\(list.map { Self.groups[$0] }.joined(separator: ", "))] }"
            }
        }
        let elements = "elements: { 0: { \(models.joined(separator: ", ")) } }"
        return Office.nodes(lamp1: elements, lamp2: lamp2.isEmpty ? "" : elements)
    }

    /// What the messages of a plan make of the one list that a node really has.
    private func outcome(_ plan: Plan, _ list: Set<SubscriptionAddress>) -> (Set<SubscriptionAddress>, messages: Int) {
        var list = list
        var messages = 0
        for step in plan.steps {
            guard case .configure(_, let action) = step.work else { continue }
            messages += 1
            switch action {
            case .addSubscription(_, let group): list.insert(group)
            case .deleteSubscription(_, let group): list.remove(group)
            case .overwriteSubscriptions(_, let group): list = [group]
            case .deleteAllSubscriptions: list = []
            default: break
            }
        }
        return (list, messages)
    }

    private static let subsets: [[Int]] = [[], [0], [1], [0, 1]]
    private static let choices: [[Int]?] = [nil] + subsets

    @Test("From every list to every declaration the plan takes the fewest messages, and the plan after it is empty")
    func minimum() throws {
        for recorded in Self.subsets {
            for declared in Self.choices.flatMap({ one in
                Self.choices.flatMap { two in Self.choices.map { three in [one, two, three] } }
            }) {
                var office = try office([recorded, recorded, recorded])
                let text = Office.definition + yaml(declared)
                let plan = try required(try office.result(text).plan)
                let lists = declared.compactMap { $0 }
                let wanted = lists.isEmpty ? Set(recorded) : Set(lists.joined())
                let addresses = office.network.groups.map(\.address)
                let (list, messages) = outcome(plan, Set(recorded.map { addresses[$0] }))
                #expect(list == Set(wanted.map { addresses[$0] }), "\(recorded) \(declared)")
                let difference = wanted.symmetricDifference(recorded).count
                let fewest = wanted.isEmpty ? min(difference, 1) : min(difference, wanted.count)
                #expect(messages == fewest, "\(recorded) \(declared)")
                try office.apply(text)
                let again = try required(try office.result(text).plan)
                #expect(again.steps == [] && again.changes == [] && again.claims == Claims(), "\(recorded) \(declared)")
            }
        }
    }

    @Test("Records that are at odds, as of one who did not know that models share, lead to the right list all the same")
    func odds() throws {
        var random = SplitMix64(seed: 5)
        for round in 0..<300 {
            let recorded = (0..<3).map { _ in Self.subsets.randomElement(using: &random) ?? [] }
            let declared = (0..<3).map { _ in Self.choices.randomElement(using: &random) ?? nil }
            let lists = declared.compactMap { $0 }
            guard !lists.isEmpty else { continue }
            let known = zip(recorded, declared).filter { $0.1 != nil }.map(\.0)
            var sure = Set(known[0])
            for list in known { sure.formIntersection(list) }
            // The list has what all records of declared models agree on, and may have what any says.
            let truth = sure.union(Set(recorded.joined()).filter { _ in random.chance(50) })
            var office = try office(recorded)
            let text = Office.definition + yaml(declared)
            let addresses = office.network.groups.map(\.address)
            let plan = try required(try office.result(text).plan)
            let wanted = Set(lists.joined().map { addresses[$0] })
            #expect(outcome(plan, Set(truth.map { addresses[$0] })).0 == wanted, "\(round): \(recorded) \(declared)")
            try office.apply(text)
            #expect(try required(try office.result(text).plan).steps == [], "\(round): \(recorded) \(declared)")
        }
    }

    @Test("One message serves all, the others come along; what cannot be had is said")
    func text() throws {
        let office = try office([[0], [0], [0]])
        #expect(
            try office.plan(yaml([[0, 1], [0, 1], nil])) == """
                + node.lamp-1.element[0].generic-onoff-server.subscription.kitchen -> [0xC001]
                + node.lamp-1.element[0].generic-power-onoff-server.subscription.kitchen -> [0xC001] (implied)
                0 lamp-1: subscribe 0/generic-onoff-server 0xC001
                """
        )
        #expect(
            try office.diagnostics(yaml([[0, 1], [0], nil])).contains(
                "note: `generic-power-onoff-server` on element 0 will also hear `kitchen`: on this product it shares "
                    + "a subscription list with `generic-onoff-server`"
            )
        )
    }

    @Test("What is not asked for any more goes from all with one message")
    func dropped() throws {
        var office = try office([[0], [0], [0]])
        let kitchen = Office.definition + yaml([[0, 1], [0, 1], nil])
        try office.apply(kitchen)
        let plan = try required(try office.result(Office.definition + yaml([nil, nil, nil])).plan)
        #expect(PlanDebugText.text(plan).hasSuffix("0 lamp-1: unsubscribe all 0/generic-onoff-server"))
        #expect(plan.steps.count == 1)
    }

    @Test("Whether lists are shared is found out on one node of a product, where that may save as much as it takes")
    func inquiry() throws {
        let office = try office([[], [], []], isShared: nil, lamps: ["lamp-1", "lamp-2"])
        let plan = try required(try office.result(Office.definition + yaml([[0], [0], nil], lamp2: "too")).plan)
        let steps = PlanDebugText.text(plan).split(separator: "\n").filter { $0.first?.isNumber ?? false }
        let model = "ModelAddress(element: 0, model: \(Self.models[1]))"
        // Two Gets for the two messages that the two lamps may be spared.
        #expect(steps.count == 6)
        #expect(steps[0].contains("lamp-1: read subscriptions"), "\(steps) \(model)")
        #expect(steps[1] == "1 lamp-1: subscribe 0/generic-onoff-server 0xC000")
        #expect(steps[2].contains("lamp-1: read subscriptions"))
        #expect(steps[3...].allSatisfy { $0.contains(": subscribe 0/") })
        #expect(plan.notes.contains { $0.contains("1 product") && $0.contains("up to 2 messages") })
        #expect(try PlanFile.decode(PlanFile.encode(plan)) == plan)
        // One lamp alone would take as many Gets more as it could be spared messages, or more.
        let single = try required(try office.result(Office.definition + yaml([[0], [0], nil])).plan)
        #expect(single.steps.count == 2)
        // It is known that they are not.
        let separate = try self.office([[], [], []], isShared: false, lamps: ["lamp-1", "lamp-2"])
        let known = try required(try separate.result(Office.definition + yaml([[0], [0], nil], lamp2: "too")).plan)
        #expect(known.steps.count == 4)
    }
}
