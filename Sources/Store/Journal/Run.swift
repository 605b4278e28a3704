package import MeshCore

/// The number of a run within its database: 1, 2, 3, …
package struct RunIdentifier: RawRepresentable, Hashable, Comparable, Sendable {
    /// The number, from 1 on.
    package let rawValue: UInt64

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
    case completed = 1
    /// Some nodes failed or did not answer.
    case partial = 2
    case interrupted = 3
    case failed = 4
}

/// How long a run took and what was estimated. Later estimates learn from it.
package struct RunTiming: Hashable, Sendable {
    /// Milliseconds from its beginning to its end.
    package var milliseconds: UInt32
    /// The median of the estimate for a usual building, without what was learned before, in milliseconds.
    package var estimatedMilliseconds: UInt32
    /// The number of configuration requests that had to be made.
    package var messages: UInt32

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
        /// A status reported success.
        package var succeeded: UInt32 = 0
        /// A status reported a failure.
        package var failed: UInt32 = 0
        /// The outcome is not known yet, or never will be.
        package var unknown: UInt32 = 0
        /// It was not sent.
        package var skipped: UInt32 = 0

        package init() {}
    }

    package var identifier: RunIdentifier
    package var plan: Octets16
    package var user: String
    package var host: String
    package var started: Timestamp
    /// When it ended. Nil while it runs, and for ever if it was killed.
    package var ended: Timestamp?
    /// How it ended; nil while it has not.
    package var outcome: RunOutcome?
    package var counts: Counts
    /// How long it took and what was estimated; nil unless it was completed without interruption.
    package var timing: RunTiming?
    /// The serial of the database after the last commit of the run. As long as the database still has it, nobody but
    /// the run has changed the database since the run began, and the run can be continued.
    package var serial: UInt64
    /// How many outcomes other than success are kept in detail; at most ``Run/maximumDetails``.
    var details: UInt16

    /// Further outcomes are only counted.
    static let maximumDetails = 200
    /// The number of the latest runs that keep their details.
    static let detailedRuns: UInt64 = 20
    /// The number of the latest runs that are remembered, with the identifiers of their plans.
    static let keptRuns: UInt64 = 1000
}

/// The subject of an intent or outcome within a run.
package enum JournalSubject: Hashable, Sendable {
    /// A step of the plan, by its position.
    case step(UInt32)
    /// Something that is no step of the plan.
    case label(String)
}

/// A message that is about to be sent. It is recorded first, so that it is known after a crash what may have arrived.
package struct JournalIntent: Hashable, Sendable {
    package var run: RunIdentifier
    /// Its purpose. Together with the run this identifies the intent.
    package var subject: JournalSubject
    package var node: DeviceUUID
    /// What the node is asked to do, in the executor's own encoding.
    package var action: [UInt8]
    /// Whether it was sent and its outcome recorded as unknown. If false, there is no outcome yet.
    package var isUnknown: Bool

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

/// The outcome of an intent.
package enum JournalResult: Hashable, Sendable {
    /// A status or a read-back confirmed it.
    case succeeded
    /// The node refused with that status code.
    case failed(status: UInt8)
    /// There was no answer, so the node may have done it or not. The intent stays unresolved until a later outcome says
    /// more.
    case unknown
    /// It was not sent, or is no longer needed.
    case skipped
    /// It may have been sent, and nobody will find out what happened. The intent is over and leaves no knowledge
    /// behind.
    case notKnown
}

/// An outcome to record.
package struct JournalOutcome: Hashable, Sendable {
    package var run: RunIdentifier
    /// Its subject. It resolves the intent with that subject, if there is one.
    package var subject: JournalSubject
    package var result: JournalResult

    package init(run: RunIdentifier, subject: JournalSubject, result: JournalResult) {
        self.run = run
        self.subject = subject
        self.result = result
    }
}

/// An outcome other than success. It is kept for recent runs only.
package struct JournalDetail: Hashable, Sendable {
    package var subject: JournalSubject
    /// The node, if there was an intent for one.
    package var node: DeviceUUID?
    package var result: JournalResult
}
