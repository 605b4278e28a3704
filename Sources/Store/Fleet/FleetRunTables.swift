import MeshCore
import PostgreSQL

/// Where the tables with the runs of fleets are. The statements are the same everywhere; what differs is here.
protocol FleetRunTables {
    /// The place, for messages.
    var name: String { get }
    /// The present time in milliseconds since 1970, by the clock of the place, as an expression.
    var now: FleetSQL { get }
    /// What makes a query lock the rows that it finds, so that nobody else changes them until the transaction ends.
    var locking: FleetSQL { get }
    /// What makes a query lock the row that it finds as `j`, and pass over those that others have locked.
    var claiming: FleetSQL { get }

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

/// The text of a statement or a part of one. Only what stands in the source gets into it, and numbers: what a user or a
/// file says is a ``FleetValue``, which is bound.
struct FleetSQL: ExpressibleByStringInterpolation, Sendable {
    let text: String

    init(stringLiteral value: StaticString) { text = value.description }

    init(stringInterpolation: StringInterpolation) { text = stringInterpolation.text }

    /// Numbers, with commas between them.
    init(list numbers: some Collection<Int>) { text = numbers.map(String.init).joined(separator: ", ") }

    /// Takes no `String`, so that none is mistaken for SQL.
    struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        init(literalCapacity: Int, interpolationCount: Int) {}

        mutating func appendLiteral(_ literal: StaticString) { text += literal.description }

        mutating func appendInterpolation(_ part: FleetSQL) { text += part.text }

        mutating func appendInterpolation(_ number: some FixedWidthInteger) { text += "\(number)" }
    }
}

/// A statement, and how many columns its rows have.
struct FleetStatement: Sendable {
    var sql: FleetSQL
    var values: [FleetValue]
    var columns: Int

    init(_ sql: FleetSQL, _ values: [FleetValue] = [], columns: Int = 0) {
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
    /// Where it is, for messages.
    let place: String

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
    let now: FleetSQL = "CAST(EXTRACT(EPOCH FROM now()) * 1000 AS bigint)"
    let locking: FleetSQL = "FOR UPDATE"
    let claiming: FleetSQL = "FOR UPDATE OF j SKIP LOCKED"

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
        var made = SQLStatement(statement.sql.text)
        made.parameters = statement.values.map { value in
            switch value {
            case .integer(let number): .integer(number)
            case .text(let text): .text(text)
            }
        }
        return made
    }
}
