internal import MeshCore

/// Bounds how often a client connects, since each attempt takes the radio from the others for a while.
///
/// So many at once, and then one in each interval; a bucket of tokens.
struct ConnectAllowance {
    /// What any honest client stays below: a run connects once a proxy or device, and again after back-off.
    static let burst = 32
    private static let interval = Duration.milliseconds(250)

    private var left = ConnectAllowance.burst
    private var filledAt: Instant

    /// A full allowance.
    init(at now: Instant) { filledAt = now }

    /// Whether nothing of it is used up.
    func isFull(at now: Instant) -> Bool {
        filledAt.advanced(by: Self.interval * (Self.burst - left)) <= now
    }

    /// Uses one up.
    ///
    /// - Returns: whether there was one.
    mutating func take(at now: Instant) -> Bool {
        while left < Self.burst, filledAt.advanced(by: Self.interval) <= now {
            filledAt = filledAt.advanced(by: Self.interval)
            left += 1
        }
        if left == Self.burst { filledAt = now }
        guard left > 0 else { return false }
        left -= 1
        return true
    }
}

/// The allowances of all clients, by what they are called.
struct ConnectAllowances {
    private var byName: [String: ConnectAllowance] = [:]

    /// Those that are full need not be remembered.
    private static let memory = 256

    /// Uses one of a client's up.
    ///
    /// - Returns: whether there was one; false for a client that is one too many, too.
    mutating func take(_ name: String, at now: Instant) -> Bool {
        if byName[name] == nil {
            if byName.count >= Self.memory { byName = byName.filter { !$0.value.isFull(at: now) } }
            guard byName.count < Self.memory else { return false }
            byName[name] = ConnectAllowance(at: now)
        }
        return byName[name]?.take(at: now) ?? false
    }
}
