#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The number of a failed system call.
struct SystemError: Error, Hashable {
    /// `errno` after the call.
    var number: Int32

    /// The error of the call that has just failed.
    static var last: SystemError { SystemError(number: errno) }

    /// Whether the other side of a socket has gone.
    var isClosedByPeer: Bool { number == EPIPE || number == ECONNRESET }

    /// The system's description, without a full stop: “Connection refused”.
    var text: String { strerror(number).map { String(cString: $0) } ?? "system error \(number)" }
}

/// Owns an open socket, non-blocking and closed at `exec`. It closes the socket when it is released.
final class Descriptor {
    /// The number that system calls take.
    let number: Int32

    /// Takes over an open socket.
    init(adopting number: Int32) {
        self.number = number
        _ = fcntl(number, F_SETFD, FD_CLOEXEC)
        _ = fcntl(number, F_SETFL, fcntl(number, F_GETFL) | O_NONBLOCK)
        #if canImport(Darwin)
        var on: Int32 = 1
        _ = setsockopt(number, SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<Int32>.size))
        #endif
    }

    deinit {
        _ = Self.closeCall(number)
    }

    /// The system's `close`, which a member of that name would hide.
    private static func closeCall(_ number: Int32) -> Int32 { close(number) }

    /// Tells the other side that nothing more will be written. A second call does nothing.
    func endWriting() { _ = shutdown(number, Int32(SHUT_WR)) }

    /// The result of a read.
    enum ReadResult {
        case bytes(ArraySlice<UInt8>)
        case nothingYet
        case end
    }

    /// Reads what is there into `buffer`.
    func read(into buffer: inout [UInt8]) throws(SystemError) -> ReadResult {
        let count = recv(number, &buffer, buffer.count, 0)
        if count > 0 { return .bytes(buffer[..<count]) }
        if count == 0 { return .end }
        let error = SystemError.last
        if [EAGAIN, EWOULDBLOCK, EINTR].contains(error.number) { return .nothingYet }
        throw error
    }

    /// Writes as much as the system takes now.
    ///
    /// - Returns: how many octets were written; 0 if the system's buffer is full.
    func write(_ bytes: ArraySlice<UInt8>) throws(SystemError) -> Int {
        #if canImport(Darwin)
        let flags: Int32 = 0
        #else
        let flags = Int32(MSG_NOSIGNAL)
        #endif
        let count = bytes.withUnsafeBytes { send(number, $0.baseAddress, $0.count, flags) }
        if count >= 0 { return count }
        let error = SystemError.last
        if [EAGAIN, EWOULDBLOCK, EINTR].contains(error.number) { return 0 }
        throw error
    }
}

/// What to wait for on a descriptor, and the result of the wait.
package struct Watched: Hashable, Sendable {
    /// The descriptor's number.
    package var number: Int32
    package var reads: Bool
    package var writes: Bool
    /// Whether a read would return something: data, an end or an error. It is set even if ``reads`` is false.
    package var isReadable = false
    /// Whether a write would take something.
    package var isWritable = false

    package init(number: Int32, reads: Bool = true, writes: Bool) {
        self.number = number
        self.reads = reads
        self.writes = writes
    }

    /// A descriptor to try to read from.
    init(number: Int32, isReadable: Bool) {
        self.init(number: number, writes: false)
        self.isReadable = isReadable
    }

    /// Whether the descriptor is ready for reading or writing.
    package var isReady: Bool { isReadable || isWritable }
}

/// Waits until one of the descriptors is ready.
///
/// - Parameter milliseconds: the longest wait, -1 for no limit.
/// - Returns: whether any is ready; false when the time is over or a signal arrived.
func waitForAny(of watched: inout [Watched], milliseconds: Int32) throws(SystemError) -> Bool {
    var requests = watched.map {
        pollfd(
            // `poll` always waits for errors. A negative number excludes the descriptor; otherwise an error that nobody
            // looks at would end every wait.
            fd: $0.reads || $0.writes ? $0.number : -1,
            events: ($0.reads ? Int16(POLLIN) : 0) | ($0.writes ? Int16(POLLOUT) : 0),
            revents: 0
        )
    }
    let count = poll(&requests, nfds_t(requests.count), milliseconds)
    if count < 0 {
        let error = SystemError.last
        if error.number == EINTR { return false }
        throw error
    }
    for (index, request) in requests.enumerated() {
        watched[index].isReadable = request.revents & Int16(POLLIN | POLLHUP | POLLERR | POLLNVAL) != 0
        watched[index].isWritable = request.revents & Int16(POLLOUT) != 0
    }
    return count > 0
}

/// Empties a pipe whose octets only end waits.
func drain(_ number: Int32) {
    var buffer = [UInt8](repeating: 0, count: 64)
    while read(number, &buffer, buffer.count) == buffer.count {}
}

extension Duration {
    /// Milliseconds for `poll`, 0...60,000, rounded up so that it does not wake early.
    var pollMilliseconds: Int32 {
        let microseconds = max(self.microsecondsClamped, 0)
        return Int32(min((microseconds + 999) / 1000, 60_000))
    }

    private var microsecondsClamped: Int64 {
        let (seconds, attoseconds) = components
        return min(max(seconds, -1), 60) * 1_000_000 + attoseconds / 1_000_000_000_000
    }
}
