package import MeshCore

extension MeshDatabase {
    /// All key slots, in their order.
    package func keySlots() throws(StoreError) -> [KeySlotDescription] {
        try store.keySlots().map(KeySlotDescription.init)
    }

    package var openingSlot: String { opener.slot }

    /// Adds a slot that `key` opens.
    ///
    /// - Parameters:
    ///   - label: its name, at most 100 octets.
    ///   - cost: of the derivation, where the key is a passphrase.
    /// - Throws: ``StoreError/Code/keySlot`` if there are 32 slots already, or `key` opens one of them;
    ///   ``StoreError/Code/notLocked``, ``StoreError/Code/stale``, and other codes if a file or the server fails.
    @discardableResult
    package func addKeySlot(
        for key: DatabaseSecret,
        label: String,
        cost: Scrypt.Cost = .standard,
        now: Timestamp,
        with lease: WriteLease
    ) throws(StoreError) -> KeySlotDescription {
        try check(lease)
        var slots = try store.keySlots()
        guard slots.count < KeySlot.greatestCount else {
            throw StoreError(
                .keySlot,
                "the database has \(slots.count) key slots already; \(KeySlot.greatestCount) is the limit",
                hint: "remove one that nobody needs",
                path: path
            )
        }
        guard label.utf8.count <= KeySlotParameters.greatestLabel else {
            throw StoreError(
                .keySlot,
                "the label has \(label.utf8.count) octets; \(KeySlotParameters.greatestLabel) is the limit",
                hint: "choose a shorter one"
            )
        }
        for same in slots where try same.unwrap(with: key, lineage: cipher.lineage) != nil {
            let description = KeySlotDescription(same)
            // Whoever was cut short repeats the command.
            guard description.label != label else { return description }
            throw StoreError(
                .keySlot,
                "that secret opens the database already, through slot \(description.identifier)",
                hint: "a second slot for it would change nothing",
                path: path
            )
        }
        var slot: KeySlot
        let taken = Set(slots.map { KeySlotDescription($0).identifier })
        repeat {
            slot = try KeySlot.wrapping(
                opener.dataKey,
                with: key,
                label: label,
                created: now,
                cost: cost,
                lineage: cipher.lineage,
                using: &generator
            )
        } while taken.contains(KeySlotDescription(slot).identifier)
        slots.append(slot)
        let description = KeySlotDescription(slot)
        try replaceKeySlots(slots, changing: description.identifier, with: lease)
        return description
    }

    /// Removes a slot.
    ///
    /// Anybody with its secret and an older copy of the file can open that copy for ever. With the key found there they
    /// can open this file, too, until ``rotate(keeping:cost:with:)``.
    ///
    /// - Throws: ``StoreError/Code/keySlot`` if there is no such slot, or if no other slot would be left that a known
    ///   kind of secret opens; ``StoreError/Code/notLocked``, ``StoreError/Code/stale``, and other codes if a file or
    ///   the server fails.
    package func removeKeySlot(_ identifier: String, with lease: WriteLease) throws(StoreError) {
        try check(lease)
        let slots = try store.keySlots()
        let rest = slots.filter { KeySlotDescription($0).identifier != identifier }
        guard rest.count < slots.count else {
            throw StoreError(
                .keySlot,
                "there is no key slot \(identifier)",
                hint: "see which there are with \(command: .listKeySlots)",
                path: path
            )
        }
        guard rest.contains(where: { KeySlotDescription($0).kind != nil }) else {
            throw StoreError(
                .keySlot,
                "\(identifier) is the last key slot; without it nobody could open the database",
                hint: "add another one first",
                path: path
            )
        }
        try replaceKeySlots(rest, changing: identifier, with: lease)
    }

    /// Derives the key of the slot that opened the database again, at `cost`, if guessing its passphrase was cheaper
    /// than that.
    ///
    /// - Returns: whether it did.
    /// - Throws: ``StoreError/Code/notLocked``, ``StoreError/Code/stale``, ``StoreError/Code/cryptography`` if there is
    ///   not enough memory for the derivation, and other codes if a file or the server fails.
    @discardableResult
    package func strengthenOpeningSlot(to cost: Scrypt.Cost, with lease: WriteLease) throws(StoreError) -> Bool {
        try check(lease)
        var slots = try store.keySlots()
        for (index, slot) in slots.enumerated() {
            let description = KeySlotDescription(slot)
            guard description.identifier == opener.slot, let old = description.cost, old.isWeaker(than: cost) else {
                continue
            }
            slots[index] = try slot.rewrapping(
                opener.dataKey,
                with: opener.key,
                cost: cost,
                lineage: cipher.lineage,
                using: &generator
            )
            // The same secret opens the same slot, so this is not worth a line of the history.
            try write(RowBatch(), manifest: lease.manifest, slots: slots, with: lease)
            opener.wrapped = slots[index].wrapped
            return true
        }
        return false
    }

    /// Seals everything under a new data key.
    ///
    /// The slots whose secret is at hand stay: the one that opened the database, and those that one of `keys` opens.
    /// The new data key cannot be wrapped for the others, so they are removed. Plans saved before cannot be opened any
    /// more. The state stays the same, with its serial and digest.
    ///
    /// - Parameter cost: of the derivation from passphrases.
    /// - Returns: the removed slots.
    /// - Throws: ``StoreError/Code/damaged`` if a row cannot be read, ``StoreError/Code/notLocked``,
    ///   ``StoreError/Code/stale``, and other codes if a file or the server fails. Then nothing has changed.
    package func rotate(
        keeping keys: [DatabaseSecret],
        cost: Scrypt.Cost = .standard,
        with lease: WriteLease
    ) throws(StoreError) -> [KeySlotDescription] {
        try check(lease)
        let lineage = cipher.lineage
        let dataKey = SecretOctets(randomOctets(AESGCM.keyLength, using: &generator))
        let newCipher = try RowCipher(dataKey: dataKey, lineage: lineage)
        var kept: [KeySlot] = []
        var removed: [KeySlotDescription] = []
        for slot in try store.keySlots() {
            let description = KeySlotDescription(slot)
            guard let key = try self.key(of: slot, among: keys) else {
                removed.append(description)
                continue
            }
            kept.append(try slot.rewrapping(dataKey, with: key, cost: cost, lineage: lineage, using: &generator))
        }
        let (revision, overflow) = lease.header.revision.addingReportingOverflow(1)
        guard !overflow else { throw .damaged("the revision", path: path) }
        var manifest = lease.manifest
        manifest.digest = RowDigest()
        var batch = RowBatch()
        try addHistoryEntry(ofKeySlot: nil, to: &batch, lease)
        let deletes = batch.deletes.sorted { $0.precedes($1) }
        var rows: [StoredRow] = []
        _ = try scan { row throws(StoreError) in
            // The history's own changes replace this row.
            guard batch.puts[row.name] == nil, !batch.deletes.contains(row.name) else { return }
            guard let body = cipher.open(row) else { throw .damaged(row.name.description, path: path) }
            manifest.digest.add(try newCipher.digestTerm(row.name, revision: row.revision))
            rows.append(try newCipher.seal(body, name: row.name, revision: row.revision, nonce: nonce()))
        }
        for (name, body) in batch.puts.sorted(by: { $0.key.precedes($1.key) }) {
            manifest.digest.add(try newCipher.digestTerm(name, revision: revision))
            rows.append(try newCipher.seal(body, name: name, revision: revision, nonce: nonce()))
        }
        rows.append(try newCipher.seal(manifest.encoded(), name: Manifest.name, revision: revision, nonce: nonce()))
        try store(RowChanges(puts: rows, deletes: deletes, slots: kept), revision: revision, with: lease)
        cipher = newCipher
        opener.dataKey = dataKey
        for slot in kept where KeySlotDescription(slot).identifier == opener.slot { opener.wrapped = slot.wrapped }
        lease.manifest = manifest
        return removed
    }

    /// The slots that ``rotate(keeping:cost:with:)`` would remove: those that neither one of `keys` opens nor the key
    /// that opened the database.
    ///
    /// - Throws: ``StoreError/Code/cryptography`` if there is not enough memory to find out, and other codes if a file
    ///   or the server fails.
    package func keySlots(closedTo keys: [DatabaseSecret]) throws(StoreError) -> [KeySlotDescription] {
        var closed: [KeySlotDescription] = []
        for slot in try store.keySlots() where try self.key(of: slot, among: keys) == nil {
            closed.append(KeySlotDescription(slot))
        }
        return closed
    }

    /// Reads on with the data key of other slots, if the slot that has opened the database wraps another one now. What
    /// cannot be opened by it is found when a row is read.
    func takeDataKey(from slots: [KeySlot]) throws(StoreError) {
        guard let slot = slots.first(where: { KeySlotDescription($0).identifier == opener.slot }),
            slot.wrapped != opener.wrapped,
            let dataKey = try slot.unwrap(with: opener.key, lineage: cipher.lineage)
        else { return }
        cipher = try RowCipher(dataKey: dataKey, lineage: cipher.lineage)
        (opener.dataKey, opener.wrapped) = (dataKey, slot.wrapped)
    }

    /// The error for what could not be read. The database may have got another data key since it was opened here; that
    /// is no damage.
    func explained(_ error: StoreError) -> StoreError {
        guard error.code == .damaged, let slots = try? store.keySlots() else { return error }
        for slot in slots where KeySlotDescription(slot).identifier == opener.slot && slot.wrapped == opener.wrapped {
            return error
        }
        return StoreError(
            .stale,
            "was given other keys in the meantime",
            hint: "run the command again",
            path: path
        )
    }

    /// The key that opens a slot: the one that opened the database, or one of `keys`; nil if none does.
    private func key(of slot: KeySlot, among keys: [DatabaseSecret]) throws(StoreError) -> DatabaseSecret? {
        if KeySlotDescription(slot).identifier == opener.slot { return opener.key }
        for key in keys where try slot.unwrap(with: key, lineage: cipher.lineage) == opener.dataKey { return key }
        return nil
    }

    /// Stores other slots and notes the change in the history.
    private func replaceKeySlots(
        _ slots: [KeySlot],
        changing identifier: String,
        with lease: WriteLease
    ) throws(StoreError) {
        var batch = RowBatch()
        try addHistoryEntry(ofKeySlot: identifier, to: &batch, lease)
        try write(batch, manifest: lease.manifest, slots: slots, with: lease)
    }
}
