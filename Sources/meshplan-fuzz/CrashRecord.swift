#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Keeps the present input where a signal handler can write it to a file: a trap ends the process, and nothing but what
/// is safe in a handler can be done then (open, write, close, signal, raise).
enum CrashRecord {
    /// The most octets of an input that is kept.
    private static let capacity = 1 << 20
    private nonisolated(unsafe) static let buffer = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
    private nonisolated(unsafe) static var count = 0
    private nonisolated(unsafe) static var path: UnsafeMutablePointer<CChar>?

    /// Seconds that one input may take.
    static let patience: UInt32 = 20

    /// Has the input written to a file when the process traps, aborts or hangs.
    static func install(path: String) {
        buffer.initialize(repeating: 0, count: capacity)
        CrashRecord.path = strdup(path)
        // A stack of its own, for the other one may be what has run out.
        var stack = stack_t()
        stack.ss_size = 1 << 16
        stack.ss_sp = UnsafeMutableRawPointer.allocate(byteCount: 1 << 16, alignment: 16)
        sigaltstack(&stack, nil)
        var action = sigaction()
        let handler: @convention(c) (Int32) -> Void = { number in
            CrashRecord.write()
            raise(number)
        }
        #if canImport(Glibc)
        action.__sigaction_handler.sa_handler = handler
        #else
        action.__sigaction_u.__sa_handler = handler
        #endif
        // The default action follows when the handler raises the signal again.
        action.sa_flags = Int32(bitPattern: UInt32(truncatingIfNeeded: SA_RESETHAND)) | Int32(SA_ONSTACK)
        for number in [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGALRM] { sigaction(number, &action, nil) }
    }

    /// Notes what is run next, and begins to count its time.
    static func note(_ input: [UInt8]) {
        count = 0
        let size = min(input.count, capacity)
        input.withUnsafeBufferPointer { octets in
            if let start = octets.baseAddress { buffer.update(from: start, count: size) }
        }
        count = size
        alarm(patience)
    }

    /// Nothing is run any more.
    static func clear() {
        alarm(0)
        count = 0
    }

    /// Writes the present input to the file.
    static func write() {
        guard let path else { return }
        let file = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0o600)
        guard file >= 0 else { return }
        #if canImport(Glibc)
        _ = Glibc.write(file, buffer, count)
        #else
        _ = Darwin.write(file, buffer, count)
        #endif
        close(file)
    }
}
