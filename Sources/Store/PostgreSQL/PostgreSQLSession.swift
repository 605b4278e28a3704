import PostgreSQL

/// A connection that is made when needed, and made again when it breaks.
final class PostgreSQLSession {
    var name: String
    let clock: StoreClock
    let timing: LockTiming
    let address: PostgreSQLAddress
    /// For how long to look for the server again, once it was found, or for the next of several.
    var patience: Duration
    private(set) var hasConnected = false
    private var connection: PostgreSQLConnection?
    /// Which server the connection leads to, once that was asked.
    private var identity: ServerIdentity?
    private let kept: KeptConnection
    /// What ends the waiting for a server when another one is promoted; nil while nothing is written.
    var watch: PrimaryWatch? {
        didSet { connection?.interrupt = watch?.interrupt }
    }

    init(_ store: SharedStore, name: String) {
        self.name = name
        clock = store.clock
        timing = store.timing
        address = store.address
        patience = store.timing.readerPatience
        kept = store.kept
    }

    deinit {
        guard address.isOfPrimary, let connection, connection.isIdle else { return }
        connection.interrupt = nil
        kept.put(connection, identity, at: clock.now())
    }

    /// Whether there is a connection that is not known to be broken.
    var isConnected: Bool { connection?.isBroken == false }

    /// Whether it is used to write. Then, of several servers of the address, it takes the one that was promoted last,
    /// and none that a promotion has left behind. So does a reader, unless the address asks for standbys.
    var isWriting = false {
        didSet {
            if isWriting, !oldValue, !address.isOfPrimary { connection = nil }
        }
    }

    func connected() throws(PostgreSQLError) -> PostgreSQLConnection {
        if let connection, !connection.isBroken { return connection }
        connection = nil
        identity = nil
        watch?.clear()
        let fresh =
            if !hasConnected, address.isOfPrimary, let former = kept.take(&identity, at: clock.now()) {
                former
            } else if isWriting || address.isOfPrimary {
                try PostgreSQLConnection.toPrimary(of: address)
            } else {
                try PostgreSQLConnection(address)
            }
        fresh.interrupt = watch?.interrupt
        connection = fresh
        hasConnected = true
        return fresh
    }

    /// Runs statements that may run twice without harm.
    @discardableResult
    func run(_ statements: [SQLStatement]) throws(StoreError) -> [SQLResult] {
        try reconnecting { connection throws(PostgreSQLError) in try connection.run(statements) }
    }

    /// Runs statements that may run twice without harm, as one transaction.
    func transact(_ statements: [SQLStatement]) throws(StoreError) -> [SQLResult] {
        try reconnecting { connection throws(PostgreSQLError) in try connection.transact(statements) }
    }

    /// Runs statements as ``transact(_:)`` does, and finds out in the same round trip which server that was.
    func transactIdentified(
        _ statements: [SQLStatement],
        beginning: SQLStatement = SQLStatement("BEGIN")
    ) throws(StoreError) -> [SQLResult] {
        try reconnecting { connection throws(PostgreSQLError) -> [SQLResult] in
            let isSilent = identity.map { $0.origin == nil } ?? false
            if !isSilent {
                do throws(PostgreSQLError) {
                    let asking = [PostgreSQLConnection.originQuery] + statements
                    let results = try connection.transact(asking, beginning: beginning)
                    identity = try PostgreSQLConnection.origin(results[0])
                    return Array(results.dropFirst())
                } catch {
                    // Perhaps it was only that question which the server refused.
                    guard error.kind == .refused, !error.isConflict else { throw error }
                }
            }
            let results = try connection.transact(statements, beginning: beginning)
            if !isSilent { identity = try connection.findOrigin() }
            return results
        }
    }

    /// Which history the server goes on with; nil if it does not say.
    func findOrigin() throws(StoreError) -> StoreOrigin? {
        // A primary stays on its timeline as long as it runs. A standby may be promoted.
        if isConnected, let identity, !identity.isStandby { return identity.origin }
        return try reconnecting { connection throws(PostgreSQLError) -> StoreOrigin? in
            let found = try connection.findOrigin()
            identity = found
            return found.origin
        }
    }

    /// Runs statements as ``run(_:)`` does, and again if somebody else did the same at the same time.
    func runAgainAfterConflict(_ statements: [SQLStatement]) throws(StoreError) {
        _ = try reconnecting { connection throws(PostgreSQLError) in
            do throws(PostgreSQLError) {
                return try connection.run(statements)
            } catch {
                // Somebody created the table, its type, or its row in the catalogue between our check and our
                // statement.
                guard ["23505", "42P07", "42710", "XX000"].contains(error.state) else { throw error }
                return try connection.run(statements)
            }
        }
    }

    /// Calls `body` with the connection, and again with a new one while it breaks and the patience lasts.
    ///
    /// - Throws: the ``StoreError`` for the last error of `body`.
    func reconnecting<Value>(
        _ body: (PostgreSQLConnection) throws(PostgreSQLError) -> Value
    ) throws(StoreError) -> Value {
        var retry = Retry(clock, patience: patience)
        while true {
            do throws(PostgreSQLError) {
                return try body(try connected())
            } catch {
                // Of several servers, or those behind a proxy, one may be about to take over just now.
                guard hasConnected || !address.eachServer.isEmpty || error.isDropped,
                    retry.isWorthwhile(after: error, isWriting: isWriting)
                else {
                    throw storeError(error)
                }
                // Behind a pooler, or a name that moves, another server may accept changes.
                if error.isOfStandby { connection = nil }
            }
        }
    }

    /// Reads values out of rows. Unexpected contents become an error that says the database is damaged.
    func reading<Value>(_ body: () throws(PostgreSQLError) -> Value) throws(StoreError) -> Value {
        do throws(PostgreSQLError) {
            return try body()
        } catch {
            throw storeError(error)
        }
    }

    /// From now on looks whether another of several servers is promoted.
    ///
    /// - Throws: ``StoreError/Code/unreachable`` and others if the server cannot be asked who it is.
    func watchPrimary() throws(StoreError) {
        guard watch == nil, !address.eachServer.isEmpty else { return }
        watch = PrimaryWatch(address, every: timing.watch, since: try findOrigin())
    }

    func close() {
        connection = nil
    }
}

/// A connection that nobody uses at the moment. A command that asks several questions connects only once.
final class KeptConnection {
    private var connection: PostgreSQLConnection?
    private var identity: ServerIdentity?
    private var moment = Duration.zero
    /// Whatever is between us and the server may have dropped one that was idle for longer.
    private static let lifetime = Duration.seconds(10)
    /// What the question for the names of networks has told about the only one.
    var opening: SharedOpening?

    /// Keeps a connection, and what is known of its server. The one before, if there is one, ends.
    func put(_ connection: PostgreSQLConnection, _ identity: ServerIdentity?, at now: Duration) {
        (self.connection, self.identity, moment) = (connection, identity, now)
    }

    /// Hands out the connection.
    func take(_ identity: inout ServerIdentity?, at now: Duration) -> PostgreSQLConnection? {
        defer { connection = nil }
        guard let connection, now - moment <= KeptConnection.lifetime else { return nil }
        identity = self.identity
        return connection
    }
}

/// How often and for how long to try again.
struct Retry {
    private let clock: StoreClock
    private let end: Duration
    private var pause = Duration.milliseconds(100)
    private var conflicts = 0

    init(_ clock: StoreClock, patience: Duration) {
        self.clock = clock
        end = clock.now() + patience
    }

    /// Waits before the next attempt; false if another attempt cannot help or the wait was cut short.
    mutating func isWorthwhile(after error: PostgreSQLError, isWriting: Bool) -> Bool {
        if error.isConflict {
            conflicts += 1
            return conflicts <= 10 && clock.wait(.milliseconds(10 * conflicts))
        }
        guard error.kind == .connection || (error.isOfStandby && isWriting), !error.isLasting else { return false }
        guard clock.now() < end, clock.wait(pause) else { return false }
        pause = min(pause * 2, .seconds(4))
        return true
    }
}

extension PostgreSQLError {
    /// Whether the server is a standby, which accepts no changes.
    fileprivate var isOfStandby: Bool { state == "25006" }

    /// Whether trying again cannot help: our identity, and whether the database exists, will not change by themselves.
    fileprivate var isLasting: Bool { state?.hasPrefix("28") == true || state == "3D000" || state == "42501" }
}
