import MeshCore
import SystemLayer

/// The tables in a file, for the workers of one machine.
final class SQLiteFleetRunTables: FleetRunTables {
    /// "MshF", the mark in the header of such a file.
    static let applicationIdentifier: Int64 = 0x4D73_6846

    private let connection: SQLiteConnection
    private let path: String

    /// Opens the file, which is made if it may be.
    ///
    /// - Returns: nil if there is none and none is made.
    /// - Throws: ``StoreError`` if it is something else or cannot be used.
    init?(_ path: String, creating: Bool) throws(StoreError) {
        if try storing({ () throws(FileError) in try FileStatus.of(path) }) == nil {
            guard creating else { return nil }
            do throws(FileError) {
                // SQLite gives the mode of the file to those beside it, too.
                try OpenFile(path, .new, mode: 0o600, .create).changeMode(0o600)
            } catch {
                guard error.trouble == .exists else { throw StoreError(error, path: path) }
            }
        }
        self.path = path
        do {
            connection = try SQLiteFleetRunTables.connect(path)
            var mark: Int64 = 0
            try connection.forEachRow(of: "PRAGMA application_id") { mark = $0.integer(0) ?? 0 }
            var tables: Int64 = 0
            try connection.forEachRow(of: "SELECT count(*) FROM sqlite_master") { tables = $0.integer(0) ?? 0 }
            guard mark == SQLiteFleetRunTables.applicationIdentifier || (mark == 0 && tables == 0) else {
                throw SQLiteFleetRunTables.foreign(path)
            }
            if mark == 0 {
                try connection.run("PRAGMA application_id = \(SQLiteFleetRunTables.applicationIdentifier)")
            }
        } catch {
            let found = SQLiteRowStore.storeError(error, path: path)
            throw found.code == .notADatabase ? SQLiteFleetRunTables.foreign(path) : found
        }
    }

    private static func foreign(_ path: String) -> StoreError {
        StoreError(
            .notADatabase,
            "is not a file with the runs of a fleet",
            hint: "move it away; meshplan makes a new one",
            path: path
        )
    }

    private static func connect(_ path: String) throws(SQLiteError) -> SQLiteConnection {
        let connection = try SQLiteConnection(path, patience: .seconds(10))
        try connection.run("PRAGMA synchronous = FULL; PRAGMA fullfsync = 1")
        return connection
    }

    var name: String { path }
    let now: FleetSQL = "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)"
    // A transaction that writes has the whole file.
    let locking: FleetSQL = ""
    let claiming: FleetSQL = ""

    func transact(_ statements: [FleetStatement]) throws(StoreError) -> [[FleetRow]] {
        do {
            return try connection.transaction(writes: true) {
                try statements.map { try SQLiteFleetRunTables.run($0, connection, path) }
            }
        } catch {
            throw SQLiteRowStore.storeError(error, path: path)
        }
    }

    func create(_ statements: [FleetStatement]) throws(StoreError) { _ = try transact(statements) }

    func repeating(_ statement: FleetStatement, every interval: Duration) -> AnyObject? {
        FileRenewal(path, every: interval, statement)
    }

    fileprivate static func run(
        _ statement: FleetStatement,
        _ connection: SQLiteConnection,
        _ path: String
    ) throws -> [FleetRow] {
        let values = statement.values.map { value -> SQLiteValue in
            switch value {
            case .integer(let number): .integer(number)
            case .text(let text): .text(text)
            }
        }
        var rows: [FleetRow] = []
        // SQLite numbers names such as $2 by their first place in the text. No text holds a `$` but those of values.
        let sql = statement.sql.text.replacing(#/\$([0-9]+)/#) { "?\($0.1)" }
        try connection.forEachRow(of: sql, values) { row in
            rows.append(
                FleetRow(
                    (0..<statement.columns).map { column in
                        if let number = row.integer(column) { return .integer(number) }
                        if let text = row.text(column) { return .text(text) }
                        return .other
                    },
                    of: path
                )
            )
        }
        return rows
    }

    /// A thread with its own connection to the file. Nothing depends on it.
    private final class FileRenewal {
        private let pipe: StopPipe
        private var thread: BackgroundThread?

        init?(_ path: String, every interval: Duration, _ statement: FleetStatement) {
            guard let pipe = StopPipe() else { return nil }
            let stopped = pipe.reading
            let thread = BackgroundThread {
                while !StopPipe.isStopped(stopped, within: interval) {
                    guard let connection = try? SQLiteFleetRunTables.connect(path) else { continue }
                    _ = try? SQLiteFleetRunTables.run(statement, connection, path)
                }
            }
            guard let thread else { return nil }
            self.pipe = pipe
            self.thread = thread
        }

        deinit {
            pipe.stop()
            thread?.join()
        }
    }
}
