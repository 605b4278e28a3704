import Foundation
import MeshCore
import Store
import TestSupport
import Testing

@Suite("Records of provisioning")
struct ProvisioningRecordTests {
    private func pending(_ number: UInt64, at address: UInt16) throws -> PendingProvisioning {
        PendingProvisioning(
            uuid: uuid(number),
            name: "device-\(number)",
            address: try required(UnicastAddress(rawValue: address)),
            elementCount: 2,
            deviceKeys: [KeyMaterial(Octets16(high: number, low: 0xFEED_BEEF))],
            netKeyIndex: .primary,
            isSecurelyProvisioned: false,
            attemptedAt: now
        )
    }

    @Test("Pending provisionings come, change and go, sorted by UUID, and raise the serial")
    func pendingProvisionings() throws {
        let fixture = try Fixture()
        let lease = try fixture.database.lock(holder: holder())
        var changes = StoreChanges()
        changes.pendingProvisionings = [try pending(0x900, at: 0x6000), try pending(0x600, at: 0x6010)]
        #expect(try fixture.database.commit(changes, with: lease) == 2)
        var stored = try fixture.reopened().snapshot().network.pendingProvisionings
        #expect(stored.map(\.uuid) == [uuid(0x600), uuid(0x700), uuid(0x701), uuid(0x900)])
        #expect(stored[0] == changes.pendingProvisionings[1])

        changes = StoreChanges()
        var again = stored[0]
        again.deviceKeys.append(KeyMaterial(Octets16(high: 1, low: 1)))
        changes.pendingProvisionings = [again]
        changes.removedPendingProvisionings = [uuid(0x700), uuid(0x999)]
        #expect(try fixture.database.commit(changes, with: lease) == 3)
        stored = try fixture.reopened().snapshot().network.pendingProvisionings
        #expect(stored.map(\.uuid) == [uuid(0x600), uuid(0x701), uuid(0x900)])
        #expect(stored[0] == again)

        changes = StoreChanges()
        changes.removedPendingProvisionings = stored.map(\.uuid)
        #expect(try fixture.database.commit(changes, with: lease) == 4)
        #expect(try fixture.reopened().snapshot().network.pendingProvisionings.isEmpty)
    }

    @Test("Retired nodes are kept in their order for good, several of one UUID included")
    func retiredNodes() throws {
        let fixture = try Fixture()
        var expected = fixture.network.retiredNodes
        for round in 0..<3 {
            let database = try fixture.reopened()
            let lease = try database.lock(holder: holder())
            var changes = StoreChanges()
            for number in [5, 4, 5] as [UInt64] {
                let node = Node(
                    uuid: uuid(number),
                    name: "round \(round)",
                    unicastAddress: .first,
                    deviceKey: KeyMaterial(Octets16(high: number, low: UInt64(round)))
                )
                changes.retiredNodes.append(RetiredNode(node: node, reason: .replaced, retiredAt: now))
            }
            expected += changes.retiredNodes
            #expect(try database.commit(changes, with: lease) == UInt64(round) + 2)
            lease.release()
            #expect(try fixture.reopened().snapshot().network.retiredNodes == expected)
        }
        #expect(expected.count == 9 + RetiredNode.Reason.allCases.count)
    }

    @Test("DeviceKeys of pending and retired devices cannot be read in the files")
    func nothingInClear() throws {
        let fixture = try Fixture()
        let lease = try fixture.database.lock(holder: holder())
        var changes = StoreChanges()
        changes.pendingProvisionings = [try pending(0x900, at: 0x6000)]
        try fixture.database.commit(changes, with: lease)
        let bytes = try readFile(fixture.path) + readFile(fixture.path + "-wal")
        let secrets = [
            changes.pendingProvisionings[0].deviceKeys[0], fixture.network.pendingProvisionings[0].deviceKeys[1],
            try required(fixture.network.retiredNodes[0].node.deviceKey),
        ]
        for secret in secrets { #expect(Data(bytes).range(of: Data(secret.octets.bytes)) == nil) }
    }

    @Test("A device becomes a node in one piece, wherever a power cut cuts the log")
    func tornPromotion() throws {
        let fixture = try Fixture()
        let lease = try fixture.database.lock(holder: holder())
        let device = fixture.network.nodes[1].uuid
        var network = fixture.network
        var attempt = try pending(0, at: 0x6000)
        attempt.uuid = device
        var changes = StoreChanges()
        changes.pendingProvisionings = [network.recordAttempt(attempt)]
        try fixture.database.commit(changes, with: lease)
        let before = try readFile(fixture.path + "-wal").count

        let pendingState = network
        let joined = try required(network.promote(device, deviceKey: attempt.deviceKeys[0], at: now))
        changes = StoreChanges()
        changes.nodes = [joined.node]
        changes.removedPendingProvisionings = [device]
        changes.retiredNodes = [try required(joined.replaced)]
        changes.network = network
        try fixture.database.commit(changes, with: lease)

        let main = try readFile(fixture.path)
        let log = try readFile(fixture.path + "-wal")
        #expect(log.count > before)
        var outcomes: [Bool] = []
        for length in stride(from: before, through: log.count, by: 1000) + [log.count] {
            let copy = try TemporaryFolder()
            try writeFile(copy.file("db"), main)
            try writeFile(copy.file("db-wal"), Array(log[..<length]))
            let found = try MeshDatabase.open(at: copy.file("db"), key: fixture.key).snapshot()
            #expect(found.network == (found.serial == 3 ? network : pendingState), "cut at \(length)")
            outcomes.append(found.serial == 3)
        }
        #expect(outcomes.first == false)
        #expect(outcomes.last == true)
    }
}
