import MeshCore

/// When a gateway tries again to connect to its hub: for ever, after pauses that grow up to a limit and that chance
/// spreads, so that hundreds of gateways do not all come at the moment at which a hub is back.
struct Redialling {
    /// The first pause at its longest.
    let shortest: Duration
    /// The longest pause. A hub that is back has everybody again after it.
    let longest: Duration
    /// A connection that has lasted so long counts as good: the pauses start again from the shortest.
    static let good = Duration.seconds(30)

    private var failures = 0
    private var welcomedAt: Instant?

    /// Nothing has failed yet.
    init(shortest: Duration, longest: Duration) {
        self.shortest = shortest
        self.longest = longest
    }

    private(set) var next = Instant.zero

    /// The hub has taken the connection.
    mutating func welcomed(at now: Instant) { welcomedAt = now }

    /// An attempt has failed, or a connection has ended.
    ///
    /// - Parameter chance: a random number, 0..<1.
    /// - Returns: the pause.
    @discardableResult
    mutating func failed(at now: Instant, chance: Double) -> Duration {
        if let welcomedAt, welcomedAt.advanced(by: Self.good) <= now { failures = 0 }
        welcomedAt = nil
        let most = min(shortest * (1 << min(failures, 10)), longest)
        failures += 1
        // At least half, so that an attempt that fails at once does not follow at once.
        let pause = most / 2 + .microseconds(Int64(Double((most / 2).microseconds) * min(max(chance, 0), 1)))
        next = now.advanced(by: pause)
        return pause
    }
}
