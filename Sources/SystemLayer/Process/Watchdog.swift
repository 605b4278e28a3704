/// Notices work that does not come back.
package enum Watchdog {
    /// Does some work. If it takes longer than `patience`, `complain` runs meanwhile, once, on a thread of its own; it
    /// may use what the work does not use.
    ///
    /// - Returns: the result of the work, when `complain` has ended if it has begun.
    package static func watching<Value>(
        _ work: () throws -> Value,
        for patience: Duration,
        else complain: @escaping @Sendable () -> Void
    ) rethrows -> Value {
        // Without a pipe or a thread the work is done all the same.
        guard let pipe = StopPipe() else { return try work() }
        let reading = pipe.reading
        let thread = BackgroundThread {
            if !StopPipe.isStopped(reading, within: patience) { complain() }
        }
        defer {
            pipe.stop()
            thread?.join()
        }
        return try work()
    }
}
