import MeshCore
import PostgreSQL

/// The lock of a network in a shared store: a row that says who holds it and until when, with a fence that grows with
/// every acquisition.
///
/// Only fence and token make writes safe. Every write names them. The next holder raises the fence, and has another
/// token even if a promotion has lost the last acquisition and its fence. The sign of life that a
/// thread gives from time to time only keeps others from taking over without need. A process that was stopped or cut
/// off for a while may lose the lock, but can never write after that.
final class PostgreSQLLock: StoreLock {
    let fence: Int64
    /// Distinguishes this acquisition from all others.
    let token: [UInt8]
    /// Called when the lock was released, with whether it was certainly ours to the last.
    var onRelease: (_ isOurs: Bool) -> Void = { _ in }
    private let lineage: Octets16
    private let session: PostgreSQLSession
    private var renewal: LockRenewal?
    private var isHeld = true
    /// Tells other processes of this machine who has the lock, and later, which one was not released.
    private let local: FileLock

    /// Takes the lock if nobody has it, or if its holder gave no sign of life for too long.
    ///
    /// - Parameters:
    ///   - token: distinguishes this acquisition from all others, so that it can be repeated.
    ///   - local: the lock of this machine's files about the network.
    ///   - queries: what to read in the same round trip, once the lock is held.
    /// - Returns: the lock, and the answers to the queries.
    static func take(
        of lineage: Octets16,
        _ session: PostgreSQLSession,
        _ holder: LockHolder,
        token: [UInt8],
        local: FileLock,
        then queries: [SQLStatement]
    ) throws(StoreError) -> (PostgreSQLLock, [SQLResult]) {
        let acquisition = [
            SQLStatement(
                """
                UPDATE meshplan_locks
                SET fence = CASE WHEN token = $2 THEN fence ELSE 1 + GREATEST(
                        fence, (SELECT n.fence FROM meshplan_networks n WHERE n.lineage = $1)
                    ) END, token = $2,
                    expires = now() + $3 * interval '1 millisecond',
                    holder = $4, host = $5, process = $6, operation = $7, since = $8
                WHERE lineage = $1 AND (expires IS NULL OR expires < now() OR token = $2)
                """,
                .octets(lineage.bytes),
                .octets(token),
                .integer(session.timing.expiry.milliseconds),
                .text(LockHolder.line(holder.user)),
                .text(LockHolder.line(holder.host)),
                .integer(Int64(holder.process)),
                .text(LockHolder.line(holder.operation)),
                .integer(holder.since.rawValue)
            ),
            raise(lineage),
            query(lineage),
        ]
        let results = try session.transactIdentified(acquisition + queries)
        guard let row = results[2].rows.first else {
            throw lost("the table meshplan_locks has no row of this network", session)
        }
        let found = try session.reading { () throws(PostgreSQLError) in try Found(row) }
        guard results[0].count == 1 else { throw found.refusal(session.name) }
        let lock = PostgreSQLLock(found, of: lineage, session, token: token, local: local)
        return (lock, Array(results.dropFirst(acquisition.count)))
    }

    private init(
        _ found: Found,
        of lineage: Octets16,
        _ session: PostgreSQLSession,
        token: [UInt8],
        local: FileLock
    ) {
        fence = found.fence
        self.token = token
        self.lineage = lineage
        self.session = session
        self.local = local
        try? local.note("\(found.fence) \(Hexadecimal.encode(token))")
        renewal = LockRenewal(
            session.address,
            every: session.timing.heartbeat,
            PostgreSQLLock.signOfLife(lineage, fence: found.fence, token, session.timing.expiry)
        )
    }

    /// The error that says who took the lock over; nil if it is still ours.
    func loss(_ session: PostgreSQLSession) throws(StoreError) -> StoreError? {
        guard let row = try session.run([PostgreSQLLock.query(lineage)])[0].rows.first else { return nil }
        let found = try session.reading { () throws(PostgreSQLError) in try Found(row) }
        guard found.fence != fence || found.token != token else { return nil }
        let isFree = found.remaining == nil
        let reason =
            isFree ? "it was taken away or released" : "it was taken over by \(found.holder.title)"
        return StoreError(
            .stale,
            "the lock was lost: \(reason)",
            hint:
                "run the command again when nobody else changes the network; it asks the nodes for everything that is "
                + "in doubt",
            path: session.name,
            holder: isFree ? nil : found.holder
        )
    }

    func release() {
        guard isHeld else { return }
        isHeld = false
        // Without a connection the lock ends by itself, or when another process of this machine takes it.
        let sql = "UPDATE meshplan_locks SET expires = NULL WHERE lineage = $1 AND fence = $2 AND token = $3"
        let statement = SQLStatement(sql, .octets(lineage.bytes), .integer(fence), .octets(token))
        var released: SQLResult?
        if session.isConnected, let connection = try? session.connected() {
            released = (try? connection.run([statement]))?.first
        }
        if released != nil { local.releaseNoted() } else { local.abandon() }
        renewal?.stop()
        renewal = nil
        onRelease(released?.count == 1)
    }

    deinit {
        release()
    }

    /// Takes the lock away from its holder.
    ///
    /// - Parameter lock: its fence; behind a space its token, if only that acquisition is meant.
    static func end(_ lock: String, of lineage: Octets16, _ session: PostgreSQLSession) throws(StoreError) {
        let words = lock.split(separator: " ")
        let token = words.count > 1 ? Hexadecimal.decode(String(words[1])) ?? [] : []
        guard let fence = words.first.flatMap({ Int64($0) }) else {
            throw StoreError(
                .notLocked,
                "there is no such lock",
                hint: "give the number of the lock; the error of a refused command shows it",
                path: session.name
            )
        }
        let results = try session.transact([
            SQLStatement(
                """
                UPDATE meshplan_locks SET fence = 1 + GREATEST(
                        fence, (SELECT n.fence FROM meshplan_networks n WHERE n.lineage = $1)
                    ), expires = NULL
                WHERE lineage = $1 AND fence = $2 AND expires IS NOT NULL AND (token = $3 OR octet_length($3) = 0)
                """,
                .octets(lineage.bytes),
                .integer(fence),
                .octets(token)
            ),
            raise(lineage),
            query(lineage),
        ])
        guard results[0].count != 1 else { return }
        guard let row = results[2].rows.first else {
            throw PostgreSQLLock.lost("the table meshplan_locks has no row of this network", session)
        }
        let found = try session.reading { () throws(PostgreSQLError) in try Found(row) }
        let present =
            found.remaining == nil ? "nobody holds it" : "lock \(found.fence) is held by \(found.holder.title)"
        throw StoreError(
            .notLocked,
            "lock \(fence) is not held: \(present)",
            hint: "give the number of the lock; the error of a refused command shows it",
            path: session.name
        )
    }

    /// Raises the fence that writes are compared with to that of the lock. It never falls, not even if the lock's table
    /// is an older one or has no row any more.
    private static func raise(_ lineage: Octets16) -> SQLStatement {
        SQLStatement(
            """
            UPDATE meshplan_networks SET fence = GREATEST(
                    fence, COALESCE((SELECT l.fence FROM meshplan_locks l WHERE l.lineage = $1), fence)
                )
            WHERE lineage = $1
            """,
            .octets(lineage.bytes)
        )
    }

    private static func query(_ lineage: Octets16) -> SQLStatement {
        SQLStatement(
            """
            SELECT fence, holder, host, process, operation, since,
                CAST(EXTRACT(EPOCH FROM (expires - now())) AS bigint), token
            FROM meshplan_locks WHERE lineage = $1
            """,
            .octets(lineage.bytes)
        )
    }

    private static func signOfLife(
        _ lineage: Octets16,
        fence: Int64,
        _ token: [UInt8],
        _ expiry: Duration
    ) -> SQLStatement {
        SQLStatement(
            """
            UPDATE meshplan_locks SET expires = now() + $3 * interval '1 millisecond'
            WHERE lineage = $1 AND fence = $2 AND token = $4 AND expires IS NOT NULL
            """,
            .octets(lineage.bytes),
            .integer(fence),
            .integer(expiry.milliseconds),
            .octets(token)
        )
    }
}

/// The contents of a lock's row.
private struct Found {
    var fence: Int64
    var holder: LockHolder
    /// For how many more seconds it lasts; nil if nobody has it.
    var remaining: Int64?
    var token: [UInt8]

    init(_ row: SQLRow) throws(PostgreSQLError) {
        fence = try row.integer(0)
        holder = LockHolder(
            user: LockHolder.line(try row.text(1)),
            host: LockHolder.line(try row.text(2)),
            process: Int32(truncatingIfNeeded: try row.integer(3)),
            operation: LockHolder.line(try row.text(4)),
            since: Timestamp(rawValue: try row.integer(5))
        )
        remaining = row.isNull(6) ? nil : try row.integer(6)
        token = try row.octets(7)
    }

    func refusal(_ name: String) -> StoreError {
        let rest = max(remaining ?? 0, 0)
        return StoreError(
            .locked,
            "is being changed by \(holder.title)",
            hint: """
                wait until that has ended; if its machine is gone, lock \(fence) ends by itself in \(rest) s, or with: \
                \(command: .unlock(fence))
                """,
            path: name,
            holder: holder
        )
    }
}

extension Duration {
    fileprivate var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1000 + attoseconds / 1_000_000_000_000_000
    }
}

/// Checks of the table of locks. Readers do not need the table. If it was dropped, or belongs to somebody else, the
/// first writer would be the first to notice.
extension PostgreSQLLock {
    /// Checks that the lock of a network could be taken, without taking it.
    ///
    /// - Throws: ``StoreError/Code/missing`` or ``StoreError/Code/notADatabase`` if nobody could take it, with a hint
    ///   what helps.
    static func check(_ lineage: Octets16, _ session: PostgreSQLSession) throws(StoreError) {
        let statement = SQLStatement(
            """
            SELECT fence, holder, host, process, operation, since, token, expires > now()
            FROM meshplan_locks WHERE lineage = $1
            """,
            .octets(lineage.bytes)
        )
        let rows: [SQLRow]
        do throws(StoreError) {
            rows = try session.run([statement])[0].rows
        } catch  where error.code == .missing && session.hasConnected {
            throw lost("the table meshplan_locks is gone", session)
        } catch  where error.code == .notADatabase {
            throw foreign(session)
        }
        guard let row = rows.first else { throw lost("the table meshplan_locks has no row of this network", session) }
        do throws(PostgreSQLError) {
            for column in [0, 3, 5] { _ = try row.integer(column) }
            for column in [1, 2, 4] { _ = try row.text(column) }
            _ = try row.octets(6)
        } catch {
            throw foreign(session)
        }
    }

    /// The error if the lock of a network has no table or no row.
    static func lost(_ what: String, _ session: PostgreSQLSession) -> StoreError {
        StoreError(
            .missing,
            "\(what), without which nobody can change the network",
            hint: "create it again with: \(command: .createStore("\(session.address)"))",
            path: session.name
        )
    }

    private static func foreign(_ session: PostgreSQLSession) -> StoreError {
        StoreError(
            .notADatabase,
            "the table meshplan_locks does not have meshplan's columns, so nobody can change the network",
            hint: """
                ask its owner to rename or drop it, then create meshplan's own with: \
                \(command: .createStore("\(session.address)"))
                """,
            path: session.name
        )
    }

    /// Creates missing locks. Each of them is free. Its fence goes on from that of the network, so that the next holder
    /// can be told from the last one.
    ///
    /// - Returns: whether any was missing.
    /// - Returns: whether any was missing.
    static func restore(in session: PostgreSQLSession) throws(StoreError) -> Bool {
        let missing = """
            FROM meshplan_networks n WHERE NOT EXISTS (SELECT 1 FROM meshplan_locks l WHERE l.lineage = n.lineage)
            """
        var isLost = false
        do throws(StoreError) {
            let found = try session.run([SQLStatement("SELECT n.lineage \(missing)")])[0].rows
            guard !found.isEmpty else { return false }
        } catch  where error.code == .missing && session.hasConnected {
            isLost = true
        } catch  where error.code == .notADatabase {
            throw foreign(session)
        }
        if isLost { for statement in PostgreSQLSchema.statements { try session.runAgainAfterConflict([statement]) } }
        let insertion = SQLStatement(
            """
            INSERT INTO meshplan_locks (lineage, fence, expires, token, holder, host, process, operation, since)
            SELECT n.lineage, n.fence, CAST(NULL AS timestamptz), CAST('' AS bytea), '', '', 0, '', 0 \(missing)
            ON CONFLICT DO NOTHING
            """
        )
        try session.runAgainAfterConflict([insertion])
        return true
    }
}
