import MeshCore
import SystemLayer

extension MeshDatabase {
    /// Writes a copy of the whole database, as of one moment, into a new file with mode 0600. The same keys open it,
    /// and it has the same lineage and serial.
    ///
    /// - Parameter path: a path that nothing has yet.
    /// - Throws: ``StoreError/Code/exists`` if something has that path, and other codes if reading or writing fails.
    ///   Then there is no new file.
    package func pull(to path: String) throws(StoreError) {
        guard try storing({ () throws(FileError) in try FileStatus.of(path) }) == nil else {
            throw StoreError(.exists, "exists already", hint: "choose another name for the copy", path: path)
        }
        var slots: [KeySlot] = []
        var rows: [StoredRow] = []
        var header: StoreHeader
        // Rows under one data key must not be joined with slots that wrap another.
        repeat {
            slots = try store.keySlots()
            rows = []
            header = try store.scan { row throws(StoreError) in rows.append(row) }
        } while try slots != store.keySlots()
        try SQLiteRowStore.create(
            at: path,
            lineage: header.lineage,
            slots: slots,
            rows: rows,
            revision: header.revision
        )
    }

    /// Makes the database hold what another one holds: network, nodes, records, and what imports brought along.
    ///
    /// What can only grow is not taken back: retired nodes, replay entries and sequence numbers, where the higher
    /// reservation of both counts. The journal stays that of this database. The new serial is higher than both old
    /// ones.
    ///
    /// - Returns: the serial afterwards.
    /// - Throws: ``StoreError/Code/notLocked``, ``StoreError/Code/stale``, ``StoreError/Code/damaged`` if a row of
    ///   either database cannot be read, and other codes if a file or the server fails. Then nothing has changed,
    ///   except perhaps reservations.
    @discardableResult
    package func takeOver(_ other: MeshDatabase, with lease: WriteLease) throws(StoreError) -> UInt64 {
        let (present, next) = (try snapshot(), try other.snapshot())
        try raiseReservations(to: other, with: lease)
        var changes = StoreChanges(from: present.network, to: next.network)
        let extras = try other.extras()
        if try extras != self.extras() { changes.extras = extras }
        changes.replay = next.replay
        changes.minimumSerial = next.serial + 1
        return try commit(changes, with: lease)
    }
}
