package import MeshCore

/// What a database holds, counted: without the contents of nodes, so that those of many networks are read in a moment.
package struct DatabaseSummary: Hashable, Sendable {
    /// The last change that the history knows.
    package struct Change: Hashable, Sendable {
        /// The command, as the history names it.
        package var operation: String
        package var user: String
        package var began: Timestamp
    }

    package var version: StateVersion
    /// How many nodes there are, our own among them.
    package var nodes: Int
    package var drifted: Int
    /// How many requests have no certain outcome.
    package var inDoubt: Int
    package var last: Change?
}

extension MeshDatabase {
    /// What the database holds, counted. Opens the manifest and the last entry of the history only. The counts are as
    /// certain as those of ``snapshot()``: the manifest's digest covers name and revision of every row.
    ///
    /// - Throws: ``StoreError/Code/damaged`` if the manifest or the entry cannot be read, or rows were removed, added
    ///   or replaced; ``StoreError/Code/newerFormat``, and other codes if a file or the server fails.
    package func summary() throws(StoreError) -> DatabaseSummary {
        do {
            return try summaryOnce()
        } catch {
            // Another server may have taken over.
            guard error.isOfHalfAnswer else { throw explained(error) }
            return try summaryOnce()
        }
    }

    private func summaryOnce() throws(StoreError) -> DatabaseSummary {
        let tally = RowTally(self.cipher)
        let (header, rows) = try store.outline(
            { name, revision throws(StoreError) in try tally.add(name, revision) },
            then: { tally.needed }
        )
        return try tally.summary(header, rows, of: self)
    }
}

/// Counts the rows of a database by their names and revisions.
final class RowTally {
    private let cipher: () -> RowCipher
    private var digest = RowDigest()
    private var (nodes, drifted, inDoubt) = (0, 0, 0)
    private var hasNetwork = false
    private var lastEntry: RowName?

    /// - Parameter cipher: asked row by row: the database may have got another data key when the reading begins.
    init(_ cipher: @escaping @autoclosure () -> RowCipher) { self.cipher = cipher }

    func add(_ name: RowName, _ revision: UInt64) throws(StoreError) {
        guard name != Manifest.name else { return }
        digest.add(try cipher().digestTerm(name, revision: revision))
        switch name.kind {
        case .network: hasNetwork = true
        case .node: nodes += 1
        case .drift: drifted += 1
        case .intent: inDoubt += 1
        case .historyEntry:
            // Keys are numbers, the highest octet first.
            if lastEntry?.key.lexicographicallyPrecedes(name.key) ?? true { lastEntry = name }
        default: break
        }
    }

    /// The rows whose bodies are needed once all are counted.
    var needed: [RowName] { [Manifest.name] + [lastEntry].compactMap(\.self) }

    /// What was counted, if these are the rows that the manifest lists.
    func summary(
        _ header: StoreHeader,
        _ rows: [StoredRow],
        of database: MeshDatabase
    ) throws(StoreError) -> DatabaseSummary {
        let manifest = try database.manifest(rows.first { $0.name == Manifest.name }, header: header)
        guard manifest.digest == digest else { throw .damagedSet(path: database.path) }
        guard hasNetwork else { throw .damaged("the network's row", path: database.path) }
        var last: DatabaseSummary.Change?
        if let lastEntry {
            guard let row = rows.first(where: { $0.name == lastEntry }) else {
                throw .damaged(lastEntry.description, path: database.path)
            }
            let record = try database.decode(row) { bytes throws(DecodeError) in try EntryRecord(decoding: bytes) }
            last = DatabaseSummary.Change(operation: record.operation, user: record.user, began: record.began)
        }
        return DatabaseSummary(
            version: manifest.version(of: header.lineage),
            nodes: nodes,
            drifted: drifted,
            inDoubt: inDoubt,
            last: last
        )
    }
}
