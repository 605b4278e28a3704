import MeshCore

/// What the holder of the lock of a shared store knows, because nobody else can change it.
struct LockedStore {
    var lock: PostgreSQLLock
    var header: StoreHeader
    var rows: LockedRows
    var slots: [KeySlot]
    /// Which history of its data the server goes on with; nil if it does not tell.
    var origin: StoreOrigin?
    /// The last transactions under this lock.
    var recent = RecentTransactions()
}

/// The last transactions of a lease. A standby that is promoted may lack some of them, although they were acknowledged.
/// As long as the lock is still ours there, nobody has written instead, and they can be stored again.
///
/// How far a standby lags behind is a matter of seconds, so a few megabytes of the latest suffice.
struct RecentTransactions {
    /// How many octets of rows are kept.
    static let size = 8 << 20

    private var transactions: [(revision: UInt64, changes: RowChanges, size: Int)] = []
    private var size = 0

    /// Adds the transaction that has set a revision.
    mutating func add(_ changes: RowChanges, revision: UInt64) {
        let octets = changes.puts.reduce(256) { $0 + $1.body.count + 64 }
        transactions.append((revision, changes, octets))
        size += octets
        var dropped = 0
        while size > RecentTransactions.size, dropped < transactions.count {
            size -= transactions[dropped].size
            dropped += 1
        }
        transactions.removeFirst(dropped)
    }

    /// All transactions between two revisions, oldest first; nil if one of them is no longer known.
    func after(_ old: UInt64, upTo new: UInt64) -> [(revision: UInt64, changes: RowChanges)]? {
        let missing = transactions.filter { $0.revision > old && $0.revision <= new }
        guard UInt64(missing.count) == new - old else { return nil }
        return missing.map { ($0.revision, $0.changes) }
    }
}
