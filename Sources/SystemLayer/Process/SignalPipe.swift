#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A pipe that a thread makes readable for another one which waits for something else as well, as often as there is
/// something to tell.
package final class SignalPipe {
    /// The descriptor that becomes readable. It stays open as long as this object exists.
    package let reading: Int32
    /// The descriptor for ``signal(_:)``. It stays open as long as this object exists.
    package let writing: Int32

    /// Makes a pipe; nil if the system has none left.
    package init?() {
        guard let ends = PipeEnds.make(isBlocking: false) else { return nil }
        (reading, writing) = ends
    }

    deinit {
        close(reading)
        close(writing)
    }

    /// Makes the other end of the pipe with this writing end readable.
    package static func signal(_ writing: Int32) {
        var octet: UInt8 = 0
        // A full pipe is readable already.
        _ = write(writing, &octet, 1)
    }

    /// Takes back all signals so far.
    package func clear() {
        var octets = [UInt8](repeating: 0, count: 64)
        while read(reading, &octets, octets.count) > 0 {}
    }
}
