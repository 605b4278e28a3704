#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Keeps the current input where a signal handler can write it to a file. A trap ends the process, and a handler may
/// only call safe functions (open, write, close, signal, raise).
enum CrashRecord {
    /// The most octets of an input that are kept.
    private static let capacity = 1 << 20
    private nonisolated(unsafe) static let buffer = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
    private nonisolated(unsafe) static var count = 0
    private nonisolated(unsafe) static var path: UnsafeMutablePointer<CChar>?

    /// How long one input may take, in seconds.
    static let patience: UInt32 = 20

    /// Lets the process write its input to a file when it traps, aborts or hangs.
    static func install(path: String) {
        buffer.initialize(repeating: 0, count: capacity)
        CrashRecord.path = strdup(path)
        // A separate stack, because the normal one may have run out.
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

    /// Keeps the next input, and starts to measure its time.
    static func note(_ input: [UInt8]) {
        count = 0
        let size = min(input.count, capacity)
        input.withUnsafeBufferPointer { octets in
            if let start = octets.baseAddress { buffer.update(from: start, count: size) }
        }
        count = size
        alarm(patience)
    }

    /// Stops measuring, because no input is running.
    static func clear() {
        alarm(0)
        count = 0
    }

    /// Writes the current input to the file.
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
