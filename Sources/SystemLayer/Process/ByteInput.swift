#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A stream of octets that is read as they arrive.
package struct ByteInput {
    /// The result of a read.
    package enum Event: Hashable, Sendable {
        /// Octets, at least one.
        case bytes([UInt8])
        /// Nothing has arrived in time, or a signal has.
        case nothing
        /// The end of the stream, or an error.
        case end
    }

    /// Waits for octets, at most for the given time; nil waits without limit.
    package var read: (_ wait: Duration?) -> Event

    package init(read: @escaping (_ wait: Duration?) -> Event) {
        self.read = read
    }

    /// The octets of an open file.
    ///
    /// - Parameters:
    ///   - number: its descriptor.
    ///   - wakeUp: a descriptor that becomes readable when a signal arrives; nil if there is none.
    package static func descriptor(_ number: Int32, wakeUp: Int32?) -> ByteInput {
        ByteInput { wait in
            var requests = [pollfd(fd: number, events: Int16(POLLIN), revents: 0)]
            if let wakeUp { requests.append(pollfd(fd: wakeUp, events: Int16(POLLIN), revents: 0)) }
            let milliseconds = wait.map { Int32(min(max($0 / .milliseconds(1), 0), 1_000_000)) } ?? -1
            guard poll(&requests, nfds_t(requests.count), milliseconds) > 0, requests[0].revents != 0 else {
                return .nothing
            }
            var buffer = [UInt8](repeating: 0, count: 64 << 10)
            let count = systemRead(number, &buffer, buffer.count)
            if count < 0, errno == EINTR || errno == EAGAIN { return .nothing }
            return count > 0 ? .bytes(Array(buffer[..<count])) : .end
        }
    }
}

private func systemRead(_ number: Int32, _ buffer: UnsafeMutableRawPointer, _ count: Int) -> Int {
    read(number, buffer, count)
}
