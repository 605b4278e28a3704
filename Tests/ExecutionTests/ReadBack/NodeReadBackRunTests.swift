import DefinitionModel
import Execution
import MeshCore
import Planning
import Simulator
import Store
import TestSupport
import Testing

@Suite("Reading nodes back over the simulated network")
struct NodeReadBackRunTests {
    /// A site whose lamps are configured, so that a plan is empty.
    private func configured(lamps: Int, settings: WorldSettings = .ideal, seed: UInt64 = 1) throws -> Site {
        let site = try Site(lamps: lamps, settings: settings, seed: seed)
        let recap = try site.apply(try site.plan())
        try #require(recap.isComplete)
        return site
    }

    private func lamps(_ numbers: ClosedRange<UInt64>) -> [DeviceUUID] { numbers.map { uuid($0) } }

    private func outcomes(_ site: Site) -> [DeviceUUID: ReadBackOutcome] {
        var outcomes: [DeviceUUID: ReadBackOutcome] = [:]
        for case .nodeReadBack(let node, let outcome) in site.events { outcomes[node] = outcome }
        return outcomes
    }

    @Test("Nodes as recorded take the fewest Gets, outdate no plan, and are known to have been read")
    func asRecorded() throws {
        let site = try configured(lamps: 3)
        // What was not known so far becomes known.
        #expect(try site.execute { $0.readBack(lamps(1...3)) }.isComplete)
        #expect(try site.lamp(2).states.map(\.kind) == [.heartbeatPublication, .heartbeatSubscription])
        let before = try site.database.snapshot()
        let requests = site.world.statistics.requests
        let recap = try site.execute { $0.readBack(lamps(1...3)) }
        #expect(recap.isComplete, "\(recap)")
        #expect(recap.applied == 3)
        // Composition, NetKeys, AppKeys of two subnets, six states, two of heartbeats; bindings and subscriptions of the
        // four models that can have them, publications of the three that have an AppKey.
        let minimum = 1 + 1 + 2 + 6 + 2 + 4 + 4 + 3
        #expect(site.world.statistics.requests - requests == 3 * minimum)
        #expect(recap.messagesSent == 3 * minimum)
        let after = try site.database.snapshot()
        #expect(after.serial == before.serial)
        #expect(after.network.drifts.isEmpty)
        for number in 1...3 {
            let node = try site.lamp(number)
            #expect(node.readBackAt == Site.now && node.observedAt == Site.now)
            let foreseen = NodeReadBack.foreseen(for: node, appKeys: after.network.appKeys)
            #expect(foreseen.count == minimum && Set(foreseen).count == minimum)
        }
        #expect(outcomes(site).values.allSatisfy { $0.isComplete && $0.drifted.isEmpty && !$0.isCompositionNew })
        #expect(try site.plan().isEmpty)
        #expect(site.world.violations == [])
    }

    @Test("A node without AppKeys is not asked for bindings and publications")
    func withoutAppKeys() throws {
        let site = try Site(lamps: 1)
        let recap = try site.execute { $0.readBack([uuid(1)]) }
        #expect(recap.isComplete)
        #expect(site.world.statistics.requests == 1 + 1 + 1 + 6 + 2 + 4)
        #expect(try site.network.drifts.isEmpty)
    }

    @Test("What somebody else changed is drift until an apply puts it back")
    func drift() throws {
        let site = try configured(lamps: 3)
        let group = SubscriptionAddress.group(try #require(GroupAddress(rawValue: 0xC000)))
        let server = ModelAddress(element: 0, model: House.onOffServer)
        let client = ModelAddress(element: 0, model: House.onOffClient)
        site.world.change(uuid(2)) { state in
            state.defaultTTL = 9
            state.friend = .disabled
            state.elements[0].models[2].subscriptions.removeAll { $0 == group }
            state.elements[0].models[3].publication = nil
        }
        let recorded = try site.lamp(2)
        let recap = try site.execute { $0.readBack(lamps(1...3)) }
        #expect(recap.isComplete)
        let expected: [NodeResource] = [.subscription(server, group), .publication(client), .defaultTTL, .friend]
        #expect(outcomes(site)[uuid(2)]?.newlyDrifted == expected)
        let drift = try #require(try site.network.drifts[uuid(2)])
        #expect(try site.network.drifts.count == 1)
        #expect(drift.resources == expected)
        #expect(drift.recorded.deviceKey == nil)
        #expect(drift.recorded.differences(from: recorded).isEmpty, "what was recorded is kept")
        #expect(try site.world.mismatches(against: site.network) == [], "the record is what the node told")

        var plan = try site.plan()
        #expect(plan.steps.count == 4)
        #expect(plan.changes.allSatisfy { $0.drift?.since == Site.now && $0.drift?.recorded == $0.after })
        // A saved plan keeps the text of its notes.
        plan.notes = plan.notes.map { Advice($0.text) }
        #expect(try PlanFile.decode(PlanFile.encode(plan)) == plan)
        let again = try site.execute { $0.readBack([uuid(2)]) }
        #expect(again.isComplete && outcomes(site)[uuid(2)]?.newlyDrifted == [])
        #expect(outcomes(site)[uuid(2)]?.drifted == expected)

        let applied = try site.apply(try site.plan())
        #expect(applied.isComplete)
        #expect(try site.network.drifts.isEmpty)
        #expect(try site.plan().isEmpty)
        #expect(try site.world.mismatches(against: site.network) == [])
        _ = try site.execute { $0.readBack([uuid(2)]) }
        #expect(outcomes(site)[uuid(2)]?.drifted == [])
        #expect(site.world.violations == [])
    }

    @Test("Keys that are gone take what used them along")
    func lostKeys() throws {
        let site = try configured(lamps: 1)
        let guests = try #require(House.guests)
        site.world.change(uuid(1)) { $0.removeNetKey(guests) }
        _ = try site.execute { $0.readBack([uuid(1)]) }
        let drift = try #require(try site.network.drifts[uuid(1)])
        let visitors = try #require(try site.network.appKeys.first { $0.boundNetKey == guests }?.index)
        let server = ModelAddress(element: 0, model: House.onOffServer)
        #expect(drift.resources == [.netKey(guests), .appKey(visitors), .binding(server, visitors)])
        #expect(try site.resolveAndApply().isComplete)
        #expect(try site.network.drifts.isEmpty)
        #expect(try site.world.mismatches(against: site.network) == [])
    }

    @Test("A label that nobody knows is kept as its virtual address and goes when the list is put right")
    func unknownLabel() throws {
        let site = try configured(lamps: 1)
        let label = LabelUUID(rawValue: Octets16(high: 77, low: 88))
        site.world.change(uuid(1)) { state in
            state.elements[0].models[2].subscriptions.append(.virtual(label))
            state.elements[0].models[2].subscriptions.sort()
        }
        _ = try site.execute { $0.readBack([uuid(1)]) }
        let virtual = try #require(VirtualAddress(rawValue: label.virtualAddress.rawValue))
        let server = ModelAddress(element: 0, model: House.onOffServer)
        #expect(try site.network.drifts[uuid(1)]?.resources == [.subscription(server, .unknownLabel(virtual))])
        #expect(try site.lamp(1).elements[0].models[2].subscriptions.last == .unknownLabel(virtual))
        let plan = try site.plan()
        let actions = plan.steps.compactMap { if case .configure(_, let action) = $0.work { action } else { nil } }
        #expect(actions.count == 2 && actions.count == plan.steps.count)
        if case .overwriteSubscriptions = actions.first {} else { Issue.record("\(actions)") }
        #expect(try site.apply(plan).isComplete)
        #expect(try site.network.drifts.isEmpty)
        #expect(try site.world.mismatches(against: site.network) == [])
    }

    @Test("A node that is off keeps its record with its age, the others are read")
    func unreachable() throws {
        let site = try configured(lamps: 3)
        let before = try site.lamp(2)
        site.world.setFaults(NodeFaults(isOff: true), of: uuid(2))
        let recap = try site.execute { $0.readBack(lamps(1...3)) }
        #expect(recap.ending == .completed && !recap.isComplete)
        #expect(recap.pending.map(\.name) == ["lamp-2"])
        #expect(recap.applied == 2 && recap.inDoubt == 0)
        #expect(try site.lamp(2) == before)
        #expect(try site.database.snapshot().unresolved == [])
    }

    @Test("A node that falls silent in the middle has told what it has told")
    func falteringNode() throws {
        let site = try configured(lamps: 2)
        site.world.change(uuid(2)) { state in
            state.defaultTTL = 9
            state.elements[0].models[3].publication = nil
        }
        let start = site.world.statistics.requests
        site.interrupts = { [unowned site] in
            if site.world.statistics.requests - start >= 10 {
                site.world.setFaults(NodeFaults(isOff: true), of: uuid(2))
            }
            return 0
        }
        let recap = try site.execute { $0.readBack([uuid(2)]) }
        #expect(recap.pending.map(\.name) == ["lamp-2"])
        let outcome = try #require(outcomes(site)[uuid(2)])
        #expect(!outcome.isComplete && outcome.reports >= 5)
        #expect(outcome.drifted.contains(.defaultTTL))
        let node = try site.lamp(2)
        #expect(node.defaultTTL == 9 && node.readBackAt == nil)
        #expect(node.elements[0].models[3].publication != nil, "what it has not told stays")
    }

    @Test("Another firmware: what the models that are still there are, is read; what is gone is no drift")
    func newFirmware() throws {
        let site = try configured(lamps: 1)
        site.world.change(uuid(1)) { state in
            state.product.version = 3
            state.elements[0].models.remove(at: 3)
            state.elements[0].models.append(Model(identifier: .sig(0x1002)))
        }
        let recap = try site.execute { $0.readBack([uuid(1)]) }
        #expect(recap.isComplete)
        #expect(outcomes(site)[uuid(1)]?.isCompositionNew == true)
        #expect(try site.network.drifts.isEmpty)
        let node = try site.lamp(1)
        #expect(node.product?.version == 3)
        #expect(node.elements[0].models.map(\.identifier).last == .sig(0x1002))
        #expect(!node.elements[0].models[2].bindings.isEmpty)
    }

    @Test("The other pages come with the configuration once, and anew when they are asked for")
    func pages() throws {
        let site = try configured(lamps: 1)
        let (first, second) = ([UInt8](repeating: 1, count: 90), [UInt8](repeating: 2, count: 90))
        site.world.change(uuid(1)) { state in
            state.elements[0].models.append(Model(identifier: .largeCompositionDataServer))
            state.foundation.compositionPages = [1: [7], 128: first]
        }
        #expect(try site.execute { $0.readBack([uuid(1)]) }.isComplete)
        #expect(try site.lamp(1).compositionPages == [1: [7], 128: first])
        #expect(try site.lamp(1).modelsMetadata != nil)
        site.world.change(uuid(1)) { $0.foundation.compositionPages[128] = second }
        #expect(try site.execute { $0.readBack([uuid(1)]) }.isComplete)
        #expect(try site.lamp(1).compositionPages?[128] == first)
        site.options.pages = .all
        #expect(try site.execute { $0.readBack([uuid(1)]) }.isComplete)
        #expect(try site.lamp(1).compositionPages == [1: [7], 128: second])
    }

    @Test("A node with another number of elements is another node: nothing of it is recorded")
    func otherElements() throws {
        let site = try configured(lamps: 1)
        let before = try site.lamp(1)
        site.world.change(uuid(1)) { $0.elements.append(Element(location: 0x0102, models: [])) }
        let recap = try site.execute { $0.readBack([uuid(1)]) }
        #expect(recap.failed.map(\.failure) == [.contradicts("3 elements, but it was provisioned with 2")])
        #expect(try site.lamp(1) == before)
    }

    @Test("A Get that is refused leaves what is recorded and is told")
    func refusal() throws {
        let site = try configured(lamps: 1)
        let opcode = ConfigModelPublicationGet.opcode
        let answer = NodeFaults.Answer(opcode: opcode, status: .invalidPublishParameters, count: 1)
        site.world.setFaults(NodeFaults(answers: [answer]), of: uuid(1))
        let recap = try site.execute { $0.readBack([uuid(1)]) }
        #expect(recap.isComplete)
        #expect(outcomes(site)[uuid(1)]?.refused.count == 1)
        #expect(try site.network.drifts.isEmpty)
        #expect(try site.world.mismatches(against: site.network) == [])
    }

    @Test("The first interrupt lets what is in flight finish; what was told is kept")
    func interrupt() throws {
        let site = try configured(lamps: 8)
        for number in 1...8 { site.world.change(uuid(UInt64(number))) { $0.defaultTTL = 9 } }
        let start = site.world.statistics.requests
        site.interrupts = { [unowned site] in site.world.statistics.requests - start > 60 ? 1 : 0 }
        let recap = try site.execute { $0.readBack(lamps(1...8)) }
        #expect(recap.ending == .interrupted)
        #expect(recap.applied < 8)
        let read = outcomes(site)
        #expect(!read.isEmpty)
        let drifts = try site.network.drifts
        #expect(read.keys.count { drifts[$0] != nil } == read.values.count { !$0.drifted.isEmpty })
        site.interrupts = { 0 }
        #expect(try site.execute { $0.readBack(lamps(1...8)) }.isComplete)
        #expect(try site.network.drifts.count == 8)
    }

    @Test("With a fifth of all copies lost on two hops everything is read in the end", arguments: [1, 2])
    func losses(seed: UInt64) throws {
        let site = try configured(lamps: 4, seed: seed)
        var settings = WorldSettings.office
        settings.topology = .hops(2)
        settings.copyLoss = 0.2
        let lossy = try Site(lamps: 4, settings: settings, seed: seed, world: site.network)
        let recap = try lossy.execute { $0.readBack(lamps(1...4)) }
        #expect(recap.isComplete, "\(recap)")
        for number in 1...4 {
            let (told, configured) = (try lossy.lamp(number), try site.lamp(number))
            #expect(told.defaultTTL == configured.defaultTTL && told.netKeys == configured.netKeys)
        }
        #expect(try lossy.network.drifts.count == 4)
    }

    @Test("A request in doubt is cleared up before its node is read back")
    func doubt() throws {
        let site = try Site(lamps: 2)
        site.world.setFaults(NodeFaults(isMute: true), of: uuid(2))
        _ = try site.apply(try site.plan())
        site.world.setFaults(NodeFaults(), of: uuid(2))
        let recap = try site.execute { $0.readBack(lamps(1...2)) }
        #expect(recap.isComplete && recap.doubtsResolved == 1)
        #expect(try site.network.drifts.isEmpty, "what we had set ourselves is no drift")
        #expect(try site.world.mismatches(against: site.network) == [])
    }
}
