#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The parts of `stat` that callers need.
package struct FileStatus: Hashable, Sendable {
    /// The kind of thing at a path.
    package enum Kind: Hashable, Sendable {
        case file
        case folder
        case pipe
        /// A device or a socket.
        case other
        /// Something that the system does not let this process examine, or nothing.
        case hidden
    }

    package let kind: Kind
    /// The permission bits, including the set-user-ID, set-group-ID and sticky bits.
    package let mode: UInt16
    /// Octets of a regular file.
    package let size: Int64
    /// The number of the user to whom it belongs.
    package let owner: UInt32
    /// Device and inode, the identity of a file while it exists.
    package let identity: [UInt64]

    package var isRegular: Bool { kind == .file }
    package var isFolder: Bool { kind == .folder }
    /// The nine permission bits.
    package var permissions: UInt16 { mode & 0o777 }

    init(_ status: stat) {
        kind =
            switch status.st_mode & mode_t(S_IFMT) {
            case mode_t(S_IFREG): .file
            case mode_t(S_IFDIR): .folder
            case mode_t(S_IFIFO): .pipe
            default: .other
            }
        mode = UInt16(truncatingIfNeeded: status.st_mode & 0o7777)
        size = Int64(status.st_size)
        owner = UInt32(status.st_uid)
        identity = [UInt64(truncatingIfNeeded: status.st_dev), UInt64(status.st_ino)]
    }

    /// The status of a path, after following links; nil if there is surely no such file.
    package static func of(_ path: String) throws(FileError) -> FileStatus? {
        var status = stat()
        guard stat(path, &status) == 0 else {
            let number = errno
            // A part of the path that is no folder has nothing in it, and a name that is too long is nobody's.
            if number == ENOENT || number == ENOTDIR || number == ENAMETOOLONG { return nil }
            throw FileError(.examine, path, .system(number))
        }
        return FileStatus(status)
    }
}
