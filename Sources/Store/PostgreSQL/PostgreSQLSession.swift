internal import PostgreSQL

/// A connection that is made when it is needed, and made again when it has broken.
final class PostgreSQLSession {
    /// What errors name.
    var name: String
    let clock: StoreClock
    let timing: LockTiming
    let address: PostgreSQLAddress
    /// How long the server is looked for once it was found.
    var patience: Duration
    /// Whether there ever was a connection.
    private(set) var hasConnected = false
    private var connection: PostgreSQLConnection?

    init(_ store: SharedStore, name: String) {
        self.name = name
        clock = store.clock
        timing = store.timing
        address = store.address
        patience = store.timing.readerPatience
    }

    /// Whether there is a connection that is not known to be broken.
    var isConnected: Bool { connection?.isBroken == false }

    /// The connection, made if there is none.
    func connected() throws(PostgreSQLError) -> PostgreSQLConnection {
        if let connection, !connection.isBroken { return connection }
        connection = nil
        let fresh = try PostgreSQLConnection(address)
        // A server that loses us in the middle of a transaction must not keep its locks for hours. Not all know it.
        _ = try? fresh.run([SQLStatement("SET idle_in_transaction_session_timeout = 20000")])
        connection = fresh
        hasConnected = true
        return fresh
    }

    /// Has the server carry out statements that may as well be carried out twice.
    @discardableResult
    func run(_ statements: [SQLStatement]) throws(StoreError) -> [SQLResult] {
        try reconnecting { connection throws(PostgreSQLError) in try connection.run(statements) }
    }

    /// As ``run(_:)``, and again if somebody else did the same at the same time.
    func runAgainAfterConflict(_ statements: [SQLStatement]) throws(StoreError) {
        _ = try reconnecting { connection throws(PostgreSQLError) in
            do throws(PostgreSQLError) {
                return try connection.run(statements)
            } catch {
                // The table, its type, or its row in the catalogue was made between our look and our own making.
                guard ["23505", "42P07", "42710", "XX000"].contains(error.state) else { throw error }
                return try connection.run(statements)
            }
        }
    }

    /// Calls `body` with the connection, and again with another one while it breaks and patience lasts.
    ///
    /// - Throws: what the error of `body` means.
    func reconnecting<Value>(
        _ body: (PostgreSQLConnection) throws(PostgreSQLError) -> Value
    ) throws(StoreError) -> Value {
        var retry = Retry(clock, patience: patience)
        while true {
            do throws(PostgreSQLError) {
                return try body(try connected())
            } catch {
                guard hasConnected, retry.isWorthwhile(after: error) else { throw storeError(error) }
            }
        }
    }

    /// What is read out of rows; what is not as it was written is damage.
    func reading<Value>(_ body: () throws(PostgreSQLError) -> Value) throws(StoreError) -> Value {
        do throws(PostgreSQLError) {
            return try body()
        } catch {
            throw storeError(error)
        }
    }

    /// Gives the connection up.
    func close() {
        connection = nil
    }
}

/// How often and for how long something is tried again.
struct Retry {
    private let clock: StoreClock
    private let end: Duration
    private var pause = Duration.milliseconds(100)
    private var conflicts = 0

    init(_ clock: StoreClock, patience: Duration) {
        self.clock = clock
        end = clock.now() + patience
    }

    /// Waits for a better moment; false if there is none to be expected, or nobody wants to wait.
    mutating func isWorthwhile(after error: PostgreSQLError) -> Bool {
        if error.isConflict {
            conflicts += 1
            return conflicts <= 10 && clock.wait(.milliseconds(10 * conflicts))
        }
        guard error.kind == .connection, !error.isLasting else { return false }
        guard clock.now() < end, clock.wait(pause) else { return false }
        pause = min(pause * 2, .seconds(4))
        return true
    }
}

extension PostgreSQLError {
    /// Whether trying again cannot help: who we are, or that there is such a database, will not change by itself.
    fileprivate var isLasting: Bool { state?.hasPrefix("28") == true || state == "3D000" || state == "42501" }
}
