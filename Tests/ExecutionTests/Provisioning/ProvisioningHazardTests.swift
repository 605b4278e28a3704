import DefinitionModel
import Execution
import MeshCore
import Planning
import Simulator
import Store
import TestSupport
import Testing

@testable import Execution

@Suite("Hazards of provisioning")
struct ProvisioningHazardTests {
    private func faults(_ misbehaviour: ProvisioningFaults.Misbehaviour) -> NodeFaults {
        NodeFaults(provisioning: ProvisioningFaults(misbehaviours: [misbehaviour]))
    }

    private func problems(_ recap: Recap) -> [ProvisioningProblem] {
        recap.failed.compactMap { if case .provisioning(let problem) = $0.failure { problem } else { nil } }
    }

    // MARK: Elements

    @Test("A node that tells more elements than it was provisioned with does not get addresses that others have")
    func moreElements() throws {
        let site = try Commissioning((1...2).map { Commissioning.device($0) })
        #expect(try site.apply().isComplete)
        // As if its capabilities had named one element.
        try site.alter(1) { $0.elements = [Element()] }
        let recap = try site.apply()
        #expect(recap.failed.map(\.failure) == [.contradicts("2 elements, but it was provisioned with 1")])
        let node = try #require(try site.node(1))
        #expect(node.addresses.count == 1)
        #expect(!node.isCompositionKnown)
        #expect(Set(try site.usedAddresses()).count == (try site.usedAddresses().count))
    }

    @Test("Of a node whose elements nobody knows so many are believed as there is room for", arguments: [false, true])
    func unknownElements(isCrowded: Bool) throws {
        var network = try House.network(lamps: 2)
        network.nodes[1].elements = []
        network.nodes[2].unicastAddress = try unicast(isCrowded ? 0x11 : 0x12)
        let record = NetworkRecord(network)
        let composition = Commissioning.device(1).composition
        let objection = record.objection(to: composition, of: network.nodes[1].uuid)
        #expect((objection != nil) == isCrowded)
        network.nodes[1].unicastAddress = .last
        let atTheEnd = NetworkRecord(network).objection(to: composition, of: network.nodes[1].uuid)
        #expect(atTheEnd != nil)
    }

    // MARK: IV index

    @Test("An IV index that is only supposed is told by a proxy before anybody is provisioned", arguments: [0, 1, 200])
    func supposedIVIndex(value: UInt32) throws {
        let site = try Commissioning(
            [Commissioning.device(1)],
            lamps: 1,
            world: { $0.ivIndex = IVIndex(value: value) },
            database: { $0.ivIndex = IVIndex(value: 0) }
        )
        let recap = try site.apply()
        #expect(recap.isComplete, "\(recap)")
        #expect(try site.network.ivIndex.value == value)
        #expect(site.world.violations == [])
        #expect(try site.world.mismatches(against: site.network) == [])
    }

    @Test("While nobody tells the IV index that is supposed, nobody is provisioned", arguments: [0, 200])
    func unknownIVIndex(value: UInt32) throws {
        let site = try Commissioning(
            [Commissioning.device(1)],
            lamps: 1,
            world: { $0.ivIndex = IVIndex(value: value) },
            database: { $0.ivIndex = IVIndex(value: 0) }
        )
        site.world.setFaults(NodeFaults(isOff: true), of: uuid(1))
        let start = site.world.now
        let recap = try site.apply()
        #expect(problems(recap) == [.ivIndexUnknown])
        #expect(start.duration(to: site.world.now) < .seconds(120))
        #expect(site.world.node(site.devices[0].uuid)?.isProvisioned == false)
        #expect(try site.network.pendingProvisionings == [])
        site.world.setFaults(NodeFaults(), of: uuid(1))
        #expect(try site.apply().isComplete)
    }

    @Test("A network of nobody but provisioners has the IV index it begins with")
    func freshNetwork() throws {
        let zero = { (network: inout MeshNetwork) in network.ivIndex = IVIndex(value: 0) }
        let site = try Commissioning([Commissioning.device(1)], world: zero, database: zero)
        #expect(try site.apply().isComplete)
        #expect(try site.network.ivIndex == IVIndex(value: 0))
    }

    @Test("A node gets the IV index and the key of the phase that the network is in", arguments: [0, 1, 2, 3])
    func flags(state: Int) throws {
        let site = try Commissioning([Commissioning.device(1)]) { network in
            network.ivIndex = IVIndex(value: 6, isUpdateInProgress: state & 1 == 1)
            guard state & 2 == 2 else { return }
            network.netKeys[0].oldKey = network.netKeys[0].key
            network.netKeys[0].key = secret(0x99)
            network.netKeys[0].phase = .usingNewKeys
        }
        #expect(try site.apply().isComplete)
        #expect(
            try site.node(1)?.netKeys == [NodeKey(index: .primary, progress: state & 2 == 2 ? .usingNewKey : .none)]
        )
        #expect(try site.world.mismatches(against: site.network) == [])
        #expect(site.world.violations == [])
    }

    // MARK: Interrupts

    @Test("An interrupt ends in bounded time even if the device that is being finished fails, and nothing is lost")
    func interruptedWhileFinishing() throws {
        for behaviour in [ProvisioningFaults.Behaviour.linkLoss, .silence, .failure(.decryptionFailed)] {
            for stage in [ProvisioningStage.completion, .completed] {
                let site = try Commissioning((1...2).map { Commissioning.device($0) })
                let uuid = site.devices[0].uuid
                site.world.setFaults(faults(.init(behaviour, at: stage)), of: uuid)
                let start = site.world.now
                var isOver = false
                site.onEvent = { event in
                    if case .provisioningStage(uuid, .session(.completion)) = event { isOver = true }
                }
                site.interrupts = {
                    start.duration(to: site.world.now) > .seconds(600) ? 2 : isOver ? 1 : 0
                }
                let recap = try site.apply()
                #expect(recap.ending == .interrupted)
                #expect(start.duration(to: site.world.now) < .seconds(100), "\(behaviour) at \(stage)")
                #expect(try site.world.mismatches(against: site.network) == [])
                site.interrupts = { 0 }
                site.world.setFaults(NodeFaults(), of: uuid)
                #expect(try site.resolveAndApply().isComplete)
                #expect(try site.world.mismatches(against: site.network) == [])
                #expect(try site.usedAddresses() == Array(1...5))
            }
        }
    }

    // MARK: Attempts

    @Test("What a device may have become is kept when an attempt with other addresses follows, and fails")
    func otherBlock() throws {
        let site = try Commissioning((1...2).map { Commissioning.device($0) })
        let uuid = site.devices[0].uuid
        // It becomes a node, says nothing of it and goes away.
        site.world.setFaults(faults(.init(.linkLoss, at: .completed, count: 1)), of: uuid)
        site.onEvent = { event in
            if case .provisioningRetried(uuid, _, in: _) = event {
                site.world.setFaults(NodeFaults(isOff: true), of: uuid)
            }
        }
        #expect(try site.apply().pending.map(\.reason) == [.notHeardMayBeNode])
        let state = try #require(site.world.node(uuid))
        let old = try #require(try site.network.pendingProvisionings.first)
        #expect(state.isProvisioned && old.address == state.address)

        // Somebody else answers to its UUID, with another number of elements.
        var record = NetworkRecord(try site.network)
        let order = ProvisioningOrder(uuid: uuid, name: "device-1", netKeyIndex: .primary)
        let address = try record.reserve(5, for: order)
        var attempt = old
        attempt.address = address
        attempt.elementCount = 5
        attempt.deviceKeys = [secret(0xBAD)]
        record.recordAttempt(attempt)
        record.withdrawAttempt(of: uuid, secret(0xBAD))
        var changes = StoreChanges()
        record.takeChanges(into: &changes)
        #expect(changes.retiredNodes.map(\.node.deviceKey) == [state.deviceKey])
        #expect(changes.retiredNodes.map(\.node.addresses) == [old.addresses])
        #expect(changes.removedPendingProvisionings == [uuid])
        let excluded = try #require(changes.network).exclusions.flatMap { $0.addresses.map(\.rawValue) }
        #expect(excluded == Array(old.addresses))
        #expect(try record.reserve(2, for: order).rawValue > old.addresses.upperBound)
        var fixed = order
        fixed.address = old.address
        #expect(throws: ProvisioningProblem.self) { try record.reserve(2, for: fixed) }
    }

    @Test("A device that was a node unnoticed, and was reset, repeats no sequence number", arguments: 0..<12)
    func nodeForAWhile(moment: Int) throws {
        let site = try Commissioning([Commissioning.device(1)], seed: UInt64(moment + 1))
        let uuid = site.devices[0].uuid
        site.world.setFaults(faults(.init(.linkLoss, at: .completed, count: 1)), of: uuid)
        var end: Instant?
        site.onEvent = { event in
            if case .provisioningStage(uuid, .findingOut) = event, end == nil {
                end = site.world.now.advanced(by: .milliseconds(1_500 + 100 * moment))
            }
        }
        site.interrupts = { end.map { $0 < site.world.now } ?? false ? 2 : 0 }
        _ = try site.apply()
        site.interrupts = { 0 }
        site.world.factoryReset(uuid)
        // It may have been found to be a node already.
        _ = try site.execute { $0.listen(for: .seconds(3)) }
        let recap = try site.resolveAndApply()
        #expect(recap.isComplete, "\(recap)")
        #expect(site.world.violations == [])
        let network = try site.network
        #expect(site.world.mismatches(against: network) == [])
        let excluded = network.exclusions.flatMap { $0.addresses.map(\.rawValue) }
        #expect((try site.usedAddresses() + excluded).sorted() == Array(1...UInt16(3 + excluded.count)))
    }

    @Test("A static value is tried once: whoever drops the link when it could have been learned is not asked again")
    func staticValueOnce() throws {
        let field = ProvisioningField()
        let value = try StaticOutOfBandValue([1, 2, 3, 4])
        field.material = { _ in OutOfBandMaterial(staticValue: value) }
        let capabilities = ProvisioningCapabilities(elementCount: 1, isStaticValueAvailable: true)
        // Random, after which the other side has all it needs to seek the value.
        field.add(1, .init(capabilities: capabilities, staticValue: value, hangsUpAt: (type: 0x06, count: 9)))
        // Confirmation, before which it has nothing.
        field.add(2, .init(capabilities: capabilities, staticValue: value, hangsUpAt: (type: 0x05, count: 1)))
        field.run(for: .seconds(30))
        #expect(field.retried.map(\.0) == [uuid(2)])
        #expect(field.failed[uuid(1)]?.stage == .verification)
        #expect(field.completed.keys.sorted() == [uuid(2)])
    }

    // MARK: Impostors

    @Test(
        "Whoever advertises the UUID of a node is not provisioned unless the plan says so, and a lone reset is not believed"
    )
    func impostor() throws {
        let site = try Commissioning((1...2).map { Commissioning.device($0) })
        #expect(try site.apply().isComplete)
        let uuid = site.devices[0].uuid
        let before = try #require(try site.node(1))
        site.world.factoryReset(uuid)
        // Planned before anybody was heard: there is nothing about the device.
        #expect(try site.plan().steps == [])
        #expect(try site.apply().ending == .completed)
        #expect(try site.node(1) == before)
        // An order that says nothing of a replacement does not replace, whoever is heard.
        _ = try site.execute { $0.listen(for: .seconds(3)) }
        site.adjust = { $0.isReplacement = false }
        let recap = try site.apply()
        #expect(recap.provisioned == 0)
        #expect(try site.node(1)?.deviceKey == before.deviceKey)
        #expect(try site.network.retiredNodes == [])
    }
}
