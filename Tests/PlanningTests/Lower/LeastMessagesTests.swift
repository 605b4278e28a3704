import DefinitionModel
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
                // What leaves the network has gone for certain; that its subnet goes, too, the composition has yet to allow.
                let separate = Set(example.network.appKeys.map(\.index)).filter { key in
                    reads > 0 && !simulation.network.appKeys.contains { $0.index == key }
                        && simulation.network.netKeys.contains { $0.index == bound[key] }
                }
                let entry = example.definition.nodes.first { $0.uuid.value == uuid }
                let least =
                    LeastMessages(
                        before: before,
                        after: after,
                        boundNetKeys: bound,
                        declaredLists: entry.map { example.declaredLists(of: $0, after) } ?? [],
                        separateAppKeys: separate
                    ).count + reads
                #expect(sent == least, "seed \(seed): \(after.name)")
                nodes += 1
                messages += sent
            }
        }
        #expect(nodes > 100 && messages > 1500, "\(nodes) nodes, \(messages) messages")
    }

    /// Every table of four entries, three of which join the same subnets in the same order, into every other one. Nothing that
    /// stays or comes may go in between, for nothing would pass then.
    @Test("is the least that an exhaustive search finds on small bridging tables")
    func bridgingTables() throws {
        let guests = try #require(NetKeyIndex(rawValue: 1))
        let pair = NetKeyIndexPair(first: .primary, second: guests)
        let back = NetKeyIndexPair(first: guests, second: .primary)
        let entries = try [(pair, 0x0012), (pair, 0x0013), (pair, 0x0014), (back, 0x0014)].map { subnets, second in
            BridgingTableEntry(
                subnets: subnets,
                addresses: BridgedAddresses(
                    first: try #require(UnicastAddress(rawValue: 0x0010)),
                    second: Address(rawValue: second),
                    directions: .oneWay
                )
            )
        }
        let names = ["lamp-2", "lamp-2/1", "switch-1", "switch-1"]
        func declared(_ number: Int) -> String {
            entries.indices.filter { number & 1 << $0 != 0 }.map { place in
                let subnets = entries[place].subnets == pair ? "building, guests" : "guests, building"
                return "{ subnets: [\(subnets)], addresses: [lamp-1, \(names[place])], direction: one_way }"
            }.joined(separator: ", ")
        }
        for before in 0..<16 {
            var office = try Office()
            try office.change("lamp-1") { node in
                node.netKeys.append(NodeKey(index: guests))
                node.elements[0].models.append(Model(identifier: .bridgeConfigurationServer))
                node.bridgingTable = entries.indices.filter { before & 1 << $0 != 0 }.map { entries[$0] }
            }
            for after in 0..<16 {
                let yaml = Office.nodes(lamp1: "subnet_bridge: { table: [\(declared(after))] }")
                let plan = try #require(try office.result(Office.definition + yaml).plan)
                var simulation = StepSimulation(office.network)
                for step in plan.steps { try simulation.apply(step) }
                let table = simulation.network.nodes.first { $0.name == "lamp-1" }?.bridgingTable
                #expect(table == entries.indices.filter { after & 1 << $0 != 0 }.map { entries[$0] })
                let least = Self.distance(from: before, to: after)
                #expect(plan.steps.count { $0.work.isConfiguration } == least, "\(before) to \(after)")
            }
        }
    }

    /// By breadth: the messages that turn one table into the other, a bit for each entry.
    private static func distance(from before: Int, to after: Int) -> Int {
        var (reached, distance): (Set<Int>, Int) = ([before], 0)
        while !reached.contains(after) {
            var next = reached
            for table in reached {
                for place in 0..<4 { next.formUnion([table | 1 << place, table & ~(1 << place)]) }
                for pair in [0b0111, 0b1000] where after & pair == 0 { next.insert(table & ~pair) }
            }
            reached = next
            distance += 1
        }
        return distance
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

extension Step.Work {
    /// Whether it is a message to a node.
    fileprivate var isConfiguration: Bool {
        if case .configure = self { true } else { false }
    }
}
