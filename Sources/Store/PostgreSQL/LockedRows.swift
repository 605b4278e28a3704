/// The rows of a shared store while the lock is held and nobody else can change them.
///
/// So a run need not ask the server before its transactions. And it can put a whole transaction together, and keep it,
/// even if the server cannot be reached. If the lock were lost, the transaction itself would be refused.
struct LockedRows {
    private var known: [RowName: StoredRow] = [:]

    /// Adds a row that the store has.
    mutating func add(_ row: StoredRow) { known[row.name] = row }

    mutating func apply(_ changes: RowChanges) {
        for name in changes.deletes { known[name] = nil }
        for row in changes.puts { known[row.name] = row }
    }

    /// For the rows with those names that exist, the revision in which each was written.
    func revisions(of names: [RowName]) -> [RowName: UInt64] {
        var revisions: [RowName: UInt64] = [:]
        for name in names { revisions[name] = known[name]?.revision }
        return revisions
    }

    /// The rows with those names that exist.
    func rows(named names: [RowName]) -> [StoredRow] { names.compactMap { known[$0] } }

    /// All rows, ordered by kind and key.
    var all: [StoredRow] { known.values.sorted { $0.name.precedes($1.name) } }
}
