#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

/// An open file descriptor that closes itself. It wraps the few POSIX calls that Foundation cannot do safely: exclusive
/// creation with a mode, flushing to the disk, and advisory locks.
final class OpenFile {
    let descriptor: Int32
    let path: String

    /// Opens `path` with close-on-exec.
    ///
    /// - Throws: ``StoreError/system(_:_:path:)`` for the `errno` of a failed call.
    init(_ path: String, flags: Int32, mode: UInt16 = 0o600, doing what: String) throws(StoreError) {
        var descriptor: Int32
        repeat {
            descriptor = open(path, flags | O_CLOEXEC, mode_t(mode))
        } while descriptor < 0 && errno == EINTR
        guard descriptor >= 0 else { throw .system(errno, what, path: path) }
        self.descriptor = descriptor
        self.path = path
    }

    deinit {
        close(descriptor)
    }

    /// What `fstat` says.
    func status() throws(StoreError) -> FileStatus {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .system(errno, "cannot be examined", path: path) }
        return FileStatus(status)
    }

    /// Everything from the present position.
    ///
    /// - Throws: ``StoreError/Code/invalidDocument`` for more than `limit` octets, and other codes if reading fails.
    func readAll(limit: Int) throws(StoreError) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0 {
                if errno == EINTR { continue }
                throw .system(errno, "cannot be read", path: path)
            }
            if count == 0 { return bytes }
            bytes.append(contentsOf: buffer[..<count])
            guard bytes.count <= limit else {
                throw StoreError(.invalidDocument, "is larger than \(limit) octets", path: path)
            }
        }
    }

    /// Writes all octets at the present position.
    func writeAll(_ bytes: [UInt8]) throws(StoreError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count < 0 {
                if errno == EINTR { continue }
                throw .system(errno, "cannot be written", path: path)
            }
            rest = rest.dropFirst(count)
        }
    }

    /// Returns once everything written is on the disk.
    func synchronize() throws(StoreError) {
        guard fsync(descriptor) == 0 else { throw .system(errno, "cannot be written to the disk", path: path) }
    }

    /// Takes the exclusive advisory lock of the file; returns false at once if somebody else has it.
    func lockExclusively() throws(StoreError) -> Bool {
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            if errno == EINTR { continue }
            if errno == EWOULDBLOCK { return false }
            throw .system(errno, "cannot be locked", path: path)
        }
        return true
    }

    /// Releases the advisory lock, also for the copies of the descriptor that a process still has while it starts.
    func unlock() {
        flock(descriptor, LOCK_UN)
    }

    /// Replaces the contents by `bytes` in place. A crash may leave a mixture of old and new.
    func overwrite(_ bytes: [UInt8]) throws(StoreError) {
        guard lseek(descriptor, 0, SEEK_SET) == 0, ftruncate(descriptor, 0) == 0 else {
            throw .system(errno, "cannot be written", path: path)
        }
        try writeAll(bytes)
    }

    /// Sets the permission bits.
    func changeMode(_ mode: UInt16) throws(StoreError) {
        guard fchmod(descriptor, mode_t(mode)) == 0 else { throw .system(errno, "cannot be protected", path: path) }
    }
}

/// The parts of `stat` that matter here.
struct FileStatus: Hashable {
    let isRegular: Bool
    let isFolder: Bool
    /// The nine permission bits.
    let permissions: UInt16
    let size: Int64
    let owner: UInt32
    /// Device and inode, the identity of a file while it exists.
    let identity: [UInt64]

    fileprivate init(_ status: stat) {
        isRegular = status.st_mode & mode_t(S_IFMT) == mode_t(S_IFREG)
        isFolder = status.st_mode & mode_t(S_IFMT) == mode_t(S_IFDIR)
        permissions = UInt16(truncatingIfNeeded: status.st_mode & 0o777)
        size = Int64(status.st_size)
        owner = UInt32(status.st_uid)
        identity = [UInt64(truncatingIfNeeded: status.st_dev), UInt64(status.st_ino)]
    }

    /// What `stat` says; nil if there is no such file.
    static func of(_ path: String) throws(StoreError) -> FileStatus? {
        var status = stat()
        guard stat(path, &status) == 0 else {
            if errno == ENOENT { return nil }
            throw .system(errno, "cannot be examined", path: path)
        }
        return FileStatus(status)
    }
}

extension StoreError {
    /// The error for a system call's `errno`, with a hint where one is possible.
    static func system(_ number: Int32, _ what: String, path: String) -> StoreError {
        let reason = String(cString: strerror(number))
        switch number {
        case ENOENT:
            return StoreError(
                .missing,
                "\(what): there is no such file or folder",
                hint: "check the path; create the folder first if it is new",
                path: path
            )
        case EEXIST:
            return StoreError(.exists, "\(what): it exists already", path: path)
        case EACCES, EPERM:
            return StoreError(
                .permissionDenied,
                "\(what): access is denied",
                hint: "check the owner and the permissions of the file and of its folder",
                path: path
            )
        case EROFS:
            return StoreError(
                .readOnly,
                "\(what): the file system is read-only",
                hint: "put it on a file system that can be written to",
                path: path
            )
        case ENOSPC, EDQUOT:
            return full(what, path: path)
        case EFBIG:
            return StoreError(
                .diskFull,
                "\(what): the file must not grow so large",
                hint:
                    "a limit on the size of files is in force (ulimit -f), or the file system allows no more; what was "
                    + "stored before is unharmed",
                path: path
            )
        case EIO:
            return StoreError(.inputOutput, "\(what): reading or writing failed", hint: diskHint, path: path)
        default:
            return StoreError(.inputOutput, "\(what): \(reason)", path: path)
        }
    }

    /// The error for a file that could not be written because there is no space left for it.
    ///
    /// - Parameter what: what could not be done with the file.
    static func full(_ what: String, path: String) -> StoreError {
        StoreError(.diskFull, "\(what): the disk is full", hint: spaceHint(for: path), path: path)
    }

    /// How to make room for a file; it names the folder, which tells the disk.
    static func spaceHint(for path: String) -> String {
        "free some space on the disk that holds \(folder(of: path)) and run the command again; what was stored before is "
            + "unharmed"
    }

    /// Advice for a disk that fails.
    static let diskHint =
        "check the disk, the file system and the kernel's messages, then run the command again; "
        + "what was stored before is unharmed"
}

/// The folder that holds `path`; `.` for a bare name.
func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
}

/// Removes a file. A missing file is no error.
func removeFile(_ path: String) {
    unlink(path)
}

/// Renames a file within its file system and replaces what has the new name.
func renameFile(_ old: String, to new: String) throws(StoreError) {
    guard rename(old, new) == 0 else { throw .system(errno, "cannot be put in place", path: new) }
}

/// Whether this process may write to `path`.
func isWritable(_ path: String) -> Bool {
    access(path, W_OK) == 0
}

/// The process identifier of this process.
func currentProcessIdentifier() -> Int32 {
    getpid()
}

/// Makes the entries of a folder durable: names created, renamed or removed in it.
func synchronizeFolder(_ path: String) throws(StoreError) {
    try OpenFile(path, flags: O_RDONLY | O_DIRECTORY, doing: "cannot be opened").synchronize()
}
