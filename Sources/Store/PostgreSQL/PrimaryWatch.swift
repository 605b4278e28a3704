import PostgreSQL
import SystemLayer

/// A thread that looks from time to time, while a network is written to, whether another of the address's servers was
/// promoted. Then it ends the waiting of the writer's connection.
///
/// A former primary may go on: if what supervises it has died, or if it is cut off from its standbys, but not from us.
/// With synchronous replication it then keeps the writer waiting, and otherwise it takes what will be lost.
final class PrimaryWatch {
    private let stopping: StopPipe
    private let promotions: SignalPipe
    private var thread: BackgroundThread?

    /// Starts the thread; nil if there is only one server, it does not tell of promotions, or the system has no room
    /// for a thread.
    ///
    /// - Parameter origin: that of the server that is written to.
    init?(_ address: PostgreSQLAddress, every interval: Duration, since origin: StoreOrigin?) {
        let servers = address.eachServer
        guard servers.count > 1, let origin, let stopping = StopPipe(), let promotions = SignalPipe()
        else { return nil }
        let (stopped, signal) = (stopping.reading, promotions.writing)
        guard
            let thread = BackgroundThread({
                PrimaryWatch.run(servers, every: interval, since: origin, signal, until: stopped)
            })
        else { return nil }
        self.stopping = stopping
        self.promotions = promotions
        self.thread = thread
    }

    deinit {
        stopping.stop()
        thread?.join()
    }

    /// The descriptor that becomes readable after a promotion.
    var interrupt: Int32 { promotions.reading }

    /// Forgets promotions so far, because all servers are asked now.
    func clear() { promotions.clear() }

    private static func run(
        _ servers: [PostgreSQLAddress],
        every interval: Duration,
        since origin: StoreOrigin,
        _ signal: Int32,
        until stopped: Int32
    ) {
        var known = origin
        while !StopPipe.isStopped(stopped, within: interval) {
            for server in servers {
                let connection = try? PostgreSQLConnection(server, patience: .seconds(5), interrupt: stopped)
                guard let found = try? connection?.findOrigin().origin, known.isLeftBehind(by: found) else { continue }
                known = found
                SignalPipe.signal(signal)
            }
        }
    }
}
