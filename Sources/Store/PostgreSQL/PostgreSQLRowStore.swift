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
        let header = "SELECT lineage, format FROM meshplan_networks WHERE name = $1"
        let slots = """
            SELECT s.kind, s.parameters, s.wrapped FROM meshplan_key_slots s
            JOIN meshplan_networks m ON m.lineage = s.lineage WHERE m.name = $1 ORDER BY s.slot
            """
        let name = SQLValue.text(network)
        let found = try PostgreSQLSchema.checkedRun([SQLStatement(header, name), SQLStatement(slots, name)], session)
        guard let row = found[0].rows.first else {
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
        firstSlots = try PostgreSQLRowStore.keySlots(found[1], session)
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
            _ = try connection.run([SQLStatement("BEGIN")] + connection.transactionSettings + beginning)
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
        let sql = "SELECT kind, parameters, wrapped FROM meshplan_key_slots WHERE lineage = $1 ORDER BY slot"
        return try PostgreSQLRowStore.keySlots(try session.run([SQLStatement(sql, .octets(lineage.bytes))])[0], session)
    }

    private static func keySlots(_ result: SQLResult, _ session: PostgreSQLSession) throws(StoreError) -> [KeySlot] {
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
        let sql = "SELECT kind, key, revision, body FROM meshplan_rows WHERE lineage = $1 ORDER BY kind, key"
        return try visit(SQLStatement(sql, .octets(lineage.bytes))) { row throws(StoreError) in
            try body(try storedRow(row))
        }
    }

    /// Visits the rows of a query, all as of one moment.
    ///
    /// - Returns: the header of the same moment.
    func visit(
        _ query: SQLStatement,
        _ body: (SQLRow) throws(StoreError) -> Void
    ) throws(StoreError) -> StoreHeader {
        var hasVisited = false
        var failure: StoreError?
        var breakage: PostgreSQLError?
        let header = try session.reconnecting { connection throws(PostgreSQLError) -> StoreHeader? in
            do throws(PostgreSQLError) {
                let beginning = [PostgreSQLRowStore.beginReading] + connection.transactionSettings + [headerQuery]
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
        let results = try session.reconnecting { connection throws(PostgreSQLError) in
            try connection.transact([headerQuery, query], beginning: PostgreSQLRowStore.beginReading)
        }
        let header = try required(try session.reading { () throws(PostgreSQLError) in try readHeader(results[0]) })
        var found: [RowName: StoredRow] = [:]
        for row in results[1].rows {
            let row = try storedRow(row)
            found[row.name] = row
        }
        return (header, names.compactMap { found[$0] })
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

    private func readHeader(_ result: SQLResult) throws(PostgreSQLError) -> StoreHeader? {
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

    private func storedRow(_ row: SQLRow) throws(StoreError) -> StoredRow {
        try session.reading { () throws(PostgreSQLError) in
            StoredRow(
                name: try rowName(row),
                revision: UInt64(bitPattern: try row.integer(2)),
                body: try row.octets(3)
            )
        }
    }

    func rowName(_ row: SQLRow) throws(PostgreSQLError) -> RowName {
        guard let kind = UInt8(exactly: try row.integer(0)).flatMap(RowKind.init(rawValue:)) else {
            throw PostgreSQLError(.shape, "a row of unknown kind")
        }
        return RowName(kind, key: try row.octets(1))
    }

    func checkLock() throws(StoreError) { try PostgreSQLLock.check(lineage, session) }
}
