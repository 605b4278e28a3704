internal import Foundation
internal import PostgreSQL

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

/// A thread with its own connection. It repeats a statement until it is stopped or the statement finds nothing left to
/// change. Nothing depends on it. If the server cannot be reached, it tries again the next time.
final class Heartbeat {
    private let wakeUp: Int32
    private let ended: DispatchSemaphore

    /// Starts the thread; nil if the system gives no pipe to stop it with.
    init?(_ address: PostgreSQLAddress, every interval: Duration, _ statement: SQLStatement) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        wakeUp = ends[1]
        ended = DispatchSemaphore(value: 0)
        let (stopped, ended) = (ends[0], ended)
        let thread = Thread {
            Heartbeat.run(address, every: interval, statement, until: stopped)
            close(stopped)
            ended.signal()
        }
        thread.name = "lock"
        thread.start()
    }

    /// Stops the thread and waits until it has ended. That is soon, because whatever it waits for is ended, too.
    func stop() {
        close(wakeUp)
        ended.wait()
    }

    private static func run(
        _ address: PostgreSQLAddress,
        every interval: Duration,
        _ statement: SQLStatement,
        until stopped: Int32
    ) {
        let milliseconds = interval.components.seconds * 1000 + interval.components.attoseconds / 1_000_000_000_000_000
        var connection: PostgreSQLConnection?
        while true {
            // Closing the other end of the pipe stops the thread.
            var polled = pollfd(fd: stopped, events: Int16(POLLIN), revents: 0)
            let ready = poll(&polled, 1, Int32(clamping: milliseconds))
            if ready < 0, errno == EINTR { continue }
            guard ready == 0 else { return }
            if connection?.isBroken != false {
                connection = try? PostgreSQLConnection(address, patience: .seconds(10), interrupt: stopped)
            }
            guard let results = try? connection?.run([statement]) else { continue }
            if results.first?.count == 0 { return }
        }
    }
}
