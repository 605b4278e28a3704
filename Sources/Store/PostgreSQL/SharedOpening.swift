import MeshCore
import PostgreSQL

/// What one round trip tells about a network: all that is needed to open it, and the short rows that commands ask for
/// before they read everything.
struct SharedOpening {
    let network: String
    let lineage: Octets16
    let slots: [KeySlot]
    let seen: SeenRows

    /// The statements that ask for it.
    ///
    /// - Parameter network: the network's name; nil for the only one.
    static func statements(of network: String?) -> [SQLStatement] {
        let only = "(SELECT min(name) FROM meshplan_networks HAVING count(*) = 1)"
        let name = network.map { [SQLValue.text($0)] } ?? []
        func statement(_ sql: String, _ further: [SQLValue] = []) -> SQLStatement {
            var statement = SQLStatement(sql)
            statement.parameters = name + further
            return statement
        }
        let matches = "m.name = " + (network == nil ? only : "$1")
        let kinds = network == nil ? "$1" : "$2"
        let rows = "SELECT r.kind, r.key, r.revision, r.body FROM meshplan_rows r JOIN meshplan_networks m"
        let newest = [RowKind.run, .historyEntry].map { kind in
            """
            (\(rows) ON m.lineage = r.lineage WHERE \(matches) AND r.kind = \(kind.rawValue)
            ORDER BY r.key DESC LIMIT \(SeenRows.newestCount))
            """
        }
        let whole = "(\(rows) ON m.lineage = r.lineage WHERE \(matches) AND r.kind = ANY (\(kinds)::bigint[]))"
        return [
            statement("SELECT m.name, m.lineage, m.format, m.revision FROM meshplan_networks m WHERE \(matches)"),
            statement(
                """
                SELECT s.kind, s.parameters, s.wrapped FROM meshplan_key_slots s
                JOIN meshplan_networks m ON m.lineage = s.lineage WHERE \(matches) ORDER BY s.slot
                """
            ),
            statement(
                ([whole] + newest).joined(separator: " UNION ALL "),
                [.integerList(SeenRows.wholeKinds.map { Int64($0.rawValue) }.sorted())]
            ),
        ]
    }

    /// Reads the answers to ``statements(of:)``; nil if there is no such network.
    init?(_ results: ArraySlice<SQLResult>, _ session: PostgreSQLSession) throws(StoreError) {
        let results = Array(results)
        guard let row = results[0].rows.first else { return nil }
        let (octets, format, revision) = try session.reading { () throws(PostgreSQLError) in
            (try row.octets(1), try row.integer(2), UInt64(bitPattern: try row.integer(3)))
        }
        network = try session.reading { () throws(PostgreSQLError) in try row.text(0) }
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
        slots = try PostgreSQLRowStore.keySlots(results[1], session)
        var seen = SeenRows(header: StoreHeader(lineage: lineage, revision: revision), at: session.clock.now())
        for row in results[2].rows {
            let row = try session.reading { () throws(PostgreSQLError) in try PostgreSQLRowStore.storedRow(row) }
            seen.add(row)
        }
        seen.endNewest()
        self.seen = seen
    }

    /// Whether it may still be taken for the present.
    func isFresh(at now: Duration) -> Bool { seen.isFresh(at: now) }
}

/// Short rows as of one moment that a reader has got together with what it had asked for. Each answers one question,
/// soon after that moment. Whoever asks for the same again wants to know whether it has changed, and asks the server.
struct SeenRows {
    /// The kinds of which all rows are seen.
    static let wholeKinds: Set<RowKind> = [.manifest, .sequenceNumbers, .confirmation, .historyIndex]
    /// The kinds of which the newest rows are seen.
    private static let newestKinds: Set<RowKind> = [.run, .historyEntry]
    /// All of these kinds.
    static let kinds = wholeKinds.union(newestKinds)
    /// How many of each.
    static let newestCount = 16
    /// How long a moment counts as the present.
    private static let lifetime = Duration.seconds(2)

    private let header: StoreHeader
    private let moment: Duration
    private var rows: [RowName: StoredRow] = [:]
    /// The names that have answered a question.
    private var used: Set<RowName> = []
    /// For kinds with older rows that were not seen, the key of the oldest that was.
    private var oldest: [RowKind: [UInt8]] = [:]
    private let kinds: Set<RowKind>

    /// - Parameter kinds: the kinds that are seen.
    init(header: StoreHeader, at moment: Duration, of kinds: Set<RowKind> = SeenRows.kinds) {
        self.header = header
        self.moment = moment
        self.kinds = kinds
    }

    /// Adds a row, if it is of a kind that is seen.
    mutating func add(_ row: StoredRow) {
        if kinds.contains(row.name.kind) { rows[row.name] = row }
    }

    /// No more than the newest rows were added.
    mutating func endNewest() {
        for kind in SeenRows.newestKinds {
            let keys = rows.keys.filter { $0.kind == kind }.map(\.key)
            guard keys.count >= SeenRows.newestCount else { continue }
            oldest[kind] = keys.min { $0.lexicographicallyPrecedes($1) }
        }
    }

    func isFresh(at now: Duration) -> Bool { now - moment <= SeenRows.lifetime }

    /// The rows with those names that exist, and the header of the moment; nil if that has to be asked.
    mutating func take(_ names: [RowName], at now: Duration) -> (header: StoreHeader, rows: [StoredRow])? {
        guard used.isDisjoint(with: names), let found = rows(named: names, at: now) else { return nil }
        used.formUnion(names)
        return found
    }

    /// The rows with those names that exist, for those who do not ask whether something has changed; nil if that has to
    /// be asked.
    func rows(named names: [RowName], at now: Duration) -> (header: StoreHeader, rows: [StoredRow])? {
        guard isFresh(at: now), !names.isEmpty, names.allSatisfy(covers) else { return nil }
        return (header, names.compactMap { rows[$0] })
    }

    private func covers(_ name: RowName) -> Bool {
        guard kinds.contains(name.kind) else { return false }
        return oldest[name.kind].map { !name.key.lexicographicallyPrecedes($0) } ?? true
    }
}
