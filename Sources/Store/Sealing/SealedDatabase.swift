package import MeshCore

/// A mesh database before a secret has opened it. Its key slots are visible, so that the caller can look for the right
/// secret.
package struct SealedDatabase {
    /// The path of the file, or the name of a shared one.
    package var path: String { location.name }
    private let location: DatabaseLocation
    private let store: any RowStore
    /// Distinguishes it from other databases. It is no secret, and a copy has the same.
    package let lineage: Octets16
    private let stored: [KeySlot]

    /// Reads the key slots of the database at `location`.
    ///
    /// - Throws: ``StoreError/Code/missing``, ``StoreError/Code/notADatabase``, ``StoreError/Code/newerFormat``,
    ///   ``StoreError/Code/readOnly``, and other codes if a file or the server fails.
    package init(at location: DatabaseLocation) throws(StoreError) {
        self.location = location
        store = try location.openStore()
        lineage = try store.findLineage()
        stored = Array(try store.keySlots().prefix(KeySlot.greatestCount))
    }

    /// A database whose key slots were read before.
    init(at location: DatabaseLocation, _ store: any RowStore, _ lineage: Octets16, _ slots: [KeySlot]) {
        self.location = location
        self.store = store
        self.lineage = lineage
        stored = slots
    }

    /// Reads the key slots of the database in a file; see ``init(at:)-(DatabaseLocation)``.
    package init(at path: String) throws(StoreError) {
        try self.init(at: .file(path))
    }

    package var slots: [KeySlotDescription] { stored.map(KeySlotDescription.init) }

    /// Opens the database. A passphrase takes the time that the costs of the slots demand.
    ///
    /// - Parameter generator: makes nonces; cryptographically secure outside tests.
    /// - Returns: nil if `key` opens no slot.
    /// - Throws: ``StoreError/Code/cryptography`` if there is not enough memory for a derivation.
    package func opened(
        with key: DatabaseSecret,
        using generator: some RandomNumberGenerator = SystemRandomNumberGenerator()
    ) throws(StoreError) -> MeshDatabase? {
        for slot in KeySlot.affordable(stored) {
            guard let dataKey = try slot.unwrap(with: key, lineage: lineage) else { continue }
            return MeshDatabase(
                location: location,
                store: store,
                cipher: try RowCipher(dataKey: dataKey, lineage: lineage),
                opener: MeshDatabase.Opener(
                    dataKey: dataKey,
                    key: key,
                    slot: KeySlotDescription(slot).identifier,
                    wrapped: slot.wrapped
                ),
                generator: generator
            )
        }
        return nil
    }
}
