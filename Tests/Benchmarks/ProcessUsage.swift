#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// What the process has used so far, as the operating system counts it.
enum ProcessUsage {
    private static var usage: rusage {
        var usage = rusage()
        #if os(Linux)
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        #else
        getrusage(RUSAGE_SELF, &usage)
        #endif
        return usage
    }

    /// User and system seconds.
    static var cpuSeconds: Double {
        let usage = usage
        let seconds = Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
        return seconds + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6
    }

    /// The largest resident set so far, in mebibytes.
    static var peakMebibytes: Double {
        #if os(Linux)
        return Double(usage.ru_maxrss) / 1024
        #else
        return Double(usage.ru_maxrss) / 1024 / 1024
        #endif
    }

    /// The largest resident set of a process that this one started, or that one of those started, in mebibytes. Only
    /// those that have ended count.
    static var peakMebibytesOfChildren: Double {
        var usage = rusage()
        #if os(Linux)
        getrusage(__rusage_who_t(RUSAGE_CHILDREN.rawValue), &usage)
        return Double(usage.ru_maxrss) / 1024
        #else
        getrusage(RUSAGE_CHILDREN, &usage)
        return Double(usage.ru_maxrss) / 1024 / 1024
        #endif
    }

    /// The CPU seconds that `work` takes.
    static func measure<Result>(_ work: () throws -> Result) rethrows -> (result: Result, seconds: Double) {
        let start = cpuSeconds
        let result = try work()
        return (result, cpuSeconds - start)
    }
}
