import MeshCore
import Planning
import TestSupport
import Testing

@Suite("The number of messages of plans")
struct LeastMessagesTests {
    @Test("is the least by formula, whatever is changed")
    func formula() throws {
        var (nodes, messages) = (0, 0)
        for seed in propertySeeds(300) {
            let example = RandomCase(seed: seed)
            guard let plan = example.plan() else { continue }
            var simulation = StepSimulation(example.network, compositions: example.compositions)
            simulation.apply(plan.claims)
            var bound: [AppKeyIndex: NetKeyIndex] = [:]
            for step in plan.steps {
                for key in simulation.network.appKeys { bound[key.index] = key.boundNetKey }
                try simulation.apply(step)
            }
            for key in simulation.network.appKeys { bound[key.index] = key.boundNetKey }
            // Problems that only a composition shows leave things out.
            guard simulation.problems.isEmpty else { continue }
            for (uuid, sent) in simulation.messages {
                guard let after = simulation.network.nodes.first(where: { $0.uuid == uuid }) else {
                    #expect(sent == 1, "seed \(seed): a reset takes one message")
                    continue
                }
                let before = try #require(simulation.beginnings[uuid])
                let original = example.network.nodes.first { $0.uuid == uuid && $0.unprovisionedSeenAt == nil }
                let reads = original?.isCompositionKnown == true ? 0 : 1
                let entry = example.definition.nodes.first { $0.uuid.value == uuid }
                let least =
                    LeastMessages(
                        before: before,
                        after: after,
                        boundNetKeys: bound,
                        declaredLists: entry.map { example.declaredLists(of: $0, after) } ?? []
                    ).count + reads
                if sent != least { print(PlanDebugText.text(plan)); print(before); print(after) }
                #expect(sent == least, "seed \(seed): \(after.name)")
                nodes += 1
                messages += sent
            }
        }
        #expect(nodes > 100 && messages > 1500, "\(nodes) nodes, \(messages) messages")
    }

    @Test("is the least that an exhaustive search finds on small nodes")
    func search() throws {
        let possible = SmallNode.numbers.filter { SmallNode(number: $0).isPossible }
        var neighbours: [[Int]] = Array(repeating: [], count: SmallNode.numbers.count)
        for number in possible { neighbours[number] = SmallNode(number: number).neighbours.map(\.number) }
        var random = SplitMix64(seed: 3)
        var longest = 0
        for _ in 0..<8 {
            let before = SmallNode(number: possible.randomElement(using: &random) ?? 0)
            let distances = before.distances(neighbours)
            for _ in 0..<60 {
                let after = SmallNode(number: possible.randomElement(using: &random) ?? 0)
                let site = SmallSite(before)
                let plan = try #require(site.plan(to: after), "\(before) to \(after)")
                let messages = plan.steps.count { if case .configure = $0.work { true } else { false } }
                #expect(messages == distances[after.number], "\(before) to \(after)")
                longest = max(longest, messages)
            }
        }
        #expect(longest > 8)
    }
}

/// A network with one small node.
struct SmallSite {
    private(set) var network: MeshNetwork
    private static let uuid = DeviceUUID(rawValue: Octets16(high: 1, low: 1))
    private static let place = SourceLocation(file: 0, line: 1, column: 1)

    init(_ node: SmallNode) {
        let own = DeviceUUID(rawValue: Octets16(high: 9, low: 9))
        network = MeshNetwork(
            uuid: Octets16(high: 0, low: 0),
            name: "small",
            ivIndex: IVIndex(value: 0),
            netKeys: [0, 1].compactMap { NetKeyIndex(rawValue: $0) }
                .map { NetKey(index: $0, name: "net-\($0)", key: RandomCase.key()) },
            provisioners: [Provisioner(name: "we", uuid: own, unicastRanges: [0x0001...0x00FF])],
            ownProvisioner: own,
            nodes: []
        )
        network.appKeys = [0, 1, 2].compactMap { AppKeyIndex(rawValue: $0) }.map { key in
            let bound = NetKeyIndex(rawValue: UInt16(SmallNode.netKeyOfAppKey[Int(key.rawValue)])) ?? .primary
            return AppKey(index: key, name: "key-\(key)", boundNetKey: bound, key: RandomCase.key())
        }
        network.groups = [0, 1, 2].compactMap { GroupAddress(rawValue: 0xC000 + $0) }
            .map { Group(name: "group-\($0.rawValue - 0xC000)", address: .group($0)) }
        var main = Model(identifier: .sig(0x1000), bindings: Self.keys(node.bindings))
        main.subscriptions = node.groups.sorted().compactMap { GroupAddress(rawValue: 0xC000 + UInt16($0)) }
            .map { .group($0) }
        main.managedSubscriptions = main.subscriptions
        if let key = node.publication.flatMap({ AppKeyIndex(rawValue: UInt16($0)) }) {
            main.publication = Publication(address: .group(.allNodes), appKeyIndex: key)
        }
        let other = Model(identifier: .sig(0x1002), bindings: Self.keys(node.otherBindings))
        var recorded = Node(
            uuid: Self.uuid,
            name: "node",
            unicastAddress: .first,
            deviceKey: RandomCase.key(),
            elements: [Element(models: [main, other])],
            netKeys: (node.hasSecondNetKey ? [0, 1] : [0]).compactMap { NetKeyIndex(rawValue: $0) }
                .map { NodeKey(index: $0) },
            appKeys: Self.keys(node.appKeys).map { NodeKey(index: $0) }
        )
        recorded.isManaged = true
        network.nodes = [recorded]
    }

    private static func keys(_ keys: Set<Int>) -> [AppKeyIndex] {
        keys.sorted().compactMap { AppKeyIndex(rawValue: UInt16($0)) }
    }

    /// The plan to make the node like that, by a definition that says all of it.
    func plan(to node: SmallNode) -> Plan? {
        func located<Value>(_ value: Value) -> Located<Value> { Located(value, at: Self.place) }
        func names(_ prefix: String, _ numbers: Set<Int>) -> Located<[Located<String>]> {
            located(numbers.sorted().map { located("\(prefix)-\($0)") })
        }
        var definition = Definition(network: located("small"))
        definition.subnets = network.netKeys.map { SubnetDefinition(name: located($0.name)) }
        definition.applicationKeys = network.appKeys.map {
            ApplicationKeyDefinition(name: located($0.name), subnet: located("net-\($0.boundNetKey)"))
        }
        definition.groups = network.groups.map { GroupDefinition(name: located($0.name)) }
        var entry = NodeDefinition(name: located("node"), uuid: located(Self.uuid))
        entry.settings.subnets = names("net", node.hasSecondNetKey ? [0, 1] : [0])
        entry.settings.applicationKeys = names("key", node.appKeys)
        var main = ModelDefinition(identifier: located(.sig(0x1000)))
        main.keys = names("key", node.bindings)
        main.subscribe = names("group", node.groups)
        var publish: PublishSettings?
        if let key = node.publication {
            publish = PublishSettings(target: located(.name("all-nodes")))
            publish?.key = located("key-\(key)")
        }
        main.publish = located(publish)
        var other = ModelDefinition(identifier: located(.sig(0x1002)))
        other.keys = names("key", node.otherBindings)
        entry.settings.elements[0] = ElementDefinition(location: Self.place, models: [main, other])
        definition.nodes = [entry]
        let result = Planner.plan(
            definition: definition,
            network: network,
            base: (Octets16(high: 1, low: 1), 1),
            identifier: Octets16(high: 2, low: 2),
            options: PlannerOptions(allowed: Set(PlanGuard.allCases))
        )
        return result.plan
    }
}
