#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The standard streams of the process.
package enum StandardStreams {
    /// One of them.
    package enum Stream: Sendable {
        case input
        case output
        case error

        fileprivate var number: Int32 {
            switch self {
            case .input: STDIN_FILENO
            case .output: STDOUT_FILENO
            case .error: STDERR_FILENO
            }
        }
    }

    package static let inputDescriptor = STDIN_FILENO

    package static func isTerminal(_ stream: Stream) -> Bool { isatty(stream.number) == 1 }

    /// The columns of the terminal that standard output or standard error is connected to; 80 if neither is a terminal.
    package static func terminalWidth() -> Int {
        for stream in [STDOUT_FILENO, STDERR_FILENO] {
            var size = winsize()
            if ioctl(stream, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 { return Int(size.ws_col) }
        }
        return 80
    }

    /// Why a stream accepts no more.
    package enum WriteProblem: Hashable, Sendable {
        /// Its reader is gone (EPIPE).
        case closed
        /// Something else, in the system's words.
        case failed(String)
    }

    /// Writes a text.
    ///
    /// - Returns: why that failed; nil if everything is written.
    package static func write(_ text: String, to stream: Stream) -> WriteProblem? {
        let number = writeAll(Array(text.utf8), to: stream.number)
        if number == 0 { return nil }
        return number == EPIPE ? .closed : .failed(FileError.text(ofError: number))
    }

    /// Writes to an open file until everything is written.
    ///
    /// - Returns: `errno` of the write that failed, or 0.
    package static func writeAll(_ bytes: [UInt8], to number: Int32) -> Int32 {
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes { systemWrite(number, $0.baseAddress, $0.count) }
            if count >= 0 {
                written += count
            } else if errno == EAGAIN || errno == EWOULDBLOCK {
                // Another process has made a terminal or pipe non-blocking, so this waits until it accepts more.
                var request = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
                _ = poll(&request, 1, -1)
            } else if errno != EINTR {
                return errno
            }
        }
        return 0
    }
}

private func systemWrite(_ number: Int32, _ octets: UnsafeRawPointer?, _ count: Int) -> Int {
    write(number, octets, count)
}
