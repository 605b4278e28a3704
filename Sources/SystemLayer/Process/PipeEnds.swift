#if canImport(Glibc)
import CLinux
import Glibc
#elseif canImport(Musl)
import CLinux
import Musl
#else
import Darwin
#endif

/// The two ends of a new pipe.
///
/// Started processes never have them: the system makes both with close-on-exec at once. If that were set afterwards, a
/// process that another thread starts in between would keep an end, and whoever waits for the end of the pipe would
/// wait for that process.
enum PipeEnds {
    /// Makes a pipe; nil if the system has none left, `errno` then says why.
    ///
    /// - Parameter isBlocking: whether reading and writing wait.
    static func make(isBlocking: Bool) -> (read: Int32, write: Int32)? {
        var ends: [Int32] = [-1, -1]
        #if os(Linux)
        guard clinux_pipe(&ends, isBlocking ? 0 : O_NONBLOCK) == 0 else { return nil }
        #else
        guard pipe(&ends) == 0 else { return nil }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            if !isBlocking { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
        }
        #endif
        return (ends[0], ends[1])
    }
}
