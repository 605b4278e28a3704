import MeshCore
import PostgreSQL

extension SharedStore {
    /// How many networks are read at once. Their names and key slots are in memory together, their rows are not.
    private static let summarySize = 4096

    /// What the databases of many networks hold, counted; see ``MeshDatabase/summary()``. A few round trips serve
    /// thousands of them.
    ///
    /// - Parameters:
    ///   - networks: their names, and the beginnings of the paths of the files that this machine keeps about them.
    ///   - open: opens the database of the network with that number; nil if nothing opens it.
    /// - Returns: those that are in order, by number. Who is missing has to be read alone, which tells why.
    /// - Throws: ``StoreError/Code/unreachable``, ``StoreError/Code/missing`` if there are no tables, and other codes
    ///   if the server fails as a whole.
    package func summaries(
        of networks: [(name: String, localPath: String)],
        opening open: (Int, SealedDatabase) -> MeshDatabase?
    ) throws(StoreError) -> [Int: DatabaseSummary] {
        do {
            return try summariesOnce(of: networks, opening: open)
        } catch {
            // Another server may have taken over.
            guard error.isOfHalfAnswer else { throw error }
            return try summariesOnce(of: networks, opening: open)
        }
    }

    private func summariesOnce(
        of networks: [(name: String, localPath: String)],
        opening open: (Int, SealedDatabase) -> MeshDatabase?
    ) throws(StoreError) -> [Int: DatabaseSummary] {
        let session = PostgreSQLSession(self, name: name)
        try PostgreSQLSchema.check(session)
        var summaries: [Int: DatabaseSummary] = [:]
        for start in stride(from: 0, to: networks.count, by: Self.summarySize) {
            let numbers = Array(start..<min(start + Self.summarySize, networks.count))
            var opened: [(number: Int, database: MeshDatabase, tally: RowTally)] = []
            for (number, lineage, slots) in try keySlots(of: networks, numbers, session) {
                let (network, path) = networks[number]
                let sealed = SealedDatabase(
                    at: .shared(self, network: network, localPath: path),
                    PostgreSQLRowStore(session, lineage: lineage, localPath: path),
                    lineage,
                    slots
                )
                guard let database = open(number, sealed) else { continue }
                opened.append((number, database, RowTally(database.cipher)))
            }
            let outlines = SharedOutlines(session: session, lineages: opened.map(\.database.cipher.lineage))
            let found = try outlines.read(
                { index, name, revision throws(StoreError) in try opened[index].tally.add(name, revision) },
                then: { opened[$0].tally.needed }
            )
            for (index, network) in found.enumerated() {
                guard let header = network.header, !network.hasUnknown else { continue }
                let (number, database, tally) = opened[index]
                // Whoever reads it alone learns what is wrong.
                summaries[number] = try? tally.summary(header, network.rows, of: database)
            }
        }
        return summaries
    }

    /// The lineages and key slots of those of some networks that exist and have a format that this program knows.
    private func keySlots(
        of networks: [(name: String, localPath: String)],
        _ numbers: [Int],
        _ session: PostgreSQLSession
    ) throws(StoreError) -> [(number: Int, lineage: Octets16, slots: [KeySlot])] {
        let names = [
            SQLValue.integerList(numbers.map(Int64.init)), SQLValue.textList(numbers.map { networks[$0].name }),
        ]
        var headers = SQLStatement(
            """
            SELECT n.number, m.lineage, m.format FROM unnest($1::bigint[], $2::text[]) AS n(number, name)
            JOIN meshplan_networks m ON m.name = n.name
            """
        )
        headers.parameters = names
        var slots = SQLStatement(
            """
            SELECT n.number, s.kind, s.parameters, s.wrapped
            FROM unnest($1::bigint[], $2::text[]) AS n(number, name)
            JOIN meshplan_networks m ON m.name = n.name JOIN meshplan_key_slots s ON s.lineage = m.lineage
            ORDER BY n.number, s.slot
            """
        )
        slots.parameters = names
        let results = try session.transact([headers, slots])
        return try session.reading { () throws(PostgreSQLError) in
            var slots: [Int: [KeySlot]] = [:]
            for row in results[1].rows {
                guard let number = Int(exactly: try row.integer(0)), let kind = UInt8(exactly: try row.integer(1))
                else { continue }
                let slot = KeySlot(kind: kind, parameters: try row.octets(2), wrapped: try row.octets(3))
                slots[number, default: []].append(slot)
            }
            var found: [(number: Int, lineage: Octets16, slots: [KeySlot])] = []
            for row in results[0].rows {
                guard let number = Int(exactly: try row.integer(0)), networks.indices.contains(number),
                    let lineage = Octets16(try row.octets(1)), try row.integer(2) == Int64(RowCipher.format)
                else { continue }
                found.append((number, lineage, Array((slots[number] ?? []).prefix(KeySlot.greatestCount))))
            }
            return found
        }
    }
}
