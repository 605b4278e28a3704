/// What is known of the rows of a shared store while its lock is held and nobody else can change them: in which revision
/// each was written, and the bodies that a run's journal is made of.
///
/// So the transactions of a run need no question to the server before them, and a transaction can be made whole, and be
/// kept, even if the server is out of reach. Were the lock lost, the transaction itself would be refused.
struct LockedRows {
    /// The kinds of which the bodies are kept: a few hundred short rows.
    static let smallKinds: Set<RowKind> = [.manifest, .replay, .sequenceNumbers, .intent]
    /// The kinds of which bodies are kept once a run has written them.
    private static let writtenKinds = smallKinds.union([.run, .outcome, .plan])

    private struct Known {
        var revision: UInt64
        var body: [UInt8]?
    }

    private var known: [RowName: Known] = [:]

    /// A row that the store has.
    mutating func add(_ name: RowName, revision: UInt64, body: [UInt8]?) {
        known[name] = Known(revision: revision, body: body)
    }

    /// What a transaction has changed.
    mutating func take(_ changes: RowChanges) {
        for name in changes.deletes { known[name] = nil }
        for row in changes.puts {
            let isKept = LockedRows.writtenKinds.contains(row.name.kind)
            known[row.name] = Known(revision: row.revision, body: isKept ? row.body : nil)
        }
    }

    /// In which revision the rows with those names were written, as far as there are any.
    func revisions(of names: [RowName]) -> [RowName: UInt64] {
        var revisions: [RowName: UInt64] = [:]
        for name in names { revisions[name] = known[name]?.revision }
        return revisions
    }

    /// The rows with those names, as far as there are any; nil if a body is not known.
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
