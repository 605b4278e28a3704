/// What is known of the rows of a shared store while the lock is held and nobody else can change them: the revision in
/// which each was written, and the bodies of the rows of a run's journal.
///
/// So a run need not ask the server before its transactions. And it can put a whole transaction together, and keep it,
/// even if the server cannot be reached. If the lock were lost, the transaction itself would be refused.
struct LockedRows {
    /// The kinds whose bodies are kept: a few hundred short rows.
    static let smallKinds: Set<RowKind> = [.manifest, .replay, .sequenceNumbers, .intent]
    /// The kinds whose bodies are kept once a run has written them.
    private static let writtenKinds = smallKinds.union([.run, .outcome, .plan])

    private struct Known {
        var revision: UInt64
        var body: [UInt8]?
    }

    private var known: [RowName: Known] = [:]

    /// Adds a row that the store has.
    mutating func add(_ name: RowName, revision: UInt64, body: [UInt8]?) {
        known[name] = Known(revision: revision, body: body)
    }

    /// Applies the changes of a transaction.
    mutating func apply(_ changes: RowChanges) {
        for name in changes.deletes { known[name] = nil }
        for row in changes.puts {
            let isKept = LockedRows.writtenKinds.contains(row.name.kind)
            known[row.name] = Known(revision: row.revision, body: isKept ? row.body : nil)
        }
    }

    /// For the rows with those names that exist, the revision in which each was written.
    func revisions(of names: [RowName]) -> [RowName: UInt64] {
        var revisions: [RowName: UInt64] = [:]
        for name in names { revisions[name] = known[name]?.revision }
        return revisions
    }

    /// The rows with those names that exist; nil if a body is not known.
    func rows(named names: [RowName]) -> [StoredRow]? {
        var rows: [StoredRow] = []
        for name in names {
            guard let known = known[name] else { continue }
            guard let body = known.body else { return nil }
            rows.append(StoredRow(name: name, revision: known.revision, body: body))
        }
        return rows
    }
}
