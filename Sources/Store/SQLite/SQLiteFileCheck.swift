#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

/// Tells a mesh database from everything else by the first 100 octets of the file (SQLite file format 1.3), before
/// SQLite sees it. SQLite takes an empty file for a database and would switch a foreign one to another journal mode.
enum SQLiteFileCheck {
    private static let magic = Array("SQLite format 3\0".utf8)

    static func check(_ path: String) throws(StoreError) {
        guard let status = try FileStatus.of(path) else {
            throw StoreError(
                .missing,
                "there is no mesh database",
                hint: "make one with `meshplan init` or `meshplan import`",
                path: path
            )
        }
        guard status.isRegular else {
            throw StoreError(.notADatabase, status.isFolder ? "is a folder" : "is not a file", path: path)
        }
        guard status.size > 0 else { throw foreign("is empty", path) }
        // A file that is open here was checked before, and closing it once more would release its locks.
        guard !OpenDatabaseFiles.contains(status.identity) else { return }
        let file = try OpenFile(path, flags: O_RDONLY, doing: "cannot be opened")
        var header = [UInt8](repeating: 0, count: 100)
        let count = read(file.descriptor, &header, header.count)
        guard count >= 0 else { throw .system(errno, "cannot be read", path: path) }
        guard count == header.count, header.prefix(magic.count) == magic[...] else {
            throw foreign("is not a mesh database", path)
        }
        func field(_ offset: Int) -> UInt32 {
            header[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
        }
        guard field(68) == SQLiteRowStore.applicationIdentifier else {
            throw foreign("is the SQLite database of another program", path)
        }
        guard field(60) == SQLiteRowStore.format else {
            throw StoreError(
                .newerFormat,
                "has format \(field(60)), this program knows format \(SQLiteRowStore.format)",
                hint: "use the version of meshplan that wrote it, or a later one",
                path: path
            )
        }
    }

    private static func foreign(_ message: String, _ path: String) -> StoreError {
        StoreError(.notADatabase, message, hint: "check the path; the file was not touched", path: path)
    }
}
