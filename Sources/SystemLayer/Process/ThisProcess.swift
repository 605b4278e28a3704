#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// What the system knows about this process, and how the process waits.
package enum ThisProcess {
    package static var number: Int32 { getpid() }

    /// Its working folder, absolute; `.` if that no longer exists.
    package static func workingFolder() -> String {
        var buffer = [CChar](repeating: 0, count: 65_536)
        guard getcwd(&buffer, buffer.count) != nil else { return "." }
        return text(buffer)
    }

    /// Makes a folder its working folder.
    ///
    /// - Returns: why that failed, in the system's words; nil if it did not.
    package static func enter(_ folder: String) -> String? {
        chdir(folder) == 0 ? nil : FileError.text(ofError: errno)
    }

    /// The path of its program; nil if the system does not tell.
    package static func program() -> String? {
        var buffer = [CChar](repeating: 0, count: 65_536)
        guard readlink("/proc/self/exe", &buffer, buffer.count - 1) > 0 else {
            return CommandLine.arguments.first.flatMap { realpath($0, &buffer) == nil ? nil : text(buffer) }
        }
        return text(buffer)
    }

    /// Its command line: the program's name and the arguments.
    ///
    /// Swift looks for them beside the environment, and finds fewer where a preloaded library has moved that before the
    /// program began. The system's own record tells.
    package static func arguments() -> [String] {
        let found = CommandLine.arguments
        #if os(Linux)
        guard let octets = try? Files.read("/proc/self/cmdline", limit: 64 << 20), octets.last == 0 else {
            return found
        }
        let told = octets.dropLast().split(separator: 0, omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        // The record is longer, too, if the system's loader was started with the program's name.
        return !found.isEmpty && found == Array(told.suffix(found.count)) ? found : told
        #else
        return found
        #endif
    }

    package static func environment() -> [String: String] {
        var variables: [String: String] = [:]
        var next = environ
        while let entry = next.pointee {
            let parts = String(cString: entry).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2 { variables[String(parts[0])] = String(parts[1]) }
            next += 1
        }
        return variables
    }

    /// The name of the user that runs it, or the user's number.
    package static func userName() -> String {
        if let entry = getpwuid(getuid()), let name = entry.pointee.pw_name { return String(cString: name) }
        return String(getuid())
    }

    /// The name of the machine, `?` if it has none.
    package static func hostName() -> String {
        var buffer = [CChar](repeating: 0, count: 256)
        guard gethostname(&buffer, buffer.count - 1) == 0 else { return "?" }
        return text(buffer)
    }

    /// The calendar time, in seconds since 1970.
    package static func secondsSince1970() -> Int64 { Int64(time(nil)) }

    /// The calendar time, in milliseconds since 1970.
    package static func millisecondsSince1970() -> Int64 {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return Int64(now.tv_sec) * 1_000 + Int64(now.tv_nsec) / 1_000_000
    }

    /// Waits until the time has passed or the descriptor is readable.
    package static func pause(for duration: Duration, orUntil descriptor: Int32?) {
        let parts = duration.components
        let milliseconds = Int32(clamping: parts.seconds * 1_000 + parts.attoseconds / 1_000_000_000_000_000)
        var watched = pollfd(fd: descriptor ?? -1, events: Int16(POLLIN), revents: 0)
        _ = poll(&watched, 1, max(milliseconds, 0))
    }

    package static func sleep(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        var rest = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
        var left = timespec()
        while nanosleep(&rest, &left) != 0, errno == EINTR { rest = left }
    }

    package static func isAlive(_ process: Int32) -> Bool {
        kill(process, 0) == 0 || errno != ESRCH
    }

    private static func text(_ characters: [CChar]) -> String {
        String(decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
