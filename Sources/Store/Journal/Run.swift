package import MeshCore

/// Names a run within its database: 1, 2, 3, …
package struct RunIdentifier: RawRepresentable, Hashable, Comparable, Sendable {
    /// Counts from 1.
    package let rawValue: UInt64

    /// The run with that number.
    package init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// The order in which runs began.
    package static func < (left: RunIdentifier, right: RunIdentifier) -> Bool { left.rawValue < right.rawValue }
}

extension RunIdentifier: CustomStringConvertible {
    /// The decimal number.
    package var description: String { String(rawValue) }
}

/// How a run ended.
package enum RunOutcome: UInt8, Sendable {
    /// Everything was done.
    case completed = 1
    /// Some nodes failed or did not answer.
    case partial = 2
    /// The user stopped it.
    case interrupted = 3
    /// An error stopped it.
    case failed = 4
}

/// How long a run took beside what was estimated, from which later estimates learn.
package struct RunTiming: Hashable, Sendable {
    /// Milliseconds from its beginning to its end.
    package var milliseconds: UInt32
    /// Milliseconds that the median of the estimate for a usual building said, without what was learned before.
    package var estimatedMilliseconds: UInt32
    /// Configuration requests that had to be made.
    package var messages: UInt32

    /// Those figures.
    package init(milliseconds: UInt32, estimatedMilliseconds: UInt32, messages: UInt32) {
        self.milliseconds = milliseconds
        self.estimatedMilliseconds = estimatedMilliseconds
        self.messages = messages
    }
}

/// One execution of a plan, as the journal remembers it. The last 1,000 are kept.
package struct Run: Hashable, Sendable {
    /// How many outcomes of each kind were recorded.
    package struct Counts: Hashable, Sendable {
        /// A status said success.
        package var succeeded: UInt32 = 0
        /// A status said otherwise.
        package var failed: UInt32 = 0
        /// Nobody knows, or nobody will.
        package var unknown: UInt32 = 0
        /// Never sent.
        package var skipped: UInt32 = 0

        /// None yet.
        package init() {}
    }

    /// Its number.
    package var identifier: RunIdentifier
    /// The plan that it carried out.
    package var plan: Octets16
    /// Who started it.
    package var user: String
    /// On which host.
    package var host: String
    /// When it began.
    package var started: Timestamp
    /// When it ended; nil while it runs, and forever if it was killed.
    package var ended: Timestamp?
    /// How it ended.
    package var outcome: RunOutcome?
    /// What became of its steps.
    package var counts: Counts
    /// How long it took and how long it was thought to take; nil unless it was completed without interruption.
    package var timing: RunTiming?
    /// The serial of the database after the last commit of the run. As long as the database still has it, nobody but
    /// the run has changed it since the run began, and the run can be gone on with.
    package var serial: UInt64
    /// How many outcomes other than success are kept in detail, at most ``Run/maximumDetails``.
    var details: UInt16

    /// More outcomes than this are only counted.
    static let maximumDetails = 200
    /// Runs older than this many lose their details.
    static let detailedRuns: UInt64 = 20
    /// Runs older than this many are forgotten, with the identifiers of their plans.
    static let keptRuns: UInt64 = 1000
}

/// What within a run an intent or outcome is about.
package enum JournalSubject: Hashable, Sendable {
    /// A step of the plan, by its position.
    case step(UInt32)
    /// Something beside the plan.
    case label(String)
}

/// A message about to be sent, written down first, so that after a crash it is known what may have arrived.
package struct JournalIntent: Hashable, Sendable {
    /// The run that sends it.
    package var run: RunIdentifier
    /// What it is for; with the run this identifies the intent.
    package var subject: JournalSubject
    /// The node it goes to.
    package var node: DeviceUUID
    /// What is asked of the node, in the executor's own encoding.
    package var action: [UInt8]
    /// Whether it was sent and its outcome recorded as unknown; else there is no outcome at all.
    package var isUnknown: Bool

    /// An intent without an outcome.
    package init(
        run: RunIdentifier,
        subject: JournalSubject,
        node: DeviceUUID,
        action: [UInt8],
        isUnknown: Bool = false
    ) {
        self.run = run
        self.subject = subject
        self.node = node
        self.action = action
        self.isUnknown = isUnknown
    }
}

/// What became of an intent.
package enum JournalResult: Hashable, Sendable {
    /// A status or a read-back said so.
    case succeeded
    /// The node refused with that status code.
    case failed(status: UInt8)
    /// No answer: the node may have done it or not. The intent stays among the unresolved ones until a later outcome
    /// says more.
    case unknown
    /// It was not sent, or need not be any more.
    case skipped
    /// It may have been sent, and nobody finds out any more what became of it: the intent is over, and nothing is
    /// recorded as known by it.
    case notKnown
}

/// An outcome to be recorded.
package struct JournalOutcome: Hashable, Sendable {
    /// The run.
    package var run: RunIdentifier
    /// What it is about; an intent with that subject is resolved by it, but there need not be one.
    package var subject: JournalSubject
    /// What came of it.
    package var result: JournalResult

    /// An outcome.
    package init(run: RunIdentifier, subject: JournalSubject, result: JournalResult) {
        self.run = run
        self.subject = subject
        self.result = result
    }
}

/// An outcome other than success, kept for the recent runs.
package struct JournalDetail: Hashable, Sendable {
    /// What it was about.
    package var subject: JournalSubject
    /// The node, if there was an intent for one.
    package var node: DeviceUUID?
    /// What came of it.
    package var result: JournalResult
}
