package import MeshCore

/// A mesh database before a secret has opened it: what can be seen from outside are its key slots, so that the right secret
/// can be looked for.
package struct SealedDatabase {
    /// The path it lies at, or what people call a shared one.
    package var path: String { location.name }
    private let location: DatabaseLocation
    private let store: any RowStore
    /// What tells it from other databases; it is no secret, and a copy has the same.
    package let lineage: Octets16
    private let stored: [KeySlot]

    /// Looks at the database at `location`.
    ///
    /// - Throws: ``StoreError/Code/missing``, ``StoreError/Code/notADatabase``, ``StoreError/Code/newerFormat``,
    ///   ``StoreError/Code/readOnly``, and trouble with files or the server.
    package init(at location: DatabaseLocation) throws(StoreError) {
        self.location = location
        store = try location.openStore()
        lineage = try store.rows(named: []).header.lineage
        stored = Array(try store.keySlots().prefix(KeySlot.greatestCount))
    }

    /// ``init(at:)-(DatabaseLocation)`` of a file.
    package init(at path: String) throws(StoreError) {
        try self.init(at: .file(path))
    }

    /// The slots, in their order.
    package var slots: [KeySlotDescription] { stored.map(KeySlotDescription.init) }

    /// Opens the database.
    ///
    /// - Parameter generator: makes nonces; cryptographically secure outside tests.
    /// - Returns: nil if there is no slot that `key` opens. A passphrase takes the time that the slots' costs say.
    package func opened(
        with key: DatabaseKey,
        using generator: some RandomNumberGenerator = SystemRandomNumberGenerator()
    ) throws(StoreError) -> MeshDatabase? {
        for slot in stored {
            guard let dataKey = try slot.unwrap(with: key, lineage: lineage) else { continue }
            return MeshDatabase(
                location: location,
                store: store,
                cipher: try RowCipher(dataKey: dataKey, lineage: lineage),
                opener: MeshDatabase.Opener(dataKey: dataKey, key: key, slot: KeySlotDescription(slot).identifier),
                generator: generator
            )
        }
        return nil
    }
}
