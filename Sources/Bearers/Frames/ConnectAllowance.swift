import MeshCore

/// Limits how often a client connects, because each attempt takes the radio from the others for a while.
///
/// A token bucket: so many attempts at once, and then one in each interval.
struct ConnectAllowance {
    /// An honest client stays below this: a run connects once to each proxy or device, and again after a back-off.
    static let burst = 32
    private static let interval = Duration.milliseconds(250)

    private var left = ConnectAllowance.burst
    private var filledAt: Instant

    init(at now: Instant) { filledAt = now }

    /// Whether nothing of it has been used.
    func isFull(at now: Instant) -> Bool {
        filledAt.advanced(by: Self.interval * (Self.burst - left)) <= now
    }

    /// Uses one attempt.
    ///
    /// - Returns: whether one was left.
    mutating func spend(at now: Instant) -> Bool {
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

/// The allowances of all clients, by client name.
struct ConnectAllowances {
    private var byName: [String: ConnectAllowance] = [:]

    /// The most allowances to remember; full ones need not be.
    private let memory: Int

    /// Full allowances of all clients.
    init(memory: Int = 256) {
        self.memory = memory
    }

    /// Uses one attempt of a client.
    ///
    /// - Returns: whether one was left; false too if there is no room to remember another client.
    mutating func spend(_ name: String, at now: Instant) -> Bool {
        if byName[name] == nil {
            if byName.count >= memory { byName = byName.filter { !$0.value.isFull(at: now) } }
            guard byName.count < memory else { return false }
            byName[name] = ConnectAllowance(at: now)
        }
        return byName[name]?.spend(at: now) ?? false
    }
}
