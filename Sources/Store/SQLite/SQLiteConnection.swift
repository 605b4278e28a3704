import CSQLite

/// A connection to a database file. Nothing else calls SQLite.
///
/// It belongs to one thread at a time. Statements with parameters are prepared once and kept.
final class SQLiteConnection {
    private let handle: OpaquePointer
    private var prepared: [String: OpaquePointer] = [:]

    /// The most octets that a row or a value in it may have. A file that somebody handed on could hold one that takes
    /// all memory.
    static let greatestValue: Int32 = 64 << 20

    /// Opens a file that exists; an empty one is a database without tables.
    ///
    /// - Parameters:
    ///   - patience: how long to wait for a database that somebody else keeps busy.
    ///   - greatestValue: the most octets that a row may have.
    /// - Throws: ``SQLiteError``, also if the file is none of SQLite's.
    convenience init(
        _ path: String,
        patience: Duration = .zero,
        greatestValue: Int32 = SQLiteConnection.greatestValue
    ) throws(SQLiteError) {
        try self.init(name: path, flags: SQLITE_OPEN_READWRITE, patience, greatestValue)
    }

    /// Opens a file that nobody changes, only to read it, and makes no file beside it.
    ///
    /// - Throws: ``SQLiteError``, also if the file is none of SQLite's.
    convenience init(unchanging path: String) throws(SQLiteError) {
        // What has a meaning in a URI: <https://www.sqlite.org/uri.html>.
        let name = path.reduce(into: "") { name, letter in
            switch letter {
            case "%": name += "%25"
            case "?": name += "%3F"
            case "#": name += "%23"
            default: name.append(letter)
            }
        }
        let flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
        try self.init(name: "file:\(name)?immutable=1", flags: flags, .zero, SQLiteConnection.greatestValue)
    }

    private init(name: String, flags: Int32, _ patience: Duration, _ greatestValue: Int32) throws(SQLiteError) {
        var opened: OpaquePointer?
        let code = sqlite3_open_v2(name, &opened, flags | SQLITE_OPEN_NOMUTEX, nil)
        guard code == SQLITE_OK, let opened else {
            // Even a handle that could not be opened has to be closed, and it alone knows the exact code.
            let exact = opened.map { sqlite3_extended_errcode($0) } ?? code
            let cause = opened.map { sqlite3_system_errno($0) } ?? 0
            sqlite3_close_v2(opened)
            throw SQLiteError(exact, systemError: cause)
        }
        handle = opened
        sqlite3_extended_result_codes(handle, 1)
        try SQLiteError.check(meshplan_sqlite3_distrust(handle))
        _ = sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, greatestValue)
        wait(upTo: patience)
        // Opening reads nothing. This reads the header.
        try run("SELECT * FROM sqlite_master LIMIT 1")
    }

    deinit {
        for statement in prepared.values { sqlite3_finalize(statement) }
        sqlite3_close_v2(handle)
    }

    /// How long to wait for somebody else from now on.
    func wait(upTo patience: Duration) {
        let (seconds, attoseconds) = patience.components
        sqlite3_busy_timeout(handle, Int32(clamping: seconds * 1000 + attoseconds / 1_000_000_000_000_000))
    }

    /// Runs statements without parameters, and leaves their rows alone.
    func run(_ statements: String) throws(SQLiteError) {
        let code = sqlite3_exec(handle, statements, nil, nil, nil)
        guard code == SQLITE_OK else { throw failure(code) }
    }

    /// Runs one statement with the values for its `?`, and leaves its rows alone.
    func run(_ statement: String, _ values: [SQLiteValue]) throws(SQLiteError) {
        do {
            try forEachRow(of: statement, values) { _ in }
        } catch {
            // The body throws nothing, so all errors are those of SQLite.
            throw error as? SQLiteError ?? SQLiteError(SQLITE_ERROR)
        }
    }

    /// Calls `body` with each row of a statement. A row is valid during the call only.
    func forEachRow(of statement: String, _ values: [SQLiteValue] = [], _ body: (SQLiteRow) throws -> Void) throws {
        let statement = try self.statement(statement)
        // All octets are in one buffer that outlives the steps, so SQLite need not copy them. It is never empty,
        // because SQLite takes octets without an address for NULL.
        let octets = values.reduce(into: [UInt8]()) { $0 += $1.octets } + [0]
        try octets.withUnsafeBytes { buffer in
            defer {
                sqlite3_reset(statement)
                sqlite3_clear_bindings(statement)
            }
            var start = 0
            for (index, value) in values.enumerated() {
                let place = Int32(index + 1)
                switch value {
                case .integer(let value): try SQLiteError.check(sqlite3_bind_int64(statement, place, value))
                case .octets(let value):
                    let address = buffer.baseAddress?.advanced(by: start)
                    try SQLiteError.check(sqlite3_bind_blob64(statement, place, address, UInt64(value.count), nil))
                    start += value.count
                case .text:
                    let address = buffer.baseAddress?.advanced(by: start)
                    let count = value.octets.count
                    try SQLiteError.check(
                        sqlite3_bind_text64(
                            statement,
                            place,
                            address?.assumingMemoryBound(to: CChar.self),
                            UInt64(count),
                            nil,
                            UInt8(SQLITE_UTF8)
                        )
                    )
                    start += count
                }
            }
            while true {
                let code = sqlite3_step(statement)
                if code == SQLITE_DONE { return }
                guard code == SQLITE_ROW else { throw failure(code) }
                try body(SQLiteRow(statement))
            }
        }
    }

    /// Runs `body` in a transaction, which is taken back if it throws.
    ///
    /// - Parameter writes: whether to keep other writers out from its beginning. A transaction that only reads sees one
    ///   moment.
    func transaction<Value>(writes: Bool, _ body: () throws -> Value) throws -> Value {
        try run(writes ? "BEGIN IMMEDIATE" : "BEGIN")
        do {
            let value = try body()
            try run("COMMIT")
            return value
        } catch {
            // Some errors, a full disk among them, have taken it back already.
            if sqlite3_get_autocommit(handle) == 0 { try? run("ROLLBACK") }
            throw error
        }
    }

    /// Copies the whole database into another one.
    func copy(to target: SQLiteConnection) throws(SQLiteError) {
        guard let copy = sqlite3_backup_init(target.handle, "main", handle, "main") else {
            throw SQLiteError(sqlite3_extended_errcode(target.handle))
        }
        let code = sqlite3_backup_step(copy, -1)
        let end = sqlite3_backup_finish(copy)
        guard code == SQLITE_DONE else { throw SQLiteError(code) }
        try SQLiteError.check(end)
    }

    /// The error for a result code, with what the system said to SQLite.
    private func failure(_ code: Int32) -> SQLiteError {
        let isOfSystem = [SQLITE_IOERR, SQLITE_CANTOPEN, SQLITE_FULL].contains(code & 0xFF)
        return SQLiteError(code, systemError: isOfSystem ? sqlite3_system_errno(handle) : 0)
    }

    private func statement(_ text: String) throws(SQLiteError) -> OpaquePointer {
        if let known = prepared[text] { return known }
        var statement: OpaquePointer?
        let code = sqlite3_prepare_v2(handle, text, -1, &statement, nil)
        guard code == SQLITE_OK else { throw failure(code) }
        guard let statement else { throw SQLiteError(SQLITE_MISUSE) }
        prepared[text] = statement
        return statement
    }
}

/// A value for a parameter of a statement.
enum SQLiteValue {
    case integer(Int64)
    case octets([UInt8])
    case text(String)

    fileprivate var octets: [UInt8] {
        switch self {
        case .integer: []
        case .octets(let octets): octets
        case .text(let text): Array(text.utf8)
        }
    }
}

/// The row of a query at which its statement stands.
struct SQLiteRow {
    private let statement: OpaquePointer

    fileprivate init(_ statement: OpaquePointer) {
        self.statement = statement
    }

    /// The number in a column; nil if it holds something else.
    func integer(_ column: Int) -> Int64? {
        guard sqlite3_column_type(statement, Int32(column)) == SQLITE_INTEGER else { return nil }
        return sqlite3_column_int64(statement, Int32(column))
    }

    /// The octets in a column; nil if it holds something else.
    func octets(_ column: Int) -> [UInt8]? {
        guard sqlite3_column_type(statement, Int32(column)) == SQLITE_BLOB else { return nil }
        return contents(column)
    }

    /// The text in a column; nil if it holds something else.
    func text(_ column: Int) -> String? {
        guard sqlite3_column_type(statement, Int32(column)) == SQLITE3_TEXT else { return nil }
        return String(validating: contents(column), as: UTF8.self)
    }

    private func contents(_ column: Int) -> [UInt8] {
        // The address comes first: asking for it may change the length.
        let address = sqlite3_column_blob(statement, Int32(column))
        return Array(UnsafeRawBufferPointer(start: address, count: Int(sqlite3_column_bytes(statement, Int32(column)))))
    }
}
