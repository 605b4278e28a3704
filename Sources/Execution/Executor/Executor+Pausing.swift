package import MeshCore

extension Executor {
    /// The present time of the bearer, which measures pauses.
    package var now: Instant { bearer.now }

    /// Lets time pass between two runs.
    ///
    /// - Returns: false if the user has interrupted, or the bearer is broken.
    package func pause(for duration: Duration) -> Bool {
        let end = bearer.now.advanced(by: duration)
        while bearer.now < end {
            guard context.interrupts() == 0 else { return false }
            do throws(BearerError) {
                // Short enough to notice an interrupt that came just before.
                _ = try bearer.next(until: min(end, bearer.now.advanced(by: .milliseconds(500))))
            } catch { return false }
        }
        return context.interrupts() == 0
    }
}
