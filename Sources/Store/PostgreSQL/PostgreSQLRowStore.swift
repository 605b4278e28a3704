import MeshCore
import PostgreSQL

/// The rows of one network in a shared store.
///
/// A commit is one transaction in one round trip. It happens only if lineage, revision and fence are as expected. If
/// the connection breaks meanwhile, the store connects again, for as long as the patience of a writer lasts, and asks
/// the server what it has done.
final class PostgreSQLRowStore: RowStore {
    let session: PostgreSQLSession
    let lineage: Octets16
    let localPath: String
    /// The key slots as they were when the store was opened, until somebody has asked for them.
    private var firstSlots: [KeySlot]?
    /// What was seen beside the last answers of the server; nil while the lock is held.
    var seen: SeenRows?
    /// What is known while this lock is held.
    var locked: LockedStore?
    /// Where promotions under the lock are told.
    var onPromotion: (Promotion) -> Void = { _ in }

    /// The rows of an existing network, over a connection that others use, too.
    init(_ session: PostgreSQLSession, lineage: Octets16, localPath: String) {
        self.session = session
        self.lineage = lineage
        self.localPath = localPath
    }

    /// Opens the rows of an existing network.
    ///
    /// - Parameter localPath: the beginning of the paths of the files that this machine keeps about it.
    init(opening network: String, in store: SharedStore, localPath: String) throws(StoreError) {
        self.localPath = localPath
        session = PostgreSQLSession(store, name: store.name(of: network))
        guard let opening = try PostgreSQLRowStore.opening(of: network, in: store, session) else {
            throw StoreError(
                .missing,
                "there is no database of that network",
                hint: "check the address and the network's name",
                path: session.name
            )
        }
        lineage = opening.lineage
        firstSlots = opening.slots
        seen = opening.seen
    }

    private static func opening(
        of network: String,
        in store: SharedStore,
        _ session: PostgreSQLSession
    ) throws(StoreError) -> SharedOpening? {
        if let opening = store.kept.opening, opening.network == network, opening.isFresh(at: store.clock.now()) {
            store.kept.opening = nil
            return opening
        }
        let results = try PostgreSQLSchema.checkedRun(SharedOpening.statements(of: network), session)
        return try SharedOpening(results[...], session)
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
        session.isWriting = true
        let beginning = creation(of: network, lineage: lineage, slots: slots, revision: revision)
        let batches = RowBatches.batches(of: rows)
        try session.reconnecting { connection throws(PostgreSQLError) in
            // An earlier attempt may have succeeded although its answer was lost.
            let sql = "SELECT name FROM meshplan_networks WHERE name = $1 AND lineage = $2"
            let there = SQLStatement(sql, .text(network), .octets(lineage.bytes))
            guard try connection.run([there])[0].rows.isEmpty else { return }
            _ = try connection.run([SQLStatement("BEGIN")] + PostgreSQLConnection.transactionSettings + beginning)
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

    func findLineage() throws(StoreError) -> Octets16 { lineage }

    func keySlots() throws(StoreError) -> [KeySlot] {
        if let slots = firstSlots {
            firstSlots = nil
            return slots
        }
        if let locked { return locked.slots }
        return try PostgreSQLRowStore.keySlots(try session.run([slotQuery])[0], session)
    }

    var slotQuery: SQLStatement {
        let sql = "SELECT kind, parameters, wrapped FROM meshplan_key_slots WHERE lineage = $1 ORDER BY slot"
        return SQLStatement(sql, .octets(lineage.bytes))
    }

    static func keySlots(_ result: SQLResult, _ session: PostgreSQLSession) throws(StoreError) -> [KeySlot] {
        try session.reading { () throws(PostgreSQLError) in
            var slots: [KeySlot] = []
            for row in result.rows {
                guard let kind = UInt8(exactly: try row.integer(0)) else {
                    throw PostgreSQLError(.shape, "a key slot of unknown kind")
                }
                slots.append(KeySlot(kind: kind, parameters: try row.octets(1), wrapped: try row.octets(2)))
            }
            return slots
        }
    }

    func scan(_ body: (StoredRow) throws(StoreError) -> Void) throws(StoreError) -> StoreHeader {
        if let locked {
            for row in locked.rows.all { try body(row) }
            return locked.header
        }
        seen = nil
        let sql = "SELECT kind, key, revision, body FROM meshplan_rows WHERE lineage = $1 ORDER BY kind, key"
        let moment = session.clock.now()
        var short: [StoredRow] = []
        let header = try visit(SQLStatement(sql, .octets(lineage.bytes))) { row throws(StoreError) in
            let row = try session.reading { () throws(PostgreSQLError) in try PostgreSQLRowStore.storedRow(row) }
            if SeenRows.kinds.contains(row.name.kind) { short.append(row) }
            try body(row)
        }
        see(short, header, at: moment)
        return header
    }

    /// Remembers rows as of a moment for the next questions.
    func see(
        _ rows: [StoredRow],
        _ header: StoreHeader,
        at moment: Duration,
        of kinds: Set<RowKind> = SeenRows.kinds
    ) {
        var seen = SeenRows(header: header, at: moment, of: kinds)
        for row in rows { seen.add(row) }
        self.seen = seen
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
        let header = try session.reconnecting { connection throws(PostgreSQLError) -> StoreHeader? in
            do throws(PostgreSQLError) {
                let settings = PostgreSQLConnection.transactionSettings
                let beginning = [PostgreSQLRowStore.beginReading] + settings + [headerQuery]
                let results: [SQLResult]
                (results, failure) = try connection.run(beginning, forEachRow: query, [SQLStatement("COMMIT")]) {
                    row throws(StoreError) in
                    hasVisited = true
                    try body(row)
                }
                return try failure == nil ? readHeader(results[beginning.count - 1]) : nil
            } catch {
                // A caller who has seen half of the rows must not see them again.
                guard hasVisited else { throw error }
                breakage = error
                return nil
            }
        }
        if let failure { throw failure }
        if let breakage {
            var error = session.storeError(breakage)
            error.isOfHalfAnswer = error.code == .unreachable
            throw error
        }
        return try required(header)
    }

    func rows(named names: [RowName]) throws(StoreError) -> (header: StoreHeader, rows: [StoredRow]) {
        if let locked { return (locked.header, locked.rows.rows(named: names)) }
        if let known = seen?.take(names, at: session.clock.now()) { return known }
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
        let results = try session.reconnecting { connection throws(PostgreSQLError) in
            try connection.transact([headerQuery, query], beginning: PostgreSQLRowStore.beginReading)
        }
        let header = try required(try session.reading { () throws(PostgreSQLError) in try readHeader(results[0]) })
        var found: [RowName: StoredRow] = [:]
        for row in results[1].rows {
            let row = try session.reading { () throws(PostgreSQLError) in try PostgreSQLRowStore.storedRow(row) }
            found[row.name] = row
        }
        return (header, names.compactMap { found[$0] })
    }

    func recentRows(named names: [RowName]) throws(StoreError) -> (header: StoreHeader, rows: [StoredRow]) {
        if locked == nil, let known = seen?.rows(named: names, at: session.clock.now()) { return known }
        return try rows(named: names)
    }

    func revisions(of names: [RowName]) throws(StoreError) -> [RowName: UInt64] {
        if let locked { return locked.rows.revisions(of: names) }
        let rows = try rows(named: names).rows
        return Dictionary(firstOf: rows.map { ($0.name, $0.revision) })
    }

    static let beginReading = SQLStatement("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")

    var headerQuery: SQLStatement {
        SQLStatement("SELECT revision, fence FROM meshplan_networks WHERE lineage = $1", .octets(lineage.bytes))
    }

    func readHeader(_ result: SQLResult) throws(PostgreSQLError) -> StoreHeader? {
        guard let row = result.rows.first else { return nil }
        return StoreHeader(lineage: lineage, revision: UInt64(bitPattern: try row.integer(0)))
    }

    func required(_ header: StoreHeader?) throws(StoreError) -> StoreHeader {
        if let header { return header }
        throw StoreError(
            .stale,
            "the network was removed from the database while it was in use",
            hint: "run the command again",
            path: session.name
        )
    }

    /// The row in the columns kind, key, revision and body.
    static func storedRow(_ row: SQLRow) throws(PostgreSQLError) -> StoredRow {
        guard let kind = UInt8(exactly: try row.integer(0)).flatMap(RowKind.init(rawValue:)) else {
            throw PostgreSQLError(.shape, "a row of unknown kind")
        }
        return StoredRow(
            name: RowName(kind, key: try row.octets(1)),
            revision: UInt64(bitPattern: try row.integer(2)),
            body: try row.octets(3)
        )
    }

    func checkLock() throws(StoreError) { try PostgreSQLLock.check(lineage, session) }
}
