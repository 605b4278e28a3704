internal import MeshCore

/// What kinds of rows a database has. The numbers are stored; they never change their meaning.
enum RowKind: UInt8 {
    /// Serial, digest and counters; key empty. Written with every transaction.
    case manifest = 1
    /// The network without its nodes; key empty.
    case network = 2
    /// A node; key is its UUID, 16 octets.
    case node = 3
    /// Replay entries of 64 neighbouring addresses; key is the address divided by 64, 2 octets.
    case replay = 4
    /// The reserved sequence numbers of an address that this program sends from; key is the address, 2 octets.
    case sequenceNumbers = 5
    /// A run; key is its number, 8 octets.
    case run = 6
    /// An intent without a certain outcome; key is the run's number and the subject.
    case intent = 7
    /// An outcome other than success; key is the run's number and 2 octets of ordinal.
    case outcome = 8
    /// What an import brought along that the network does not model; key empty.
    case extras = 9
    /// A plan that was applied; key is its identifier, 16 octets.
    case plan = 10
    /// A device that may have become a node; key is its UUID, 16 octets.
    case pendingProvisioning = 11
    /// A node that is none any more; key is its number in the order of retirement from 1 on, 8 octets.
    case retiredNode = 12
    /// A node that has another DeviceKey or not; key is its UUID, 16 octets.
    case pendingRefresh = 22
    /// What a node was recorded with that has told otherwise; key is its UUID, 16 octets.
    case drift = 16
    /// What is known of the room in lists of products; key empty.
    case capacities = 20
    /// What is known of which models of products share one subscription list; key empty.
    case listSharings = 21
    /// What a command did; key is its number from 1 on, 8 octets.
    case historyEntry = 30
    /// Rows as they were before a command changed them; key is the entry's number and 4 octets of ordinal.
    case undo = 31
    /// The text of a definition that was applied; key is its SHA-256.
    case definition = 32
    /// That changes wait to be confirmed; key empty.
    case confirmation = 33
    /// What the history holds; key empty.
    case historyIndex = 34
}

/// Names a row.
struct RowName: Hashable {
    var kind: RowKind
    var key: [UInt8]

    init(_ kind: RowKind, key: [UInt8] = []) {
        self.kind = kind
        self.key = key
    }
}

/// A row as it is stored: its body is sealed, and nothing about it is trusted before it was opened.
struct StoredRow {
    var name: RowName
    /// The revision of the database in which the row was written.
    var revision: UInt64
    var body: [UInt8]
}

/// What is stored beside the rows.
struct StoreHeader: Hashable {
    /// Fixed at creation, 16 random octets.
    var lineage: Octets16
    /// Counts the transactions.
    var revision: UInt64
}

/// One way to obtain the data key; all slots wrap the same one.
struct KeySlot: Hashable {
    /// How the wrapping key is obtained; see ``KeySlotKind``.
    var kind: UInt8
    /// See ``KeySlotParameters``.
    var parameters: [UInt8]
    /// Nonce, ciphertext and tag of the data key.
    var wrapped: [UInt8]
}

/// What one transaction puts and deletes.
struct RowChanges {
    var puts: [StoredRow]
    var deletes: [RowName]
    /// What takes the place of all key slots, nil if they stay. What was in its place, and in that of the rows, is erased
    /// as well as the store can.
    var slots: [KeySlot]?

    init(puts: [StoredRow], deletes: [RowName] = [], slots: [KeySlot]? = nil) {
        self.puts = puts
        self.deletes = deletes
        self.slots = slots
    }
}

/// Where rows lie: in a file, or in a database that several people share. Few methods; sealing, digests and meaning are
/// above this seam, so a store sees neither keys nor contents.
protocol RowStore: AnyObject {
    /// The key slots in their order.
    func keySlots() throws(StoreError) -> [KeySlot]

    /// Calls `body` with every row, ordered by kind and key, all of one moment.
    ///
    /// - Returns: the header of the same moment.
    func scan(_ body: (StoredRow) throws(StoreError) -> Void) throws(StoreError) -> StoreHeader

    /// The rows with those names, as far as they exist, and the header of the same moment.
    func rows(named names: [RowName]) throws(StoreError) -> (header: StoreHeader, rows: [StoredRow])

    /// In which revision the rows with those names were written, as far as they exist.
    func revisions(of names: [RowName]) throws(StoreError) -> [RowName: UInt64]

    /// Has the store look for damage of its own making, below the rows.
    ///
    /// - Throws: ``StoreError/Code/damaged`` with what it has found.
    func checkIntegrity() throws(StoreError)

    /// Looks whether the lock could be taken if nobody held it, without taking it.
    ///
    /// - Throws: what keeps everybody from it.
    func checkLock() throws(StoreError)

    /// Takes the exclusive right to write.
    ///
    /// - Parameter token: makes 12 octets that no other acquisition has, if the store needs some.
    /// - Throws: ``StoreError/Code/locked`` with the holder if somebody else has it, at once.
    func lock(_ holder: LockHolder, token: () -> [UInt8]) throws(StoreError) -> any StoreLock

    /// Takes the right to write away from whoever has it.
    ///
    /// - Parameter lock: the lock's number, as the error of a refused command names it.
    func forceUnlock(_ lock: String) throws(StoreError)

    /// Makes all changes durable in one transaction if the store is at `expected` and the lock is still the holder's,
    /// and sets the revision.
    ///
    /// - Throws: ``StoreError/Code/stale`` if it is not, and whatever stops it; then nothing has changed, unless the
    ///   error is ``StoreError/Code/unreachable``.
    func commit(
        _ changes: RowChanges,
        expecting expected: StoreHeader,
        revision: UInt64,
        under lock: any StoreLock
    ) throws(StoreError)

    /// Copies the whole store to a file of its own, replacing one of that name; atomically, with mode 0600.
    ///
    /// - Returns: false if the store is none that can be copied so.
    func copy(to target: String) throws(StoreError) -> Bool
}

extension RowStore {
    func revisions(of names: [RowName]) throws(StoreError) -> [RowName: UInt64] {
        Dictionary(try rows(named: names).rows.map { ($0.name, $0.revision) }, uniquingKeysWith: { first, _ in first })
    }

    /// Servers look after themselves.
    func checkIntegrity() throws(StoreError) {}

    /// The lock of a file is made with the first who takes it.
    func checkLock() throws(StoreError) {}

    func copy(to target: String) throws(StoreError) -> Bool { false }
}

/// The exclusive right to write to a store, until it is released or its last reference is gone.
protocol StoreLock: AnyObject {
    /// Gives it back; doing so twice does nothing.
    func release()
}
