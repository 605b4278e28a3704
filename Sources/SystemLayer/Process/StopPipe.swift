#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A pipe into which nothing is ever written. Closing one end makes the other readable, which ends the waiting of a
/// thread.
package final class StopPipe {
    /// The descriptor that becomes readable. It stays open as long as this object exists.
    package let reading: Int32
    private var writing: Int32

    /// Makes a pipe; nil if the system has none left.
    package init?() {
        guard let ends = PipeEnds.make(isBlocking: true) else { return nil }
        (reading, writing) = ends
    }

    deinit {
        stop()
        close(reading)
    }

    /// Makes the reading end readable, for good.
    package func stop() {
        if writing >= 0 { close(writing) }
        writing = -1
    }

    /// Waits for some time, or until the pipe with this reading end is stopped.
    ///
    /// - Returns: whether it is stopped.
    package static func isStopped(_ reading: Int32, within time: Duration) -> Bool {
        let (seconds, attoseconds) = time.components
        let milliseconds = Int32(clamping: seconds * 1000 + attoseconds / 1_000_000_000_000_000)
        while true {
            var polled = pollfd(fd: reading, events: Int16(POLLIN), revents: 0)
            let ready = poll(&polled, 1, milliseconds)
            if ready < 0, errno == EINTR { continue }
            return ready != 0
        }
    }
}
