import MeshCore

/// The result of checking every row of a database.
package struct StoreVerification: Hashable, Sendable {
    /// How many rows there are of each kind, in the order of the store.
    package var rows: [(kind: String, count: Int)] { counts.map { ($0.kind.text, $0.count) } }
    /// What is wrong, in the order of the rows.
    package var problems: [StoreError] = []
    /// Why nobody could take the lock, if that is so. It does not concern what is stored.
    package var lockProblem: StoreError?
    /// The serial; nil if the manifest is damaged.
    package var serial: UInt64?
    /// The version of the program that wrote last; nil if the manifest is damaged.
    package var writer: String?
    /// The number of transactions so far.
    package var revision: UInt64 = 0

    var counts: [KindCount] = []

    struct KindCount: Hashable, Sendable {
        var kind: RowKind
        var count: Int
    }
}

extension MeshDatabase {
    /// Reads, authenticates and decodes every row, and goes on if one is damaged.
    ///
    /// - Throws: ``StoreError`` if the file or the server fails as a whole. Problems of single rows are in the result.
    package func verify() throws(StoreError) -> StoreVerification {
        var found = StoreVerification()
        do throws(StoreError) {
            try store.checkIntegrity()
        } catch {
            found.problems.append(error)
        }
        do throws(StoreError) {
            try store.checkLock()
        } catch {
            found.lockProblem = error
        }
        var digest = RowDigest()
        var manifestRow: StoredRow?
        let header = try store.scan { row throws(StoreError) in
            if found.counts.last?.kind == row.name.kind {
                found.counts[found.counts.count - 1].count += 1
            } else {
                found.counts.append(.init(kind: row.name.kind, count: 1))
            }
            guard row.name != Manifest.name else {
                manifestRow = row
                return
            }
            digest.add(try cipher.digestTerm(row.name, revision: row.revision))
            do throws(StoreError) {
                try check(row)
            } catch {
                found.problems.append(error)
            }
        }
        found.revision = header.revision
        do throws(StoreError) {
            let manifest = try manifest(manifestRow, header: header)
            found.serial = manifest.serial
            found.writer = writer
            if manifest.digest != digest {
                throw .damagedSet(path: path)
            }
        } catch {
            found.problems.append(error)
        }
        // A server may have been given other keys while its rows were read.
        if let damage = found.problems.first(where: { $0.code == .damaged }) {
            let cause = explained(damage)
            guard cause.code == .damaged else { throw cause }
        }
        return found
    }

    private func check(_ row: StoredRow) throws(StoreError) {
        switch row.name.kind {
        case .manifest: break
        case .network: _ = try decode(row, NetworkCodec.decode)
        case .node: _ = try decode(row, NodeCodec.decode)
        case .replay: _ = try decode(row, ReplayCodec.decode)
        case .sequenceNumbers: _ = try decode(row, MeshDatabase.decodeReservation)
        case .run: _ = try decode(row, JournalCodec.decodeRun)
        case .intent: _ = try decode(row, JournalCodec.decodeIntent)
        case .outcome: _ = try decode(row, JournalCodec.decodeDetail)
        case .extras: _ = try decode(row) { bytes throws(DecodeError) in try CDBExtras(decoding: bytes) }
        case .plan: _ = try decode(row, JournalCodec.decodePlan)
        case .pendingProvisioning: _ = try decode(row, PendingProvisioningCodec.decode)
        case .retiredNode: _ = try decode(row, RetiredNodeCodec.decode)
        case .pendingReprovision: _ = try decode(row, PendingReprovisionCodec.decode)
        case .drift: _ = try decode(row, NodeDriftCodec.decode)
        case .deviceMemory: _ = try decode(row, DeviceMemoryCodec.decode)
        case .capacities: _ = try decode(row, CapacityCodec.decode)
        case .listSharings: _ = try decode(row, ListSharingCodec.decode)
        case .historyEntry: _ = try decode(row) { bytes throws(DecodeError) in try EntryRecord(decoding: bytes) }
        case .undo: _ = try decode(row) { bytes throws(DecodeError) in try UndoChunk(decoding: bytes) }
        case .definition: _ = try decode(row) { bytes throws(DecodeError) in try DefinitionText(decoding: bytes) }
        case .confirmation:
            _ = try decode(row) { bytes throws(DecodeError) in try PendingConfirmation(decoding: bytes) }
        case .historyIndex: _ = try decode(row) { bytes throws(DecodeError) in try HistoryIndex(decoding: bytes) }
        }
    }
}

extension RowKind {
    /// The name of the kind for people: `sequence numbers` for `sequenceNumbers`.
    fileprivate var text: String {
        "\(self)".reduce(into: "") { text, letter in
            text += letter.isUppercase ? " " + letter.lowercased() : String(letter)
        }
    }
}
