import MeshCore
import Planning
import Store
import TestSupport
import Testing

@testable import Execution

/// The parts of a run decide without client, bearer and world: a ledger in, outputs out.
@Suite("The parts of a run are values")
struct RunPartsTests {
    private let lamp = uuid(1)
    private let action = ConfigurationAction.setDefaultTTL(9)
    private let folder: DatabaseFolder
    private let journal: RunJournal
    private let lease: WriteLease

    init() throws {
        folder = try DatabaseFolder()
        var generator = SplitMix64(seed: 1)
        let database = try MeshDatabase.create(
            at: .file(folder.path),
            network: House.network(lamps: 2),
            key: DatabaseSecret.random(using: &generator),
            now: Site.now,
            using: SplitMix64(seed: 2)
        )
        lease = try database.lock(
            holder: LockHolder(user: "anna", host: "desk", process: 1, operation: "apply", since: Site.now)
        )
        journal = RunJournal(database: database, lease: lease, run: RunIdentifier(rawValue: 7))
    }

    /// The ledger of a run with one step, which has started.
    private func ledger() throws -> RunLedger {
        let steps = [Step(change: 0, work: .configure(lamp, action))]
        var schedule = try StepSchedule(steps: steps, barriers: [])
        #expect(schedule.start(.request) == 0)
        return RunLedger(
            network: NetworkRecord(try House.network(lamps: 2)),
            journal: journal,
            schedule: schedule,
            steps: steps,
            unreachable: [],
            calendar: { Site.now }
        )
    }

    /// The only output, if it is a request for the step.
    private func asked(_ outputs: [RunOutput]) -> StepRequest? {
        guard outputs.count == 1, case .ask(.step(let request)) = outputs[0] else { return nil }
        return request
    }

    private func isSuspension(_ outputs: [RunOutput]) -> Bool {
        guard outputs.count == 1, case .suspend(lamp) = outputs[0] else { return false }
        return true
    }

    // MARK: Steps

    @Test("A change without an answer is read back, then the node is probed, then the change is left in doubt")
    func silence() throws {
        var ledger = try ledger()
        let work = StepWork(maximumRounds: 3)
        let request = try required(asked(work.start(0, action, on: lamp, &ledger)))
        #expect(request.phase == .request && !ledger.journal.isSettling(.step(0)))
        let readBack = try required(asked(work.settleUnanswered(request, &ledger)))
        #expect(readBack.phase == .readBack && ledger.takeAnnouncements() == [.stepUnknown(step: 0)])
        let probe = try required(asked(work.settleUnanswered(readBack, &ledger)))
        #expect(probe.phase == .probe && !ledger.journal.isSettling(.step(0)))
        #expect(isSuspension(work.settleUnanswered(probe, &ledger)))
        #expect(ledger.journal.isSettling(.step(0)))
        #expect(ledger.schedule.states == [.started])
    }

    @Test("After an interrupt a change without an answer stays in doubt, and nothing more is asked")
    func interrupt() throws {
        var ledger = try ledger()
        let work = StepWork(maximumRounds: 3)
        let request = try required(asked(work.start(0, action, on: lamp, &ledger)))
        ledger.isInterrupted = true
        #expect(work.settleUnanswered(request, &ledger).isEmpty)
        #expect(ledger.journal.isSettling(.step(0)) && ledger.schedule.states == [.started])
    }

    @Test("A read-back that finds the old value repeats the change, as often as the policy allows")
    func rounds() throws {
        var ledger = try ledger()
        var work = StepWork(maximumRounds: 2)
        var request = try required(asked(work.start(0, action, on: lamp, &ledger)))
        request.phase = .readBack
        let second = try required(asked(work.settle(request, .doesNotHold, &ledger)))
        #expect(second.phase == .request && second.round == 2)
        #expect(work.settle(second, .doesNotHold, &ledger).isEmpty)
        #expect(ledger.schedule.states == [.failed])
        let events = ledger.takeAnnouncements()
        #expect(events == [.stepFailed(step: 0, .withoutEffect(rounds: 2)), .nodeFinished(lamp)], "\(events)")
    }

    @Test("A confirmed change is in the record and the journal before anybody is told")
    func success() throws {
        var ledger = try ledger()
        var work = StepWork(maximumRounds: 3)
        let request = try required(asked(work.start(0, action, on: lamp, &ledger)))
        let outputs = work.settle(request, .holds(action), &ledger)
        guard outputs.count == 1, case .changed(lamp) = outputs[0] else {
            Issue.record("\(outputs)")
            return
        }
        #expect(ledger.network.node(lamp)?.defaultTTL == 9 && ledger.journal.isSettling(.step(0)))
        let events = ledger.takeAnnouncements()
        #expect(events == [.stepSucceeded(step: 0, byReadBack: false), .nodeFinished(lamp)], "\(events)")
    }

    // MARK: Doubts

    @Test("A doubt about a node comes before its step, and its answer lets the step start")
    func doubt() throws {
        var ledger = try ledger()
        let intent = JournalIntent(
            run: RunIdentifier(rawValue: 3),
            subject: .step(4),
            node: lamp,
            action: ConfigurationAction.setDefaultTTL(7).encoded
        )
        var doubts = DoubtWork([intent], ledger.schedule, areLeft: false) { _, _ in true }
        #expect(!doubts.hasNext(isLinkReady: true), "the node has a step, so nobody else asks it")
        let outputs = doubts.proceed(with: lamp, to: 0, &ledger)
        guard outputs.count == 1, case .ask(.doubt(let request)) = outputs[0] else {
            Issue.record("\(outputs)")
            return
        }
        #expect(isSuspension(doubts.settleUnanswered(withPhase(.probe, of: request), &ledger)))
        #expect(doubts.concern(lamp), "silence says nothing about the doubt")
        let next = doubts.settle(request, .doesNotHold, &ledger)
        guard next.count == 1, case .start(0) = next[0] else {
            Issue.record("\(next)")
            return
        }
        #expect(doubts.isEmpty)
        let resolved = ExecutionEvent.doubtResolved(lamp, .setDefaultTTL(7), tookEffect: false)
        #expect(ledger.takeAnnouncements() == [resolved])
    }

    private func withPhase(_ phase: DoubtRequest.Phase, of request: DoubtRequest) -> DoubtRequest {
        var request = request
        request.phase = phase
        return request
    }

    // MARK: Requests

    @Test("Giving requests up returns those that were sent, in the order of sending, and forgets the others")
    func withdrawal() {
        let question = Question<Void>(ConfigDefaultTTLGet())
        var table = RequestTable()
        for number in UInt64(1)...5 {
            table.set(.server(uuid(number), question), as: RequestIdentifier(rawValue: 10 - number))
        }
        table.set(.afterReset(uuid(6), question), as: RequestIdentifier(rawValue: 1))
        table.add(.server(uuid(7), question))
        table.add(.afterReset(uuid(8), question))
        #expect(table.count == 8 && table.count(besides: { $0 == uuid(7) }) == 7)
        let closed = table.withdraw { if case .server = $0 { true } else { false } }
        #expect(closed.map(\.node) == [5, 4, 3, 2, 1].map { uuid($0) })
        #expect(table.takeUnsent().map(\.node) == [uuid(8)])
        #expect(table.openJobs.map(\.node) == [uuid(6)])
    }

    @Test("Only a doubt that no step waits for, and questions about devices that may be nodes, are optional")
    func optionalJobs() throws {
        let question = Question<Void>(ConfigDefaultTTLGet())
        let composition = Question<Composition?>(ConfigCompositionDataGet(page: 0)) { _ in nil }
        let identity = Question<Bool>(ConfigNodeIdentityGet(netKeyIndex: .primary)) { _ in true }
        #expect(Job.candidate(lamp, composition).isOptional && Job.afterReset(lamp, question).isOptional)
        for job in [Job.ivIndex(lamp, question), .server(lamp, question), .identity(lamp, identity)] {
            #expect(!job.isOptional, "\(job)")
        }
        var ledger = try ledger()
        let step = try required(asked(StepWork(maximumRounds: 3).start(0, action, on: lamp, &ledger)))
        #expect(!Job.step(step).isOptional)
    }

    @Test("A list that goes on is asked for from there, for a step as for a doubt")
    func lists() throws {
        let entry = BridgingTableEntry(
            subnets: NetKeyIndexPair(first: .primary, second: try required(House.guests)),
            addresses: BridgedAddresses(first: .first, second: Address(rawValue: 0x4000), directions: .oneWay)
        )
        let action = ConfigurationAction.addBridging(entry)
        let network = try House.network(lamps: 2)
        let inquiries = ActionInquiries(action, node: try unicast(0x0010), network: network)
        var ledger = try ledger()
        var work = StepWork(maximumRounds: 3)
        let request = try required(asked(work.start(0, action, on: lamp, &ledger)))
        let readBack = try required(asked(work.settleUnanswered(request, &ledger)))
        let further = try required(asked(work.settle(readBack, .continues(at: 7), &ledger)))
        #expect(try further.inquiry.payload == inquiries.readBack(from: 7).payload)
        let intent = JournalIntent(
            run: RunIdentifier(rawValue: 3),
            subject: .step(4),
            node: lamp,
            action: action.encoded
        )
        var doubts = DoubtWork([intent], ledger.schedule, areLeft: false) { _, _ in true }
        guard case .ask(.doubt(let doubt))? = doubts.proceed(with: lamp, to: 0, &ledger).first,
            case .ask(.doubt(let next))? = doubts.settle(doubt, .continues(at: 7), &ledger).first
        else {
            Issue.record("nothing is asked")
            return
        }
        #expect(try next.inquiry.payload == inquiries.readBack(from: 7).payload)
    }

    // MARK: The record

    @Test("A key refresh tells how many nodes it would leave behind, by the name of the first")
    func refreshObjection() throws {
        for (lamps, text) in [(1, "lamp-1"), (2, "lamp-1 and 1 more"), (3, "lamp-1 and 2 more")] {
            var network = try House.network(lamps: lamps)
            network.netKeys[0].oldKey = network.netKeys[0].key
            network.netKeys[0].phase = .keyDistribution
            let objection = NetworkRecord(network).objection(to: .useNewKeys, of: .primary)
            #expect(objection == "\(text) would be left behind without the new keys")
        }
    }

    @Test("Guards know from the beginning of a run what its plan takes from nodes")
    func surroundings() throws {
        var network = try House.network(lamps: 2)
        network.nodes[2].features.proxy = .enabled
        let second = network.nodes[2]
        var configuration = DeferredConfiguration(node: second.uuid, name: "lamp-2")
        configuration.proxy = false
        func lowered(expecting steps: [Step]) -> LoweredConfiguration {
            var record = NetworkRecord(network)
            var surroundings = record.lendSurroundings(expecting: steps)
            return configuration.lowered(on: second, in: network, among: &surroundings) { _ in nil }
        }
        #expect(lowered(expecting: []).steps.count == 1)
        let refused = lowered(expecting: [Step(change: 0, work: .configure(lamp, .setProxy(false)))])
        #expect(refused.steps == [] && refused.problems.count == 1)
    }

    // MARK: Links

    @Test("Nodes that fail four times in a row end the asking; a link in between begins the count anew")
    func failedLinks() {
        var links = DirectLinks()
        func fail(_ numbers: ClosedRange<UInt64>) {
            for number in numbers {
                links.set(uuid(number), .asking)
                links.end(uuid(number), hasFailed: true)
            }
        }
        fail(1...3)
        #expect(links.mayAsk && !links.isOpen(uuid(1)))
        links.set(uuid(4), .asking)
        links.set(uuid(4), .linked)
        links.end(uuid(4), hasFailed: true)
        fail(5...7)
        #expect(links.mayAsk, "the loss of a link is no failed attempt")
        links.set(uuid(8), .asking)
        links.end(uuid(8), hasFailed: false)
        #expect(links.mayAsk && links.isOpen(uuid(8)))
        fail(8...8)
        #expect(!links.mayAsk)
    }

    @Test("How long the last link took to set up is how long the next is expected to take")
    func linkTimes() {
        var links = DirectLinks()
        var times = LinkTimes(scan: .seconds(9))
        times.connect = .milliseconds(400)
        times.beacon = .milliseconds(250)
        times.filter = .milliseconds(100)
        links.measure(times)
        #expect(links.setUp == 0.75)
    }
}
