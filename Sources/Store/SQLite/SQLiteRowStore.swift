import MeshCore
import SystemLayer

/// Rows in one SQLite file, in write-ahead-log mode with `synchronous=FULL`. A commit is on the disk when it returns,
/// and readers are never blocked.
final class SQLiteRowStore: RowStore {
    /// "MshP", the mark in the file header of every mesh database.
    static let applicationIdentifier: UInt32 = 0x4D73_6850

    private var connection: SQLiteConnection
    private let path: String
    /// The file that is open.
    private var identity: [UInt64]
    /// While this is held, no other file is taken for the database.
    private weak var lock: FileLock?
    private var lineage: Octets16?
    private var knownSlots: [KeySlot]?
    /// Why the database can only be read.
    private var obstacle: StoreError?
    var onNewSlots: ([KeySlot]) throws(StoreError) -> Void = { _ in }

    /// Opens an existing database. It checks the first octets before, so nothing foreign is ever touched. One on a full
    /// disk or a read-only file system can still be read.
    init(opening path: String) throws(StoreError) {
        self.path = path
        (connection, identity, obstacle) = try SQLiteRowStore.open(path)
        OpenDatabaseFiles.add(identity)
    }

    private static func open(_ path: String) throws(StoreError) -> (SQLiteConnection, [UInt64], StoreError?) {
        try SQLiteFileCheck.check(path)
        let identity = try storing { () throws(FileError) in try FileStatus.of(path) }?.identity ?? []
        var obstacle: StoreError?
        do throws(FileError) {
            try Files.checkWritable(Files.folder(of: path))
            try Files.checkWritable(path)
        } catch {
            obstacle = StoreError(
                .readOnly,
                error.trouble == .readOnly
                    ? "lies on a read-only file system" : "cannot be written to, or its folder cannot",
                hint: "give your user write permission on the file and on its folder, or copy both elsewhere",
                path: path
            )
            // Who may not write does not keep others from writing.
            if let obstacle, error.trouble != .readOnly { throw obstacle }
        }
        do {
            let connection = try connect(path, &obstacle)
            try checkSchema(of: connection, path)
            return (connection, identity, obstacle)
        } catch {
            throw storeError(error, path: path)
        }
    }

    /// Connects to a file; if that can only be read, notes why.
    private static func connect(_ path: String, _ obstacle: inout StoreError?) throws -> SQLiteConnection {
        if let obstacle {
            guard isAlone(path) else { throw obstacle }
            return try SQLiteConnection(unchanging: path)
        }
        do throws(SQLiteError) {
            return try connect(path)
        } catch {
            // Nobody has it open, or the file that SQLite cannot make would be there.
            guard error.isOfFullDisk, isAlone(path) else { throw error }
            obstacle = storeError(error, path: path)
            return try SQLiteConnection(unchanging: path)
        }
    }

    /// Whether the file alone is the database.
    private static func isAlone(_ path: String) -> Bool {
        ["-wal", "-journal"].allSatisfy { suffix in
            guard let found = try? FileStatus.of(path + suffix) else { return true }
            return found.size == 0
        }
    }

    /// Refuses a file with anything but the tables that this program makes, before any of them is queried. A view in
    /// the place of a table could keep us busy for ever.
    private static func checkSchema(of connection: SQLiteConnection, _ path: String) throws {
        var found: [String] = []
        let limit = schema.count + 1
        try connection.forEachRow(of: "SELECT sql FROM sqlite_schema ORDER BY rowid LIMIT \(limit)") { row in
            found.append(row.text(0) ?? "")
        }
        guard found == schema else {
            throw StoreError(
                .damaged,
                "does not have the tables of a mesh database, or has more than those",
                hint: "restore a copy of the database, and ask who made this one",
                path: path
            )
        }
    }

    /// Opens the file that has taken the place of the one that is open: a copy that was restored, for instance.
    private func reopenIfReplaced() throws(StoreError) {
        let present = try storing { () throws(FileError) in try FileStatus.of(path) }?.identity
        guard present != identity else { return }
        guard present != nil, lock?.isHeld != true else { throw replaced() }
        let opened = try SQLiteRowStore.open(path)
        OpenDatabaseFiles.remove(identity)
        (connection, identity, obstacle) = opened
        OpenDatabaseFiles.add(identity)
    }

    private func replaced(_ what: String = "the file was replaced or removed while it was in use") -> StoreError {
        StoreError(.stale, what, hint: "run the command again", path: path)
    }

    deinit {
        OpenDatabaseFiles.remove(identity)
    }

    /// Creates a whole database at `path`, which must not exist; if that fails, nothing is left there.
    static func create(
        at path: String,
        lineage: Octets16,
        slots: [KeySlot],
        rows: [StoredRow],
        revision: UInt64
    ) throws(StoreError) {
        TemporaryFiles.removeLeftovers(of: path)
        let temporary = TemporaryFiles.path(for: path)
        let leftovers = [temporary] + TemporaryFiles.companions.map { temporary + $0 }
        for leftover in leftovers { try? Files.remove(leftover) }
        do throws(StoreError) {
            try fill(temporary, lineage: lineage, slots: slots, rows: rows, revision: revision)
            try storing { () throws(FileError) in try OpenFile(temporary, .updating).synchronize() }
            // Otherwise the log of a database that was deleted without it would pass for that of the new one.
            if try storing({ () throws(FileError) in try FileStatus.of(path) }) == nil {
                for companion in TemporaryFiles.companions { try? Files.remove(path + companion) }
            }
            try storing { () throws(FileError) in try Files.link(temporary, to: path) }
        } catch {
            for leftover in leftovers { try? Files.remove(leftover) }
            var error = error
            error.path = path
            throw error
        }
        try? Files.remove(temporary)
        try storing { () throws(FileError) in try Files.synchronizeFolder(Files.folder(of: path)) }
    }

    private static func fill(
        _ path: String,
        lineage: Octets16,
        slots: [KeySlot],
        rows: [StoredRow],
        revision: UInt64
    ) throws(StoreError) {
        // The file is created first with its mode, because SQLite gives that mode to its other files, too.
        try makeEmpty(path)
        do {
            let connection = try connect(path)
            try connection.run("PRAGMA page_size = 8192")
            try connection.run("PRAGMA application_id = \(applicationIdentifier)")
            try connection.run("PRAGMA user_version = \(RowCipher.format)")
            try connection.transaction(writes: true) {
                for statement in schema { try connection.run(statement) }
                try connection.run(
                    "INSERT INTO header (lineage, revision) VALUES (?, ?)",
                    [.octets(lineage.bytes), .integer(Int64(bitPattern: revision))]
                )
                try insert(slots, in: connection)
                for row in rows { try put(row, in: connection) }
            }
            try connection.run("PRAGMA journal_mode = WAL")
        } catch {
            throw storeError(error, path: path)
        }
    }

    /// Makes an empty file for its owner alone, which must not exist.
    private static func makeEmpty(_ path: String, subject: String? = nil) throws(StoreError) {
        try storing(subject: subject) { () throws(FileError) in
            try OpenFile(path, .new, mode: 0o600, .create).changeMode(0o600)
        }
    }

    /// The statements that make the tables. SQLite keeps their texts in the file.
    private static let schema = [
        "CREATE TABLE header (lineage BLOB NOT NULL, revision INTEGER NOT NULL)",
        """
        CREATE TABLE keySlots (
            slot INTEGER PRIMARY KEY, kind INTEGER NOT NULL, parameters BLOB NOT NULL, wrapped BLOB NOT NULL
        )
        """,
        """
        CREATE TABLE rows (
            kind INTEGER NOT NULL, key BLOB NOT NULL, revision INTEGER NOT NULL, body BLOB NOT NULL,
            PRIMARY KEY (kind, key)
        ) WITHOUT ROWID
        """,
    ]

    /// How long to wait for a busy database. Readers and the writer do not block one another; this is for moments of
    /// recovery and checkpoint.
    private static let patience = Duration.seconds(10)

    private static func connect(_ path: String) throws(SQLiteError) -> SQLiteConnection {
        let connection = try SQLiteConnection(path, patience: patience)
        // On Darwin, SQLite uses F_FULLFSYNC only on request. Other systems ignore both settings.
        try connection.run("PRAGMA synchronous = FULL; PRAGMA fullfsync = 1; PRAGMA checkpoint_fullfsync = 1")
        return connection
    }

    func keySlots() throws(StoreError) -> [KeySlot] {
        try read { knownSlots ?? [] }
    }

    private func readKeySlots() throws -> [KeySlot] {
        var slots: [KeySlot] = []
        // No version has ever made longer ones.
        let sql = """
            SELECT kind, parameters, wrapped FROM keySlots WHERE length(parameters) + length(wrapped) <= 4096
            ORDER BY slot LIMIT \(KeySlot.greatestCount)
            """
        try connection.forEachRow(of: sql) { row in
            slots.append(
                KeySlot(kind: try integer(row, 0), parameters: try octets(row, 1), wrapped: try octets(row, 2))
            )
        }
        return slots
    }

    func scan(_ body: (StoredRow) throws(StoreError) -> Void) throws(StoreError) -> StoreHeader {
        try read {
            let header = try readHeader()
            let sql = "SELECT kind, key, revision, body FROM rows ORDER BY kind, key"
            try connection.forEachRow(of: sql) { row in try body(try storedRow(row)) }
            return header
        }
    }

    func rows(named names: [RowName]) throws(StoreError) -> (header: StoreHeader, rows: [StoredRow]) {
        try read {
            (try readHeader(), try storedRows(named: names))
        }
    }

    func outline(
        _ body: (RowName, UInt64) throws(StoreError) -> Void,
        then names: () -> [RowName]
    ) throws(StoreError) -> (header: StoreHeader, rows: [StoredRow]) {
        try read {
            let header = try readHeader()
            try connection.forEachRow(of: "SELECT kind, key, revision FROM rows") { row in
                try body(try name(row), UInt64(bitPattern: try integer(row, 2) as Int64))
            }
            return (header, try storedRows(named: names()))
        }
    }

    private func storedRows(named names: [RowName]) throws -> [StoredRow] {
        let sql = "SELECT kind, key, revision, body FROM rows WHERE kind = ? AND key = ?"
        var found: [StoredRow] = []
        for name in names {
            try connection.forEachRow(of: sql, SQLiteRowStore.values(name)) { found.append(try storedRow($0)) }
        }
        return found
    }

    func lock(_ holder: LockHolder, token: () -> [UInt8]) throws(StoreError) -> any StoreLock {
        if let obstacle { throw obstacle }
        let lock = try FileLock(of: path, holder)
        try reopenIfReplaced()
        self.lock = lock
        return lock
    }

    func forceUnlock(_ lock: String) throws(StoreError) {
        throw StoreError(
            .notLocked,
            "nobody can take away the lock of a database file; it ends with the process that holds it",
            hint: "end that process; a lock file without a process does no harm",
            path: path
        )
    }

    func commit(
        _ changes: RowChanges,
        expecting expected: StoreHeader,
        revision: UInt64,
        under lock: any StoreLock
    ) throws(StoreError) {
        try transaction(expecting: expected, revision: revision, erases: changes.slots != nil) {
            for row in changes.puts { try SQLiteRowStore.put(row, in: connection) }
            for name in changes.deletes {
                try connection.run("DELETE FROM rows WHERE kind = ? AND key = ?", SQLiteRowStore.values(name))
            }
            guard let slots = changes.slots else { return }
            try connection.run("DELETE FROM keySlots")
            try SQLiteRowStore.insert(slots, in: connection)
        }
        if let slots = changes.slots { knownSlots = slots }
    }

    /// Runs `body` in a transaction if the store is at `expected`, and sets the revision.
    ///
    /// - Parameter erases: whether to overwrite with zeros what is deleted from the file, and to empty the log. The log
    ///   is emptied as soon as no other process reads any more, at the latest when the last one closes the database.
    private func transaction(
        expecting expected: StoreHeader,
        revision: UInt64,
        erases: Bool,
        _ body: () throws -> Void
    ) throws(StoreError) {
        guard try storing({ () throws(FileError) in try FileStatus.of(path) })?.identity == identity else {
            throw replaced()
        }
        do {
            if erases { try connection.run("PRAGMA secure_delete = ON") }
            try connection.transaction(writes: true) {
                guard try readHeader() == expected else {
                    throw StoreError(
                        .stale,
                        "the database was changed in the meantime",
                        hint: "run the command again, it will see the new state",
                        path: path
                    )
                }
                try body()
                try connection.run("UPDATE header SET revision = ?", [.integer(Int64(bitPattern: revision))])
            }
            // The transaction is done. If a reader keeps the log from being emptied now, that undoes nothing.
            if erases { try? gather(patience: .milliseconds(500)) }
        } catch {
            throw SQLiteRowStore.storeError(error, path: path)
        }
    }

    func checkIntegrity() throws(StoreError) {
        var complaint: String?
        try read {
            try connection.forEachRow(of: "PRAGMA integrity_check(1)") { complaint = complaint ?? $0.text(0) }
        }
        guard complaint == "ok" else { throw damaged("the file (\(complaint ?? "no answer"))") }
    }

    func copy(to target: String) throws(StoreError) -> Bool {
        TemporaryFiles.removeLeftovers(inFolder: Files.folder(of: target))
        let temporary = TemporaryFiles.path(for: target)
        let leftovers = [temporary] + TemporaryFiles.companions.map { temporary + $0 }
        for leftover in leftovers { try? Files.remove(leftover) }
        do throws(StoreError) {
            try SQLiteRowStore.makeEmpty(temporary, subject: "the backup")
            do {
                // The copy is closed, and so complete, at the end of this statement.
                try connection.copy(to: SQLiteConnection(temporary))
            } catch {
                throw SQLiteRowStore.storeError(error, path: temporary)
            }
            try storing(subject: "the backup") { () throws(FileError) in
                try OpenFile(temporary, .updating).synchronize()
            }
            try storing { () throws(FileError) in try Files.rename(temporary, to: target) }
        } catch {
            for leftover in leftovers { try? Files.remove(leftover) }
            var error = error
            error.path = target
            throw error
        }
        for leftover in leftovers.dropFirst() { try? Files.remove(leftover) }
        try storing { () throws(FileError) in try Files.synchronizeFolder(Files.folder(of: target)) }
        return true
    }

    func gather(patience: Duration) throws(StoreError) {
        do {
            connection.wait(upTo: patience)
            defer { connection.wait(upTo: SQLiteRowStore.patience) }
            var isKept = false
            try connection.forEachRow(of: "PRAGMA wal_checkpoint(TRUNCATE)") { isKept = $0.integer(0) != 0 }
            guard !isKept else { throw SQLiteError.busy }
        } catch {
            var error = SQLiteRowStore.storeError(error, path: path)
            error.message = "what was stored last is still in the log beside it: " + error.message
            error.hint = Advice(
                "it is stored, and the next command that changes something brings it in; until then copy the file together "
                    + "with the log"
            )
            throw error
        }
    }

    /// Lets tests make the disk "full": SQLite refuses to grow the file beyond `pages` pages.
    func limit(pages: Int) throws(StoreError) {
        do {
            try connection.run("PRAGMA max_page_count = \(pages)")
        } catch {
            throw SQLiteRowStore.storeError(error, path: path)
        }
    }

    private static func put(_ row: StoredRow, in connection: SQLiteConnection) throws(SQLiteError) {
        try connection.run(
            "INSERT OR REPLACE INTO rows (kind, key, revision, body) VALUES (?, ?, ?, ?)",
            values(row.name) + [.integer(Int64(bitPattern: row.revision)), .octets(row.body)]
        )
    }

    private static func values(_ name: RowName) -> [SQLiteValue] {
        [.integer(Int64(name.kind.rawValue)), .octets(name.key)]
    }

    private static func insert(_ slots: [KeySlot], in connection: SQLiteConnection) throws(SQLiteError) {
        for (number, slot) in slots.enumerated() {
            try connection.run(
                "INSERT INTO keySlots (slot, kind, parameters, wrapped) VALUES (?, ?, ?, ?)",
                [
                    .integer(Int64(number)), .integer(Int64(slot.kind)), .octets(slot.parameters),
                    .octets(slot.wrapped),
                ]
            )
        }
    }

    /// Reads as of one moment.
    private func read<Value>(_ body: () throws -> Value) throws(StoreError) -> Value {
        try reopenIfReplaced()
        do {
            return try connection.transaction(writes: false) {
                let found = try readHeader().lineage
                guard found == lineage ?? found else {
                    throw replaced("was replaced by another database while it was in use")
                }
                lineage = found
                let slots = try readKeySlots()
                if let knownSlots, slots != knownSlots { try onNewSlots(slots) }
                knownSlots = slots
                return try body()
            }
        } catch {
            throw SQLiteRowStore.storeError(error, path: path)
        }
    }

    private func readHeader() throws -> StoreHeader {
        var headers: [StoreHeader?] = []
        try connection.forEachRow(of: "SELECT lineage, revision FROM header") { row in
            let revision = UInt64(bitPattern: try integer(row, 1) as Int64)
            headers.append(Octets16(try octets(row, 0)).map { StoreHeader(lineage: $0, revision: revision) })
        }
        guard headers.count == 1, let header = headers[0] else { throw damaged("the header") }
        return header
    }

    private func name(_ row: SQLiteRow) throws(StoreError) -> RowName {
        guard let kind = RowKind(rawValue: try integer(row, 0)) else { throw damaged("a row of unknown kind") }
        return RowName(kind, key: try octets(row, 1))
    }

    private func storedRow(_ row: SQLiteRow) throws(StoreError) -> StoredRow {
        StoredRow(
            name: try name(row),
            revision: UInt64(bitPattern: try integer(row, 2) as Int64),
            body: try octets(row, 3)
        )
    }

    private func integer<Value: FixedWidthInteger>(_ row: SQLiteRow, _ column: Int) throws(StoreError) -> Value {
        guard let value = row.integer(column).flatMap({ Value(exactly: $0) }) else { throw damaged("a column") }
        return value
    }

    private func octets(_ row: SQLiteRow, _ column: Int) throws(StoreError) -> [UInt8] {
        guard let octets = row.octets(column) else { throw damaged("a column") }
        return octets
    }

    private func damaged(_ what: String) -> StoreError {
        .damaged(what, path: path)
    }
}

extension StoreError {
    /// The error for rows that are not those that the manifest lists.
    static func damagedSet(path: String?) -> StoreError {
        .damaged("the set of rows (some were removed, added, or replaced by older ones)", path: path)
    }

    /// The error for something that differs from what was written.
    static func damaged(_ what: String, path: String?) -> StoreError {
        StoreError(
            .damaged,
            "\(what) is damaged",
            hint: "restore a copy of the database; device keys made since an import exist nowhere else",
            path: path
        )
    }
}
