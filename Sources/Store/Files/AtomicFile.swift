#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

/// Writes files so that a crash at any moment leaves either the old or the new contents, whole.
package enum AtomicFile {
    /// Writes `bytes` to `path` and replaces what is there.
    ///
    /// A new file in the same folder is flushed to the disk and renamed over the old one; then the folder is flushed,
    /// too. The file gets its mode when it is created, so nobody else can open it in between.
    ///
    /// - Parameter mode: the permission bits, 0600 for anything secret.
    /// - Throws: ``StoreError`` if a system call fails. `path` is then as it was, unless only the flush of the folder
    ///   failed.
    package static func write(_ path: String, _ bytes: [UInt8], mode: UInt16 = 0o600) throws(StoreError) {
        try writeTemporary(path, bytes, mode: mode) { temporary throws(StoreError) in
            try renameFile(temporary, to: path)
        }
    }

    /// Writes `bytes` to `path` if nothing has that name yet.
    ///
    /// - Throws: ``StoreError/Code/exists`` if something has that name, and what ``write(_:_:mode:)`` throws.
    package static func create(_ path: String, _ bytes: [UInt8], mode: UInt16 = 0o600) throws(StoreError) {
        try writeTemporary(path, bytes, mode: mode) { temporary throws(StoreError) in
            // A link, unlike a rename, never replaces.
            guard link(temporary, path) == 0 else { throw .system(errno, "cannot be created", path: path) }
            removeFile(temporary)
        }
    }

    /// All octets of a file of at most `limit` octets.
    ///
    /// - Throws: ``StoreError/Code/missing`` if there is no such file, ``StoreError/Code/invalidDocument`` for a folder
    ///   or a file that is too large, and other codes if a system call fails.
    package static func read(_ path: String, limit: Int = 256 << 20) throws(StoreError) -> [UInt8] {
        let file = try OpenFile(path, flags: O_RDONLY, doing: "cannot be opened")
        guard try !file.status().isFolder else { throw StoreError(.invalidDocument, "is a folder", path: path) }
        return try file.readAll(limit: limit)
    }

    private static func writeTemporary(
        _ path: String,
        _ bytes: [UInt8],
        mode: UInt16,
        place: (String) throws(StoreError) -> Void
    ) throws(StoreError) {
        TemporaryFiles.removeLeftovers(of: path)
        let temporary = TemporaryFiles.path(for: path)
        // A process that had the same number may have crashed and left one.
        removeFile(temporary)
        do {
            let file = try OpenFile(
                temporary,
                flags: O_WRONLY | O_CREAT | O_EXCL,
                mode: mode,
                doing: "cannot be created"
            )
            try file.changeMode(mode)
            try file.writeAll(bytes)
            try file.synchronize()
            try place(temporary)
        } catch {
            removeFile(temporary)
            throw StoreError(error.code, error.message, hint: error.hint, path: path)
        }
        try synchronizeFolder(folder(of: path))
    }
}
