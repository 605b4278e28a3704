/// Time as a shared store needs it. Tests supply their own.
package struct StoreClock {
    /// The time since a fixed moment.
    package var now: () -> Duration
    /// Waits for that long; false if nobody wants to wait any longer.
    package var wait: (Duration) -> Bool

    package init(now: @escaping () -> Duration, wait: @escaping (Duration) -> Bool) {
        self.now = now
        self.wait = wait
    }
}

/// The durations around the lock of a shared store, all by the server's clock.
package struct LockTiming: Hashable, Sendable {
    /// How long a lock lasts without a sign of life from its holder.
    package var expiry = Duration.seconds(60)
    /// How often the holder gives a sign of life.
    package var heartbeat = Duration.seconds(15)
    /// How often a writer looks whether another of several servers was promoted.
    package var watch = Duration.seconds(5)
    /// How long a writer tries to reach the server again. Less than ``expiry``, so that nobody else takes over without
    /// need.
    package var writerPatience = Duration.seconds(40)
    /// How long a reader tries to reach the server again.
    package var readerPatience = Duration.seconds(5)
}
