import CSQLite

/// The least work of any durable journal for one entry: insert one row into one table in a transaction of its own,
/// which is on disk when the call returns, with the C library only.
final class BareInsert {
    private var database: OpaquePointer?
    private var statement: OpaquePointer?
    private let body: [UInt8]

    /// A new database at `path` for rows of `size` octets; nil if SQLite reports an error.
    init?(at path: String, octets size: Int) {
        body = [UInt8](repeating: 0xA5, count: size)
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        let setup = """
            PRAGMA page_size = 8192; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
            CREATE TABLE rows (number INTEGER PRIMARY KEY, body BLOB NOT NULL);
            """
        let sql = "INSERT INTO rows (body) VALUES (?)"
        guard sqlite3_open_v2(path, &database, flags, nil) == SQLITE_OK,
            sqlite3_exec(database, setup, nil, nil, nil) == SQLITE_OK,
            sqlite3_prepare_v2(database, sql, -1, &statement, nil) == SQLITE_OK
        else { return nil }
    }

    deinit {
        sqlite3_finalize(statement)
        sqlite3_close(database)
    }

    /// Inserts one row in a transaction of its own.
    ///
    /// - Returns: false if SQLite reports an error.
    func insert() -> Bool {
        // The octets outlive the step, so SQLite does not have to copy them.
        body.withUnsafeBytes { bytes in
            sqlite3_bind_blob(statement, 1, bytes.baseAddress, Int32(bytes.count), nil)
            defer { sqlite3_reset(statement) }
            return sqlite3_step(statement) == SQLITE_DONE
        }
    }
}
