import MeshCore

/// The search for a proxy to connect to: how long the client has listened, and the results of earlier attempts.
struct LinkSearch {
    /// The phase of the search.
    enum Phase: Hashable {
        /// Nothing is needed, or there is no room for another link.
        case idle
        /// An attempt failed; the next may begin at this instant.
        case waiting(until: Instant)
        /// The client has been listening since this instant.
        case listening(since: Instant)
        /// All attempts failed, and there is no link. Nothing happens until there is a new request or a suitable proxy
        /// is heard.
        case exhausted
    }

    var phase = Phase.idle
    /// How many attempts in a row led to no link that carried an answer.
    var failures = 0
    /// Before this instant the client connects to no proxy, because an attempt failed while it was listening for
    /// others.
    var pausedUntil: Instant?
    /// When the client last knew of a suitable proxy while listening.
    var lastCandidateAt: Instant?
    /// When listening requires the next review.
    var listeningDeadline: Instant?
    /// When there will be room for another link, if there is none now.
    var roomDeadline: Instant?
    /// Subnets of which no proxy was heard, and when.
    var missing: [NetKeyIndex: Instant] = [:]

    /// When the next review is due.
    var nextDeadline: Instant? {
        switch phase {
        case .exhausted: nil
        case .waiting(let deadline): deadline
        case .idle: roomDeadline
        case .listening: [listeningDeadline, roomDeadline].compactMap(\.self).min()
        }
    }

    /// Since when the client listens to advertising; nil if it does not.
    var listeningSince: Instant? {
        guard case .listening(let since) = phase else { return nil }
        return since
    }

    /// Begins to listen, or continues listening that began earlier.
    mutating func listen(since start: Instant) {
        phase = .listening(since: start)
        lastCandidateAt = nil
        listeningDeadline = nil
    }

    /// Stops listening.
    mutating func stopListening() {
        if listeningSince != nil { phase = .idle }
    }

    /// Nothing is needed.
    mutating func rest(at now: Instant) {
        switch phase {
        case .exhausted: self = LinkSearch()
        case .waiting(let until) where until > now: break
        default: phase = .idle
        }
    }

    /// An attempt failed; listening for other proxies continues until the next.
    mutating func pause(until end: Instant) {
        if listeningSince == nil { phase = .waiting(until: end) } else { pausedUntil = end }
    }

    /// No proxy of these subnets was heard.
    mutating func miss(_ subnets: [NetKeyIndex], at now: Instant) {
        for index in subnets { missing[index] = now }
    }

    /// Whether the client recently listened for proxies of these subnets and heard none.
    func isMissing(_ subnets: [NetKeyIndex], _ policy: LinkPolicy, at now: Instant) -> Bool {
        subnets.allSatisfy { subnet in
            missing[subnet].map { $0.duration(to: now) < policy.failureMemory } ?? false
        }
    }

    /// Whether advertisements may be useful.
    var wantsAdvertisements: Bool { phase == .exhausted || listeningSince != nil }
}
