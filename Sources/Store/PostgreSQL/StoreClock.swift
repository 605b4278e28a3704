/// Time and its passing, as far as a shared store needs them; tests hand in their own.
package struct StoreClock {
    /// The running time since some moment.
    package var now: () -> Duration
    /// Lets time pass; false if nobody wants to wait any longer.
    package var wait: (Duration) -> Bool

    /// A clock of those parts.
    package init(now: @escaping () -> Duration, wait: @escaping (Duration) -> Bool) {
        self.now = now
        self.wait = wait
    }
}

/// How long things take around the lock of a shared store, all by the server's clock.
package struct LockTiming: Hashable, Sendable {
    /// How long a lock lasts without a sign of life of its holder.
    package var expiry = Duration.seconds(60)
    /// How often the holder gives one.
    package var heartbeat = Duration.seconds(15)
    /// How long a writer tries to reach the server again; less than ``expiry``, lest somebody else takes over for nothing.
    package var writerPatience = Duration.seconds(40)
    /// How long a reader does.
    package var readerPatience = Duration.seconds(5)

    /// The usual timing.
    package init() {}
}
