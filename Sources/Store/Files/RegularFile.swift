#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

/// Reads regular files and refuses everything else, such as a pipe that waits for a writer or a device that never ends.
package enum RegularFile {
    /// All octets of a file.
    ///
    /// The checks look at the open file, so nobody can put another file in its place in between.
    ///
    /// - Parameters:
    ///   - path: links are followed.
    ///   - limit: the most octets it may have.
    ///   - isSecret: whether to refuse a file that others than its owner may use.
    /// - Throws: ``StoreError/Code/missing`` if there is no such file, ``StoreError/Code/invalidDocument`` if it is no
    ///   regular file or too large, ``StoreError/Code/insecurePermissions`` if it is secret and others may use it, and
    ///   other codes if a system call fails.
    package static func read(_ path: String, limit: Int, isSecret: Bool) throws(StoreError) -> [UInt8] {
        // Without O_NONBLOCK this call would already wait for the writer of a pipe.
        let file = try OpenFile(path, flags: O_RDONLY | O_NONBLOCK | O_NOCTTY, doing: "cannot be opened")
        let status = try file.status()
        guard status.isRegular else {
            throw StoreError(
                .invalidDocument,
                status.isFolder ? "is a folder, not a file" : "is no regular file but a pipe or a device",
                path: path
            )
        }
        guard !isSecret || status.permissions & 0o077 == 0 else {
            throw StoreError(
                .insecurePermissions,
                "is accessible to users other than its owner (mode 0\(String(status.permissions, radix: 8)))",
                path: path
            )
        }
        guard status.size <= Int64(limit) else {
            throw StoreError(.invalidDocument, "is larger than \(limit / 1024) KiB", path: path)
        }
        return try file.readAll(limit: limit)
    }
}
