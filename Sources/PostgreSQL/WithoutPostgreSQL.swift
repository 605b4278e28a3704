#if !SharedState
/// What stands for a connection in a build without the trait `SharedState`, which does not link libpq. There is never
/// one.
package final class PostgreSQLConnection {
    private let unreachable: () -> Never

    /// What its owner sets at the beginning of each transaction.
    package var transactionSettings: [SQLStatement] = []
    /// Whether it broke.
    package var isBroken: Bool { unreachable() }

    /// Connects to no server.
    ///
    /// - Throws: ``PostgreSQLError/Kind/connection`` always.
    package init(
        _ address: PostgreSQLAddress,
        patience: Duration = .seconds(30),
        interrupt: Int32? = nil
    ) throws(PostgreSQLError) {
        throw PostgreSQLError(.connection, "this build has no PostgreSQL")
    }

    /// Runs nothing, since there is no connection.
    ///
    /// - Throws: nothing, since there is no connection.
    package func run(_ statements: [SQLStatement]) throws(PostgreSQLError) -> [SQLResult] { unreachable() }

    /// Finds nothing, since there is no connection.
    ///
    /// - Throws: nothing, since there is no connection.
    package func run<Failure: Error>(
        _ before: [SQLStatement] = [],
        forEachRow query: SQLStatement,
        _ after: [SQLStatement] = [],
        _ body: (SQLRow) throws(Failure) -> Void
    ) throws(PostgreSQLError) -> (results: [SQLResult], failure: Failure?) { unreachable() }
}
#endif
