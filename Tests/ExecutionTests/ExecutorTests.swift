import DefinitionModel
import Execution
import MeshCore
import Planning
import Simulator
import Store
import TestSupport
import Testing

@Suite("Executor over the simulated network")
struct ExecutorTests {
    @Test("After apply the nodes are as the database says, and the next plan is empty")
    func applyConverges() throws {
        let site = try Site(lamps: 4)
        let plan = try site.plan()
        #expect(plan.steps.count > 40)
        let recap = try site.apply(plan)
        #expect(recap.isComplete, "\(recap)")
        #expect(recap.applied == plan.steps.count)
        #expect(recap.retries == 0)
        #expect(try site.world.mismatches(against: site.network) == [])
        #expect(site.world.violations == [])
        #expect(try site.plan().steps == [])
        #expect(try site.database.snapshot().unresolved == [])
        #expect(try site.database.runs().map(\.outcome) == [.completed])
        #expect(site.events.last == .runFinished(recap))
    }

    @Test("With a fifth of all copies lost on each of two hops everything is applied in the end", arguments: [1, 2, 3])
    func losses(seed: UInt64) throws {
        var settings = WorldSettings.office
        settings.topology = .hops(2)
        settings.copyLoss = 0.2
        let site = try Site(lamps: 5, settings: settings, seed: seed)
        let recap = try site.apply(try site.plan())
        #expect(recap.isComplete, "\(recap)")
        #expect(site.world.statistics.lost > 0)
        #expect(try site.world.mismatches(against: site.network) == [])
        #expect(site.world.violations == [])
        #expect(try site.plan().steps == [])
    }

    @Test("A node that hears nothing becomes pending, the others are finished, and another run does the rest")
    func deadNode() throws {
        let site = try Site(lamps: 4)
        let dead = uuid(3)
        site.world.setFaults(NodeFaults(isOff: true), of: dead)
        let plan = try site.plan()
        let recap = try site.apply(plan)
        #expect(recap.ending == .completed)
        #expect(recap.pending.map(\.name) == ["lamp-3"])
        #expect(recap.failed == [])
        #expect(recap.inDoubt == 1, "what was sent may have arrived")
        #expect(recap.notStarted == recap.pending.reduce(0) { $0 + $1.steps } - recap.inDoubt)
        #expect(recap.applied + recap.notStarted + recap.inDoubt == plan.steps.count)
        #expect(try site.database.runs().map(\.outcome) == [.partial])
        #expect(try site.database.snapshot().unresolved.map(\.node) == [dead])

        site.world.setFaults(NodeFaults(), of: dead)
        let second = try site.resolveAndApply()
        #expect(second.isComplete, "\(second)")
        #expect(second.total == recap.notStarted + recap.inDoubt)
        #expect(try site.world.mismatches(against: site.network) == [])
        #expect(site.world.violations == [])
    }

    @Test("While a doubtful node stays away, nothing is sent to it but the read-back")
    func stillDead() throws {
        let site = try Site(lamps: 2)
        site.world.setFaults(NodeFaults(isOff: true), of: uuid(2))
        _ = try site.apply(try site.plan())
        let recap = try site.resolveAndApply()
        #expect(recap.pending.map(\.name) == ["lamp-2"])
        #expect(recap.messagesSent == 0, "the executor knows from clearing up that the node is away")
        #expect(recap.inDoubt == 1)
    }

    @Test("A mute node acts without our knowing; the next run reads that back and does not send it again")
    func muteNode() throws {
        let site = try Site(lamps: 2)
        site.world.setFaults(NodeFaults(isMute: true), of: uuid(2))
        let recap = try site.apply(try site.plan())
        #expect(recap.pending.map(\.name) == ["lamp-2"])
        #expect(try !site.lamp(2).knows(House.guests ?? .primary), "nothing is known without a status")
        #expect(site.world.node(uuid(2))?.netKeys.count == 2)

        site.world.setFaults(NodeFaults(), of: uuid(2))
        let resolved = try site.execute { $0.resolveInDoubt() }
        #expect(resolved.doubtsResolved == 1)
        #expect(resolved.inDoubt == 0)
        #expect(try site.lamp(2).netKeys.count == 2)
        #expect(try site.resolveAndApply().isComplete)
        #expect(try site.world.mismatches(against: site.network) == [])
    }

    @Test("A status other than success stops what depends on it and nothing else")
    func refusal() throws {
        let site = try Site(lamps: 2)
        let answer = NodeFaults.Answer(opcode: ConfigAppKeyAdd.opcode, status: .insufficientResources, count: 1)
        site.world.setFaults(NodeFaults(answers: [answer]), of: uuid(2))
        let plan = try site.plan()
        let recap = try site.apply(plan)
        #expect(recap.ending == .completed)
        #expect(recap.pending == [])
        #expect(recap.failed.map(\.failure) == [.refused(.insufficientResources)])
        let failed = try required(recap.failed.first?.step)
        #expect(!recap.blocked.isEmpty)
        for blocked in recap.blocked {
            #expect(plan.steps[blocked.step].dependencies.contains(blocked.by))
            #expect(blocked.by == failed || recap.blocked.contains { $0.step == blocked.by })
        }
        #expect(recap.applied == plan.steps.count - 1 - recap.blocked.count)
        let second = try site.resolveAndApply()
        #expect(second.isComplete)
        #expect(second.total == 1 + recap.blocked.count)
        #expect(try site.world.mismatches(against: site.network) == [])
    }

    @Test("A node without the feature fails that step, and its database knows from then on")
    func missingFeature() throws {
        let site = try Site(lamps: 2)
        var network = try site.network
        let place = try required(network.nodes.firstIndex { $0.name == "lamp-2" })
        network.nodes[place].features.friend = .notSupported
        // The node on the air has no Friend feature, which the database does not know.
        let other = try Site(lamps: 2, world: network)
        let recap = try other.apply(try other.plan())
        #expect(recap.failed.map(\.failure) == [.featureNotSupported])
        #expect(try other.lamp(2).features.friend == .notSupported)
    }

    /// Makes every change of a node go wrong until its outcome is called unknown.
    private func troubled(_ faults: NodeFaults) throws -> (site: Site, recap: Recap, steps: Int) {
        let site = try Site(lamps: 2)
        let plan = try site.plan()
        func isOfTroubled(_ step: Int) -> Bool {
            if case .configure(uuid(2), _) = plan.steps[step].work { true } else { false }
        }
        site.onEvent = { event in
            switch event {
            case .stepSent(let step) where isOfTroubled(step): site.world.setFaults(faults, of: uuid(2))
            case .stepUnknown(let step) where isOfTroubled(step): site.world.setFaults(NodeFaults(), of: uuid(2))
            default: break
            }
        }
        let recap = try site.apply(plan)
        return (site, recap, plan.steps.indices.filter(isOfTroubled).count)
    }

    @Test("When no status ever arrives, each change is read back and recorded by that")
    func everythingReadBack() throws {
        let (site, recap, steps) = try troubled(NodeFaults(isMute: true))
        #expect(recap.isComplete, "\(recap)")
        let readBack = site.events.filter { if case .stepSucceeded(_, byReadBack: true) = $0 { true } else { false } }
        #expect(readBack.count == steps)
        #expect(try site.world.mismatches(against: site.network) == [])
        #expect(try site.plan().steps == [])
    }

    @Test("When requests do not arrive, the read-back says so and they are sent again")
    func everythingSentAgain() throws {
        let (site, recap, steps) = try troubled(NodeFaults(isDeaf: true))
        #expect(recap.isComplete, "\(recap)")
        #expect(site.events.filter { if case .stepUnknown = $0 { true } else { false } }.count == steps)
        #expect(!site.events.contains { if case .stepSucceeded(_, byReadBack: true) = $0 { true } else { false } })
        #expect(try site.world.mismatches(against: site.network) == [])
    }

    @Test("Lost requests are sent again and applied once")
    func droppedRequests() throws {
        let site = try Site(lamps: 2)
        site.world.setFaults(NodeFaults(requestsToDrop: 3), of: uuid(2))
        let recap = try site.apply(try site.plan())
        #expect(recap.isComplete)
        #expect(recap.retries == 3)
    }

    @Test("A link that drops every 20 packets is opened again and everything is applied")
    func droppedLinks() throws {
        var settings = WorldSettings.ideal
        settings.dropsLinkAfterPackets = 20
        let site = try Site(lamps: 3, settings: settings)
        let recap = try site.apply(try site.plan())
        #expect(recap.isComplete, "\(recap)")
        #expect(site.events.filter { if case .linkDown = $0 { true } else { false } }.count >= 2)
        #expect(try site.world.mismatches(against: site.network) == [])
        #expect(site.world.violations == [])
    }

    @Test("Without a proxy the run ends after a few attempts, with nothing sent and nothing in doubt")
    func noProxy() throws {
        let site = try Site(lamps: 2)
        for number in [1, 2] as [UInt64] { site.world.setFaults(NodeFaults(isOff: true), of: uuid(number)) }
        let recap = try site.apply(try site.plan())
        guard case .linkFailed = recap.ending else {
            Issue.record("\(recap)")
            return
        }
        #expect(recap.messagesSent == 0)
        #expect(recap.inDoubt == 0)
        #expect(recap.failed == [])
        #expect(try site.database.snapshot().unresolved == [])
        for number in [1, 2] as [UInt64] { site.world.setFaults(NodeFaults(), of: uuid(number)) }
        #expect(try site.resolveAndApply().isComplete)
    }

    @Test("The same network, plan and seed give the same run to the octet")
    func deterministic() throws {
        var settings = WorldSettings.office
        settings.copyLoss = 0.2
        let runs = try (0..<2).map { _ in
            let site = try Site(lamps: 3, settings: settings, seed: 11)
            let recap = try site.apply(try site.plan())
            return (recap, site.world.traceHash, try site.network)
        }
        #expect(runs[0].0 == runs[1].0)
        #expect(runs[0].1 == runs[1].1)
        #expect(runs[0].2 == runs[1].2)
    }
}
