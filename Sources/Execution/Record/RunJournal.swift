import MeshCore
import Planning
import Store

/// Collects what must become durable before the next message is sent, and commits it in one transaction.
struct RunJournal {
    private let database: MeshDatabase
    private let lease: WriteLease
    /// The run; nil if only doubts of earlier runs are resolved.
    let run: RunIdentifier?
    private var intents: [JournalIntent] = []
    private var outcomes: [JournalOutcome] = []
    /// How many steps of the run have the outcome that they failed.
    private var failures = 0
    /// The subjects that have a durable intent and no durable outcome: nobody knows yet whether the change has
    /// happened.
    var openSubjects: Set<JournalSubject> { Set(open.keys) }
    private(set) var open: [JournalSubject: JournalIntent] = [:]

    init(database: MeshDatabase, lease: WriteLease, run: RunIdentifier?) {
        self.database = database
        self.lease = lease
        self.run = run
    }

    /// Whether an outcome with the subject of an intent waits for the next commit, which would remove the intent.
    func isSettling(_ subject: JournalSubject) -> Bool {
        outcomes.contains { $0.run == run && $0.subject == subject }
    }

    /// Records the intent of a step. Its request is sent as soon as the intent is durable.
    mutating func intend(_ subject: JournalSubject, _ action: ConfigurationAction, node: DeviceUUID) {
        guard let run else { return }
        intents.append(JournalIntent(run: run, subject: subject, node: node, action: action.encoded))
    }

    /// Records the outcome of a step's request.
    mutating func settle(_ subject: JournalSubject, _ result: JournalResult) {
        guard let run else { return }
        if case .failed = result { failures += 1 }
        outcomes.append(JournalOutcome(run: run, subject: subject, result: result))
    }

    /// Records the outcome of a request of an earlier run.
    mutating func settle(_ doubt: JournalIntent, _ result: JournalResult) {
        outcomes.append(JournalOutcome(run: doubt.run, subject: doubt.subject, result: result))
    }

    /// Makes everything durable: what was collected, what changed in the network, and the replay list.
    ///
    /// Replay entries alone do not justify a transaction, unless it is the last one.
    mutating func commit(
        _ network: inout NetworkRecord,
        _ client: inout MeshClient,
        isLast: Bool = false
    ) throws(StoreError) {
        var changes = StoreChanges()
        network.takeChanges(into: &changes)
        changes.intents = intents
        changes.outcomes = outcomes
        guard isLast || !changes.isEmpty else { return }
        changes.replay = client.takeReplayEntries()
        guard !changes.isEmpty else { return }
        changes.run = run
        try database.commit(changes, with: lease)
        for intent in intents { open[intent.subject] = intent }
        for outcome in outcomes where outcome.run == run && outcome.result != .unknown {
            open[outcome.subject] = nil
        }
        intents = []
        outcomes = []
    }

    /// Records the end of the run.
    ///
    /// - Parameter failed: how many steps failed, also those whose failure is no outcome of a message.
    func end(_ outcome: RunOutcome, failed: Int, at now: Timestamp, timing: RunTiming?) throws(StoreError) {
        guard let run else { return }
        let others = max(failed - failures, 0)
        try database.end(run, outcome, at: now, failures: others, timing: timing, with: lease)
    }
}
