package import MeshCore

/// Sequence numbers that are never handed out twice, whatever happens to the process or to the database's file (Mesh
/// Protocol 3.4.4.5: a reused number repeats a nonce, and receivers drop it as a replay).
///
/// Numbers are reserved in blocks. The end of a block is durable before its first number is handed out. After a restart
/// counting goes on behind the last block, so a crash wastes at most one block.
///
/// Somebody may restore the database from a copy that remembers fewer reservations, or delete it and import the network
/// again with the same keys and addresses. Therefore a text file without secrets, `<database>.sequence`, holds the
/// reservations a second time. It belongs to the place and not to the copy. The higher of both counts, whichever
/// database wrote it.
///
/// That file may be missing although numbers were reserved before, as after a move to another machine, or it may be
/// unreadable. Then counting goes on ``skippedAfterRestore`` numbers further, under that IV index and under every later
/// one: the network may have reached those while numbers were used that nothing here knows of. This cannot protect more
/// than that. A copy that lags behind by more messages must not be used in another place.
///
/// A shared store is what all machines agree on, and its commits are durable on the server. So a machine that has never
/// sent from an address believes the store. Each machine's own file still shows if the server was put back to an older
/// copy: it is written after the database, so it knows more than the database only in that case. Then other machines
/// may have sent since, too, and counting goes on ``skippedAfterRestore`` numbers beyond what the file knows.
///
/// A standby of such a server may lack the last reservations when it is promoted. So each reservation says under which
/// history of the server's data it was made. Under another one, counting goes on ``skippedAfterRestore`` numbers
/// further, on all machines.
///
/// Numbers belong to an IV index. When it grows, they begin at 0 again (3.11.5), or behind the numbers that are left
/// out. Requests under a lower IV index are refused from then on.
package final class DurableSequenceNumbers: SequenceNumberSource {
    /// One more than the highest sequence number.
    static let end: UInt32 = 1 << 24
    /// How many numbers are left out when the file beside the database is missing: 0.4 percent of the space, several
    /// days of ordinary work.
    static let skippedAfterRestore: UInt32 = 1 << 16

    /// The reservation of one source: all numbers below the limit under that IV index.
    struct Reservation: Hashable {
        var ivIndex: UInt32
        var limit: UInt32
        /// Where numbers begin under a later IV index. The file beside the database knows whether it is 0.
        var floor: UInt32 = 0
        /// The server, and the history of its data, that the reservation was first stored in; nil for a file.
        var origin: StoreOrigin?

        /// Takes over a higher reservation.
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

        /// Leaves out that many numbers under every later IV index.
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
    private var witness: SequenceNumberFile?

    init(database: MeshDatabase, lease: WriteLease, blockSize: UInt32) {
        self.database = database
        self.lease = lease
        self.blockSize = min(max(blockSize, 1), DurableSequenceNumbers.end)
    }

    /// The next number, 24 bits.
    ///
    /// - Throws: ``SequenceNumberError``: for a lower IV index than before, when the numbers of this IV index are used
    ///   up, or when the block cannot be made durable.
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
            let (floor, origin) = (state.reservation.floor, state.reservation.origin)
            state = State(reservation: Reservation(ivIndex: ivIndex, limit: floor, floor: floor), next: floor)
            state.reservation.origin = origin
        }
        if state.next >= state.reservation.limit {
            try extend(&state, of: source)
        }
        let number = state.next
        state.next += 1
        states[source] = state
        return number
    }

    /// Reserves another block. If the server was replaced by its standby since the last one, it begins where nobody can
    /// have reserved before.
    private func extend(_ state: inout State, of source: UnicastAddress) throws {
        let ivIndex = state.reservation.ivIndex
        // Each further turn needs a further promotion.
        for _ in 0..<8 {
            if try database.store.findOrigin() != state.reservation.origin {
                let loaded = try load(source)
                if !loaded.reservation.isBehind(Reservation(ivIndex: ivIndex, limit: 0)) {
                    state = loaded
                    // Another machine has sent under a later one.
                    guard state.reservation.ivIndex == ivIndex else {
                        throw SequenceNumberError.ivIndexWentBack(source, reached: state.reservation.ivIndex)
                    }
                } else {
                    let floor = loaded.reservation.floor
                    state = State(reservation: Reservation(ivIndex: ivIndex, limit: floor, floor: floor), next: floor)
                    state.reservation.origin = loaded.reservation.origin
                }
            }
            guard state.reservation.limit < DurableSequenceNumbers.end else {
                throw SequenceNumberError.exhausted(source)
            }
            state.reservation.limit = min(state.reservation.limit + blockSize, DurableSequenceNumbers.end)
            do throws(StoreError) {
                return try store(state.reservation, for: source)
            } catch {
                guard error.code == .promoted else { throw error }
            }
        }
        throw SequenceNumberError.notDurable("the server of the database was replaced again and again")
    }

    private func load(_ source: UnicastAddress) throws(StoreError) -> State {
        let stored = try database.storedReservation(of: source)
        let origin = try database.store.findOrigin()
        let witness = try loadSequenceNumberFile()
        if witness.isPromoted(stored, origin), lease.promotion == nil {
            lease.promotion = .before
            lease.onPromotion(.before)
        }
        let isShared = database.location.isShared
        let reservation = witness.effective(stored, of: source, isShared: isShared, origin: origin)
        return State(reservation: reservation, next: reservation.limit)
    }

    /// Makes both places durable before the number is used. For a file the order does not matter, because the higher
    /// count wins. A shared store comes first, so the file knows more only if the store has gone back.
    private func store(_ reservation: Reservation, for source: UnicastAddress) throws(StoreError) {
        var all = try loadSequenceNumberFile()
        all.note(reservation, of: source)
        if database.location.isShared { try database.write(reservation, of: source, with: lease) }
        try all.write(to: database.witnessPath)
        witness = all
        if !database.location.isShared { try database.write(reservation, of: source, with: lease) }
    }

    private func loadSequenceNumberFile() throws(StoreError) -> SequenceNumberFile {
        if let witness { return witness }
        let loaded = try SequenceNumberFile(at: database.witnessPath)
        witness = loaded
        return loaded
    }
}

extension MeshDatabase {
    /// A source of sequence numbers whose reservations survive a crash, a restored copy and a new import; see
    /// ``DurableSequenceNumbers``.
    ///
    /// - Parameter blockSize: how many numbers are reserved at once. More need fewer writes and waste more at a crash.
    /// - Throws: ``StoreError/Code/notLocked`` if the lease is not held.
    package func sequenceNumbers(
        with lease: WriteLease,
        blockSize: UInt32 = 256
    ) throws(StoreError) -> any SequenceNumberSource {
        try check(lease)
        return DurableSequenceNumbers(database: self, lease: lease, blockSize: blockSize)
    }
}
