import Execution
import MeshCore
import Planning

@testable import Store

/// The effects of an apply, without database, mesh or people: a test says what they answer, and reads what was asked.
final class ScriptedEffects: ApplyEffects {
    /// What an apply does to the world or asks of it.
    enum Effect: String, CaseIterable, Sendable {
        case lock, release, check, plan, show, announce, checkWayBack, approve, probe, connect, listen, resolveDoubts
        case declare, awaitConfirmation, run, wait, finish, settle, settlePartly, setDeadline, record
        case finishWithoutChanges, tell, sleep, goBack
    }

    /// An effect that does not succeed.
    struct Trouble: Error, Equatable {
        var effect: Effect
    }

    struct Job: ApplyPlanned {
        var plan: Plan
        var isRefused: Bool
    }

    /// What was asked, in order.
    private(set) var trace: [Effect] = []
    /// The effect that throws.
    var failing: Effect?

    /// What the database knows: one entry for each reading, the last one for all that follow.
    var snapshots: [Snapshot]
    /// The note about changes that wait; set by the run itself, too.
    var pending: PendingConfirmation?
    /// Whether the note is gone once its deadline is set.
    var losesNote = false
    var earlier: EarlierRun?
    /// The steps of the plan, and whether a guard refuses it.
    var steps = [Step(change: 0, work: .configure(uuid(1), .setDefaultTTL(7)))]
    var isRefused = false
    /// How listening, resolving doubts and each run end; the last run counts for all that follow.
    var listening = Recap.Ending.completed
    var doubts: [Recap] = [Recap()]
    var runs: [Recap] = [Recap()]
    /// The radio's clock, which only pauses move.
    private var clock = Instant(microseconds: 0)
    /// The pauses before nodes were asked again, in seconds.
    private(set) var pauses: [Int64] = []
    /// Whether the user lets the pauses pass.
    var waits = true
    var now = Timestamp(rawValue: 1_000_000)
    var interrupts = 0
    /// Called in each second of waiting for confirmation.
    var whileSleeping: (ScriptedEffects) -> Void = { _ in }
    /// What comes of going back; the last one counts for all that follow.
    var goingBack: [GoingBack<String>] = [.ended("went back")]
    private(set) var news: [ConfirmationNews] = []
    /// The recaps that were shown.
    private(set) var shown: [Recap] = []

    init(_ snapshot: Snapshot) {
        snapshots = [snapshot]
    }

    /// A note about changes of somebody.
    static func note(serial: UInt64 = 3, deadline: Timestamp? = nil) -> PendingConfirmation {
        PendingConfirmation(
            deadline: deadline,
            serial: serial,
            entry: 1,
            user: "anna",
            host: "desk",
            process: 1,
            began: Timestamp(rawValue: 999_000)
        )
    }

    private func ask(_ effect: Effect) throws(Trouble) {
        trace.append(effect)
        if effect == failing { throw Trouble(effect: effect) }
    }

    private func take<Value>(_ values: inout [Value]) -> Value { values.count > 1 ? values.removeFirst() : values[0] }

    func lock() throws(Trouble) { try ask(.lock) }
    func release() { trace.append(.release) }
    func unconfirmed() throws(Trouble) -> PendingConfirmation? { pending?.decision == nil ? pending : nil }
    func confirmationNote() throws(Trouble) -> PendingConfirmation? { pending }
    func snapshot() throws(Trouble) -> Snapshot { take(&snapshots) }
    func earlierRun(of plan: Plan) throws(Trouble) -> EarlierRun? { earlier }
    func declare() throws(Trouble) { try ask(.declare) }
    func record(_ claims: Claims) throws(Trouble) { try ask(.record) }

    func awaitConfirmation() throws(Trouble) {
        try ask(.awaitConfirmation)
        pending = Self.note()
    }

    func setDeadline(_ deadline: Timestamp) throws(Trouble) -> PendingConfirmation? {
        try ask(.setDeadline)
        pending?.deadline = deadline
        if losesNote { pending = nil }
        return pending
    }

    func settle(_ network: MeshNetwork, isComplete: Bool) throws(Trouble) {
        try ask(isComplete ? .settle : .settlePartly)
    }

    func check(_ snapshot: Snapshot) throws(Trouble) { try ask(.check) }

    func plan(_ snapshot: Snapshot) throws(Trouble) -> Job {
        try ask(.plan)
        return Job(plan: plan(of: snapshot), isRefused: isRefused)
    }

    /// The plan that this makes from a snapshot.
    func plan(of snapshot: Snapshot) -> Plan {
        Plan(
            identifier: Octets16(high: 1, low: 1),
            lineage: snapshot.lineage,
            serial: snapshot.serial,
            network: "house",
            changes: [Change(address: "node", kind: .node, action: .update, node: uuid(1))],
            steps: steps
        )
    }

    func show(_ planned: Job, _ snapshot: Snapshot) throws(Trouble) { try ask(.show) }
    func announce(_ plan: Plan, _ snapshot: Snapshot, earlier: EarlierRun?) throws(Trouble) { try ask(.announce) }
    func checkWayBack(_ plan: Plan, _ snapshot: Snapshot) throws(Trouble) { try ask(.checkWayBack) }
    func approve(_ plan: Plan) throws(Trouble) { try ask(.approve) }
    func probe() throws(Trouble) { try ask(.probe) }
    func connect(_ snapshot: Snapshot) throws(Trouble) { try ask(.connect) }

    func listen(_ snapshot: Snapshot) throws(Trouble) -> Recap.Ending {
        try ask(.listen)
        return listening
    }

    func resolveDoubts(_ snapshot: Snapshot) throws(Trouble) -> ApplyRunResult {
        try ask(.resolveDoubts)
        return ApplyRunResult(take(&doubts), end: clock)
    }

    func run(_ plan: Plan, _ snapshot: Snapshot) throws(Trouble) -> ApplyRunResult {
        try ask(.run)
        return ApplyRunResult(take(&runs), end: clock, network: snapshot.network)
    }

    func wait(_ pause: Duration, for recap: Recap) -> Bool {
        trace.append(.wait)
        pauses.append(pause.components.seconds)
        clock = clock.advanced(by: pause)
        return waits
    }

    func finish(_ recap: Recap) -> (status: String, isComplete: Bool) {
        trace.append(.finish)
        shown.append(recap)
        return (recap.isComplete ? "complete" : "incomplete", recap.isComplete)
    }

    func finishWithoutChanges(_ plan: Plan, resolved: Recap?) throws(Trouble) -> String {
        try ask(.finishWithoutChanges)
        return resolved == nil ? "nothing to do" : "doubts resolved"
    }

    func tell(_ news: ConfirmationNews) {
        trace.append(.tell)
        self.news.append(news)
    }

    func sleep() {
        trace.append(.sleep)
        now.rawValue += 1
        whileSleeping(self)
    }

    func goBack(_ pending: PendingConfirmation, isInterrupted: Bool) throws(Trouble) -> GoingBack<String> {
        try ask(.goBack)
        return take(&goingBack)
    }
}

extension ApplyEnd<String, ScriptedEffects.Job> {
    /// The end in a few words.
    var text: String {
        switch self {
        case .finished(let status): status
        case .wentBack(let status): status
        case .takenBackElsewhere: "taken back elsewhere"
        case .confirmationLost: "confirmation lost"
        case .interrupted: "interrupted"
        case .stopped: "stopped"
        case .refused(.unconfirmed): "unconfirmed"
        case .refused(.nothingToTakeBack): "nothing to take back"
        case .refused(.otherDigest): "other digest"
        case .refused(.guarded): "guarded"
        case .refused(.begunBefore): "begun before"
        }
    }
}
