import PostgreSQL
import SystemLayer

/// A thread with its own connection. It repeats a statement until it is stopped or the statement finds nothing left to
/// change. Nothing depends on it. If the server cannot be reached, it tries again the next time.
final class LockRenewal {
    private let pipe: StopPipe
    private var thread: BackgroundThread?

    /// Starts the thread; nil if the system gives none, or no pipe to stop it with.
    init?(_ address: PostgreSQLAddress, every interval: Duration, _ statement: SQLStatement) {
        guard let pipe = StopPipe() else { return nil }
        let stopped = pipe.reading
        guard
            let thread = BackgroundThread({
                LockRenewal.run(address, every: interval, statement, until: stopped)
            })
        else { return nil }
        self.pipe = pipe
        self.thread = thread
    }

    deinit {
        stop()
    }

    /// Stops the thread and waits until it has ended. That is soon, because whatever it waits for is ended, too.
    func stop() {
        pipe.stop()
        thread?.join()
        thread = nil
    }

    private static func run(
        _ address: PostgreSQLAddress,
        every interval: Duration,
        _ statement: SQLStatement,
        until stopped: Int32
    ) {
        var connection: PostgreSQLConnection?
        let hasSeveralServers = !address.eachServer.isEmpty
        while !StopPipe.isStopped(stopped, within: interval) {
            // Of several servers another one may be the primary by now.
            if connection?.isBroken != false || hasSeveralServers {
                connection = try? .toPrimary(of: address, patience: .seconds(10), interrupt: stopped)
            }
            guard let results = try? connection?.run([statement]) else { continue }
            if results.first?.count == 0 { return }
        }
    }
}
