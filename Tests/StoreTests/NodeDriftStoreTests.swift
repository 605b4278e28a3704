import MeshCore
import TestSupport
import Testing

@testable import Store

@Suite("Drift in the database")
struct NodeDriftStoreTests {
    private func drift(of node: Node) throws -> NodeDrift {
        var since: [NodeResource: Timestamp] = [:]
        let label = LabelUUID(rawValue: Octets16(high: 1, low: 2))
        let virtual = try required(VirtualAddress(rawValue: 0x8123))
        let models = [
            ModelAddress(element: 0, model: .sig(0x1000)),
            ModelAddress(element: 255, model: .vendor(company: 0x0059, model: 1)),
        ]
        let bridged = BridgedAddresses(first: .first, second: Address(rawValue: 0xC000), directions: .bothWays)
        let pair = NetKeyIndexPair(first: .primary, second: try required(NetKeyIndex(rawValue: 1)))
        let resources: [NodeResource] =
            [
                .netKey(.primary), .appKey(.first), .defaultTTL, .secureNetworkBeacon, .networkTransmit, .friend,
                .relay,
                .relayRetransmit, .proxy, .state(.sarReceiver), .state(.privateNodeIdentity(.primary)),
                .bridging(BridgingTableEntry(subnets: pair, addresses: bridged)),
            ]
            + models.flatMap { model -> [NodeResource] in
                [
                    .binding(model, .first), .publication(model), .subscription(model, .group(.allProxies)),
                    .subscription(model, .virtual(label)), .subscription(model, .unknownLabel(virtual)),
                ]
            }
        for (offset, resource) in resources.enumerated() { since[resource] = Timestamp(rawValue: Int64(offset)) }
        return NodeDrift(recorded: node, since: since)
    }

    @Test("Every drift comes back as it was, without a DeviceKey; cut off or prolonged bodies are refused")
    func codec() throws {
        for node in try richNetwork(nodes: 5).nodes {
            let drift = try drift(of: node)
            let bytes = NodeDriftCodec.encode(drift)
            let decoded = try NodeDriftCodec.decode(bytes)
            #expect(decoded == drift)
            #expect(decoded.recorded.deviceKey == nil)
            for length in bytes.indices {
                #expect(throws: DecodeError.self) { try NodeDriftCodec.decode(Array(bytes[..<length])) }
            }
            #expect(throws: DecodeError.self) { try NodeDriftCodec.decode(bytes + [0]) }
            #expect(throws: DecodeError.unknownType(9)) { try NodeDriftCodec.decode([9] + bytes.dropFirst()) }
        }
    }

    @Test("Addresses whose label is not known, and the time of a read-back, survive in a node's row")
    func node() throws {
        var node = try richNetwork().nodes[0]
        let virtual = try required(VirtualAddress(rawValue: 0xBFFF))
        node.readBackAt = Timestamp(rawValue: -5)
        node.elements = [
            Element(models: [
                Model(
                    identifier: .sig(0x1000),
                    bindings: [.first],
                    subscriptions: [.unknownLabel(virtual)],
                    publication: Publication(address: .unknownLabel(virtual), appKeyIndex: .first)
                )
            ])
        ]
        #expect(try NodeCodec.decode(NodeCodec.encode(node)) == node)
    }

    @Test("A confirmation outdates no plan, a drift does; both are there after the database was opened anew")
    func serial() throws {
        let fixture = try Fixture(nodes: 3)
        let (network, database) = (fixture.network, fixture.database)
        let lease = try database.lock(holder: holder())
        let before = try database.snapshot()
        var node = network.nodes[1]
        node.readBackAt = Timestamp(rawValue: 77)
        var changes = StoreChanges()
        changes.confirmedNodes = [node]
        try database.commit(changes, with: lease)
        #expect(try database.snapshot().serial == before.serial)
        changes = StoreChanges()
        changes.drifts = [try drift(of: node)]
        try database.commit(changes, with: lease)
        lease.release()
        let reopened = try fixture.reopened()
        let after = try reopened.snapshot()
        #expect(after.serial == before.serial + 1)
        #expect(after.network.nodes.first { $0.uuid == node.uuid }?.readBackAt == Timestamp(rawValue: 77))
        #expect(after.network.drifts == [node.uuid: try drift(of: node)])
        let second = try reopened.lock(holder: holder())
        defer { second.release() }
        changes = StoreChanges()
        changes.removedDrifts = [node.uuid]
        try reopened.commit(changes, with: second)
        #expect(try reopened.snapshot().network.drifts.isEmpty)
    }
}
