#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The time zone of this process: that of `TZ`, or else of the machine.
package enum LocalTime {
    /// How many seconds local time is ahead of UTC at a time, negative west of Greenwich; 0 if the system does not
    /// know.
    ///
    /// - Parameter seconds: since 1970.
    package static func secondsAhead(at seconds: Int64) -> Int {
        var moment = time_t(seconds)
        var parts = tm()
        guard localtime_r(&moment, &parts) != nil else { return 0 }
        return Int(parts.tm_gmtoff)
    }
}
