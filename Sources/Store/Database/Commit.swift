import MeshCore

/// Puts and deletes that are collected for one transaction. The last one for a row counts.
struct RowBatch {
    private(set) var puts: [RowName: [UInt8]] = [:]
    private(set) var deletes: Set<RowName> = []

    mutating func put(_ name: RowName, _ body: [UInt8]) {
        deletes.remove(name)
        puts[name] = body
    }

    mutating func delete(_ name: RowName) {
        puts[name] = nil
        deletes.insert(name)
    }
}

extension MeshDatabase {
    /// Makes `changes` durable, all or nothing, and returns the serial after them.
    ///
    /// When it returns, the changes survive a crash and a power cut. When it throws, nothing was changed. After
    /// ``StoreError/Code/inputOutput``, take a new lease before you go on.
    ///
    /// - Throws: ``StoreError/Code/notLocked`` if the lease is not held, ``StoreError/Code/stale`` if somebody else has
    ///   written since it began, ``StoreError/Code/diskFull``, ``StoreError/Code/unknownRun`` for a journal record of a
    ///   run that does not exist, and other codes if a file or the server fails.
    @discardableResult
    package func commit(_ changes: StoreChanges, with lease: WriteLease) throws(StoreError) -> UInt64 {
        guard !changes.isEmpty else {
            try check(lease)
            return lease.serial
        }
        var batch = RowBatch()
        for uuid in changes.removedNodes { batch.delete(RowName(uuid)) }
        for node in changes.confirmedNodes + changes.nodes { batch.put(RowName(node), NodeCodec.encode(node)) }
        for uuid in changes.removedDrifts { batch.delete(RowName(drift: uuid)) }
        for drift in changes.drifts { batch.put(RowName(drift: drift.recorded.uuid), NodeDriftCodec.encode(drift)) }
        if let network = changes.network { batch.put(RowName(.network), NetworkCodec.encode(network)) }
        if let capacities = changes.capacities { batch.put(RowName(.capacities), CapacityCodec.encode(capacities)) }
        if let sharings = changes.listSharings { batch.put(RowName(.listSharings), ListSharingCodec.encode(sharings)) }
        if let extras = changes.extras { batch.put(RowName(.extras), extras.encoded()) }
        for memory in changes.deviceMemories {
            batch.put(RowName(memory: memory.uuid), DeviceMemoryCodec.encode(memory))
        }
        for uuid in changes.removedPendingProvisionings { batch.delete(RowName(pending: uuid)) }
        for pending in changes.pendingProvisionings {
            batch.put(RowName(pending: pending.uuid), PendingProvisioningCodec.encode(pending))
        }
        for uuid in changes.removedPendingReprovisions { batch.delete(RowName(reprovision: uuid)) }
        for pending in changes.pendingReprovisions {
            batch.put(RowName(reprovision: pending.uuid), PendingReprovisionCodec.encode(pending))
        }
        try addReplay(changes.replay, to: &batch)
        var manifest = lease.manifest
        for retired in changes.retiredNodes {
            batch.put(RowName(retirement: manifest.nextRetirement), RetiredNodeCodec.encode(retired))
            let (next, overflow) = manifest.nextRetirement.addingReportingOverflow(1)
            guard !overflow else { throw .damaged("the manifest", path: path) }
            manifest.nextRetirement = next
        }
        var page = lease.book.page
        if changes.isStateChange {
            // Seeing a node again, or operating it, changes no state.
            let confirmed = Set(changes.confirmedNodes.map { RowName($0) })
                .subtracting(changes.nodes.map { RowName($0) })
            let names = (Array(batch.puts.keys) + batch.deletes).filter { !confirmed.contains($0) }
            page = try historyPage(keeping: names, in: &batch, lease)
            manifest.serial = max(manifest.serial + 1, changes.minimumSerial)
        }
        try addJournal(changes, serial: manifest.serial, to: &batch)
        try write(batch, manifest: manifest, with: lease)
        lease.book.page = page
        return lease.serial
    }

    /// Refuses a lease that was released or that belongs to another database.
    func check(_ lease: WriteLease) throws(StoreError) {
        guard lease.isHeld, lease.database == ObjectIdentifier(self) else {
            throw StoreError(.notLocked, "the lock of the database is not held", path: path)
        }
        if let failure = lease.failure { throw failure }
    }

    /// Writes a batch and the manifest as one transaction and brings the lease up to date.
    ///
    /// - Parameter slots: what replaces all key slots; nil keeps them.
    func write(
        _ batch: RowBatch,
        manifest: Manifest,
        slots: [KeySlot]? = nil,
        with lease: WriteLease
    ) throws(StoreError) {
        try check(lease)
        var manifest = manifest
        let header = lease.header
        let (revision, overflow) = header.revision.addingReportingOverflow(1)
        guard !overflow else { throw .damaged("the revision", path: path) }
        let puts = batch.puts.keys.sorted { $0.precedes($1) }
        let deletes = batch.deletes.sorted { $0.precedes($1) }
        // Take the old rows' share out of the digest by their stored revisions. If somebody else has changed the rows
        // since the lease began, the comparison in the transaction fails.
        for (name, revision) in try store.revisions(of: puts + deletes) {
            manifest.digest.subtract(try cipher.digestTerm(name, revision: revision))
        }
        var rows: [StoredRow] = []
        for name in puts {
            guard let body = batch.puts[name] else { continue }
            manifest.digest.add(try cipher.digestTerm(name, revision: revision))
            rows.append(try cipher.seal(body, name: name, revision: revision, nonce: nonce()))
        }
        if manifest.serial != lease.manifest.serial {
            manifest.stateDigest = try manifest.stateDigest.advanced(
                to: manifest.serial,
                nonce: nonce(),
                puts: rows,
                deletes: deletes
            )
        }
        rows.append(try cipher.seal(manifest.encoded(), name: Manifest.name, revision: revision, nonce: nonce()))
        // Before the commit: nobody knows what a failed one has stored.
        let isShown = manifest.serial != lease.manifest.serial || (puts + deletes).contains { $0.kind.isInSnapshots }
        if isShown { lease.known = nil }
        try store(RowChanges(puts: rows, deletes: deletes, slots: slots), revision: revision, with: lease)
        lease.manifest = manifest
    }

    /// Commits rows under a lease. If a shared store cannot take them, they go into a file, and the lease allows no
    /// further write.
    func store(_ changes: RowChanges, revision: UInt64, with lease: WriteLease) throws(StoreError) {
        guard let lock = lease.lock else { return try check(lease) }
        do {
            try store.commit(changes, expecting: lease.header, revision: revision, under: lock)
        } catch {
            // Nothing was written, and the lease is still good.
            guard location.isShared, error.code != .promoted else { throw error }
            // The server may or may not have stored them, so nothing can build on either. Key slots are not kept in a
            // file: the user can repeat that change and see what there is.
            guard changes.slots == nil else {
                lease.failure = error
                throw error
            }
            let spill = Spill(expected: lease.header, revision: revision, changes: changes)
            let failure = error.code == .stale ? error : keep(spill, after: error)
            lease.failure = failure
            throw failure
        }
        lease.header.revision = revision
        lease.noteCommit()
    }

    private func addReplay(_ entries: [ReplayProtection.Entry], to batch: inout RowBatch) throws(StoreError) {
        let buckets = Dictionary(grouping: entries) { ReplayCodec.name(for: $0.source) }
        guard !buckets.isEmpty else { return }
        var stored: [RowName: [ReplayProtection.Entry]] = [:]
        for row in try store.rows(named: Array(buckets.keys)).rows {
            stored[row.name] = try decode(row, ReplayCodec.decode)
        }
        for (name, updates) in buckets {
            let old = stored[name] ?? []
            let merged = ReplayCodec.merge(old, with: updates)
            if merged != old { batch.put(name, ReplayCodec.encode(merged)) }
        }
    }
}

extension RowName {
    /// Whether this row comes before the other one in the store.
    func precedes(_ other: RowName) -> Bool {
        kind == other.kind ? key.lexicographicallyPrecedes(other.key) : kind.rawValue < other.kind.rawValue
    }
}
