import CSQLite
import MeshCore

/// A failure that SQLite reports.
struct SQLiteError: Error, Equatable {
    /// The extended result code, <https://www.sqlite.org/rescode.html>.
    var code: Int32

    init(_ code: Int32) {
        self.code = code
    }

    /// The primary result code, which the extended ones refine.
    var primaryCode: Int32 { code & 0xFF }

    // The importer does not see these, because they are computed from others.
    /// `SQLITE_IOERR_WRITE`
    static let write = SQLiteError(SQLITE_IOERR | 3 << 8)
    /// `SQLITE_IOERR_SHMSIZE`
    static let sharedMemorySize = SQLiteError(SQLITE_IOERR | 19 << 8)

    static func check(_ code: Int32) throws(SQLiteError) {
        guard code == SQLITE_OK else { throw SQLiteError(code) }
    }
}

extension SQLiteRowStore {
    /// The error to show for an error of SQLite.
    static func storeError(_ error: any Error, path: String) -> StoreError {
        if let error = error as? StoreError { return error }
        guard let error = error as? SQLiteError else {
            return StoreError(.inputOutput, "cannot be used", path: path)
        }
        switch error.primaryCode {
        case SQLITE_FULL:
            return .full("cannot be written", path: path)
        case SQLITE_IOERR:
            // The shared memory file of the log is a file, too, and SQLite reports with this code that it cannot grow.
            if error == .sharedMemorySize {
                return StoreError(
                    .diskFull,
                    "cannot be created, and the database cannot be read without it: the disk is full, or a limit on file "
                        + "sizes is too low",
                    hint:
                        "raise the limit on the size of files (ulimit -f), or " + StoreError.spaceHint(for: path),
                    path: path + "-shm"
                )
            }
            if error == .write {
                return StoreError(
                    .inputOutput,
                    "cannot be written: writing to it or to the log beside it failed",
                    hint:
                        "check the disk, and that no limit on the size of files is in force (ulimit -f); what was stored "
                        + "before is unharmed",
                    path: path
                )
            }
            return StoreError(
                .inputOutput,
                "reading or writing failed (SQLite \(error.code))",
                hint: StoreError.diskHint,
                path: path
            )
        case SQLITE_READONLY:
            return StoreError(
                .readOnly,
                "cannot be written to",
                hint: "give your user write permission on the file and on its folder",
                path: path
            )
        case SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_AUTH:
            return StoreError(
                .permissionDenied,
                "cannot be opened, or the files beside it cannot be created",
                hint: "check the permissions of the file and of its folder, and that there is space on the disk",
                path: path
            )
        case SQLITE_NOTADB:
            return StoreError(.notADatabase, "is not a mesh database", hint: "check the path", path: path)
        case SQLITE_CORRUPT:
            return .damaged("the file", path: path)
        case SQLITE_BUSY, SQLITE_LOCKED:
            return StoreError(
                .inputOutput,
                "another program keeps the database busy",
                hint: "close the other programs that use the file, then run the command again",
                path: path
            )
        default:
            // A table or column is missing: the header is that of a mesh database, but the contents are not.
            return .damaged("the file (SQLite \(error.code))", path: path)
        }
    }
}
