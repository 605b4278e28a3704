import MeshCore

/// Reading the history and former states.
extension MeshDatabase {
    /// The history of the database: the last 1,000 entries.
    package func history() throws(StoreError) -> History {
        let found = try store.rows(named: [Manifest.name])
        guard let row = found.rows.first else { throw .damaged("the manifest", path: path) }
        let manifest = try decode(row) { bytes throws(DecodeError) in try Manifest(decoding: bytes) }
        let index = try historyIndex()
        // More may be stored while something waits a long time to be confirmed.
        let first = max(index.first, index.next - min(index.next, HistoryLimits.entries))
        let records = try entryRecords(first..<index.next)
        var runs: [RunIdentifier: Run] = [:]
        for identifier in Set(records.flatMap(\.plans).map(\.run)) { runs[identifier] = try record(of: identifier) }
        var entries: [HistoryEntry] = []
        var after = manifest.serial
        for record in records.reversed() {
            entries.append(
                HistoryEntry(
                    number: record.number,
                    serialBefore: record.serialBefore,
                    serialAfter: after,
                    operation: record.operation,
                    user: record.user,
                    host: record.host,
                    began: record.began,
                    definition: record.definition,
                    plans: record.plans,
                    runs: record.plans.compactMap { runs[$0.run] },
                    isRestorable: record.number >= index.firstUndoable,
                    goal: record.goal,
                    isGoalReached: record.isGoalReached
                )
            )
            after = record.serialBefore
        }
        return History(created: manifest.created, serial: manifest.serial, isCut: first > 1, entries: entries)
    }

    /// The text of a definition that was applied; nil if it is no longer kept.
    package func definition(_ digest: DefinitionDigest) throws(StoreError) -> DefinitionText? {
        guard let row = try store.rows(named: [DefinitionText.name(digest)]).rows.first else { return nil }
        return try decode(row) { bytes throws(DecodeError) in try DefinitionText(decoding: bytes) }
    }

    /// What was known at a serial: network, nodes and records of provisioning. Replay list and unresolved intents do
    /// not belong to that; they are empty unless the serial is the present one.
    ///
    /// States are known where a command began; see ``History/serials``.
    ///
    /// - Throws: ``StoreError/Code/unknownSerial`` if that state is not known, and what ``snapshot()`` throws.
    package func snapshot(at serial: UInt64) throws(StoreError) -> Snapshot {
        var rows: [RowName: StoredRow] = [:]
        var chunks: [(key: [UInt8], row: StoredRow)] = []
        var records: [EntryRecord] = []
        var index = HistoryIndex()
        let (header, manifest) = try scan { row throws(StoreError) in
            switch row.name.kind {
            case .undo: chunks.append((row.name.key, row))
            case .historyEntry:
                records.append(try decode(row) { bytes throws(DecodeError) in try EntryRecord(decoding: bytes) })
            case .historyIndex:
                index = try decode(row) { bytes throws(DecodeError) in try HistoryIndex(decoding: bytes) }
            default: if row.name.kind.isState { rows[row.name] = row }
            }
        }
        guard serial != manifest.serial else { return try snapshot() }
        let target = records.first { $0.serialBefore == serial && $0.number >= index.firstUndoable }
        guard let target else { throw unknown(serial, records, index, present: manifest.serial) }
        // The oldest former state counts, and rows come oldest first.
        var former: [RowName: [UInt8]?] = [:]
        let start = EntryRecord.name(target.number).key
        for chunk in chunks where !chunk.key.lexicographicallyPrecedes(start) {
            let items = try decode(chunk.row) { bytes throws(DecodeError) in try UndoChunk(decoding: bytes) }.items
            for item in items where former[item.name] == nil { former.updateValue(item.body, forKey: item.name) }
        }
        var builder = SnapshotBuilder()
        for (name, row) in rows where former[name] == nil {
            try decode(row) { bytes throws(DecodeError) in try builder.add(name, bytes) }
        }
        for (name, body) in former {
            guard let body else { continue }
            try decode(body, of: name) { bytes throws(DecodeError) in try builder.add(name, bytes) }
        }
        guard let network = builder.finished() else { throw .damaged("the network's row", path: path) }
        return Snapshot(lineage: header.lineage, serial: serial, network: network, replay: [], unresolved: [])
    }

    private func unknown(
        _ serial: UInt64,
        _ records: [EntryRecord],
        _ index: HistoryIndex,
        present: UInt64
    ) -> StoreError {
        let known = records.filter { $0.number >= index.firstUndoable }.map(\.serialBefore) + [present]
        let hint: String
        if let nearest = known.last(where: { $0 < serial }), let next = known.first(where: { $0 > serial }) {
            hint = "states are known where commands began: the nearest are \(nearest) and \(next)"
        } else if serial > present {
            hint = "the database is at serial \(present) now"
        } else {
            hint = "the oldest that is known is \(known.min() ?? present); a backup may hold an older one"
        }
        return StoreError(.unknownSerial, "the state at serial \(serial) is not known", hint: hint, path: path)
    }

    // MARK: Backups

    /// Copies the database as it is, sealed as it is, to a new file with mode 0600. The copy is whole, or there is
    /// none.
    ///
    /// The copy opens with the same key and replaces an existing file.
    ///
    /// - Returns: false if the database is in a place that cannot be copied; its owners take care of backups there.
    /// - Throws: ``StoreError`` if reading or writing fails. Then there is no new file.
    package func copy(to target: String) throws(StoreError) -> Bool {
        try store.copy(to: target)
    }
}
