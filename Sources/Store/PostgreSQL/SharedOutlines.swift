import MeshCore
import PostgreSQL

/// The names and revisions of the rows of several networks, read together in two round trips.
struct SharedOutlines {
    let session: PostgreSQLSession
    /// The networks; results are in this order.
    let lineages: [Octets16]

    /// What is read of a network beside the names.
    struct Network {
        var header: StoreHeader?
        /// The rows that were asked for and exist.
        var rows: [StoredRow] = []
        /// Whether it has a row of a kind that this program does not know.
        var hasUnknown = false
    }

    /// Visits the names of all rows, and then reads some rows whole, all as of one moment.
    ///
    /// - Parameters:
    ///   - body: called with the number of the network, and name and revision of a row, in no order.
    ///   - names: which rows of a network are wanted whole, once all names are known.
    func read(
        _ body: (Int, RowName, UInt64) throws(StoreError) -> Void,
        then names: (Int) -> [RowName]
    ) throws(StoreError) -> [Network] {
        var hasVisited = false
        var failure: StoreError?
        var breakage: PostgreSQLError?
        var networks = [Network](repeating: Network(), count: lineages.count)
        let (numbers, keys) = (
            SQLValue.integerList(lineages.indices.map(Int64.init)), SQLValue.octetsList(lineages.map(\.bytes))
        )
        try session.reconnecting { connection throws(PostgreSQLError) in
            do throws(PostgreSQLError) {
                let headers = SQLStatement(
                    """
                    SELECT n.number, m.revision FROM unnest($1::bigint[], $2::bytea[]) AS n(number, lineage)
                    JOIN meshplan_networks m ON m.lineage = n.lineage
                    """,
                    numbers,
                    keys
                )
                let beginning = [PostgreSQLRowStore.beginReading] + PostgreSQLConnection.transactionSettings + [headers]
                let outline = SQLStatement(
                    """
                    SELECT n.number, r.kind, r.key, r.revision
                    FROM unnest($1::bigint[], $2::bytea[]) AS n(number, lineage)
                    JOIN meshplan_rows r ON r.lineage = n.lineage
                    """,
                    numbers,
                    keys
                )
                let results: [SQLResult]
                (results, failure) = try connection.run(beginning, forEachRow: outline) { row throws(StoreError) in
                    hasVisited = true
                    let (number, name, revision) = try session.reading { () throws(PostgreSQLError) in
                        (try index(row), try rowName(row), UInt64(bitPattern: try row.integer(3)))
                    }
                    guard let number else { return }
                    if let name { try body(number, name, revision) } else { networks[number].hasUnknown = true }
                }
                guard failure == nil else { return }
                for row in results.last?.rows ?? [] {
                    guard let number = try index(row) else { continue }
                    let revision = UInt64(bitPattern: try row.integer(1))
                    networks[number].header = StoreHeader(lineage: lineages[number], revision: revision)
                }
                for (number, row) in try wanted(names, connection) { networks[number].rows.append(row) }
            } catch {
                // A caller who has seen half of the rows must not see them again.
                guard hasVisited else { throw error }
                breakage = error
            }
        }
        if let failure { throw failure }
        if let breakage {
            var error = session.storeError(breakage)
            error.isOfHalfAnswer = error.code == .unreachable
            throw error
        }
        return networks
    }

    private func wanted(
        _ names: (Int) -> [RowName],
        _ connection: PostgreSQLConnection
    ) throws(PostgreSQLError) -> [(Int, StoredRow)] {
        let all = lineages.indices.flatMap { number in names(number).map { (number, $0) } }
        let query = SQLStatement(
            """
            SELECT n.number, r.kind, r.key, r.revision, r.body
            FROM unnest($1::bigint[], $2::bytea[], $3::bigint[], $4::bytea[]) AS n(number, lineage, kind, key)
            JOIN meshplan_rows r ON r.lineage = n.lineage AND r.kind = n.kind AND r.key = n.key
            """,
            .integerList(all.map { Int64($0.0) }),
            .octetsList(all.map { lineages[$0.0].bytes }),
            .integerList(all.map { Int64($0.1.kind.rawValue) }),
            .octetsList(all.map(\.1.key))
        )
        var rows: [(Int, StoredRow)] = []
        for row in try connection.run([query, SQLStatement("COMMIT")]).first?.rows ?? [] {
            guard let number = try index(row), let name = try rowName(row) else { continue }
            let revision = UInt64(bitPattern: try row.integer(3))
            rows.append((number, StoredRow(name: name, revision: revision, body: try row.octets(4))))
        }
        return rows
    }

    /// The number of the network that a row belongs to; nil for one that was not asked for.
    private func index(_ row: SQLRow) throws(PostgreSQLError) -> Int? {
        Int(exactly: try row.integer(0)).flatMap { lineages.indices.contains($0) ? $0 : nil }
    }

    /// The name in the second and third column; nil for an unknown kind.
    private func rowName(_ row: SQLRow) throws(PostgreSQLError) -> RowName? {
        guard let kind = UInt8(exactly: try row.integer(1)).flatMap(RowKind.init(rawValue:)) else { return nil }
        return RowName(kind, key: try row.octets(2))
    }
}

extension PostgreSQLRowStore {
    func outline(
        _ body: (RowName, UInt64) throws(StoreError) -> Void,
        then names: () -> [RowName]
    ) throws(StoreError) -> (header: StoreHeader, rows: [StoredRow]) {
        let found = try SharedOutlines(session: session, lineages: [lineage]).read(
            { _, name, revision throws(StoreError) in try body(name, revision) },
            then: { _ in names() }
        )
        let header = try required(found[0].header)
        guard !found[0].hasUnknown else { throw .damaged("a row of unknown kind", path: session.name) }
        return (header, found[0].rows)
    }
}
