import CSQLite
import MeshCore
import SystemLayer

/// A failure that SQLite reports.
struct SQLiteError: Error {
    /// The extended result code, <https://www.sqlite.org/rescode.html>.
    var code: Int32
    /// The error of the system behind it; 0 if there was none.
    var systemError: Int32 = 0

    init(_ code: Int32, systemError: Int32 = 0) {
        self.code = code
        self.systemError = systemError
    }

    /// The system's words for the cause, to be put behind a message; empty if it gave none.
    fileprivate var cause: String { systemError == 0 ? "" : ": " + FileError.text(ofError: systemError) }

    /// The primary result code, which the extended ones refine.
    var primaryCode: Int32 { code & 0xFF }

    /// Whether there was no room to make a file, or to let one grow.
    var isOfFullDisk: Bool {
        guard primaryCode != SQLITE_FULL, code != SQLiteError.sharedMemorySize.code else { return true }
        return FileError(.create, "", .system(systemError)).trouble == .diskFull
    }

    // The importer does not see these, because they are computed from others.
    /// `SQLITE_IOERR_WRITE`
    static let write = SQLiteError(SQLITE_IOERR | 3 << 8)
    /// `SQLITE_IOERR_SHMSIZE`
    static let sharedMemorySize = SQLiteError(SQLITE_IOERR | 19 << 8)

    /// `SQLITE_BUSY`
    static let busy = SQLiteError(SQLITE_BUSY)

    static func check(_ code: Int32) throws(SQLiteError) {
        guard code == SQLITE_OK else { throw SQLiteError(code) }
    }
}

extension SQLiteError {
    /// What SQLite was doing with the file, by the extended codes of `SQLITE_IOERR`.
    fileprivate var action: String {
        switch code >> 8 {
        case 1, 2: "reading it"
        case 3, 6: "writing it"
        case 4, 5: "flushing it, or its folder, to the disk"
        case 7: "asking for its size"
        case 8, 9, 14, 15: "locking it"
        case 10, 23: "removing the log beside it"
        case 12: "getting memory for it"
        case 18, 19, 20, 21: "making or using the file -shm beside it"
        default: "reading or writing it"
        }
    }
}

extension SQLiteRowStore {
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
            if error.code == SQLiteError.sharedMemorySize.code {
                return StoreError(
                    .diskFull,
                    "cannot be created, and the database cannot be read without it: the disk is full, or a limit on file "
                        + "sizes is too low",
                    hint:
                        "raise the limit on the size of files (ulimit -f), or " + StoreError.spaceHint(for: path),
                    path: path + "-shm"
                )
            }
            if error.code == SQLiteError.write.code {
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
                "\(error.action) failed (SQLite \(error.code))\(error.cause)",
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
                "cannot be opened, or the files beside it cannot be created\(error.cause)",
                hint: "check the permissions of the file and of its folder, and that there is space on the disk",
                path: path
            )
        case SQLITE_NOTADB:
            return StoreError(.notADatabase, "is not a mesh database", hint: "check the path", path: path)
        case SQLITE_CORRUPT:
            return .damaged("the file", path: path)
        case SQLITE_TOOBIG:
            return .damaged("a row longer than any that meshplan writes", path: path)
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
