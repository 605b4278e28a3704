import MeshCore

/// The search for a proxy to connect to: how long it has been listened, and what came of earlier attempts.
struct LinkSearch {
    /// Where it stands.
    enum Phase: Hashable {
        /// Nothing is looked for, or there is no room for another link.
        case idle
        /// An attempt failed; the next may begin at the instant.
        case waiting(until: Instant)
        /// It is scanned since the instant.
        case listening(since: Instant)
        /// All attempts failed, and there is no link: nothing happens until something new is wanted or heard.
        case exhausted
    }

    var phase = Phase.idle
    /// Attempts in a row that led to no link over which an answer came.
    var failures = 0
    /// Nobody is connected to before that, because an attempt failed while it was listened for others.
    var pausedUntil: Instant?
    /// When somebody fit was last known while listening.
    var lastCandidateAt: Instant?
    /// When it is to be looked at again because of listening.
    var listeningDeadline: Instant?
    /// When there will be room for another link, if there is none now.
    var roomDeadline: Instant?
    /// Subnets that no proxy was heard of, with the instant of that.
    var missing: [NetKeyIndex: Instant] = [:]

    /// When it wants to be looked at again.
    var nextDeadline: Instant? {
        switch phase {
        case .exhausted: nil
        case .waiting(let deadline): deadline
        case .idle: roomDeadline
        case .listening: [listeningDeadline, roomDeadline].compactMap(\.self).min()
        }
    }

    /// Since when it is listened to advertising; nil if it is not.
    var listeningSince: Instant? {
        guard case .listening(let since) = phase else { return nil }
        return since
    }

    /// Begins to listen, or goes on with what began earlier.
    mutating func listen(since start: Instant) {
        phase = .listening(since: start)
        lastCandidateAt = nil
        listeningDeadline = nil
    }

    /// Whether what is heard may be of use.
    var wantsAdvertisements: Bool { phase == .exhausted || listeningSince != nil }
}
