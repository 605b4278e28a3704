#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Writes files so that a crash at any moment leaves either the old or the new contents, whole.
package enum AtomicFile {
    /// Writes `bytes` to `path` and replaces what is there.
    ///
    /// A new file in the same folder is flushed to the disk and renamed over the old one. Then the folder is flushed,
    /// too. The file gets its mode when it is created, so nobody else can open it in between.
    ///
    /// - Parameters:
    ///   - path: for the system.
    ///   - name: for people; by default the same as the path.
    ///   - bytes: the new contents.
    ///   - mode: the permission bits, 0600 for anything secret.
    /// - Throws: ``FileError`` if a system call fails. `path` is then as it was, unless only the flush of the folder
    ///   failed.
    package static func write(
        _ path: String,
        as name: String? = nil,
        _ bytes: [UInt8],
        mode: UInt16 = 0o600
    ) throws(FileError) {
        try writeTemporary(path, as: name ?? path, bytes, mode: mode) { temporary throws(FileError) in
            try Files.rename(temporary, to: path)
        }
    }

    /// Writes `bytes` to `path` if nothing has that name yet.
    ///
    /// - Throws: ``FileError`` with ``FileError/Trouble/exists`` if something has that name, and what
    ///   ``write(_:as:_:mode:)`` throws.
    package static func create(
        _ path: String,
        as name: String? = nil,
        _ bytes: [UInt8],
        mode: UInt16 = 0o600
    ) throws(FileError) {
        try writeTemporary(path, as: name ?? path, bytes, mode: mode) { temporary throws(FileError) in
            try Files.link(temporary, to: path)
            try? Files.remove(temporary)
        }
    }

    private static func writeTemporary(
        _ path: String,
        as name: String,
        _ bytes: [UInt8],
        mode: UInt16,
        place: (String) throws(FileError) -> Void
    ) throws(FileError) {
        TemporaryFiles.removeLeftovers(of: path)
        let temporary = TemporaryFiles.path(for: path)
        // A crashed process with the same number may have left a file.
        try? Files.remove(temporary)
        do throws(FileError) {
            let file = try OpenFile(temporary, .new, mode: mode, .create)
            try file.changeMode(mode)
            try file.writeAll(bytes)
            try file.synchronize()
            try place(temporary)
        } catch {
            try? Files.remove(temporary)
            throw FileError(error.operation, name, at: path, error.cause)
        }
        try Files.synchronizeFolder(Files.folder(of: path))
    }
}
