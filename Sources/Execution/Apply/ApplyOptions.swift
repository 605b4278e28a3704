package import MeshCore
package import Store

/// What an apply is told beside its plan.
package struct ApplyOptions: Hashable, Sendable {
    /// Whether to listen for nodes that were reset before a plan is made.
    package var listens = true
    /// Whether the plan counts as approved, so that nobody is asked.
    package var isApproved = false
    /// The first hexadecimal digits, in lower case, of the digest of the only plan that may be carried out. Whoever
    /// gives it has approved that plan.
    package var expectedDigest: String?
    /// For how long nodes that do not answer are asked again.
    package var patience = Duration.zero
    /// How long the changes wait for confirmation before they are taken back; nil if they need none.
    package var confirmWithin: Duration?
    /// The changes that this apply takes back because nobody confirmed them; nil if it takes back none.
    package var takesBack: PendingConfirmation?

    /// The default of every option.
    package init() {}
}

/// Why an apply is refused. Nothing was sent.
package enum ApplyRefusal<Planned> {
    /// Earlier changes wait to be confirmed.
    case unconfirmed(PendingConfirmation)
    /// The changes to take back do not wait any more: somebody has confirmed them, or taken them back.
    case nothingToTakeBack
    /// The plan has another digest than the expected one; empty if it cannot be computed.
    case otherDigest(String)
    case guarded(Planned)
    /// The plan was begun before, so that there is no way back to its beginning.
    case begunBefore
}

/// How an apply ended.
package enum ApplyEnd<Status, Planned> {
    /// A run ended, and its recap was shown; or no run was needed.
    case finished(Status)
    /// Nobody confirmed the changes, so they were taken back as far as possible.
    case wentBack(Status)
    /// Somebody else has taken the changes back while they waited for confirmation.
    case takenBackElsewhere
    /// The database has no note about the changes that waited for confirmation, so it was replaced. Nothing was
    /// confirmed, and there is nothing to go back by.
    case confirmationLost
    /// The user interrupted while it listened; nothing was done.
    case interrupted
    /// It had to stop while it listened; nothing was sent.
    case stopped(Recap.Ending)
    /// Nothing was sent.
    case refused(ApplyRefusal<Planned>)
}

/// What people are told about changes that need confirmation.
package enum ConfirmationNews: Hashable, Sendable {
    /// The changes wait for confirmation until the deadline.
    case awaited(PendingConfirmation, until: Timestamp)
    case confirmed
    /// The run was interrupted, and nobody waits for the confirmation of what it had done.
    case leftOpen
}
