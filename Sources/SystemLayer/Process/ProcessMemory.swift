#if canImport(Glibc)
import CLinux
import Glibc
#elseif canImport(Musl)
import CLinux
import Musl
#else
import Darwin
#endif

/// How the process manages memory. The definition, the database and the plan of a large network are millions of small
/// values: made once, read, and needed until the end.
package enum ProcessMemory {
    /// Takes memory from the system in large steps and keeps it until the process ends.
    ///
    /// The executable calls this once, before it makes anything large. Otherwise the allocator of Linux returns memory
    /// that it takes again a moment later, and each page costs as much as some hundred values. Other systems are not
    /// affected. Large pages (`madvise`) would save more, but making them now and then takes longer than all the rest.
    package static func prepareForLargeValues() {
        #if canImport(Glibc)
        // Large blocks come from the heap, too (32 MiB is the highest value that can be set).
        mallopt(M_MMAP_THRESHOLD, 32 << 20)
        mallopt(M_TRIM_THRESHOLD, Int32.max)
        mallopt(M_TOP_PAD, 64 << 20)
        #endif
    }

    /// Keeps keys out of core dumps, crash reports and debuggers of the same user: none of them is made.
    ///
    /// Swift's runtime prints registers, with the memory behind them, for a crash and for SIGQUIT (Ctrl-\) where a
    /// toolchain is installed. Its handlers go. SIGQUIT ends the process at once; a crash still says which functions
    /// were at work (on Linux; macOS has reports of its own).
    package static func keepFromDumps() {
        let crashes = [SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP]
        for number in crashes + [SIGQUIT] { _ = signal(number, SIG_DFL) }
        #if os(Linux)
        clinux_tell_crashes(crashes, Int32(crashes.count))
        #endif
        var limit = rlimit(rlim_cur: 0, rlim_max: 0)
        #if canImport(Glibc)
        _ = setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
        #else
        _ = setrlimit(RLIMIT_CORE, &limit)
        #endif
        #if os(Linux)
        // A program that collects dumps gets them whatever the limit.
        _ = clinux_forbid_dumps()
        #endif
    }

    /// Overwrites octets that may be those of a secret, before their memory is used for something else.
    static func overwrite(_ bytes: inout [UInt8]) {
        bytes.withUnsafeMutableBytes { bytes in
            guard let start = bytes.baseAddress else { return }
            #if canImport(Darwin)
            memset_s(start, bytes.count, 0, bytes.count)
            #else
            explicit_bzero(start, bytes.count)
            #endif
        }
    }

    /// Keeps a value until the process ends.
    ///
    /// This suits a command whose process ends with the value: the system frees everything at once, while releasing the
    /// value would take a twentieth of the command's time.
    package static func keepUntilExit<Value>(_ value: Value) {
        _ = Unmanaged.passRetained(Box(value))
    }

    /// How much memory this process has needed at most, in octets.
    package static func mostUsed() -> Int {
        var usage = rusage()
        #if canImport(Glibc)
        guard getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0 else { return 0 }
        #else
        guard getrusage(RUSAGE_SELF, &usage) == 0 else { return 0 }
        #endif
        #if canImport(Darwin)
        return Int(usage.ru_maxrss)
        #else
        return Int(usage.ru_maxrss) * 1_024
        #endif
    }

    private final class Box<Value> {
        let value: Value

        init(_ value: Value) {
            self.value = value
        }
    }
}
