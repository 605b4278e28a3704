import DefinitionModel
import MeshCore
import Planning
import TestSupport
import Testing

@Suite("The way back to a former state")
struct RestorationTests {
    private static let seeds = propertySeeds(300)
    /// All but what nodes would refuse.
    private static let bearable = Set(PlanGuard.allCases).subtracting([.transportNetKey, .lastNetKey])

    private func plan(_ definition: Definition, _ network: MeshNetwork) -> Plan? {
        let result = Planner.plan(
            definition: definition,
            network: network,
            base: (Octets16(high: 1, low: 1), 1),
            identifier: Octets16(high: 2, low: 2),
            options: PlannerOptions(allowed: Self.bearable)
        )
        return result.refusals.isEmpty ? result.plan : nil
    }

    @Test("what a plan did without anything irreversible, the way back undoes, node by node and value by value")
    func roundTrips() throws {
        var (planned, reversible, restored) = (0, 0, 0)
        for seed in Self.seeds {
            let example = RandomCase(seed: seed)
            let former = known(example.network)
            var definition = example.definition
            let nodes = Set(former.nodes.filter(\.isCompositionKnown).map(\.uuid))
            definition.nodes.removeAll { !nodes.contains($0.uuid.value) }
            guard let plan = plan(definition, former) else { continue }
            planned += 1
            guard plan.irreversible(in: former).isEmpty else { continue }
            reversible += 1
            var simulation = StepSimulation(former, compositions: example.compositions)
            simulation.apply(plan.claims)
            for step in plan.steps { try simulation.apply(step) }
            guard simulation.problems.isEmpty else { continue }
            let present = simulation.network
            let reached = plan.outcome(on: former)
            for (node, other) in zip(present.nodes, reached.nodes) {
                #expect(NodeDrift(recorded: node, observed: other, at: now) == nil, "seed \(seed)")
            }
            let restoration = Restoration(to: former, from: present, named: "random")
            guard var back = self.plan(restoration.definition, restoration.present) else { continue }
            back.claims = Claims()
            // Said before anything is sent, and true of what nodes hold afterwards.
            let left = Set(Restoration.leftOtherwise(former, back.outcome(on: present)).map(\.resource))
            var way = StepSimulation(present, compositions: example.compositions)
            for step in back.steps { try way.apply(step) }
            let end = Dictionary(uniqueKeysWithValues: way.network.nodes.map { ($0.uuid, $0) })
            for node in former.nodes {
                let now = try #require(end[node.uuid], "seed \(seed)")
                let drift = NodeDrift(recorded: node, observed: now, at: Self.now)
                let paths = (drift?.resources ?? []).map { "node.\(node.name).\($0.path(in: former))" }
                #expect(left.isSuperset(of: paths), "seed \(seed): \(node.name)")
            }
            guard left.isEmpty else { continue }
            restored += 1
            let managed = way.network.managed(asIn: former)
            for node in managed.nodes {
                let old = try #require(former.nodes.first { $0.uuid == node.uuid })
                #expect(node.isManaged == old.isManaged && node.name == old.name, "seed \(seed)")
                for (element, before) in zip(node.elements, old.elements) {
                    #expect(element.models.map(\.managedBindings) == before.models.map(\.managedBindings))
                    #expect(element.models.map(\.managedSubscriptions) == before.models.map(\.managedSubscriptions))
                }
            }
        }
        // Most cases must lead there and back, or the test says little.
        #expect(planned > Self.seeds.count / 8, "\(planned)")
        #expect(reversible > Self.seeds.count / 20, "\(reversible)")
        #expect(restored > reversible / 2, "\(restored) of \(reversible)")
    }

    /// A network of which all is known that plans set: what is not known cannot be brought back.
    private func known(_ network: MeshNetwork) -> MeshNetwork {
        var network = network
        for place in network.nodes.indices where network.nodes[place].isCompositionKnown {
            network.nodes[place].removalPolicy = .forget
            network.nodes[place].defaultTTL = network.nodes[place].defaultTTL ?? 4
            network.nodes[place].secureNetworkBeacon = network.nodes[place].secureNetworkBeacon ?? true
            let transmit = TransmitParameters(count: 2, steps: 1)
            network.nodes[place].networkTransmit = network.nodes[place].networkTransmit ?? transmit
            network.nodes[place].relayRetransmit = network.nodes[place].relayRetransmit ?? transmit
            network.nodes[place].features.relay = network.nodes[place].features.relay ?? .disabled
            network.nodes[place].features.proxy = network.nodes[place].features.proxy ?? .disabled
            network.nodes[place].features.friend = network.nodes[place].features.friend ?? .disabled
        }
        return network
    }

    private static let now = Timestamp(rawValue: 0)
    private var now: Timestamp { Self.now }

    @Test("names that definitions cannot have are no reason for a change")
    func names() throws {
        let example = RandomCase(seed: 1)
        var former = example.network
        for place in former.netKeys.indices { former.netKeys[place].name = "Net Key \(place)" }
        for place in former.groups.indices { former.groups[place].name = "Group (\(place))" }
        let restoration = Restoration(to: former, from: former, named: "random")
        let plan = try #require(self.plan(restoration.definition, restoration.present))
        #expect(plan.changes.isEmpty, "\(plan.changes)")
        #expect(restoration.notes.isEmpty)
    }

    @Test("a key that was removed is asked for by its serial, also in a saved plan; one that is there is not")
    func formerKeys() throws {
        let example = RandomCase(seed: 3)
        let former = example.network
        var present = former
        let gone = try #require(former.appKeys.last)
        present.remove(.appKey(gone.index))
        for place in present.nodes.indices { present.nodes[place].forget(.appKey(gone.index)) }
        let restoration = Restoration(to: former, from: present, named: "random")
        let definition = restoration.takingKeys(of: 17, missingIn: present, for: restoration.definition)
        let plan = try #require(self.plan(definition, restoration.present))
        let sources = plan.steps.compactMap { step -> KeySource? in
            switch step.work {
            case .edit(.createAppKey(_, name: _, boundTo: _, let source)): source
            case .edit(.createNetKey(_, name: _, let source)): source
            default: nil
            }
        }
        #expect(sources == [.formerAppKey(gone.index, serial: 17)])
        #expect(try PlanFile.decode(PlanFile.encode(plan)) == plan)
    }

    @Test("what cannot be taken back is named with its reason")
    func irreversible() throws {
        let example = RandomCase(seed: 5)
        var network = example.network
        let place = try #require(network.nodes.firstIndex { $0.uuid != network.ownProvisioner })
        network.nodes[place].defaultTTL = nil
        let node = network.nodes[place]
        func reasons(_ work: [Step.Work]) -> [String] {
            let changes = [Change(address: "node.x.ttl", kind: .defaultTTL, action: .update, node: node.uuid)]
            let plan = Plan(
                identifier: Octets16(high: 0, low: 0),
                lineage: Octets16(high: 0, low: 0),
                serial: 1,
                network: "random",
                changes: changes,
                steps: work.map { Step(change: 0, work: $0) }
            )
            let found = plan.irreversible(in: network)
            #expect(found.allSatisfy { $0.resource == "node.x.ttl" })
            return found.map(\.reason.text)
        }
        #expect(reasons([.configure(node.uuid, .setDefaultTTL(5))]).count == 1)
        #expect(reasons([.configure(node.uuid, .resetNode)]) == ["a node that is reset leaves the network"])
        #expect(reasons([.edit(.exclude(node.uuid))]).count == 1)
        #expect(reasons([.edit(.refreshKeys(.primary, .distribute, replacing: 1))]).count == 1)
        // Each thing once, and nothing of what changes nothing or can be undone.
        #expect(reasons([.configure(node.uuid, .resetNode), .configure(node.uuid, .resetNode)]).count == 1)
        #expect(reasons([.readBack(node.uuid), .configure(node.uuid, .readComposition(page: 0))]).isEmpty)
        #expect(reasons([.edit(.forget(node.uuid)), .configure(node.uuid, .addNetKey(.primary))]).isEmpty)
    }

    @Test("a node that is gone and that nobody managed is named, and comes back with no plan")
    func goneNode() throws {
        var former = RandomCase(seed: 5).network
        let place = try #require(former.nodes.firstIndex { $0.uuid != former.ownProvisioner })
        former.nodes[place].isManaged = false
        former.nodes[place].name = "attic"
        var present = former
        present.nodes.remove(at: place)
        let restoration = Restoration(to: former, from: present, named: "random")
        #expect(
            restoration.notes == [
                "attic is gone and was in no definition: put it into one to have it back."
            ]
        )
        #expect(!restoration.definition.nodes.contains { $0.uuid.value == former.nodes[place].uuid })
    }

    @Test("the keys that a plan makes are 0 in the network that it leads to, for nobody knows them yet")
    func newKeys() throws {
        let network = RandomCase(seed: 5).network
        let index = try #require(NetKeyIndex(rawValue: 0xFFF))
        let plan = Plan(
            identifier: Octets16(high: 0, low: 0),
            lineage: Octets16(high: 0, low: 0),
            serial: 1,
            network: "random",
            changes: [Change(address: "subnet.x", kind: .subnet, action: .create)],
            steps: [Step(change: 0, work: .edit(.createNetKey(index, name: "x", source: .generated)))]
        )
        let made = plan.outcome(on: network).netKeys.first { $0.index == index }
        #expect(made?.key == KeyMaterial(Octets16(high: 0, low: 0)))
    }
}
