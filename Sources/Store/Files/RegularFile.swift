#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

/// Reads files that may not be anything else: no pipe that waits for a writer, no device that never ends.
package enum RegularFile {
    /// All octets of a file.
    ///
    /// What is looked at is what was opened, so that nobody can put another file in its place in between.
    ///
    /// - Parameters:
    ///   - path: links are followed.
    ///   - limit: the most octets it may have.
    ///   - isSecret: whether a file is refused that others than its owner may use.
    /// - Throws: ``StoreError/Code/missing``, ``StoreError/Code/invalidDocument`` for what is no file or too large,
    ///   ``StoreError/Code/insecurePermissions``, and others.
    package static func read(_ path: String, limit: Int, isSecret: Bool) throws(StoreError) -> [UInt8] {
        // Without O_NONBLOCK a pipe would be waited for here already.
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
                "can be used by others than its owner (mode 0\(String(status.permissions, radix: 8)))",
                path: path
            )
        }
        guard status.size <= Int64(limit) else {
            throw StoreError(.invalidDocument, "is larger than \(limit / 1024) KiB", path: path)
        }
        return try file.readAll(limit: limit)
    }
}
