import MeshCore
import TestSupport
import Testing

@Suite("Drift of a node from its record")
struct NodeDriftTests {
    private let now = Timestamp(rawValue: 1_000)
    private let later = Timestamp(rawValue: 2_000)
    private let server = ModelAddress(element: 0, model: .sig(0x1000))

    private func lamp() throws -> Node {
        let keys = try (0..<3).map { try required(AppKeyIndex(rawValue: $0)) }
        var node = Node(
            uuid: DeviceUUID(rawValue: Octets16(high: 1, low: 2)),
            name: "lamp",
            unicastAddress: .first,
            deviceKey: KeyMaterial(Octets16(high: 3, low: 4)),
            elements: [
                Element(models: [
                    Model(identifier: .configurationServer),
                    Model(identifier: .sig(0x1000), bindings: [keys[0]], subscriptions: [.group(.allRelays)]),
                ])
            ],
            netKeys: [NodeKey(index: .primary)],
            appKeys: [NodeKey(index: keys[0])]
        )
        node.defaultTTL = 5
        node.features.relay = .enabled
        return node
    }

    @Test("Every kind of difference is found, sorted, and nothing else")
    func differences() throws {
        let node = try lamp()
        let key = try required(AppKeyIndex(rawValue: 2))
        let other = try required(NetKeyIndex(rawValue: 7))
        let changes: [(NodeResource, (inout Node) -> Void)] = [
            (.netKey(other), { $0.netKeys.append(NodeKey(index: other)) }),
            (.appKey(key), { $0.appKeys.append(NodeKey(index: key)) }),
            (.binding(server, key), { $0.elements[0].models[1].bindings.append(key) }),
            (.subscription(server, .group(.allRelays)), { $0.elements[0].models[1].subscriptions = [] }),
            (
                .publication(server),
                { $0.elements[0].models[1].publication = Publication(address: .group(.allNodes), appKeyIndex: key) }
            ),
            (.defaultTTL, { $0.defaultTTL = 6 }),
            (.relay, { $0.features.relay = .disabled }),
        ]
        var all = node
        for (resource, change) in changes {
            var changed = node
            change(&changed)
            change(&all)
            #expect(node.differences(from: changed) == [resource])
            #expect(changed.differences(from: node) == [resource])
        }
        #expect(node.differences(from: all) == changes.map(\.0).sorted())
        var renamed = node
        renamed.name = "other"
        renamed.isManaged = true
        renamed.netKeys[0].progress = .updated
        renamed.elements[0].models.append(Model(identifier: .healthServer, bindings: [key]))
        #expect(node.differences(from: renamed) == [])
    }

    @Test("What is not known is no drift, and known from then on")
    func unknown() throws {
        var recorded = try lamp()
        recorded.defaultTTL = nil
        recorded.features = Node.Features()
        let observed = try lamp()
        #expect(NodeDrift(recorded: recorded, observed: observed, at: now) == nil)
        var changed = observed
        changed.secureNetworkBeacon = true
        changed.features.relay = .disabled
        let drift = try required(NodeDrift(recorded: observed, observed: changed, at: now))
        #expect(drift.resources == [.relay])
        #expect(drift.recorded.secureNetworkBeacon == true)
        #expect(drift.recorded.deviceKey == nil)
    }

    @Test("The time is that of the first read-back that said so, for each thing by itself")
    func since() throws {
        let recorded = try lamp()
        var observed = recorded
        observed.defaultTTL = 9
        let first = try required(NodeDrift(recorded: recorded, observed: observed, at: now))
        observed.elements[0].models[1].subscriptions = []
        let second = try required(
            NodeDrift(recorded: first.recorded, observed: observed, since: first.since, at: later)
        )
        #expect(second.since == [.defaultTTL: now, .subscription(server, .group(.allRelays)): later])
    }

    @Test("A Set that was confirmed changes both, and what agrees is forgotten")
    func setting() throws {
        let recorded = try lamp()
        var observed = recorded
        observed.defaultTTL = 9
        observed.features.relay = .disabled
        let drift = try required(NodeDrift(recorded: recorded, observed: observed, at: now))
        observed.defaultTTL = 7
        let rest = try required(drift.after({ $0.defaultTTL = 7 }, observed: observed, at: later))
        #expect(rest.since == [.relay: now])
        observed.features.relay = .enabled
        #expect(rest.after({ $0.features.relay = .enabled }, observed: observed, at: later) == nil)
    }

    @Test("What is accepted is recorded as observed and does not come back")
    func accepting() throws {
        let recorded = try lamp()
        let key = try required(AppKeyIndex(rawValue: 2))
        var observed = recorded
        observed.defaultTTL = 9
        observed.appKeys = [NodeKey(index: key)]
        observed.elements[0].models[1].bindings = [key]
        observed.elements[0].models[1].subscriptions = []
        let drift = try required(NodeDrift(recorded: recorded, observed: observed, at: now))
        #expect(drift.resources.count == 6)
        var rest: NodeDrift? = drift
        for resource in drift.resources {
            rest = try required(rest).accepting([resource], observed: observed)
            if let rest {
                #expect(!rest.resources.contains(resource))
                #expect(rest.since.values.allSatisfy { $0 == now })
                #expect(NodeDrift(recorded: rest.recorded, observed: observed, since: rest.since, at: later) == rest)
            }
        }
        #expect(rest == nil)
    }

    @Test("Models that have come with another firmware are no drift, those that stayed are compared")
    func firmware() throws {
        let recorded = try lamp()
        var observed = recorded
        observed.product = Node.Product(company: 1, product: 2, version: 3, replayListSize: 4)
        observed.elements[0].models.insert(Model(identifier: .healthServer), at: 1)
        #expect(NodeDrift(recorded: recorded, observed: observed, at: now) == nil)
        observed.elements[0].models[2].subscriptions = []
        let drift = try required(NodeDrift(recorded: recorded, observed: observed, at: now))
        #expect(drift.resources == [.subscription(server, .group(.allRelays))])
        #expect(drift.recorded.elements[0].models.map(\.identifier) == observed.elements[0].models.map(\.identifier))
    }

    @Test("A virtual address is told by its label if there is one it can be")
    func labels() throws {
        let known = LabelUUID(rawValue: Octets16(high: 5, low: 6))
        let recorded = LabelUUID(rawValue: Octets16(high: 7, low: 8))
        var network = MeshNetwork(
            uuid: Octets16(high: 0, low: 1),
            name: "house",
            ivIndex: IVIndex(value: 0),
            netKeys: [],
            groups: [Group(name: "alarm", address: .virtual(known))],
            provisioners: [],
            ownProvisioner: DeviceUUID(rawValue: Octets16(high: 9, low: 9)),
            nodes: [try lamp()]
        )
        network.nodes[0].elements[0].models[1].subscriptions = [.virtual(recorded)]
        let labels = KnownLabels(network)
        #expect(labels.label(of: known.virtualAddress, recorded: []) == known)
        #expect(labels.label(of: recorded.virtualAddress, recorded: []) == recorded)
        let stranger = LabelUUID(rawValue: Octets16(high: 10, low: 11))
        #expect(labels.label(of: stranger.virtualAddress, recorded: [recorded]) == nil)
        #expect(labels.label(of: stranger.virtualAddress, recorded: [stranger]) == stranger)
        // Two labels with one address: the recorded one, else nobody knows.
        let twin = try required(
            (0..<200_000).lazy.map { LabelUUID(rawValue: Octets16(high: 12, low: $0)) }.first {
                $0.virtualAddress == known.virtualAddress
            }
        )
        network.groups.append(Group(name: "twin", address: .virtual(twin)))
        let both = KnownLabels(network)
        #expect(both.label(of: known.virtualAddress, recorded: []) == nil)
        #expect(both.label(of: known.virtualAddress, recorded: [twin]) == twin)
    }
}
