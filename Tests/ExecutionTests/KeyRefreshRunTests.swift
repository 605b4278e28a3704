import DefinitionModel
import Execution
import Foundation
import MeshCore
import Planning
import Simulator
import Store
import TestSupport
import Testing

@Suite("A key refresh that is carried out")
struct KeyRefreshRunTests {
    private static let lossy: WorldSettings = {
        var settings = WorldSettings.ideal
        settings.copyLoss = 0.1
        settings.topology = .hops(3)
        return settings
    }()

    @Test("In a lossy house of 24 lamps all get the new keys, nothing more is sent than must be, and plans stay empty")
    func complete() throws {
        let site = try Site(lamps: 24, settings: Self.lossy, seed: 5)
        #expect(try site.apply(try site.plan()).isComplete)
        let old = try site.network
        let plan = try site.refreshPlan()
        #expect(plan.cost.messages == 24 * 4, "NetKey, AppKey, two phases")
        var recap = try site.apply(plan)
        if !recap.isComplete { recap = try site.refresh() }
        #expect(recap.isComplete, "\(recap)")
        #expect(try site.plan().steps.isEmpty)
        try site.expectRefreshed(from: old, nodes: (1...24).map { "lamp-\($0)" })
    }

    @Test("A lamp without power holds phase 2 up, is named, and the refresh is finished the day after")
    func offline() throws {
        let old = try Site.furnished(lamps: 20)
        let site = try Site(lamps: 20, settings: Self.lossy, database: old)
        let lamp = try site.lamp(7)
        site.world.setFaults(NodeFaults(isOff: true), of: lamp.uuid)
        let recap = try site.refresh()
        #expect(recap.ending == .completed && !recap.isComplete && recap.pending.map(\.name) == ["lamp-7"])
        #expect(recap.failed.isEmpty)
        var network = try site.network
        #expect(network.netKeys[0].phase == .keyDistribution)
        #expect(network.nodes.filter { $0.netKeys[0].progress == .updated }.count == 19)
        for node in network.nodes.dropFirst() {
            let phase = site.world.node(node.uuid)?.netKey(.primary)?.phase
            #expect(phase == (node.uuid == lamp.uuid ? .normal : .keyDistribution))
        }
        #expect(try site.lostNodes() == [])
        let again = try site.refresh()
        #expect(again.pending.map(\.name) == ["lamp-7"] && again.applied == 0)
        site.world.advance(to: site.world.now.advanced(by: .seconds(86_400)))
        site.world.setFaults(NodeFaults(), of: lamp.uuid)
        let later = try site.refresh()
        #expect(later.isComplete, "\(later)")
        network = try site.network
        #expect(network.nodes.allSatisfy { !$0.isExcluded })
        try site.expectRefreshed(from: old, nodes: (1...20).map { "lamp-\($0)" })
    }

    @Test("A lamp that loses power in phase 2 is not left behind either")
    func offlineLater() throws {
        let old = try Site.furnished(lamps: 6)
        let site = try Site(lamps: 6, settings: Self.lossy, database: old)
        let plan = try site.refreshPlan()
        let lamp = try site.lamp(5)
        let gate = try required(
            plan.steps.firstIndex {
                if case .edit(.refreshKeys(_, .revokeOldKeys, replacing: _)) = $0.work { true } else { false }
            }
        )
        site.onEvent = { event in
            if case .stepSucceeded(step: gate, byReadBack: _) = event {
                site.world.setFaults(NodeFaults(isOff: true), of: lamp.uuid)
            }
        }
        let recap = try site.apply(plan)
        #expect(recap.pending.map(\.name) == ["lamp-5"], "\(recap)")
        #expect(try site.network.netKeys[0].phase == .usingNewKeys)
        #expect(try site.lostNodes() == [])
        site.onEvent = { _ in }
        site.world.setFaults(NodeFaults(), of: lamp.uuid)
        #expect(try site.refresh().isComplete)
        try site.expectRefreshed(from: old, nodes: (1...6).map { "lamp-\($0)" })
    }

    @Test("Who is excluded gets no new key, cannot read or write any more, and its address and DeviceKey are kept")
    func excluded() throws {
        let old = try Site.furnished(lamps: 6)
        let site = try Site(lamps: 6, settings: Self.lossy, database: old)
        let lamp = try site.lamp(4)
        // It is there all the time and could answer.
        #expect(try site.refresh(excluding: [lamp.uuid]).isComplete)
        let network = try site.network
        let record = try required(network.nodes.first { $0.uuid == lamp.uuid })
        #expect(
            record.isExcluded && record.deviceKey == lamp.deviceKey && record.netKeys.isEmpty && record.appKeys.isEmpty
        )
        #expect(network.exclusions.map(\.ivIndex) == [5])
        #expect(network.exclusions.flatMap(\.addresses).map(\.rawValue) == Array(lamp.addresses))
        let stored = try required(site.world.node(lamp.uuid))
        #expect(stored.netKeys.map(\.key) == [old.netKeys[0].key] && stored.appKeys.map(\.key) == [old.appKeys[0].key])
        try site.expectRefreshed(from: old, nodes: [1, 2, 3, 5, 6].map { "lamp-\($0)" })
        // What is sent now is noise to it, and what it sends is noise to us.
        var theirs = stack(of: old, at: lamp.unicastAddress)
        var ours = stack(of: network, at: network.nodes[0].unicastAddress)
        let heard = theirs.receive(networkPDU: try pdu(&ours, to: lamp.unicastAddress), at: .zero)
        #expect(heard.allSatisfy { if case .dropped(.network) = $0 { true } else { false } } && !heard.isEmpty)
        let answered = ours.receive(networkPDU: try pdu(&theirs, to: ours.address), at: .zero)
        #expect(answered.allSatisfy { if case .dropped(.network) = $0 { true } else { false } } && !answered.isEmpty)
    }

    @Test("The proxy itself can be shut out if there is another one")
    func excludedProxy() throws {
        var old = try Site.furnished(lamps: 5)
        old.nodes[3].features.proxy = .enabled
        let site = try Site(lamps: 5, database: old)
        let proxy = try site.lamp(1)
        let recap = try site.refresh(excluding: [proxy.uuid])
        #expect(recap.isComplete, "\(recap)")
        try site.expectRefreshed(from: old, nodes: (2...5).map { "lamp-\($0)" })
    }

    @Test("A proxy is not shut out before another one has answered, and no key is replaced until then")
    func excludedLastAnswering() throws {
        var old = try Site.furnished(lamps: 5)
        old.nodes[3].features.proxy = .enabled
        let site = try Site(lamps: 5, database: old)
        site.world.setFaults(NodeFaults(isOff: true), of: uuid(3))
        let recap = try site.refresh(excluding: [uuid(1)])
        let waiting = try #require(recap.changesWaiting.first, "\(recap)")
        #expect(waiting.nodes == ["lamp-1"] && waiting.change.kind == .exclusion)
        #expect(waiting.change.carriers == ["lamp-3"] && waiting.change.reason == .silent)
        let network = try site.network
        #expect(network.nodes.allSatisfy { !$0.isExcluded } && network.netKeys == old.netKeys && !recap.isComplete)
        site.world.setFaults(NodeFaults(), of: uuid(3))
        #expect(try site.refresh(excluding: [uuid(1)]).isComplete)
        try site.expectRefreshed(from: old, nodes: (2...5).map { "lamp-\($0)" })
    }

    @Test("The only proxy is not left behind when it falls silent, whatever the phase", arguments: 0..<3)
    func silentProxy(phase: Int) throws {
        let old = try Site.furnished(lamps: 4)
        let site = try Site(lamps: 4, database: old)
        let plan = try site.refreshPlan()
        let gates = plan.steps.indices.filter { if case .edit = plan.steps[$0].work { true } else { false } }
        site.onEvent = { event in
            if case .stepSucceeded(step: gates[phase], byReadBack: _) = event {
                site.world.setFaults(NodeFaults(isOff: true), of: uuid(1))
            }
        }
        let recap = try site.apply(plan)
        #expect(!recap.isComplete)
        #expect(try site.lostNodes() == [])
        site.onEvent = { _ in }
        site.world.setFaults(NodeFaults(), of: uuid(1))
        #expect(try site.refresh().isComplete)
        try site.expectRefreshed(from: old, nodes: (1...4).map { "lamp-\($0)" })
    }

    @Test("A lamp that may have got the key, but did not say so, holds phase 2 up, is named, and is not left behind")
    func doubtfulMember() throws {
        let guests = try #require(House.guests)
        let site = try Site(lamps: 2)
        let text = { (text: String) in
            text.replacing(
                "0002, profile: lamp }",
                with: "0002, profile: lamp, subnets: [home], application_keys: [lighting] }"
            )
            .replacing("[lighting, visitors]", with: "[lighting]")
        }
        let whole = site.definition
        site.definition = try House.definition(lamps: 2, text)
        #expect(try site.apply(site.plan()).isComplete)
        // It gets the key of the guests' subnet, and its answer is lost; then it is switched off.
        site.definition = try House.definition(lamps: 2) { $0.replacing("[lighting, visitors]", with: "[lighting]") }
        site.world.setFaults(NodeFaults(isMute: true), of: uuid(2))
        #expect(try site.apply(site.plan()).inDoubt == 1)
        #expect(site.world.node(uuid(2))?.netKey(guests) != nil)
        site.world.setFaults(NodeFaults(isOff: true), of: uuid(2))
        let cut = try site.refresh(guests)
        let objection = "the key refresh cannot go on: lamp-2 may have the old key, but has not said so"
        #expect(cut.failed.map(\.failure) == [.unmakeable(objection)], "\(cut)")
        #expect(try site.network.netKeys[1].phase == .keyDistribution)
        site.world.setFaults(NodeFaults(), of: uuid(2))
        #expect(try site.refresh(guests).isComplete)
        site.definition = whole
        #expect(try site.resolveAndApply().isComplete)
        #expect(try site.world.mismatches(against: site.network) == [])
        #expect(try site.network.netKeys[1].phase == .normal && site.lamp(2).knows(guests))
    }

    @Test("A refresh reaches every lamp where none of them beacons")
    func withoutBeacons() throws {
        var old = try Site.furnished(lamps: 6)
        for place in old.nodes.indices.dropFirst() { old.nodes[place].secureNetworkBeacon = false }
        let site = try Site(lamps: 6, settings: Self.lossy, database: old)
        var recap = try site.refresh()
        if !recap.isComplete { recap = try site.refresh() }
        #expect(recap.isComplete, "\(recap)")
        try site.expectRefreshed(from: old, nodes: (1...6).map { "lamp-\($0)" })
    }

    @Test(
        "A refresh that another tool left in phase 2 goes on, and who had missed the new key gets it under the old one"
    )
    func takenOver() throws {
        let old = try Site.furnished(lamps: 4)
        var half = old
        half.beginKeyRefresh(of: .primary) { secret(0x91) }
        half.useNewKeys(of: .primary)
        // The straggler is the proxy: nobody passes the old key on any more.
        for place in half.nodes.indices.dropFirst(2) {
            half.nodes[place].confirm(.updated, of: .primary)
            half.nodes[place].confirmUpdate(of: .first)
        }
        let site = try Site(lamps: 4, database: half)
        #expect(site.world.node(half.nodes[1].uuid)?.netKey(.primary)?.key == old.netKeys[0].key)
        let recap = try site.refresh()
        #expect(recap.isComplete, "\(recap)")
        try site.expectRefreshed(from: old, nodes: (1...4).map { "lamp-\($0)" })
        #expect(try site.network.netKeys[0].key == secret(0x91))
    }

    @Test("A beacon never makes us forget the old keys while a lamp needs them")
    func aheadOfUs() throws {
        let old = try Site.furnished(lamps: 3)
        var begun = old
        begun.beginKeyRefresh(of: .primary) { secret(0x92) }
        // Another tool has given the proxy the new key and ended its refresh, and we know nothing of it.
        var air = begun
        air.nodes[1].netKeys[0].progress = .revoked
        air.nodes[1].appKeys[0].progress = .updated
        air.appKeys[0].oldKey = begun.appKeys[0].oldKey
        begun.nodes[1].confirm(.updated, of: .primary)
        begun.nodes[1].confirmUpdate(of: .first)
        let site = try Site(lamps: 3, world: air, database: begun)
        _ = try site.refresh()
        let network = try site.network
        #expect(network.netKeys[0].oldKey == old.netKeys[0].key && network.netKeys[0].phase == .keyDistribution)
        #expect(network.nodes.dropFirst(2).allSatisfy { $0.netKeys[0].progress == .none })
    }

    @Test("A lamp that another tool gave another new key is told so, with a way out; phase 2 waits for it")
    func otherKeyFromAnotherTool() throws {
        let old = try Site.furnished(lamps: 3)
        var (begun, air) = (old, old)
        begun.beginKeyRefresh(of: .primary) { secret(0x94) }
        air.beginKeyRefresh(of: .primary) { secret(0x95) }
        air.nodes[3].confirm(.updated, of: .primary)
        let site = try Site(lamps: 3, world: air, database: begun)
        let recap = try site.refresh()
        #expect(recap.failed.map(\.failure) == [.otherNewKey], "\(recap)")
        #expect(recap.failed.first?.failure.advice.remedies == [.exclude()])
        #expect(try site.network.netKeys[0].phase == .keyDistribution)
        #expect(try site.network.nodes[3].netKeys[0].progress == .none)
    }

    @Test("A lamp that refuses the new key stops the refresh before phase 2, and is named")
    func refusing() throws {
        let old = try Site.furnished(lamps: 3)
        let site = try Site(lamps: 3, database: old)
        let lamp = try site.lamp(2)
        let refusal = NodeFaults.Answer(opcode: ConfigNetKeyUpdate.opcode, status: .storageFailure)
        site.world.setFaults(NodeFaults(answers: [refusal]), of: lamp.uuid)
        let recap = try site.refresh()
        #expect(recap.failed.map(\.failure) == [.refused(.storageFailure)])
        #expect(try site.network.netKeys[0].phase == .keyDistribution)
        #expect(try site.lostNodes() == [])
        site.world.setFaults(NodeFaults(), of: lamp.uuid)
        #expect(try site.refresh().isComplete)
        try site.expectRefreshed(from: old, nodes: (1...3).map { "lamp-\($0)" })
    }

    private func stack(of network: MeshNetwork, at address: UnicastAddress) -> MeshStack {
        MeshStack(
            address: address,
            elementCount: 1,
            ivIndex: network.ivIndex,
            keys: KeyRing(network),
            sequenceNumbers: Counting()
        )
    }

    private func pdu(_ stack: inout MeshStack, to address: UnicastAddress) throws -> [UInt8] {
        let message = OutgoingMessage(
            source: stack.address,
            destination: .unicast(address),
            payload: ConfigDefaultTTLGet().encoded,
            security: .device(node: max(address, stack.address)),
            ttl: 5
        )
        let actions = try stack.send(message, at: .zero).1
        return try required(actions.compactMap { if case .transmit(let pdu, _) = $0 { pdu } else { nil } }.first)
    }
}

/// Counts up far above what the simulated world has seen.
private final class Counting: SequenceNumberSource {
    private var next: UInt32 = 0x800000

    func next(for source: UnicastAddress, ivIndex: UInt32) throws(SequenceNumberError) -> UInt32 {
        defer { next += 1 }
        return next
    }
}
