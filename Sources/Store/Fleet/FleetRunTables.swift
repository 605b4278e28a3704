import MeshCore
import PostgreSQL

/// Where the tables with the runs of fleets are. The statements are the same everywhere; what differs is here.
protocol FleetRunTables {
    /// The place, for messages.
    var name: String { get }
    /// The present time in milliseconds since 1970, by the clock of the place, as an expression.
    var now: String { get }
    /// What makes a query lock the rows that it finds, so that nobody else changes them until the transaction ends.
    var locking: String { get }
    /// What makes a query lock the row that it finds as `j`, and pass over those that others have locked.
    var claiming: String { get }

    /// Runs statements as one transaction. The text of each names its values as `$1`, `$2`, …
    ///
    /// - Returns: the rows of each statement.
    /// - Throws: ``StoreError`` if the place cannot be reached or refuses. Then nothing was done, or it is not known
    ///   whether all was done.
    func transact(_ statements: [FleetStatement]) throws(StoreError) -> [[FleetRow]]

    /// Creates the tables that are missing. Several processes may do so at once.
    func create(_ statements: [FleetStatement]) throws(StoreError)

    /// Repeats a statement from time to time, over a connection of its own, as long as the result is referred to.
    func repeating(_ statement: FleetStatement, every interval: Duration) -> AnyObject?
}

/// A value of a statement: what both kinds of databases have.
enum FleetValue: Sendable {
    case integer(Int64)
    case text(String)
}

/// A statement, and how many columns its rows have.
struct FleetStatement: Sendable {
    var sql: String
    var values: [FleetValue]
    var columns: Int

    init(_ sql: String, _ values: [FleetValue] = [], columns: Int = 0) {
        self.sql = sql
        self.values = values
        self.columns = columns
    }
}

/// A row of the tables: numbers and texts.
struct FleetRow {
    /// A column.
    enum Column {
        case integer(Int64)
        case text(String)
        case other
    }

    private let columns: [Column]
    private let place: String

    init(_ columns: [Column], of place: String) {
        self.columns = columns
        self.place = place
    }

    /// A number; anything else in its place is damage.
    func integer(_ column: Int) throws(StoreError) -> Int64 {
        guard columns.indices.contains(column), case .integer(let value) = columns[column] else {
            throw .damaged("a row about a fleet's run", path: place)
        }
        return value
    }

    /// A text; anything else in its place is damage.
    func text(_ column: Int) throws(StoreError) -> String {
        guard columns.indices.contains(column), case .text(let value) = columns[column] else {
            throw .damaged("a row about a fleet's run", path: place)
        }
        return value
    }

    /// What a column with JSON holds; anything else in its place is damage.
    func fields(_ column: Int) throws(StoreError) -> FleetFields { try FleetFields(try text(column), of: place) }
}

/// The tables in a database that a team shares.
final class PostgreSQLFleetRunTables: FleetRunTables {
    private let session: PostgreSQLSession
    private var isWatched = false

    init(_ store: SharedStore) {
        session = PostgreSQLSession(store, name: store.name)
        session.patience = store.timing.writerPatience
        session.isWriting = true
    }

    var name: String { session.name }
    let now = "CAST(EXTRACT(EPOCH FROM now()) * 1000 AS bigint)"
    let locking = "FOR UPDATE"
    let claiming = "FOR UPDATE OF j SKIP LOCKED"

    func transact(_ statements: [FleetStatement]) throws(StoreError) -> [[FleetRow]] {
        if !isWatched {
            try session.watchPrimary()
            isWatched = true
        }
        let results = try session.transact(statements.map(PostgreSQLFleetRunTables.statement))
        return zip(statements, results).map { statement, result in
            result.rows.map { row in
                FleetRow(
                    (0..<statement.columns).map { column in
                        if let number = try? row.integer(column) { return .integer(number) }
                        if let text = try? row.text(column) { return .text(text) }
                        return .other
                    },
                    of: session.name
                )
            }
        }
    }

    func create(_ statements: [FleetStatement]) throws(StoreError) {
        for statement in statements {
            try session.runAgainAfterConflict([PostgreSQLFleetRunTables.statement(statement)])
        }
    }

    func repeating(_ statement: FleetStatement, every interval: Duration) -> AnyObject? {
        LockRenewal(session.address, every: interval, PostgreSQLFleetRunTables.statement(statement))
    }

    private static func statement(_ statement: FleetStatement) -> SQLStatement {
        var made = SQLStatement(statement.sql)
        made.parameters = statement.values.map { value in
            switch value {
            case .integer(let number): .integer(number)
            case .text(let text): .text(text)
            }
        }
        return made
    }
}
