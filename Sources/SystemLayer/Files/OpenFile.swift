#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// An open file descriptor that closes itself. It wraps the few POSIX calls that Foundation cannot do safely: exclusive
/// creation with a mode, flushing to the disk, and advisory locks.
package final class OpenFile {
    /// How a file is opened.
    package enum Access: Sendable {
        /// To read. Opening does not wait for a pipe's writer.
        case reading
        /// To read and write an existing file.
        case updating
        /// To read and write; the file is created if it is missing.
        case making
        /// To read and write; the file must not exist yet.
        case new
        /// To append; the file is created if it is missing.
        case appending
        /// The same, but a link in the place of the file is refused: somebody else may have made it.
        case appendingOwn
        /// To read a folder's entries, or make them durable.
        case folder
        /// To go through a folder, which needs no right to list it. Links are not followed.
        case passing
        /// To read, without following a link.
        case unlinked

        fileprivate var flags: Int32 {
            switch self {
            // Without O_NONBLOCK, opening a pipe waits for its writer, for ever if there is none.
            case .reading: O_RDONLY | O_NONBLOCK | O_NOCTTY
            case .updating: O_RDWR | O_NONBLOCK | O_NOCTTY
            case .making: O_RDWR | O_CREAT | O_NONBLOCK | O_NOCTTY
            case .new: O_RDWR | O_CREAT | O_EXCL
            case .appending: O_RDWR | O_CREAT | O_APPEND
            case .appendingOwn: O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW
            case .folder: O_RDONLY | O_DIRECTORY
            case .passing: OpenFile.search | O_DIRECTORY | O_NOFOLLOW
            case .unlinked: O_RDONLY | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW
            }
        }

        /// Whether only a regular file will do. A pipe in the place of a lock would be waited for without end.
        fileprivate var isForRegularFiles: Bool {
            switch self {
            case .updating, .making, .new: true
            case .reading, .appending, .appendingOwn, .folder, .passing, .unlinked: false
            }
        }
    }

    /// How long a pipe may be silent before reading gives up.
    package static let patience = Duration.seconds(30)

    #if canImport(Darwin)
    private static let search = O_SEARCH
    #else
    // O_PATH of Linux, a macro that Swift does not see.
    private static let search: Int32 = 0o10000000
    #endif

    private let descriptor: Int32
    private let path: String
    private let location: String

    /// Opens a file with close-on-exec.
    ///
    /// - Parameters:
    ///   - path: for the system.
    ///   - name: for people; by default the same as the path.
    ///   - access: what the file is opened for.
    ///   - mode: the permission bits of a file that is created.
    ///   - operation: the operation that an error names.
    package init(
        _ path: String,
        as name: String? = nil,
        _ access: Access,
        mode: UInt16 = 0o600,
        _ operation: FileError.Operation = .open
    ) throws(FileError) {
        // Opening a device or a pipe has effects of its own, so what is there is looked at before, too.
        if access.isForRegularFiles, let status = try? FileStatus.of(path), !status.isRegular, !status.isFolder {
            throw FileError(operation, name ?? path, at: path, .special)
        }
        let descriptor = uninterrupted { open(path, access.flags | O_CLOEXEC, mode_t(mode)) }
        guard descriptor >= 0 else {
            let number = errno
            var status = stat()
            let isLink = access == .appendingOwn && lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
            let cause =
                isLink
                ? FileError.Cause.other(
                    "it is a link, and others may choose what it leads to",
                    hint: "Name the file itself."
                )
                : .system(number)
            throw FileError(operation, name ?? path, at: path, cause)
        }
        self.descriptor = descriptor
        self.path = name ?? path
        location = path
        if access.isForRegularFiles {
            guard try status().isRegular else { throw error(operation, .special) }
        }
    }

    /// Opens a file by its name in an open folder.
    init(_ name: String, in folder: OpenFile, _ access: Access) throws(FileError) {
        let descriptor = uninterrupted { openat(folder.descriptor, name, access.flags | O_CLOEXEC) }
        guard descriptor >= 0 else { throw FileError(.open, name, .system(errno)) }
        self.descriptor = descriptor
        path = name
        location = name
    }

    /// The descriptor, for calls that take names in an open folder.
    var number: Int32 { descriptor }

    deinit {
        close(descriptor)
    }

    /// The result of `fstat`.
    package func status() throws(FileError) -> FileStatus {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw last(.examine) }
        return FileStatus(status)
    }

    /// Reads everything from the present position.
    ///
    /// - Parameters:
    ///   - limit: the most octets.
    ///   - patience: how long a pipe may be silent; a person who types may take longer.
    /// - Throws: ``FileError`` if there is more, or reading fails.
    package func readAll(limit: Int, patience: Duration = OpenFile.patience) throws(FileError) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        // It may hold the octets of a secret. What is returned is the caller's to overwrite.
        defer { ProcessMemory.overwrite(&buffer) }
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count == 0 { return bytes }
            guard count > 0 else {
                if errno == EINTR { continue }
                guard errno == EAGAIN || errno == EWOULDBLOCK else { throw last(.read) }
                try waitUntilReadable(patience)
                continue
            }
            guard bytes.count + count <= limit else { throw error(.read, .tooLarge(limit: limit)) }
            bytes.append(contentsOf: buffer[..<count])
        }
    }

    /// Reads the next octets, at most `count`; fewer if the file ends.
    package func readStart(_ count: Int) throws(FileError) -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: count)
        var octets: Int
        repeat {
            octets = read(descriptor, &buffer, count)
        } while octets < 0 && errno == EINTR
        guard octets >= 0 else { throw last(.read) }
        return Array(buffer[..<octets])
    }

    private func waitUntilReadable(_ patience: Duration) throws(FileError) {
        let (seconds, attoseconds) = patience.components
        let milliseconds =
            isatty(descriptor) == 1 ? -1 : Int32(clamping: seconds * 1000 + attoseconds / 1_000_000_000_000_000)
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&request, 1, milliseconds) != 0 else { throw error(.read, .silence(patience)) }
    }

    /// Goes back to the first octet.
    package func rewind() throws(FileError) {
        guard lseek(descriptor, 0, SEEK_SET) == 0 else { throw last(.read) }
    }

    /// Writes all octets at the present position.
    package func writeAll(_ bytes: [UInt8]) throws(FileError) {
        let number = StandardStreams.writeAll(bytes, to: descriptor)
        guard number == 0 else { throw error(.write, .system(number)) }
    }

    /// Appends all octets. If they cannot be written completely, removes the written part again.
    package func append(_ bytes: [UInt8]) throws(FileError) {
        let end = lseek(descriptor, 0, SEEK_END)
        do throws(FileError) {
            try writeAll(bytes)
        } catch {
            if end >= 0 { _ = uninterrupted { ftruncate(descriptor, end) } }
            throw error
        }
    }

    /// Keeps only the first `count` octets.
    package func cut(to count: Int) throws(FileError) {
        guard uninterrupted({ ftruncate(descriptor, off_t(count)) }) == 0 else { throw last(.write) }
    }

    /// Replaces the contents by `bytes` in place. A crash may leave a mixture of old and new.
    ///
    /// - Throws: ``FileError`` if the system refuses; the file may be empty or cut off then.
    package func overwrite(_ bytes: [UInt8]) throws(FileError) {
        try rewind()
        try cut(to: 0)
        try writeAll(bytes)
    }

    /// Returns once everything written is on the disk and survives a power failure.
    package func synchronize() throws(FileError) {
        #if canImport(Darwin)
        // On Darwin, fsync only passes the data to the drive, which may keep it in its cache and write it in another
        // order. File systems that do not know the stronger command (network shares, some FAT drivers) get fsync.
        if fcntl(descriptor, F_FULLFSYNC) == 0 { return }
        #endif
        guard uninterrupted({ fsync(descriptor) }) == 0 else { throw last(.synchronize) }
    }

    /// Takes the exclusive advisory lock of the file; returns false at once if another process has it.
    package func lockExclusively() throws(FileError) -> Bool {
        guard uninterrupted({ flock(descriptor, LOCK_EX | LOCK_NB) }) != 0 else { return true }
        guard errno == EWOULDBLOCK else { throw last(.lock) }
        return false
    }

    /// Waits for the exclusive advisory lock of the file, which ends when the descriptor is closed.
    ///
    /// - Returns: false if the file system has no locks.
    @discardableResult
    package func waitForLock() -> Bool {
        uninterrupted { flock(descriptor, LOCK_EX) } == 0
    }

    /// Releases the advisory lock, including copies of the descriptor that a starting process still has.
    package func unlock() {
        flock(descriptor, LOCK_UN)
    }

    /// Sets the permission bits.
    package func changeMode(_ mode: UInt16) throws(FileError) {
        guard uninterrupted({ fchmod(descriptor, mode_t(mode)) }) == 0 else { throw last(.protect) }
    }

    private func last(_ operation: FileError.Operation) -> FileError { error(operation, .system(errno)) }

    private func error(_ operation: FileError.Operation, _ cause: FileError.Cause) -> FileError {
        FileError(operation, path, at: location, cause)
    }
}
