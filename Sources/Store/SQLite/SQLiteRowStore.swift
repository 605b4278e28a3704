import GRDB
import MeshCore
import SystemLayer

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Rows in one SQLite file, in write-ahead-log mode with `synchronous=FULL`. A commit is on the disk when it returns,
/// and readers are never blocked.
final class SQLiteRowStore: RowStore {
    /// "MshP", the mark in the file header of every mesh database.
    static let applicationIdentifier: UInt32 = 0x4D73_6850

    private let queue: DatabaseQueue
    private let path: String
    private let identity: [UInt64]

    /// Opens an existing database. It checks the first octets before, so nothing foreign is ever touched.
    init(opening path: String) throws(StoreError) {
        try SQLiteFileCheck.check(path)
        do throws(FileError) {
            try Files.checkWritable(Files.folder(of: path))
            try Files.checkWritable(path)
        } catch {
            throw StoreError(
                .readOnly,
                error.trouble == .readOnly
                    ? "lies on a read-only file system" : "cannot be written to, or its folder cannot",
                hint: "give your user write permission on the file and on its folder, or copy both elsewhere",
                path: path
            )
        }
        identity = try storing { () throws(FileError) in try FileStatus.of(path) }?.identity ?? []
        self.path = path
        do {
            queue = try DatabaseQueue(path: path, configuration: SQLiteRowStore.configuration)
        } catch {
            throw SQLiteRowStore.storeError(error, path: path)
        }
        OpenDatabaseFiles.add(identity)
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
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            try queue.writeWithoutTransaction { database in
                try database.execute(sql: "PRAGMA page_size = 8192")
                try database.execute(sql: "PRAGMA application_id = \(applicationIdentifier)")
                try database.execute(sql: "PRAGMA user_version = \(RowCipher.format)")
                try database.inTransaction {
                    try database.execute(sql: schema)
                    try database.execute(
                        sql: "INSERT INTO header (lineage, revision) VALUES (?, ?)",
                        arguments: [Data(lineage.bytes), Int64(bitPattern: revision)]
                    )
                    try insert(slots, in: database)
                    for row in rows { try put(row, in: database) }
                    return .commit
                }
                try database.execute(sql: "PRAGMA journal_mode = WAL")
            }
            try queue.close()
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

    private static let schema = """
        CREATE TABLE header (lineage BLOB NOT NULL, revision INTEGER NOT NULL);
        CREATE TABLE keySlots (
            slot INTEGER PRIMARY KEY, kind INTEGER NOT NULL, parameters BLOB NOT NULL, wrapped BLOB NOT NULL
        );
        CREATE TABLE rows (
            kind INTEGER NOT NULL, key BLOB NOT NULL, revision INTEGER NOT NULL, body BLOB NOT NULL,
            PRIMARY KEY (kind, key)
        ) WITHOUT ROWID;
        """

    /// How long to wait for a busy database, in seconds.
    private static let patience = 10.0

    private static var configuration: Configuration {
        var configuration = Configuration()
        // Readers and the writer do not block one another. The wait is for moments of recovery and checkpoint.
        configuration.busyMode = .timeout(patience)
        configuration.prepareDatabase { database in
            try database.execute(sql: "PRAGMA synchronous = FULL")
            // On Darwin, SQLite uses F_FULLFSYNC only on request. Other systems ignore both settings.
            try database.execute(sql: "PRAGMA fullfsync = 1")
            try database.execute(sql: "PRAGMA checkpoint_fullfsync = 1")
        }
        return configuration
    }

    func keySlots() throws(StoreError) -> [KeySlot] {
        try read { database in
            try Row.fetchAll(database, sql: "SELECT kind, parameters, wrapped FROM keySlots ORDER BY slot").map { row in
                KeySlot(kind: try integer(row, 0), parameters: try octets(row, 1), wrapped: try octets(row, 2))
            }
        }
    }

    func scan(_ body: (StoredRow) throws(StoreError) -> Void) throws(StoreError) -> StoreHeader {
        try read { database in
            let header = try readHeader(database)
            let sql = "SELECT kind, key, revision, body FROM rows ORDER BY kind, key"
            let rows = try Row.fetchCursor(try database.cachedStatement(sql: sql))
            while let row = try rows.next() { try body(try storedRow(row)) }
            return header
        }
    }

    func rows(named names: [RowName]) throws(StoreError) -> (header: StoreHeader, rows: [StoredRow]) {
        try read { database in
            let header = try readHeader(database)
            let sql = "SELECT kind, key, revision, body FROM rows WHERE kind = ? AND key = ?"
            let statement = try database.cachedStatement(sql: sql)
            var found: [StoredRow] = []
            for name in names {
                let arguments: StatementArguments = [name.kind.rawValue, Data(name.key)]
                if let row = try Row.fetchOne(statement, arguments: arguments) { found.append(try storedRow(row)) }
            }
            return (header, found)
        }
    }

    func lock(_ holder: LockHolder, token: () -> [UInt8]) throws(StoreError) -> any StoreLock {
        try FileLock(of: path, holder)
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
        try transaction(expecting: expected, revision: revision, erases: changes.slots != nil) { database in
            for row in changes.puts { try SQLiteRowStore.put(row, in: database) }
            let delete = try database.cachedStatement(sql: "DELETE FROM rows WHERE kind = ? AND key = ?")
            for name in changes.deletes {
                try delete.execute(arguments: [name.kind.rawValue, Data(name.key)])
            }
            guard let slots = changes.slots else { return }
            try database.execute(sql: "DELETE FROM keySlots")
            try SQLiteRowStore.insert(slots, in: database)
        }
    }

    /// Runs `body` in a transaction if the store is at `expected`, and sets the revision.
    ///
    /// - Parameter erases: whether to overwrite with zeros what is deleted from the file, and to empty the log. The log
    ///   is emptied as soon as no other process reads any more, at the latest when the last one closes the database.
    private func transaction(
        expecting expected: StoreHeader,
        revision: UInt64,
        erases: Bool,
        _ body: (Database) throws -> Void
    ) throws(StoreError) {
        guard try storing({ () throws(FileError) in try FileStatus.of(path) })?.identity == identity else {
            throw StoreError(
                .stale,
                "the file was replaced or removed while it was in use",
                hint: "run the command again",
                path: path
            )
        }
        do {
            try queue.writeWithoutTransaction { database in
                if erases { try database.execute(sql: "PRAGMA secure_delete = ON") }
                try database.inTransaction(.immediate) {
                    guard try readHeader(database) == expected else {
                        throw StoreError(
                            .stale,
                            "the database was changed in the meantime",
                            hint: "run the command again, it will see the new state",
                            path: path
                        )
                    }
                    try body(database)
                    let update = try database.cachedStatement(sql: "UPDATE header SET revision = ?")
                    try update.execute(arguments: [Int64(bitPattern: revision)])
                    return .commit
                }
                // The transaction is done. If a reader keeps the log from being emptied now, that undoes nothing.
                if erases { SQLiteRowStore.emptyLog(of: database) }
            }
        } catch {
            throw SQLiteRowStore.storeError(error, path: path)
        }
    }

    func checkIntegrity() throws(StoreError) {
        let complaints = try read { try String.fetchAll($0, sql: "PRAGMA integrity_check(1)") }
        guard complaints == ["ok"] else { throw damaged("the file (\(complaints.first ?? "no answer"))") }
    }

    func copy(to target: String) throws(StoreError) -> Bool {
        let temporary = "\(target).new-\(ThisProcess.number)"
        let leftovers = [temporary, temporary + "-journal", temporary + "-wal", temporary + "-shm"]
        for leftover in leftovers { try? Files.remove(leftover) }
        do throws(StoreError) {
            try SQLiteRowStore.makeEmpty(temporary, subject: "the backup")
            do {
                let copy = try DatabaseQueue(path: temporary)
                try queue.backup(to: copy)
                try copy.close()
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

    /// Lets tests make the disk "full": SQLite refuses to grow the file beyond `pages` pages.
    func limit(pages: Int) throws(StoreError) {
        do {
            try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA max_page_count = \(pages)") }
        } catch {
            throw SQLiteRowStore.storeError(error, path: path)
        }
    }

    private static func put(_ row: StoredRow, in database: Database) throws {
        let sql = "INSERT OR REPLACE INTO rows (kind, key, revision, body) VALUES (?, ?, ?, ?)"
        try database.cachedStatement(sql: sql).execute(arguments: [
            row.name.kind.rawValue, Data(row.name.key), Int64(bitPattern: row.revision), Data(row.body),
        ])
    }

    /// Waits half a second for readers. What they still hold is erased when they close.
    private static func emptyLog(of database: Database) {
        try? database.execute(sql: "PRAGMA busy_timeout = 500")
        _ = try? Row.fetchOne(database, sql: "PRAGMA wal_checkpoint(TRUNCATE)")
        try? database.execute(sql: "PRAGMA busy_timeout = \(Int(patience * 1000))")
    }

    private static func insert(_ slots: [KeySlot], in database: Database) throws {
        for (number, slot) in slots.enumerated() {
            try database.execute(
                sql: "INSERT INTO keySlots (slot, kind, parameters, wrapped) VALUES (?, ?, ?, ?)",
                arguments: [number, slot.kind, Data(slot.parameters), Data(slot.wrapped)]
            )
        }
    }

    private func read<Value>(_ body: (Database) throws -> Value) throws(StoreError) -> Value {
        do {
            return try queue.read(body)
        } catch {
            throw SQLiteRowStore.storeError(error, path: path)
        }
    }

    private func readHeader(_ database: Database) throws -> StoreHeader {
        let statement = try database.cachedStatement(sql: "SELECT lineage, revision FROM header")
        let rows = try Row.fetchAll(statement)
        guard rows.count == 1, let lineage = Octets16(try octets(rows[0], 0)) else { throw damaged("the header") }
        return StoreHeader(lineage: lineage, revision: UInt64(bitPattern: try integer(rows[0], 1) as Int64))
    }

    private func storedRow(_ row: Row) throws -> StoredRow {
        guard let kind = RowKind(rawValue: try integer(row, 0)) else { throw damaged("a row of unknown kind") }
        return StoredRow(
            name: RowName(kind, key: try octets(row, 1)),
            revision: UInt64(bitPattern: try integer(row, 2) as Int64),
            body: try octets(row, 3)
        )
    }

    private func integer<Value: FixedWidthInteger>(_ row: Row, _ column: Int) throws -> Value {
        let stored: DatabaseValue = row[column]
        guard case .int64(let value) = stored.storage, let integer = Value(exactly: value) else {
            throw damaged("a column")
        }
        return integer
    }

    private func octets(_ row: Row, _ column: Int) throws -> [UInt8] {
        try row.withUnsafeData(atIndex: column) { data in
            guard let data else { throw damaged("a column") }
            return [UInt8](data)
        }
    }

    private func damaged(_ what: String) -> StoreError {
        .damaged(what, path: path)
    }
}

extension StoreError {
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
