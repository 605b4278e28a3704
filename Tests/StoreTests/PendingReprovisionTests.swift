import Foundation
import MeshCore
import Store
import TestSupport
import Testing

@Suite("Records of reprovisionings of nodes")
struct PendingReprovisionTests {
    private func pending(
        _ number: UInt64,
        _ procedure: NodeProvisioningProcedure,
        at address: UInt16
    ) throws -> PendingReprovision {
        PendingReprovision(
            uuid: uuid(number),
            procedure: procedure,
            deviceKey: KeyMaterial(Octets16(high: number, low: 0xFEED_BEEF)),
            address: try required(UnicastAddress(rawValue: address)),
            elementCount: 3,
            attemptedAt: now
        )
    }

    @Test("They come, change and go, one a node, and raise the serial")
    func comeAndGo() throws {
        let fixture = try Fixture()
        let lease = try fixture.database.lock(holder: holder())
        var expected: [DeviceUUID: PendingReprovision] = [:]
        for (number, procedure) in zip([1, 2, 3] as [UInt64], NodeProvisioningProcedure.allCases) {
            expected[uuid(number)] = try pending(number, procedure, at: 0x6000 + UInt16(number) * 16)
        }
        var changes = StoreChanges()
        changes.pendingReprovisions = Array(expected.values)
        #expect(try fixture.database.commit(changes, with: lease) == 2)
        #expect(try fixture.reopened().snapshot().network.pendingReprovisions == expected)

        changes = StoreChanges()
        expected[uuid(1)] = try pending(1, .nodeCompositionRefresh, at: 0x6100)
        expected[uuid(2)] = nil
        changes.pendingReprovisions = [try required(expected[uuid(1)])]
        changes.removedPendingReprovisions = [uuid(2), uuid(0x999)]
        #expect(try fixture.database.commit(changes, with: lease) == 3)
        #expect(try fixture.reopened().snapshot().network.pendingReprovisions == expected)
    }

    @Test("The addresses that a node may have moved to are held, and excluded in what is exported")
    func addresses() throws {
        var network = try Fixture().network
        let node = try required(network.nodes.last { $0.uuid != network.ownProvisioner })
        let range = try required(network.provisioners.first { $0.uuid == network.ownProvisioner }?.unicastRanges.first)
        var pool = UnicastAddressPool(network)
        let free = try required(pool.lowestFreeBlock(of: 3))
        #expect(range.contains(free.rawValue))
        var record = try pending(1, .nodeAddressRefresh, at: free.rawValue)
        record.uuid = node.uuid
        network.pendingReprovisions[node.uuid] = record
        pool = UnicastAddressPool(network)
        #expect(pool.conflict(at: free, count: 1)?.reason == .node(node.uuid, name: node.name))
        #expect(pool.lowestFreeBlock(of: 3).map { !record.addresses.contains($0.rawValue) } ?? true)
        let text = String(decoding: CDBExport.write(network), as: UTF8.self)
        #expect(text.uppercased().contains("\"\(free.rawValue.hexadecimal.uppercased())\""))
        #expect(!text.uppercased().contains("FEEDBEEF"), "no candidate is exported")

        // A node that is retired takes what it may have become with it.
        var retired = network
        retired.retire(node.uuid, reason: .reset, at: now)
        #expect(retired.pendingReprovisions.isEmpty)
        #expect(retired.retiredNodes.suffix(2).map(\.node.deviceKey) == [node.deviceKey, record.deviceKey])
        #expect(retired.isExcluded(free) && retired.isExcluded(node.unicastAddress))
    }
}
