package import MeshCore
import SystemLayer

/// The mesh database: what is known of one network, secrets included, in sealed rows. The rows are in one file or in a
/// database that a team shares (``DatabaseLocation``).
///
/// Reading needs only the key and never waits for a writer. Writing needs a ``WriteLease``. Every commit is one durable
/// transaction that first compares lineage and revision. An instance belongs to one thread.
///
/// Without a secret that opens a key slot, nobody can read anything except the slots themselves and the number, kinds
/// and sizes of rows. Nobody can change, move or remove a row, or replace it by an older copy of itself, without being
/// noticed. Replacing the whole file by an older copy of the whole file cannot be noticed from within. ``version()``
/// shows it to anybody who remembers a later version, and sequence numbers are protected even then (see
/// ``DurableSequenceNumbers``).
package final class MeshDatabase {
    /// The path it was opened with, or the name of a shared one.
    package var path: String { location.name }
    /// The name of the network in a shared database; nil for a file.
    package var sharedNetwork: String? { if case .shared(_, let network, _) = location { network } else { nil } }
    /// Distinguishes it from other databases; a copy has the same.
    package var lineage: Octets16 { cipher.lineage }
    let location: DatabaseLocation
    let store: any RowStore
    /// Replaced when the data key changes.
    var cipher: RowCipher
    var opener: Opener
    var generator: any RandomNumberGenerator
    /// How often all rows were read and checked. That takes long in a large network, so commands do it once.
    package private(set) var completeReadings = 0
    /// The version of the program that wrote the manifest that was read last; nil before one was read.
    private(set) var writer: String?

    /// The secrets that opened the database. Nothing prints them.
    struct Opener: CustomReflectable {
        /// The key that the slots wrap. Never log or print it or put it into an error.
        var dataKey: SecretOctets
        var key: DatabaseSecret
        var slot: String
        /// The data key as the slot wraps it.
        var wrapped: [UInt8]

        var customMirror: Mirror { Mirror(self, children: [:]) }
    }

    init(
        location: DatabaseLocation,
        store: any RowStore,
        cipher: RowCipher,
        opener: Opener,
        generator: any RandomNumberGenerator
    ) {
        self.location = location
        self.store = store
        self.cipher = cipher
        self.opener = opener
        self.generator = generator
        store.onNewSlots = { [weak self] slots throws(StoreError) in try self?.takeDataKey(from: slots) }
    }

    /// Creates a database where there is none yet, and opens it. A file has mode 0600.
    ///
    /// - Parameters:
    ///   - network: the network with its nodes and records of provisioning.
    ///   - extras: what an import brought along beside the network.
    ///   - key: the secret that will open it.
    ///   - label: the name of its key slot.
    ///   - cost: of the derivation, where the key is a passphrase.
    ///   - generator: makes lineage, data key and nonces; cryptographically secure outside tests.
    /// - Throws: ``StoreError/Code/exists`` if something is there already, and other codes if a file or the server
    ///   fails. Then there is no database.
    package static func create(
        at location: DatabaseLocation,
        network: MeshNetwork,
        extras: CDBExtras = CDBExtras(),
        key: DatabaseSecret,
        label: String = "",
        cost: Scrypt.Cost = .standard,
        now: Timestamp,
        using generator: some RandomNumberGenerator
    ) throws(StoreError) -> MeshDatabase {
        var generator = generator
        try location.checkFree()
        let lineage = Octets16(high: generator.next(), low: generator.next())
        let dataKey = SecretOctets(randomOctets(AESGCM.keyLength, using: &generator))
        let slot = try KeySlot.wrapping(
            dataKey,
            with: key,
            label: label,
            created: now,
            cost: cost,
            lineage: lineage,
            using: &generator
        )
        let cipher = try RowCipher(dataKey: dataKey, lineage: lineage)

        let revision: UInt64 = 1
        var bodies = [(RowName(.network), NetworkCodec.encode(network)), (RowName(.extras), extras.encoded())]
        if !network.capacities.isEmpty {
            bodies.append((RowName(.capacities), CapacityCodec.encode(network.capacities)))
        }
        if !network.listSharings.isEmpty {
            bodies.append((RowName(.listSharings), ListSharingCodec.encode(network.listSharings)))
        }
        bodies += network.nodes.map { (RowName($0), NodeCodec.encode($0)) }
        bodies += network.pendingProvisionings.map {
            (RowName(pending: $0.uuid), PendingProvisioningCodec.encode($0))
        }
        bodies += network.sortedPendingReprovisions.map {
            (RowName(reprovision: $0.uuid), PendingReprovisionCodec.encode($0))
        }
        bodies += network.deviceMemories.values.map { (RowName(memory: $0.uuid), DeviceMemoryCodec.encode($0)) }
        bodies += network.drifts.values.map { (RowName(drift: $0.recorded.uuid), NodeDriftCodec.encode($0)) }
        var manifest = Manifest(created: now, lineage: lineage)
        for retired in network.retiredNodes {
            bodies.append((RowName(retirement: manifest.nextRetirement), RetiredNodeCodec.encode(retired)))
            manifest.nextRetirement += 1
        }
        var rows: [StoredRow] = []
        for (name, body) in bodies {
            manifest.digest.add(try cipher.digestTerm(name, revision: revision))
            let nonce = randomOctets(AESGCM.nonceLength, using: &generator)
            rows.append(try cipher.seal(body, name: name, revision: revision, nonce: nonce))
        }
        manifest.stateDigest = try manifest.stateDigest.advanced(
            to: manifest.serial,
            nonce: randomOctets(AESGCM.nonceLength, using: &generator),
            puts: rows,
            deletes: []
        )
        let manifestNonce = randomOctets(AESGCM.nonceLength, using: &generator)
        rows.append(
            try cipher.seal(manifest.encoded(), name: Manifest.name, revision: revision, nonce: manifestNonce)
        )
        // It tells of a database that is gone. If the new one cannot be noted, the next change does it.
        try? Files.remove(location.localPath + NewestState.suffix)
        try location.createStore(lineage: lineage, slots: [slot], rows: rows, revision: revision)
        try? NewestState.write(manifest.version(of: lineage), beside: location.localPath)
        return try open(at: location, key: key, using: generator)
    }

    /// Opens a database.
    ///
    /// - Parameter generator: makes nonces; cryptographically secure outside tests.
    /// - Throws: ``StoreError/Code/missing``, ``StoreError/Code/notADatabase``, ``StoreError/Code/newerFormat``,
    ///   ``StoreError/Code/wrongKey`` if no slot opens with `key`, ``StoreError/Code/readOnly``, and other codes if a
    ///   file or the server fails.
    package static func open(
        at location: DatabaseLocation,
        key: DatabaseSecret,
        using generator: some RandomNumberGenerator = SystemRandomNumberGenerator()
    ) throws(StoreError) -> MeshDatabase {
        if let database = try SealedDatabase(at: location).opened(with: key, using: generator) { return database }
        let (secret, hint) =
            switch key.kind {
            case .keyFile: ("key file", "use the key file that was made together with it")
            case .passphrase: ("passphrase", "type it again, and mind the keyboard's layout")
            case .command: ("secret of the key command", "check which secret the command fetches")
            }
        throw StoreError(.wrongKey, "the \(secret) does not open this database", hint: hint, path: location.name)
    }

    /// What imports brought along beside the network.
    ///
    /// - Throws: ``StoreError/Code/damaged`` if the row cannot be read, ``StoreError/Code/newerFormat``, and other
    ///   codes if a file or the server fails.
    package func extras() throws(StoreError) -> CDBExtras {
        guard let row = try store.rows(named: [RowName(.extras)]).rows.first else { return CDBExtras() }
        return try decode(row) { bytes throws(DecodeError) in try CDBExtras(decoding: bytes) }
    }

    /// Takes the exclusive right to write. It also removes what killed writers left behind, and stores what an earlier
    /// run could not bring to a shared database.
    ///
    /// - Throws: ``StoreError/Code/locked`` with the holder, at once, if somebody else has the lock, and other codes if
    ///   a file or the server fails.
    package func lock(holder: LockHolder) throws(StoreError) -> WriteLease {
        defer { TemporaryFiles.removeLeftovers(inFolder: Files.folder(of: location.localPath)) }
        let lock = try store.lock(holder) { nonce() }
        do {
            let found = try store.rows(named: [Manifest.name])
            let lease = WriteLease(
                lock,
                of: store,
                at: location,
                holder: holder,
                database: ObjectIdentifier(self),
                header: found.header,
                manifest: try manifest(found.rows.first, header: found.header)
            )
            try compareOrigin(with: lease)
            store.whenPromoted { [weak lease] promotion in
                lease?.promotion = promotion
                lease?.onPromotion(promotion)
            }
            try settleSpill(with: lease)
            return lease
        } catch {
            lock.release()
            throw error
        }
    }

    /// Takes the right to write away from its holder, whose next write is then refused. The lock of a file cannot be
    /// taken away; it ends with its process.
    ///
    /// - Parameter lock: the lock's number, as the error of a refused command names it.
    /// - Throws: ``StoreError/Code/notLocked`` if that is not the lock that is held, and other codes if the server
    ///   fails.
    package func forceUnlock(_ lock: String) throws(StoreError) {
        try store.forceUnlock(lock)
    }

    // MARK: For the other parts of the database

    /// 12 random octets.
    func nonce() -> [UInt8] {
        randomOctets(AESGCM.nonceLength, using: &generator)
    }

    /// Visits every row except the manifest, then checks that these are the rows that the manifest lists.
    func scan(_ body: (StoredRow) throws(StoreError) -> Void) throws(StoreError) -> (StoreHeader, Manifest) {
        completeReadings += 1
        var digest = RowDigest()
        var manifestRow: StoredRow?
        let header: StoreHeader
        do throws(StoreError) {
            header = try store.scan { row throws(StoreError) in
                if row.name == Manifest.name {
                    manifestRow = row
                    return
                }
                digest.add(try cipher.digestTerm(row.name, revision: row.revision))
                try body(row)
            }
        } catch {
            throw explained(error)
        }
        let manifest = try manifest(manifestRow, header: header)
        guard manifest.digest == digest else {
            throw .damagedSet(path: path)
        }
        return (header, manifest)
    }

    /// The manifest in its row. If it cannot be read because the database has other keys by now, the error says that.
    func manifest(_ row: StoredRow?, header: StoreHeader) throws(StoreError) -> Manifest {
        do throws(StoreError) {
            return try openManifest(row, header: header)
        } catch {
            throw explained(error)
        }
    }

    private func openManifest(_ row: StoredRow?, header: StoreHeader) throws(StoreError) -> Manifest {
        guard let row, row.revision == header.revision else { throw .damaged("the manifest", path: path) }
        return try decode(row) { bytes throws(DecodeError) in
            writer = Manifest.writer(of: bytes)
            return try Manifest(decoding: bytes)
        }
    }

    func decode<Value>(
        _ row: StoredRow,
        _ decoder: ([UInt8]) throws(DecodeError) -> Value
    ) throws(StoreError) -> Value {
        guard let bytes = cipher.open(row) else { throw .damaged(row.name.description, path: path) }
        return try decode(bytes, of: row.name, decoder)
    }

    /// Decodes the present or former body of a row.
    func decode<Value>(
        _ bytes: [UInt8],
        of name: RowName,
        _ decoder: ([UInt8]) throws(DecodeError) -> Value
    ) throws(StoreError) -> Value {
        do {
            return try decoder(bytes)
        } catch .unknownType(let version) where bytes.first.map(UInt64.init) == version {
            throw StoreError(
                .newerFormat,
                "\(name) has version \(version), which this program does not know",
                hint: writer.map { "use version \($0) of meshplan, which wrote it last, or a later one" }
                    ?? "use the version of meshplan that wrote it, or a later one",
                path: path
            )
        } catch {
            throw .damaged(name.description, path: path)
        }
    }
}

extension RowName {
    init(_ node: Node) {
        self.init(node.uuid)
    }

    /// The row of the node with that UUID.
    init(_ uuid: DeviceUUID) {
        self.init(.node, key: uuid.rawValue.bytes)
    }

    init(pending uuid: DeviceUUID) {
        self.init(.pendingProvisioning, key: uuid.rawValue.bytes)
    }

    /// The row of the pending reprovisioning of the node with that UUID.
    init(reprovision uuid: DeviceUUID) {
        self.init(.pendingReprovision, key: uuid.rawValue.bytes)
    }

    init(memory uuid: DeviceUUID) {
        self.init(.deviceMemory, key: uuid.rawValue.bytes)
    }

    init(drift uuid: DeviceUUID) {
        self.init(.drift, key: uuid.rawValue.bytes)
    }

    /// The row of the retired node with that number.
    init(retirement number: UInt64) {
        var writer = ByteWriter(capacity: 8)
        writer.write(number)
        self.init(.retiredNode, key: writer.bytes)
    }
}

extension RowName: CustomStringConvertible {
    var description: String {
        switch kind {
        case .manifest: "the manifest"
        case .network: "the network's row"
        case .node: "the row of node \(Octets16(key)?.hyphenated ?? Hexadecimal.encode(key))"
        case .replay: "replay row \(Hexadecimal.encode(key))"
        case .sequenceNumbers: "the sequence numbers of address 0x\(Hexadecimal.encode(key))"
        case .run: "the row of run \(key.reduce(0) { $0 << 8 | UInt64($1) })"
        case .intent: "journal row \(Hexadecimal.encode(key))"
        case .outcome: "outcome row \(Hexadecimal.encode(key))"
        case .extras: "the row of imported extras"
        case .capacities: "the row of learned capacities"
        case .listSharings: "the row of shared subscription lists"
        case .pendingProvisioning:
            "the row of pending device \(Octets16(key)?.hyphenated ?? Hexadecimal.encode(key))"
        case .pendingReprovision:
            "the row of the pending reprovisioning of node \(Octets16(key)?.hyphenated ?? Hexadecimal.encode(key))"
        case .retiredNode: "the row of retired node \(key.reduce(0) { $0 << 8 | UInt64($1) })"
        case .deviceMemory: "the row of the memory of device \(Octets16(key)?.hyphenated ?? Hexadecimal.encode(key))"
        case .drift: "the row of the drift of node \(Octets16(key)?.hyphenated ?? Hexadecimal.encode(key))"
        case .historyEntry: "entry \(key.reduce(0) { $0 << 8 | UInt64($1) }) of the history"
        case .undo: "row \(Hexadecimal.encode(key)) of former states"
        case .definition: "the row of definition \(Hexadecimal.encode(key))"
        case .confirmation: "the row of the changes that wait for confirmation"
        case .historyIndex: "the index of the history"
        case .plan: "the row of plan \(Octets16(key)?.hexadecimal ?? Hexadecimal.encode(key))"
        }
    }
}

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
