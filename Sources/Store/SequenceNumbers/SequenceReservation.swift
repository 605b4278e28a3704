package import MeshCore

/// The sequence numbers of one source that are used up or reserved: all those below the limit, under that IV index.
package struct SequenceReservation: Hashable, Sendable {
    package var source: UnicastAddress
    /// The IV index that messages of the source were last sent under.
    package var ivIndex: UInt32
    /// The next number that can be handed out after a restart, 0 to 2^24.
    package var limit: UInt32

    package init(source: UnicastAddress, ivIndex: UInt32, limit: UInt32) {
        self.source = source
        self.ivIndex = ivIndex
        self.limit = limit
    }
}

extension MeshDatabase {
    /// The reservations of every source that ever sent from here, sorted by source, as a run that begins now would find
    /// them. Numbers that are left out because the file beside the database is missing count, too.
    ///
    /// Nothing is written, so this needs no lease.
    package func reservations() throws(StoreError) -> [SequenceReservation] {
        let stored = try storedReservations()
        let witness = try SequenceNumberFile(at: witnessPath)
        let origin = try store.findOrigin()
        // What an unreadable file may have said about other sources is settled when they send.
        return Set(stored.keys).union(witness.reservations.keys).sorted().map { source in
            let isShared = location.isShared
            let reservation = witness.effective(stored[source], of: source, isShared: isShared, origin: origin)
            return SequenceReservation(source: source, ivIndex: reservation.ivIndex, limit: reservation.limit)
        }
    }

    /// The reservation of one source, as in ``reservations()``; nil if it never sent from here.
    package func reservation(of source: UnicastAddress) throws(StoreError) -> SequenceReservation? {
        let stored = try storedReservation(of: source)
        let witness = try SequenceNumberFile(at: witnessPath)
        guard stored != nil || witness.reservations[source] != nil || witness.isIncomplete else { return nil }
        let origin = try store.findOrigin()
        let reservation = witness.effective(stored, of: source, isShared: location.isShared, origin: origin)
        return SequenceReservation(source: source, ivIndex: reservation.ivIndex, limit: reservation.limit)
    }
}

extension SequenceNumberFile {
    /// The reservation that counts, given the one in the database and the one in the file.
    ///
    /// - Parameters:
    ///   - isShared: whether the database is what all machines agree on; see ``DurableSequenceNumbers``.
    ///   - origin: the history that a shared database goes on with, if it tells.
    func effective(
        _ stored: DurableSequenceNumbers.Reservation?,
        of source: UnicastAddress,
        isShared: Bool,
        origin: StoreOrigin?
    ) -> DurableSequenceNumbers.Reservation {
        var reservation = stored ?? DurableSequenceNumbers.Reservation(ivIndex: 0, limit: 0)
        let witnessed = reservations[source]
        let isBehind = witnessed.map { reservation.isBehind($0) } ?? false
        if let witnessed { reservation.raise(to: witnessed) }
        if restored.contains(source) { reservation.leaveOutLater() }
        if isShared ? isBehind || isPromoted(stored, origin) : witnessed == nil && (stored != nil || isIncomplete) {
            reservation.skip()
        }
        reservation.origin = origin
        return reservation
    }

    /// Whether a standby may have lost reservations since the stored one was made. On a server that was never promoted
    /// there is nothing to lose.
    func isPromoted(_ stored: DurableSequenceNumbers.Reservation?, _ origin: StoreOrigin?) -> Bool {
        guard let origin else { return false }
        guard let before = stored?.origin else { return !origin.isFirst }
        return before != origin
    }
}
