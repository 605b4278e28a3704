import MeshCore
import SystemLayer

/// Tells a mesh database from everything else by the first 100 octets of the file (SQLite file format 1.3), before
/// SQLite sees it. SQLite takes an empty file for a database and would switch a foreign one to another journal mode.
enum SQLiteFileCheck {
    private static let magic = Array("SQLite format 3\0".utf8)

    static func check(_ path: String) throws(StoreError) {
        guard let status = try storing({ () throws(FileError) in try FileStatus.of(path) }) else {
            throw StoreError(
                .missing,
                "there is no mesh database",
                hint: "make one with `\(command: .begin)` or `\(command: .importNetwork)`",
                path: path
            )
        }
        guard status.isRegular else {
            throw StoreError(.notADatabase, status.isFolder ? "is a folder" : "is not a file", path: path)
        }
        guard status.size > 0 else { throw foreign("is empty", path) }
        // A file that is open here was checked before, and closing it once more would release its locks.
        guard !OpenDatabaseFiles.contains(status.identity) else { return }
        let header = try storing { () throws(FileError) in try OpenFile(path, .reading).readStart(100) }
        guard header.count == 100, header.prefix(magic.count) == magic[...] else {
            throw foreign("is not a mesh database", path)
        }
        func field(_ offset: Int) -> UInt32 {
            header[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
        }
        guard field(68) == SQLiteRowStore.applicationIdentifier else {
            throw foreign("is the SQLite database of another program", path)
        }
        guard field(60) == RowCipher.format else {
            throw StoreError(
                .newerFormat,
                "has format \(field(60)), this program knows format \(RowCipher.format)",
                hint: "use the version of meshplan that wrote it, or a later one",
                path: path
            )
        }
    }

    private static func foreign(_ message: String, _ path: String) -> StoreError {
        StoreError(.notADatabase, message, hint: "check the path; the file was not touched", path: path)
    }
}
