#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A process that we have started and must wait for. Its number is ours only until the system has told us how it ended;
/// after that it may be another process's, and is neither waited for nor sent a signal.
final class StartedProcess {
    /// How a process ended.
    enum End: Hashable {
        /// By itself, with this status.
        case status(Int32)
        case signal(Int32)
        /// The system does not tell: the reason in its words.
        case lost(String)
    }

    private let number: pid_t
    /// How it ended; nil as long as nobody has asked, or it runs.
    private var end: End?

    /// A child with this number that was not waited for.
    init(number: pid_t) { self.number = number }

    /// How it has ended; nil while it runs.
    func poll() -> End? { wait(WNOHANG) }

    /// Sends it a signal, unless it is known to have ended.
    ///
    /// - Parameter wholeGroup: whether the signal is for all of its process group, which must be its own.
    func signal(_ signal: Int32, wholeGroup: Bool) {
        guard poll() == nil else { return }
        kill(wholeGroup ? -number : number, signal)
    }

    /// Sends it a signal that ends it, and waits for that.
    func end(by signal: Int32, wholeGroup: Bool) {
        self.signal(signal, wholeGroup: wholeGroup)
        _ = wait(0)
    }

    private func wait(_ options: Int32) -> End? {
        if let end { return end }
        var status: Int32 = 0
        var found: pid_t
        repeat {
            found = waitpid(number, &status, options)
        } while found < 0 && errno == EINTR
        if found == 0 { return nil }
        if found < 0 {
            end = .lost(FileError.text(ofError: errno))
        } else {
            let signal = status & 0x7F
            end = signal == 0 ? .status(status >> 8 & 0xFF) : .signal(signal)
        }
        return end
    }
}
