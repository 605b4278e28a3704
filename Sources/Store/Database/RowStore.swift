import MeshCore

/// The kinds of rows of a database. The numbers are stored, so they never change their meaning.
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
    /// What an import brought along and the network does not model; key empty.
    case extras = 9
    /// A plan that was applied; key is its identifier, 16 octets.
    case plan = 10
    /// A device that may have become a node; key is its UUID, 16 octets.
    case pendingProvisioning = 11
    /// A node that was retired; key is its number in the order of retirement from 1 on, 8 octets.
    case retiredNode = 12
    /// A node that may have another DeviceKey by now; key is its UUID, 16 octets.
    case pendingReprovision = 22
    /// The recorded state of a node that has reported another one; key is its UUID, 16 octets.
    case drift = 16
    /// What is remembered of a device; key is its UUID, 16 octets.
    case deviceMemory = 23
    /// The known sizes of lists, by product; key empty.
    case capacities = 20
    /// The models that are known to share one subscription list, by product; key empty.
    case listSharings = 21
    /// What a command did; key is its number from 1 on, 8 octets.
    case historyEntry = 30
    /// Rows as they were before a command changed them; key is the entry's number and 4 octets of ordinal.
    case undo = 31
    /// The text of a definition that was applied; key is its SHA-256.
    case definition = 32
    /// A note that changes wait to be confirmed; key empty.
    case confirmation = 33
    /// The index of the history; key empty.
    case historyIndex = 34
}

/// The name of a row.
struct RowName: Hashable {
    var kind: RowKind
    var key: [UInt8]

    init(_ kind: RowKind, key: [UInt8] = []) {
        self.kind = kind
        self.key = key
    }
}

/// A row as it is stored. Its body is sealed, and nothing about it is trusted before it is opened.
struct StoredRow {
    var name: RowName
    /// The revision of the database in which the row was written.
    var revision: UInt64
    var body: [UInt8]
}

/// What is stored beside the rows.
struct StoreHeader: Hashable {
    /// 16 random octets, fixed at creation.
    var lineage: Octets16
    /// Counts the transactions.
    var revision: UInt64
}

/// One way to obtain the data key; all slots wrap the same one.
struct KeySlot: Hashable {
    /// The kind of secret that opens it; see ``KeySlotKind``.
    var kind: UInt8
    /// The encoded ``KeySlotParameters``.
    var parameters: [UInt8]
    /// Nonce, ciphertext and tag of the data key.
    var wrapped: [UInt8]
}

/// The changes of one transaction.
struct RowChanges {
    var puts: [StoredRow]
    var deletes: [RowName] = []
    /// What replaces all key slots; nil keeps them. If it is set, the replaced slots and rows are erased as well as the
    /// store can.
    var slots: [KeySlot]?
}

/// The place of the rows: a file, or a database that several people share. Sealing, digests and meaning are above this
/// protocol, so a store sees neither keys nor contents.
protocol RowStore: AnyObject {
    /// Called in the moment of a reading, before any row is seen, with the key slots of that moment, if they are others
    /// than those of the reading before. Servers do not call it.
    var onNewSlots: ([KeySlot]) throws(StoreError) -> Void { get set }

    func findLineage() throws(StoreError) -> Octets16

    /// The key slots, in their order.
    func keySlots() throws(StoreError) -> [KeySlot]

    /// Calls `body` with every row as of one moment, ordered by kind and key.
    ///
    /// - Returns: the header of the same moment.
    func scan(_ body: (StoredRow) throws(StoreError) -> Void) throws(StoreError) -> StoreHeader

    /// The rows with those names that exist, and the header of the same moment.
    func rows(named names: [RowName]) throws(StoreError) -> (header: StoreHeader, rows: [StoredRow])

    /// What ``rows(named:)`` returns, or would have returned just before, for those who do not ask whether something
    /// has changed.
    func recentRows(named names: [RowName]) throws(StoreError) -> (header: StoreHeader, rows: [StoredRow])

    /// Calls `body` with name and revision of every row, in no order, and then returns some rows whole, all as of one
    /// moment.
    ///
    /// - Parameter names: which rows, asked once all names are known.
    /// - Returns: those of them that exist, and the header.
    func outline(
        _ body: (RowName, UInt64) throws(StoreError) -> Void,
        then names: () -> [RowName]
    ) throws(StoreError) -> (header: StoreHeader, rows: [StoredRow])

    /// For the rows with those names that exist, the revision in which each was written.
    func revisions(of names: [RowName]) throws(StoreError) -> [RowName: UInt64]

    /// Looks for damage of the store itself, below the rows.
    ///
    /// - Throws: ``StoreError/Code/damaged`` with what it found.
    func checkIntegrity() throws(StoreError)

    /// Checks that the lock could be taken if nobody held it. Does not take it.
    ///
    /// - Throws: ``StoreError`` with what prevents everybody from taking it.
    func checkLock() throws(StoreError)

    /// Takes the exclusive right to write.
    ///
    /// - Parameter token: makes 12 octets that no other acquisition has, if the store needs them.
    /// - Throws: ``StoreError/Code/locked`` with the holder if somebody else has it, at once.
    func lock(_ holder: LockHolder, token: () -> [UInt8]) throws(StoreError) -> any StoreLock

    /// Takes the right to write away from its holder.
    ///
    /// - Parameter lock: the lock's number, as the error of a refused command names it.
    func forceUnlock(_ lock: String) throws(StoreError)

    /// Makes all changes durable in one transaction and sets the revision, if the store is at `expected` and the holder
    /// still has the lock.
    ///
    /// - Throws: ``StoreError/Code/stale`` if it is not, ``StoreError/Code/promoted`` if sequence numbers have to be
    ///   reserved anew, and other codes if the commit fails. Then nothing has changed, unless the error is
    ///   ``StoreError/Code/unreachable``.
    func commit(
        _ changes: RowChanges,
        expecting expected: StoreHeader,
        revision: UInt64,
        under lock: any StoreLock
    ) throws(StoreError)

    /// Which server, and which history of its data, the store goes on with; nil for a file, and for a server that does
    /// not tell. While the lock is held, that of the last transaction.
    func findOrigin() throws(StoreError) -> StoreOrigin?

    /// Calls `body` when a write under the lock finds that a standby was promoted, before that write is made.
    func whenPromoted(_ body: @escaping (Promotion) -> Void)

    /// Brings everything that was committed into the file that carries the database's name. Until then a part of it may
    /// be in a log beside that file, and a copy of the file alone would lack it.
    ///
    /// - Parameter patience: how long to wait for readers that still need the log.
    /// - Throws: ``StoreError`` if they need it longer, or if the file cannot be written. Nothing is lost by that.
    func gather(patience: Duration) throws(StoreError)

    /// Copies the whole store to a file of its own, atomically and with mode 0600. It replaces an existing file.
    ///
    /// - Returns: false if this kind of store cannot be copied.
    func copy(to target: String) throws(StoreError) -> Bool
}

extension RowStore {
    var onNewSlots: ([KeySlot]) throws(StoreError) -> Void {
        get { { _ in } }
        set {}
    }

    func recentRows(named names: [RowName]) throws(StoreError) -> (header: StoreHeader, rows: [StoredRow]) {
        try rows(named: names)
    }

    func findLineage() throws(StoreError) -> Octets16 { try rows(named: []).header.lineage }

    func revisions(of names: [RowName]) throws(StoreError) -> [RowName: UInt64] {
        Dictionary(firstOf: try rows(named: names).rows.map { ($0.name, $0.revision) })
    }

    /// Servers check themselves.
    func checkIntegrity() throws(StoreError) {}

    /// The first process that takes the lock of a file creates it.
    func checkLock() throws(StoreError) {}

    /// A server has no file that anybody copies.
    func gather(patience: Duration) throws(StoreError) {}

    func copy(to target: String) throws(StoreError) -> Bool { false }

    /// A file has no standby.
    func findOrigin() throws(StoreError) -> StoreOrigin? { nil }

    func whenPromoted(_ body: @escaping (Promotion) -> Void) {}
}

/// The exclusive right to write to a store. It ends with ``release()`` or with the last reference.
protocol StoreLock: AnyObject {
    /// Releases the lock. A second call does nothing.
    func release()
}
