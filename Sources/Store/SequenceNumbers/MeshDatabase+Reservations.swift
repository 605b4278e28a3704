package import MeshCore

/// The reserved sequence numbers of each address: a row each, and the file beside the database.
extension MeshDatabase {
    /// The end of the path of the file beside the database.
    static let witnessEnding = ".sequence"

    var witnessPath: String { location.localPath + MeshDatabase.witnessEnding }

    private static func name(_ source: UnicastAddress) -> RowName {
        RowName(.sequenceNumbers, key: [UInt8(source.rawValue >> 8), UInt8(truncatingIfNeeded: source.rawValue)])
    }

    func storedReservation(of source: UnicastAddress) throws(StoreError) -> DurableSequenceNumbers.Reservation? {
        guard let row = try store.rows(named: [MeshDatabase.name(source)]).rows.first else { return nil }
        return try decode(row, MeshDatabase.decodeReservation)
    }

    func write(
        _ reservation: DurableSequenceNumbers.Reservation,
        of source: UnicastAddress,
        with lease: WriteLease
    ) throws(StoreError) {
        var batch = RowBatch()
        batch.put(MeshDatabase.name(source), MeshDatabase.encode(reservation))
        try write(batch, manifest: lease.manifest, with: lease)
    }

    /// All stored reservations, by source.
    func storedReservations() throws(StoreError) -> [UnicastAddress: DurableSequenceNumbers.Reservation] {
        var reservations: [UnicastAddress: DurableSequenceNumbers.Reservation] = [:]
        _ = try scan { row throws(StoreError) in
            guard row.name.kind == .sequenceNumbers else { return }
            let key = row.name.key
            guard key.count == 2, let source = UnicastAddress(rawValue: UInt16(key[0]) << 8 | UInt16(key[1])) else {
                throw .damaged(row.name.description, path: path)
            }
            reservations[source] = try decode(row, MeshDatabase.decodeReservation)
        }
        return reservations
    }

    /// Reserves all numbers below a limit, because somebody else may have used them. A higher reservation stays.
    /// Numbers are left out under every later IV index, too, because nobody knows how far the other one has seen it
    /// rise.
    ///
    /// - Parameters:
    ///   - limit: the first number that may be used from now on, 24 bits.
    ///   - floor: the first number that may be used under later IV indexes, 24 bits; nil for the limit.
    ///   - source: the address that messages are sent from.
    ///   - ivIndex: the IV index that they are sent under.
    /// - Throws: ``StoreError/Code/notLocked`` if the lease is not held, and other codes if a file or the server fails.
    package func reserve(
        upTo limit: UInt32,
        leavingOutLater floor: UInt32? = nil,
        for source: UnicastAddress,
        ivIndex: UInt32,
        with lease: WriteLease
    ) throws(StoreError) {
        let wanted = DurableSequenceNumbers.Reservation(
            ivIndex: ivIndex,
            limit: min(limit, DurableSequenceNumbers.end),
            floor: min(floor ?? limit, DurableSequenceNumbers.end)
        )
        let present = try storedReservation(of: source)
        if let present, !present.isBehind(wanted), present.floor >= wanted.floor { return }
        var witness = try SequenceNumberFile(at: witnessPath)
        if witness.reservations[source].map({ $0.isBehind(wanted) }) ?? true {
            witness.note(wanted, of: source)
            try witness.write(to: witnessPath)
        }
        var raised = present ?? wanted
        raised.raise(to: wanted)
        raised.floor = max(raised.floor, wanted.floor)
        try write(raised, of: source, with: lease)
    }

    /// Takes over the reservations of another database where they are higher. In that case numbers were used in another
    /// place, which may have used more since; so counting goes on ``DurableSequenceNumbers/skippedAfterRestore``
    /// further.
    func raiseReservations(to other: MeshDatabase, with lease: WriteLease) throws(StoreError) {
        for (source, theirs) in try other.storedReservations().sorted(by: { $0.key < $1.key }) {
            var raised = try storedReservation(of: source) ?? DurableSequenceNumbers.Reservation(ivIndex: 0, limit: 0)
            guard raised.isBehind(theirs) else { continue }
            raised.raise(to: theirs)
            raised.skip()
            raised.origin = try store.findOrigin()
            var witness = try SequenceNumberFile(at: witnessPath)
            witness.note(raised, of: source)
            try witness.write(to: witnessPath)
            try write(raised, of: source, with: lease)
        }
    }

    /// Makes every source leave out numbers: those with reservations, here or in the file beside the database, and
    /// `own`.
    ///
    /// - Parameters:
    ///   - own: an address that may have sent under an IV index without leaving a trace here.
    ///   - batch: receives the reservations. They count once it is written.
    func skipSequenceNumbers(_ own: (UnicastAddress, ivIndex: UInt32)?, in batch: inout RowBatch) throws(StoreError) {
        var witness = try SequenceNumberFile(at: witnessPath)
        var reservations = try storedReservations()
        func raise(_ source: UnicastAddress, to other: DurableSequenceNumbers.Reservation) {
            reservations[source, default: DurableSequenceNumbers.Reservation(ivIndex: 0, limit: 0)].raise(to: other)
        }
        if let own { raise(own.0, to: DurableSequenceNumbers.Reservation(ivIndex: own.ivIndex, limit: 0)) }
        for (source, witnessed) in witness.reservations { raise(source, to: witnessed) }
        let origin = try store.findOrigin()
        for source in reservations.keys {
            reservations[source]?.skip()
            reservations[source]?.origin = origin
        }
        for (source, reservation) in reservations { witness.note(reservation, of: source) }
        try witness.write(to: witnessPath)
        for (source, reservation) in reservations {
            batch.put(MeshDatabase.name(source), MeshDatabase.encode(reservation))
        }
    }

    /// The row's body, version 1: `version 1 | IV index 4 | limit 4 | floor 4 | origin? 12`. Only shared databases have
    /// an origin.
    private static func encode(_ reservation: DurableSequenceNumbers.Reservation) -> [UInt8] {
        var writer = ByteWriter(capacity: 16)
        writer.write(UInt8(1))
        writer.write(reservation.ivIndex)
        writer.write(reservation.limit)
        writer.write(reservation.floor)
        writer.write(reservation.origin != nil)
        reservation.origin?.write(to: &writer)
        return writer.bytes
    }

    static func decodeReservation(_ bytes: [UInt8]) throws(DecodeError) -> DurableSequenceNumbers.Reservation {
        var reader = ByteReader(bytes)
        try reader.expectVersion(1)
        let ivIndex = try reader.readUInt32()
        var reservation = DurableSequenceNumbers.Reservation(ivIndex: ivIndex, limit: try readLimit(&reader))
        reservation.floor = try readLimit(&reader)
        if try reader.readFlag() { reservation.origin = try StoreOrigin(&reader) }
        try reader.expectEnd()
        return reservation
    }

    private static func readLimit(_ reader: inout ByteReader) throws(DecodeError) -> UInt32 {
        let limit = try reader.readUInt32()
        guard limit <= DurableSequenceNumbers.end else {
            throw .prohibited(field: "sequence number limit", value: UInt64(limit))
        }
        return limit
    }
}
