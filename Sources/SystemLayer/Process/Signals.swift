import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Counts SIGINT, SIGTERM and SIGHUP.
///
/// The handler does only what handlers may do: it increments an atomic, and writes one octet to a pipe. The pipe wakes
/// a `poll` even if the signal came just before it, or to another thread.
package enum Signals {
    private static let arrived = Atomic<Int>(0)
    /// The number of the first signal; 0 before it.
    private static let first = Atomic<Int32>(0)
    private static let pipeEnd = Atomic<Int32>(-1)

    /// Prepares the pipe, and ignores SIGPIPE and SIGXFSZ, since the result of a write reports a closed pipe and a file
    /// that may not grow. Call once, at the start.
    ///
    /// Signals are counted only once the result is armed; until then they end the process as usual.
    package static func prepare() -> Interrupts {
        let ends = PipeEnds.make(isBlocking: false)
        if let ends { pipeEnd.store(ends.write, ordering: .sequentiallyConsistent) }
        for number in ignored { _ = signal(number, SIG_IGN) }
        unblock()
        // The first use of a global initialises it under a lock, which must not happen inside a handler. So each is
        // used here or in `arm` first.
        return Interrupts(
            arm: arm,
            count: { arrived.load(ordering: .sequentiallyConsistent) },
            first: {
                let number = first.load(ordering: .sequentiallyConsistent)
                return number == 0 ? nil : number
            },
            wakeUp: ends?.read
        )
    }

    /// Signals that the result of a write reports anyway. A started process must get the default handling back.
    static let ignored = [SIGPIPE, SIGXFSZ]

    /// Unblocks the signals. A parent that started us from a thread with blocked signals has passed on its mask, and
    /// nothing could end us.
    private static func unblock() {
        var handled = sigset_t()
        sigemptyset(&handled)
        for number in [SIGINT, SIGTERM, SIGHUP] { sigaddset(&handled, number) }
        _ = sigprocmask(SIG_UNBLOCK, &handled, nil)
    }

    private static func arm() {
        _ = arrived.load(ordering: .sequentiallyConsistent)
        _ = first.load(ordering: .sequentiallyConsistent)
        for number in [SIGINT, SIGTERM, SIGHUP] {
            let previous = signal(number) { number in
                let error = errno
                _ = Signals.first.compareExchange(
                    expected: 0,
                    desired: number,
                    ordering: .sequentiallyConsistent
                )
                Signals.arrived.add(1, ordering: .sequentiallyConsistent)
                var octet: UInt8 = 1
                _ = write(Signals.pipeEnd.load(ordering: .sequentiallyConsistent), &octet, 1)
                errno = error
            }
            // Signals that nohup or a shell's background job ignores stay ignored.
            if unsafeBitCast(previous, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) {
                _ = signal(number, SIG_IGN)
            }
        }
    }
}
