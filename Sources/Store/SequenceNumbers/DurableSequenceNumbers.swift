package import MeshCore

/// Sequence numbers that are never handed out twice, whatever happens to the process or to the database's file
/// (Mesh Protocol 3.4.4.5: a reused number repeats a nonce, and receivers drop it as a replay).
///
/// Numbers are reserved in blocks: the end of a block is durable before its first number is handed out, and after a
/// restart counting goes on behind the last block, so a crash wastes at most one block.
///
/// A database can be restored from a copy that remembers fewer reservations, or be deleted and imported anew with the
/// same keys and addresses. Therefore the reservations are kept a second time in `<database>.sequence`, a text file
/// without secrets that belongs to the place and not to the copy: the higher of both counts, whichever database
/// wrote it. Where that file is missing although numbers were reserved before, as after a move to another machine,
/// or where it cannot be read, counting goes on ``skippedAfterRestore`` numbers further, under that IV index and under
/// every later one, for the network may have been there already when numbers were used that nothing here knows of.
/// Beyond that nothing can be known here: a copy older than that many messages must not be used in another place.
///
/// A shared store is itself what all machines agree on, and its commits are durable on the server, so a machine that has
/// never sent from an address believes it. Each machine's own file still tells if the server was put back to an older copy:
/// it is written after the database, so it can only know more than the database does if that has happened. Then others
/// may have sent since, too, and counting goes on ``skippedAfterRestore`` numbers beyond what the file knows.
///
/// Numbers belong to an IV index. When it grows they begin at 0 again (3.11.5), or behind those that are left out, and
/// requests under a lower one are refused from then on.
package final class DurableSequenceNumbers: SequenceNumberSource {
    /// One more than the highest sequence number.
    static let end: UInt32 = 1 << 24
    /// How many numbers are left out when the file beside the database is missing: an eighth of a percent of the
    /// space, several days of ordinary work.
    static let skippedAfterRestore: UInt32 = 1 << 16

    /// What is reserved for one source: all numbers below the limit under that IV index.
    struct Reservation: Hashable {
        var ivIndex: UInt32
        var limit: UInt32
        /// Where numbers begin under a later IV index; the file beside the database knows whether it is 0.
        var floor: UInt32 = 0

        /// Takes over a higher one.
        mutating func raise(to other: Reservation) {
            guard isBehind(other) else { return }
            (ivIndex, limit) = (other.ivIndex, other.limit)
        }

        func isBehind(_ other: Reservation) -> Bool {
            (ivIndex, limit) < (other.ivIndex, other.limit)
        }

        /// Leaves out ``DurableSequenceNumbers/skippedAfterRestore`` numbers, now and under every later IV index.
        mutating func skip() {
            limit = min(limit + DurableSequenceNumbers.skippedAfterRestore, DurableSequenceNumbers.end)
            leaveOutLater()
        }

        /// Leaves out as many numbers under every later IV index.
        mutating func leaveOutLater() {
            floor = max(floor, DurableSequenceNumbers.skippedAfterRestore)
        }
    }

    private struct State {
        var reservation: Reservation
        var next: UInt32
    }

    private let database: MeshDatabase
    private let lease: WriteLease
    private let blockSize: UInt32
    private var states: [UnicastAddress: State] = [:]
    private var witness: SequenceNumberWitness?

    init(database: MeshDatabase, lease: WriteLease, blockSize: UInt32) {
        self.database = database
        self.lease = lease
        self.blockSize = min(max(blockSize, 1), DurableSequenceNumbers.end)
    }

    /// The next number, 24 bits.
    ///
    /// - Throws: ``SequenceNumberError``.
    package func next(for source: UnicastAddress, ivIndex: UInt32) throws(SequenceNumberError) -> UInt32 {
        do {
            return try reserveNext(for: source, ivIndex: ivIndex)
        } catch let error as SequenceNumberError {
            throw error
        } catch let error as StoreError {
            throw .notDurable(error.description)
        } catch {
            throw .notDurable("the block could not be stored")
        }
    }

    private func reserveNext(for source: UnicastAddress, ivIndex: UInt32) throws -> UInt32 {
        var state = try states[source] ?? load(source)
        guard ivIndex >= state.reservation.ivIndex else {
            throw SequenceNumberError.ivIndexWentBack(source, reached: state.reservation.ivIndex)
        }
        if ivIndex > state.reservation.ivIndex {
            let floor = state.reservation.floor
            state = State(reservation: Reservation(ivIndex: ivIndex, limit: floor, floor: floor), next: floor)
        }
        if state.next >= state.reservation.limit {
            guard state.reservation.limit < DurableSequenceNumbers.end else {
                throw SequenceNumberError.exhausted(source)
            }
            state.reservation.limit = min(state.reservation.limit + blockSize, DurableSequenceNumbers.end)
            try store(state.reservation, for: source)
        }
        let number = state.next
        state.next += 1
        states[source] = state
        return number
    }

    private func load(_ source: UnicastAddress) throws(StoreError) -> State {
        let stored = try database.storedReservation(of: source)
        let reservation = try loadWitness().effective(stored, of: source, isShared: database.location.isShared)
        return State(reservation: reservation, next: reservation.limit)
    }

    /// Both places are durable before the number leaves. Of a file the higher one counts, whatever the order; a shared
    /// store comes first, so that the file never knows more, unless the store has gone back.
    private func store(_ reservation: Reservation, for source: UnicastAddress) throws(StoreError) {
        var all = try loadWitness()
        all.take(reservation, of: source)
        if database.location.isShared { try database.write(reservation, of: source, with: lease) }
        try AtomicFile.write(database.witnessPath, all.encoded)
        witness = all
        if !database.location.isShared { try database.write(reservation, of: source, with: lease) }
    }

    private func loadWitness() throws(StoreError) -> SequenceNumberWitness {
        if let witness { return witness }
        let loaded = try SequenceNumberWitness(at: database.witnessPath)
        witness = loaded
        return loaded
    }
}

extension MeshDatabase {
    /// A source of sequence numbers whose reservations survive everything; see ``DurableSequenceNumbers``.
    ///
    /// - Parameter blockSize: how many numbers are reserved at once; more cost fewer writes and waste more at a crash.
    package func sequenceNumbers(
        with lease: WriteLease,
        blockSize: UInt32 = 256
    ) throws(StoreError) -> any SequenceNumberSource {
        try check(lease)
        return DurableSequenceNumbers(database: self, lease: lease, blockSize: blockSize)
    }
}
