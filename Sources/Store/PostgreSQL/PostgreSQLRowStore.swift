import MeshCore
import PostgreSQL

/// The rows of one network in a shared store.
///
/// A commit is one transaction in one round trip. It happens only if lineage, revision and fence are as expected. If
/// the connection breaks meanwhile, the store connects again, for as long as the patience of a writer lasts, and asks
/// the server what it has done.
final class PostgreSQLRowStore: RowStore {
    private let session: PostgreSQLSession
    private let lineage: Octets16
    private let localPath: String
    /// What is known of the rows while this lock is held.
    private var locked: (lock: PostgreSQLLock, header: StoreHeader, rows: LockedRows)?

    /// Opens the rows of an existing network.
    ///
    /// - Parameter localPath: the beginning of the paths of the files that this machine keeps about it.
    init(opening network: String, in store: SharedStore, localPath: String) throws(StoreError) {
        self.localPath = localPath
        session = PostgreSQLSession(store, name: store.name(of: network))
        try PostgreSQLSchema.check(session)
        let sql = "SELECT lineage, format FROM meshplan_networks WHERE name = $1"
        let found = try session.run([SQLStatement(sql, .text(network))])[0].rows
        guard let row = found.first else {
            throw StoreError(
                .missing,
                "there is no database of that network",
                hint: "check the address and the network's name",
                path: session.name
            )
        }
        let (octets, format) = try session.reading { () throws(PostgreSQLError) in
            (try row.octets(0), try row.integer(1))
        }
        guard format == Int64(RowCipher.format) else {
            throw StoreError(
                .newerFormat,
                "has format \(format), this program knows format \(RowCipher.format)",
                hint: "use the version of meshplan that the others use",
                path: session.name
            )
        }
        guard let lineage = Octets16(octets) else { throw .damaged("the header", path: session.name) }
        self.lineage = lineage
    }

    /// Creates a network with its rows, all or nothing.
    static func create(
        in store: SharedStore,
        network: String,
        lineage: Octets16,
        slots: [KeySlot],
        rows: [StoredRow],
        revision: UInt64
    ) throws(StoreError) {
        let session = PostgreSQLSession(store, name: store.name(of: network))
        try PostgreSQLSchema.check(session)
        session.patience = store.timing.writerPatience
        let beginning = creation(of: network, lineage: lineage, slots: slots, revision: revision)
        let batches = RowBatches.batches(of: rows)
        try session.reconnecting { connection throws(PostgreSQLError) in
            // An earlier attempt may have succeeded although its answer was lost.
            let sql = "SELECT name FROM meshplan_networks WHERE name = $1 AND lineage = $2"
            let there = SQLStatement(sql, .text(network), .octets(lineage.bytes))
            guard try connection.run([there])[0].rows.isEmpty else { return }
            _ = try connection.run(beginning)
            for batch in batches {
                _ = try connection.run([RowBatches.insertion(of: batch, into: lineage)])
            }
            _ = try connection.run([SQLStatement("COMMIT")])
        }
    }

    private static func creation(
        of network: String,
        lineage: Octets16,
        slots: [KeySlot],
        revision: UInt64
    ) -> [SQLStatement] {
        let lineage = SQLValue.octets(lineage.bytes)
        return [
            SQLStatement("BEGIN"),
            SQLStatement(
                "INSERT INTO meshplan_networks (name, lineage, format, revision, fence) VALUES ($1, $2, $3, $4, 0)",
                .text(network),
                lineage,
                .integer(Int64(RowCipher.format)),
                .integer(Int64(bitPattern: revision))
            ),
            SQLStatement(
                """
                INSERT INTO meshplan_locks (lineage, fence, expires, token, holder, host, process, operation, since)
                VALUES ($1, 0, NULL, $2, '', '', 0, '', 0)
                """,
                lineage,
                .octets([])
            ),
        ]
            + slots.enumerated().map { number, slot in
                SQLStatement(
                    """
                    INSERT INTO meshplan_key_slots (lineage, slot, kind, parameters, wrapped)
                    VALUES ($1, $2, $3, $4, $5)
                    """,
                    lineage,
                    .integer(Int64(number)),
                    .integer(Int64(slot.kind)),
                    .octets(slot.parameters),
                    .octets(slot.wrapped)
                )
            }
    }

    // MARK: Reading

    func keySlots() throws(StoreError) -> [KeySlot] {
        let sql = "SELECT kind, parameters, wrapped FROM meshplan_key_slots WHERE lineage = $1 ORDER BY slot"
        let rows = try session.run([SQLStatement(sql, .octets(lineage.bytes))])[0].rows
        return try session.reading { () throws(PostgreSQLError) in
            var slots: [KeySlot] = []
            for row in rows {
                guard let kind = UInt8(exactly: try row.integer(0)) else {
                    throw PostgreSQLError(.shape, "a key slot of unknown kind")
                }
                slots.append(KeySlot(kind: kind, parameters: try row.octets(1), wrapped: try row.octets(2)))
            }
            return slots
        }
    }

    func scan(_ body: (StoredRow) throws(StoreError) -> Void) throws(StoreError) -> StoreHeader {
        let sql = "SELECT kind, key, revision, body FROM meshplan_rows WHERE lineage = $1 ORDER BY kind, key"
        return try visit(SQLStatement(sql, .octets(lineage.bytes))) { row throws(StoreError) in
            try body(try storedRow(row))
        }
    }

    /// Visits the rows of a query, all as of one moment.
    ///
    /// - Returns: the header of the same moment.
    private func visit(
        _ query: SQLStatement,
        _ body: (SQLRow) throws(StoreError) -> Void
    ) throws(StoreError) -> StoreHeader {
        var hasVisited = false
        var failure: StoreError?
        var breakage: PostgreSQLError?
        let header = try session.reconnecting { connection throws(PostgreSQLError) in
            do throws(PostgreSQLError) {
                let header = try readHeader(try connection.run([PostgreSQLRowStore.beginReading, headerQuery])[1])
                failure = try connection.forEachRow(of: query) { row throws(StoreError) in
                    hasVisited = true
                    try body(row)
                }
                if failure == nil { _ = try connection.run([SQLStatement("COMMIT")]) }
                return header
            } catch {
                // A caller who has seen half of the rows must not see them again.
                guard hasVisited else { throw error }
                breakage = error
                return nil
            }
        }
        if let failure { throw failure }
        if let breakage { throw session.storeError(breakage) }
        return try required(header)
    }

    func rows(named names: [RowName]) throws(StoreError) -> (header: StoreHeader, rows: [StoredRow]) {
        if let locked, let rows = locked.rows.rows(named: names) { return (locked.header, rows) }
        let sql = """
            SELECT r.kind, r.key, r.revision, r.body
            FROM meshplan_rows r JOIN unnest($2::bigint[], $3::bytea[]) AS n(kind, key)
                ON r.kind = n.kind AND r.key = n.key
            WHERE r.lineage = $1
            """
        let query = SQLStatement(
            sql,
            .octets(lineage.bytes),
            .integerList(names.map { Int64($0.kind.rawValue) }),
            .octetsList(names.map(\.key))
        )
        let results = try session.run([
            PostgreSQLRowStore.beginReading, headerQuery, query, SQLStatement("COMMIT"),
        ])
        let header = try required(try session.reading { () throws(PostgreSQLError) in try readHeader(results[1]) })
        var found: [RowName: StoredRow] = [:]
        for row in results[2].rows {
            let row = try storedRow(row)
            found[row.name] = row
        }
        return (header, names.compactMap { found[$0] })
    }

    func revisions(of names: [RowName]) throws(StoreError) -> [RowName: UInt64] {
        if let locked { return locked.rows.revisions(of: names) }
        let rows = try rows(named: names).rows
        return Dictionary(rows.map { ($0.name, $0.revision) }, uniquingKeysWith: { first, _ in first })
    }

    private static let beginReading = SQLStatement("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")

    private var headerQuery: SQLStatement {
        SQLStatement("SELECT revision, fence FROM meshplan_networks WHERE lineage = $1", .octets(lineage.bytes))
    }

    private func readHeader(_ result: SQLResult) throws(PostgreSQLError) -> StoreHeader? {
        guard let row = result.rows.first else { return nil }
        return StoreHeader(lineage: lineage, revision: UInt64(bitPattern: try row.integer(0)))
    }

    private func required(_ header: StoreHeader?) throws(StoreError) -> StoreHeader {
        if let header { return header }
        throw StoreError(
            .stale,
            "the network was removed from the database while it was in use",
            hint: "run the command again",
            path: session.name
        )
    }

    private func storedRow(_ row: SQLRow) throws(StoreError) -> StoredRow {
        try session.reading { () throws(PostgreSQLError) in
            StoredRow(
                name: try rowName(row),
                revision: UInt64(bitPattern: try row.integer(2)),
                body: try row.octets(3)
            )
        }
    }

    private func rowName(_ row: SQLRow) throws(PostgreSQLError) -> RowName {
        guard let kind = UInt8(exactly: try row.integer(0)).flatMap(RowKind.init(rawValue:)) else {
            throw PostgreSQLError(.shape, "a row of unknown kind")
        }
        return RowName(kind, key: try row.octets(1))
    }

    func checkLock() throws(StoreError) { try PostgreSQLLock.check(lineage, session) }

    // MARK: Writing

    func lock(_ holder: LockHolder, token: () -> [UInt8]) throws(StoreError) -> any StoreLock {
        let lock = try acquire(holder, token: token())
        var rows = LockedRows()
        let sql = """
            SELECT kind, key, revision, CASE WHEN kind = ANY ($2::bigint[]) THEN body END
            FROM meshplan_rows WHERE lineage = $1
            """
        let kinds = SQLValue.integerList(LockedRows.smallKinds.map { Int64($0.rawValue) }.sorted())
        let header = try visit(SQLStatement(sql, .octets(lineage.bytes), kinds)) { row throws(StoreError) in
            try session.reading { () throws(PostgreSQLError) in
                let name = try rowName(row)
                let body = row.isNull(3) ? nil : try row.octets(3)
                rows.add(name, revision: UInt64(bitPattern: try row.integer(2)), body: body)
            }
        }
        locked = (lock, header, rows)
        session.patience = session.timing.writerPatience
        lock.onRelease = { [weak self] in
            guard let self else { return }
            locked = nil
            session.patience = session.timing.readerPatience
        }
        return lock
    }

    /// Takes the lock. It may take it from a process of this machine that ended without releasing it, because it was
    /// killed or had no connection any more. The kernel has released that process's lock of the local file, so it has
    /// certainly ended.
    private func acquire(_ holder: LockHolder, token: [UInt8]) throws(StoreError) -> PostgreSQLLock {
        let local: FileLock
        do {
            local = try FileLock(of: localPath, holder)
        } catch {
            var error = error
            if error.code == .locked { error.path = session.name }
            throw error
        }
        do {
            return try PostgreSQLLock(of: lineage, session, holder, token: token, local: local)
        } catch {
            guard let abandoned = local.abandoned else { throw error }
            if error.code == .locked {
                // If that is not the lock that is held, nothing happens.
                try? PostgreSQLLock.end(abandoned, of: lineage, session)
                if let lock = try? PostgreSQLLock(of: lineage, session, holder, token: token, local: local) {
                    return lock
                }
            }
            try? local.note(abandoned)
            local.abandon()
            throw error
        }
    }

    func forceUnlock(_ lock: String) throws(StoreError) {
        try PostgreSQLLock.end(lock, of: lineage, session)
    }

    func commit(
        _ changes: RowChanges,
        expecting expected: StoreHeader,
        revision: UInt64,
        under lock: any StoreLock
    ) throws(StoreError) {
        guard let locked, locked.lock === lock else { throw notLocked() }
        do throws(StoreError) {
            try transact(expecting: expected, revision: revision, fence: locked.lock.fence) { new in
                RowBatches.puts(changes.puts, new) + RowBatches.deletes(changes.deletes, new)
                    + (changes.slots.map { RowBatches.replacement(of: $0, new) } ?? [])
            }
        } catch {
            // A command that has waited in vain ends. It must not wait again for each question on the way out.
            if error.code == .unreachable { session.patience = .zero }
            throw error
        }
        self.locked?.rows.apply(changes)
    }

    /// Carries out one transaction if lineage, revision and fence are as expected. After a broken connection it finds
    /// out whether the transaction happened.
    private func transact(
        expecting expected: StoreHeader,
        revision: UInt64,
        fence: Int64,
        _ writes: (RowBatches.Guard) -> [SQLStatement]
    ) throws(StoreError) {
        guard expected.lineage == lineage else { throw stale() }
        let new = RowBatches.Guard(lineage: lineage, revision: revision, fence: fence)
        let statements = RowBatches.transaction(writes(new), from: expected.revision, to: new)
        let isStored = try session.reconnecting { connection throws(PostgreSQLError) in
            if try connection.run(statements)[1].count == 1 { return true }
            // An earlier attempt may have succeeded although its answer was lost. Nobody else can have written that
            // revision under this fence.
            guard let row = try connection.run([headerQuery])[0].rows.first else { return false }
            let (present, holding) = (try row.integer(0), try row.integer(1))
            return present == Int64(bitPattern: revision) && holding == fence
        }
        guard isStored else { throw try locked?.lock.loss(session) ?? stale() }
        locked?.header.revision = revision
    }

    private func notLocked() -> StoreError {
        StoreError(.notLocked, "the lock of the database is not held", path: session.name)
    }

    private func stale() -> StoreError {
        StoreError(
            .stale,
            "the database was changed in the meantime",
            hint: "run the command again, it will see the new state",
            path: session.name
        )
    }
}
