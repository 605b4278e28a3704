#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// A file that one process at a time appends to, readable by its owner alone (0600).
final class AppendFile {
    private let number: Int32
    private let name: String

    /// Opens or creates a file, and locks it.
    ///
    /// - Returns: nil if another process holds the lock.
    init?(lockingPath path: String, as name: String) throws(FileError) {
        number = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_APPEND, 0o600)
        self.name = name
        guard number >= 0 else { throw Files.error(errno, "open", name) }
        guard flock(number, LOCK_EX | LOCK_NB) == 0 else {
            let error = errno
            _ = Self.closing(number)
            if error == EWOULDBLOCK { return nil }
            throw Files.error(error, "lock", name)
        }
    }

    deinit {
        _ = Self.closing(number)
    }

    /// Reads the whole file.
    func readAll(limit: Int) throws(FileError) -> [UInt8] {
        guard lseek(number, 0, SEEK_SET) == 0 else { throw Files.error(errno, "read", name) }
        return try Files.readRest(of: number, as: name, limit: limit)
    }

    /// Appends octets. If they cannot be written completely, removes the written part again.
    ///
    /// - Returns: whether everything was written.
    func append(_ bytes: [UInt8]) -> Bool {
        let end = lseek(number, 0, SEEK_END)
        guard end >= 0, Files.writeAll(bytes, to: number) == 0 else {
            if end >= 0 { _ = ftruncate(number, end) }
            return false
        }
        return true
    }

    /// Keeps only the first `count` octets.
    func cut(to count: Int) throws(FileError) {
        guard ftruncate(number, off_t(count)) == 0 else { throw Files.error(errno, "write", name) }
    }

    /// Replaces the contents.
    func replaceAll(with bytes: [UInt8]) throws(FileError) {
        try cut(to: 0)
        let error = Files.writeAll(bytes, to: number)
        if error != 0 { throw Files.error(error, "write", name) }
    }

    private static func closing(_ number: Int32) -> Int32 { close(number) }
}
