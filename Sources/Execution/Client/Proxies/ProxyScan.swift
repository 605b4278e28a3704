import MeshCore

/// The bearer's scan as far as the client needs it, and how long it has listened.
struct ProxyScan {
    /// Whether the bearer is asked to scan.
    private(set) var isOn = false
    /// Whether the bearer cannot scan.
    private(set) var isImpossible = false
    /// Since when the client scans, including earlier listening, and when it last did.
    private var since: Instant?
    private var listened: Range<Instant>?
    /// How much earlier listening, before this client began, still counts.
    private var credit: Duration

    /// No scan yet.
    ///
    /// - Parameter heard: what was heard before, up to `now`.
    init(after heard: HeardProxies, _ policy: LinkPolicy, at now: Instant) {
        listened = heard.listened
        credit = heard.credit(policy, at: now)
    }

    /// When the client last listened, except for a scan that is still on.
    var lastListened: Range<Instant>? { listened }

    /// The bearer begins or stops scanning for the client.
    ///
    /// - Parameter start: since when the client listens; nil if it does not.
    /// - Returns: false if that is no change.
    mutating func turn(_ isWanted: Bool, listeningSince start: Instant?, at now: Instant) -> Bool {
        guard isWanted != isOn else { return false }
        isOn = isWanted
        if isWanted {
            since = start.map { min($0, now) } ?? now
        } else if let since {
            listened = since..<now
            self.since = nil
        }
        return true
    }

    /// The bearer cannot scan.
    mutating func fail() {
        isImpossible = true
    }

    /// When listening that begins now counts as begun: earlier listening counts once.
    mutating func begin(at now: Instant) -> Instant {
        defer { credit = .zero }
        return now.advanced(by: .zero - credit)
    }
}
