import GRDBSQLite

/// The least that any durable journal has to do for one entry: one row of one table in a transaction of its own, on the
/// disk when it returns, with the C library alone.
enum BareInsert {
    /// Inserts rows of `size` octets, each in a transaction of its own, into a new database at `path`.
    ///
    /// - Returns: false if SQLite refuses anything.
    static func insert(_ count: Int, octets size: Int, at path: String) -> Bool {
        var database: OpaquePointer?
        defer { sqlite3_close(database) }
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        guard sqlite3_open_v2(path, &database, flags, nil) == SQLITE_OK else { return false }
        let setup = """
            PRAGMA page_size = 8192; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
            CREATE TABLE rows (number INTEGER PRIMARY KEY, body BLOB NOT NULL);
            """
        guard sqlite3_exec(database, setup, nil, nil, nil) == SQLITE_OK else { return false }
        var statement: OpaquePointer?
        defer { sqlite3_finalize(statement) }
        let sql = "INSERT INTO rows VALUES (?, ?)"
        guard sqlite3_prepare_v2(database, sql, -1, &statement, nil) == SQLITE_OK else { return false }
        let body = [UInt8](repeating: 0xA5, count: size)
        for number in 0..<count {
            sqlite3_bind_int64(statement, 1, Int64(number))
            // The octets outlive the step, so SQLite need not copy them.
            let isDone = body.withUnsafeBytes { bytes in
                sqlite3_bind_blob(statement, 2, bytes.baseAddress, Int32(bytes.count), nil)
                return sqlite3_step(statement) == SQLITE_DONE
            }
            guard isDone else { return false }
            sqlite3_reset(statement)
        }
        return true
    }
}
