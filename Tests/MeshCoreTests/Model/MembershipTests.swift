import MeshCore
import TestSupport
import Testing

@Suite("Joining and leaving")
struct MembershipTests {
    private let now = Timestamp(rawValue: 1_763_705_818)

    @Test("A pending device becomes a managed node whose elements are there and whose models are not known")
    func promotion() throws {
        var house = network(nodes: [try node(2, at: 1), try node(3, at: 9)])
        house.recordAttempt(try pending(30, at: 20))
        house.recordAttempt(try pending(20, at: 5, elements: 3))
        #expect(house.pendingProvisionings.map(\.uuid) == [device(20), device(30)])
        let joined = try required(
            house.promote(
                device(20),
                deviceKey: key(77),
                isProtected: true,
                removalPolicy: .reset,
                at: now
            )
        )
        #expect(joined.replaced == nil)
        #expect(house.nodes.map(\.unicastAddress.rawValue) == [1, 5, 9])
        #expect(house.nodes[1] == joined.node)
        #expect(house.pendingProvisionings.map(\.uuid) == [device(30)])
        #expect(house.exclusions.isEmpty)
        #expect(joined.node.name == "pending-20")
        #expect(joined.node.deviceKey == key(77))
        #expect(joined.node.addresses == 5...7)
        #expect(!joined.node.isCompositionKnown)
        #expect(joined.node.netKeys == [NodeKey(index: .primary)])
        #expect(joined.node.isManaged)
        #expect(joined.node.isProtected)
        #expect(joined.node.isSecurelyProvisioned)
        #expect(joined.node.removalPolicy == .reset)
        #expect(joined.node.observedAt == now)
        let before = house
        #expect(house.promote(device(99), deviceKey: key(1), at: now) == nil)
        #expect(house == before)
    }

    @Test(
        "A node that joins in the second phase of a key refresh has the new key",
        arguments: [KeyRefreshPhase.normal, .keyDistribution, .usingNewKeys]
    )
    func keyRefresh(phase: KeyRefreshPhase) throws {
        var house = network()
        house.netKeys[0].phase = phase
        house.recordAttempt(try pending(20, at: 5))
        let joined = try required(house.promote(device(20), deviceKey: key(7), at: now))
        #expect(
            joined.node.netKeys == [NodeKey(index: .primary, progress: phase == .usingNewKeys ? .usingNewKey : .none)]
        )
    }

    @Test("Attempts add their DeviceKeys, and a block that is left is excluded")
    func attempts() throws {
        var house = network()
        house.recordAttempt(try pending(20, at: 5, elements: 2, keys: [1]))
        var record = house.recordAttempt(try pending(20, at: 5, elements: 2, keys: [2]))
        #expect(record.deviceKeys == [key(1), key(2)])
        #expect(house.exclusions.isEmpty)
        record.isSecurelyProvisioned = false
        record.attemptedAt = now
        record.deviceKeys = [key(1)]
        record = house.recordAttempt(record)
        #expect(record.deviceKeys == [key(2), key(1)])
        record = house.recordAttempt(try pending(20, at: 6, elements: 2, keys: [3]))
        #expect(record.deviceKeys == [key(3)], "the others were given with other addresses")
        #expect(house.pendingProvisionings == [record])
        #expect(house.exclusions == [NetworkExclusion(ivIndex: 10, addresses: [try unicast(5)])])
        #expect(house.retiredNodes.map(\.node.deviceKey) == [key(2), key(1)], "and none of them is lost")
        #expect(house.retiredNodes.map(\.node.addresses) == [5...6, 5...6])
    }

    @Test("A node that is provisioned anew is retired in the same breath, its old addresses excluded")
    func replacement() throws {
        let old = try node(20, at: 40, elements: 2)
        var house = network(nodes: [old])
        house.recordAttempt(try pending(20, at: 5, keys: [9]))
        let joined = try required(house.promote(device(20), name: "lamp", deviceKey: key(9), at: now))
        #expect(joined.replaced == RetiredNode(node: old, reason: .replaced, retiredAt: now))
        #expect(joined.node.name == "lamp")
        #expect(house.nodes == [joined.node])
        #expect(house.retiredNodes == [try #require(joined.replaced)])
        #expect(house.exclusions == [NetworkExclusion(ivIndex: 10, addresses: [try unicast(40), try unicast(41)])])
    }

    @Test("Retired nodes are kept in order, and their addresses join one entry of the IV index")
    func retirement() throws {
        var house = network(
            nodes: [try node(2, at: 30), try node(3, at: 20, elements: 2), try node(4, at: 25)]
        )
        house.exclusions = [
            NetworkExclusion(ivIndex: 9, addresses: [try unicast(1)]),
            NetworkExclusion(ivIndex: 11, addresses: [try unicast(2)]),
        ]
        house.scenes = [
            Scene(number: 1, name: "night", addresses: [try unicast(21), try unicast(25), try unicast(30)])
        ]
        for number in [2, 3] as [UInt64] {
            #expect(house.retire(device(number), reason: .reset, at: now)?.node.uuid == device(number))
        }
        #expect(house.retire(device(2), reason: .reset, at: now) == nil)
        #expect(house.nodes.map(\.uuid) == [device(4)])
        #expect(house.retiredNodes.map(\.node.uuid) == [device(2), device(3)])
        #expect(house.retiredNodes.allSatisfy { $0.node.deviceKey != nil })
        #expect(house.exclusions.map(\.ivIndex) == [9, 10, 11])
        #expect(house.exclusions[1].addresses == [try unicast(20), try unicast(21), try unicast(30)])
        #expect(house.scenes[0].addresses == [try unicast(25)])
    }

    @Test("An exclusion holds until the IV index has risen by two, and no longer")
    func validity() throws {
        let exclusion = NetworkExclusion(ivIndex: 5, addresses: [])
        #expect((0...9).map { exclusion.holds(at: $0) } == (0...9).map { $0 < 7 })
        #expect(exclusion.end == 7)
        for ivIndex in [UInt32.max, UInt32.max - 1] {
            let last = NetworkExclusion(ivIndex: ivIndex, addresses: [])
            #expect(last.end == .max)
            #expect(last.holds(at: .max))
        }
        var house = network()
        house.exclude(7...8)
        #expect(house.exclusionEnd(of: try unicast(8)) == 12)
        #expect(!house.isExcluded(try unicast(9)))
        house.record(IVIndex(value: 11, isUpdateInProgress: true), isCorrection: false, at: now)
        #expect(house.isExcluded(try unicast(8)))
        house.exclude(8...8)
        #expect(house.exclusionEnd(of: try unicast(8)) == 13)
        house.record(IVIndex(value: 12, isUpdateInProgress: true), isCorrection: false, at: now)
        #expect(house.exclusions.map(\.ivIndex) == [11])
        #expect(!house.isExcluded(try unicast(7)))
        #expect(house.pruneExclusions() == false)
    }

    @Test("An IV index says since when it is known, unless it only corrects a supposition")
    func ivIndexTimes() throws {
        var house = network()
        house.record(IVIndex(value: 10), isCorrection: false, at: now)
        #expect(house.ivIndexChangedAt == nil)
        house.record(IVIndex(value: 11, isUpdateInProgress: true), isCorrection: false, at: now)
        #expect(house.ivIndexChangedAt == now)

        var imported = network()
        imported.ivIndex = IVIndex(value: 0)
        imported.exclude(7...7)
        imported.record(IVIndex(value: 0x50), isCorrection: true, at: now)
        #expect(imported.ivIndexChangedAt == nil)
        #expect(imported.ivIndexRecoveredAt == nil)
        #expect(imported.exclusions == [NetworkExclusion(ivIndex: 0x50, addresses: [try unicast(7)])])

        // A leap from an index 0 that was heard is a recovery, and what was excluded then is free again.
        var heard = network()
        heard.ivIndex = IVIndex(value: 0)
        heard.exclude(7...7)
        heard.record(IVIndex(value: 9), isCorrection: false, at: now)
        #expect(heard.ivIndexChangedAt == now && heard.ivIndexRecoveredAt == now)
        #expect(heard.exclusions == [])

        // An update that was under way when its network was imported began some time before.
        var updating = network()
        updating.ivIndex = IVIndex(value: 0)
        updating.exclude(7...7)
        updating.record(IVIndex(value: 1, isUpdateInProgress: true), isCorrection: true, at: now)
        #expect(updating.ivIndexChangedAt == nil && updating.ivIndexRecoveredAt == nil)
        #expect(updating.exclusions == [NetworkExclusion(ivIndex: 1, addresses: [try unicast(7)])])

        var young = network()
        young.ivIndex = IVIndex(value: 0)
        young.record(IVIndex(value: 1, isUpdateInProgress: true), isCorrection: false, at: now)
        #expect(young.ivIndexChangedAt == now)
    }
}
