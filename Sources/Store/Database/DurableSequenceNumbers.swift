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

        func isBehind(_ other: Reservation) -> Bool {
            (ivIndex, limit) < (other.ivIndex, other.limit)
        }
    }

    private struct State {
        var reservation: Reservation
        var next: UInt32
        /// Whether numbers may have been used that nothing here knows of.
        var isRestored: Bool
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
            let first = state.isRestored ? DurableSequenceNumbers.skippedAfterRestore : 0
            state.reservation = Reservation(ivIndex: ivIndex, limit: first)
            state.next = first
        }
        if state.next >= state.reservation.limit {
            guard state.reservation.limit < DurableSequenceNumbers.end else {
                throw SequenceNumberError.exhausted(source)
            }
            state.reservation.limit = min(state.reservation.limit + blockSize, DurableSequenceNumbers.end)
            try store(state, for: source)
        }
        let number = state.next
        state.next += 1
        states[source] = state
        return number
    }

    private func load(_ source: UnicastAddress) throws(StoreError) -> State {
        let stored = try database.reservation(of: source)
        let witness = try loadWitness()
        var reservation = stored ?? Reservation(ivIndex: 0, limit: 0)
        if let witnessed = witness.reservations[source] {
            if reservation.isBehind(witnessed) { reservation = witnessed }
            return State(
                reservation: reservation,
                next: reservation.limit,
                isRestored: witness.restored.contains(source)
            )
        }
        let isRestored = stored != nil || witness.isIncomplete
        if isRestored {
            let skipped = DurableSequenceNumbers.skippedAfterRestore
            reservation.limit = min(reservation.limit + skipped, DurableSequenceNumbers.end)
        }
        return State(reservation: reservation, next: reservation.limit, isRestored: isRestored)
    }

    /// Both places are durable before the number leaves; the order does not matter, the higher one counts.
    private func store(_ state: State, for source: UnicastAddress) throws(StoreError) {
        var all = try loadWitness()
        all.reservations[source] = state.reservation
        if state.isRestored { all.restored.insert(source) }
        try AtomicFile.write(database.witnessPath, all.encoded)
        witness = all
        try database.write(state.reservation, of: source, with: lease)
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

    fileprivate var witnessPath: String { path + ".sequence" }

    private static func name(_ source: UnicastAddress) -> RowName {
        RowName(.sequenceNumbers, key: [UInt8(source.rawValue >> 8), UInt8(truncatingIfNeeded: source.rawValue)])
    }

    fileprivate func reservation(of source: UnicastAddress) throws(StoreError) -> DurableSequenceNumbers.Reservation? {
        guard let row = try store.rows(named: [MeshDatabase.name(source)]).rows.first else { return nil }
        return try decode(row, MeshDatabase.decodeReservation)
    }

    /// Takes over the reservations of another database where they are higher. Then numbers were used in another place,
    /// which may have used more since, so that counting goes on ``DurableSequenceNumbers/skippedAfterRestore`` further.
    func raiseReservations(to other: MeshDatabase, with lease: WriteLease) throws(StoreError) {
        var found: [(UnicastAddress, DurableSequenceNumbers.Reservation)] = []
        _ = try other.scan { row throws(StoreError) in
            guard row.name.kind == .sequenceNumbers, row.name.key.count == 2,
                let source = UnicastAddress(rawValue: UInt16(row.name.key[0]) << 8 | UInt16(row.name.key[1]))
            else { return }
            found.append((source, try other.decode(row, MeshDatabase.decodeReservation)))
        }
        for (source, theirs) in found {
            if let ours = try reservation(of: source), !ours.isBehind(theirs) { continue }
            var raised = theirs
            let skipped = DurableSequenceNumbers.skippedAfterRestore
            raised.limit = min(raised.limit + skipped, DurableSequenceNumbers.end)
            try write(raised, of: source, with: lease)
            // What else was used in that place, under later IV indexes, nothing here knows.
            var witness = try SequenceNumberWitness(at: witnessPath)
            witness.reservations[source] = raised
            witness.restored.insert(source)
            try AtomicFile.write(witnessPath, witness.encoded)
        }
    }

    fileprivate func write(
        _ reservation: DurableSequenceNumbers.Reservation,
        of source: UnicastAddress,
        with lease: WriteLease
    ) throws(StoreError) {
        var writer = ByteWriter(capacity: 16)
        writer.write(UInt8(1))
        writer.write(reservation.ivIndex)
        writer.write(reservation.limit)
        var batch = RowBatch()
        batch.put(MeshDatabase.name(source), writer.bytes)
        try write(batch, manifest: lease.manifest, with: lease)
    }

    static func decodeReservation(
        _ bytes: [UInt8]
    ) throws(DecodeError) -> DurableSequenceNumbers.Reservation {
        var reader = ByteReader(bytes)
        try reader.expectVersion(1)
        let ivIndex = try reader.readUInt32()
        let limit = try reader.readUInt32()
        try reader.expectEnd()
        guard limit <= DurableSequenceNumbers.end else {
            throw .prohibited(field: "sequence number limit", value: UInt64(limit))
        }
        return DurableSequenceNumbers.Reservation(ivIndex: ivIndex, limit: limit)
    }
}
