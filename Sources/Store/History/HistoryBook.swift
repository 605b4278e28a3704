import MeshCore

/// What one lease writes into the history: an entry, begun with the first change, and the former states of what
/// changes.
struct HistoryBook {
    /// The entry and the rows beside it, as they are stored.
    struct Page {
        var index: HistoryIndex
        var entry: EntryRecord
        /// The rows whose former state is stored.
        var touched: Set<RowName> = []
        /// The last row of former states, which may have room.
        var chunk = UndoChunk()
    }

    /// Nil as long as nothing has changed.
    var page: Page?
    /// The definition that is being applied, and its digest.
    var definition: (text: DefinitionText, digest: DefinitionDigest)?
    /// What the command goes back to; nil if it does not.
    var goal: ReturnGoal?
    /// Called before the first change. If it throws, the change does not happen.
    var beforeFirstChange: (() throws(StoreError) -> Void)?
}

extension WriteLease {
    /// Sets the definition that is applied from now on, and what is gone back to. The next entry of the history keeps
    /// both.
    ///
    /// - Throws: ``StoreError/Code/cryptography`` if the definition cannot be hashed.
    package func declare(_ definition: DefinitionText?, goal: ReturnGoal? = nil) throws(StoreError) {
        book.goal = goal
        guard let definition else {
            book.definition = nil
            return
        }
        book.definition = (definition, try definition.digest())
    }

    /// Sets a function, such as a backup, that runs before the first change under this lease. If it throws, nothing
    /// changes.
    package func beforeFirstChange(_ body: (() throws(StoreError) -> Void)?) {
        book.beforeFirstChange = body
    }

    /// Lets the next change begin an entry of its own, so that the present state can be restored.
    package func beginHistoryEntry() {
        book.page = nil
    }
}

extension MeshDatabase {
    /// Adds to a batch what the history keeps of it. Returns the page that the lease remembers once the batch is
    /// written.
    ///
    /// - Parameter names: the state rows that the batch changes.
    func historyPage(
        keeping names: [RowName],
        in batch: inout RowBatch,
        _ lease: WriteLease
    ) throws(StoreError) -> HistoryBook.Page {
        try prepareFirstChange(lease)
        var page = try openPage(in: &batch, lease)
        let new = names.filter { $0.kind.isState && !page.touched.contains($0) }.sorted { $0.precedes($1) }
        if !new.isEmpty {
            var former: [RowName: [UInt8]] = [:]
            for row in try store.rows(named: new).rows {
                guard let body = cipher.open(row) else { throw .damaged(row.name.description, path: path) }
                former[row.name] = body
            }
            for name in new {
                page.touched.insert(name)
                let body = former[name]
                if page.entry.chunks == 0 || page.chunk.isFull(with: body) {
                    if page.entry.chunks > 0 {
                        batch.put(page.entry.chunkName(page.entry.chunks - 1), page.chunk.encoded())
                        page.entry.undoOctets += UInt64(page.chunk.size)
                    }
                    page.chunk = UndoChunk()
                    guard page.entry.chunks < UInt32.max else { throw .damaged("the history", path: path) }
                    page.entry.chunks += 1
                    batch.put(EntryRecord.name(page.entry.number), page.entry.encoded())
                }
                page.chunk.append(name, body)
            }
            batch.put(page.entry.chunkName(page.entry.chunks - 1), page.chunk.encoded())
        }
        try sweep(&page, in: &batch)
        return page
    }

    func historyPage(
        of plan: HistoryEntry.AppliedPlan,
        in batch: inout RowBatch,
        _ lease: WriteLease
    ) throws(StoreError) -> HistoryBook.Page {
        try prepareFirstChange(lease)
        var page = try openPage(in: &batch, lease)
        // One entry must not grow without bounds. The last plans say how it ended.
        if page.entry.plans.count >= 100 { page.entry.plans.removeFirst() }
        if page.entry.plans.last?.run != plan.run { page.entry.plans.append(plan) }
        batch.put(EntryRecord.name(page.entry.number), page.entry.encoded())
        return page
    }

    /// Adds to a batch a separate entry which says that key slots were changed. That changes no state, so there is
    /// nothing to go back to, and no backup is made: it would keep what the user wanted gone.
    ///
    /// - Parameter slot: the identifier of the slot, if one was changed.
    func addHistoryEntry(ofKeySlot slot: String?, to batch: inout RowBatch, _ lease: WriteLease) throws(StoreError) {
        lease.beginHistoryEntry()
        var page = try openPage(in: &batch, lease)
        if let slot {
            page.entry.operation += " " + slot
            batch.put(EntryRecord.name(page.entry.number), page.entry.encoded())
        }
        try sweep(&page, in: &batch)
    }

    private func prepareFirstChange(_ lease: WriteLease) throws(StoreError) {
        try lease.book.beforeFirstChange?()
        lease.book.beforeFirstChange = nil
    }

    /// The page of a lease. If there is none, it is begun in the batch.
    private func openPage(in batch: inout RowBatch, _ lease: WriteLease) throws(StoreError) -> HistoryBook.Page {
        if let page = lease.book.page {
            // The definition was declared after the entry began, for example after the doubts of earlier runs were
            // settled.
            let other = lease.book.definition.flatMap { page.entry.definition != $0.digest ? $0 : nil }
            guard other != nil || page.entry.goal != lease.book.goal else { return page }
            var page = page
            if let other { keep(other, page: &page, in: &batch) }
            page.entry.goal = lease.book.goal
            batch.put(EntryRecord.name(page.entry.number), page.entry.encoded())
            batch.put(HistoryIndex.name, page.index.encoded())
            return page
        }
        var index = try historyIndex()
        var entry = EntryRecord(
            number: index.next,
            serialBefore: lease.serial,
            operation: lease.holder.operation,
            user: lease.holder.user,
            host: lease.holder.host,
            began: lease.holder.since
        )
        entry.goal = lease.book.goal
        guard index.next < UInt64.max else { throw .damaged("the history", path: path) }
        index.next += 1
        var page = HistoryBook.Page(index: index, entry: entry)
        try forgetOld(&page.index, in: &batch)
        if let definition = lease.book.definition { keep(definition, page: &page, in: &batch) }
        batch.put(EntryRecord.name(page.entry.number), page.entry.encoded())
        batch.put(HistoryIndex.name, page.index.encoded())
        return page
    }

    /// Keeps a definition's text with an entry, and drops texts that nobody has applied for a long time.
    private func keep(
        _ declared: (text: DefinitionText, digest: DefinitionDigest),
        page: inout HistoryBook.Page,
        in batch: inout RowBatch
    ) {
        let (definition, digest) = declared
        page.entry.definition = digest
        let known = page.index.definitions.contains { $0.digest == digest }
        guard known || definition.size <= HistoryLimits.definitionSize else { return }
        page.index.definitions.removeAll { $0.digest == digest }
        page.index.definitions.append(
            HistoryIndex.KeptDefinition(digest: digest, size: UInt64(definition.size), entry: page.entry.number)
        )
        if !known { batch.put(DefinitionText.name(digest), definition.encoded()) }
        var octets = page.index.definitions.reduce(0) { $0 + $1.size }
        while page.index.definitions.count > 2,
            page.index.definitions.count > HistoryLimits.definitions || octets > HistoryLimits.definitionOctets
        {
            let oldest = page.index.definitions.removeFirst()
            octets -= min(oldest.size, octets)
            batch.delete(DefinitionText.name(oldest.digest))
        }
    }

    /// Moves the limits of what is listed and of what can be restored, when an entry begins.
    private func forgetOld(_ index: inout HistoryIndex, in batch: inout RowBatch) throws(StoreError) {
        var records = try entryRecords(index.firstUndoable..<(index.next - 1))
        var octets = records.reduce(0) { $0 + Int(clamping: $1.undoOctets) }
        let awaited = try pendingConfirmation()?.entry ?? UInt64.max
        // The state before the last entry that changed a state can always be restored, whatever it takes.
        let kept = (records.last { $0.undoOctets > 0 } ?? records.last)?.number
        while let oldest = records.first, oldest.number != kept, oldest.number < awaited,
            UInt64(records.count) >= HistoryLimits.undoable || octets > HistoryLimits.undoOctets
        {
            records.removeFirst()
            octets -= Int(clamping: oldest.undoOctets)
            index.firstUndoable = oldest.number + 1
        }
        while index.next - index.first > HistoryLimits.entries, index.first < index.firstUnswept {
            batch.delete(EntryRecord.name(index.first))
            index.first += 1
        }
    }

    /// Removes some rows of states that are no longer known.
    private func sweep(_ page: inout HistoryBook.Page, in batch: inout RowBatch) throws(StoreError) {
        guard page.index.firstUnswept < page.index.firstUndoable else { return }
        var budget = HistoryLimits.sweptRows
        while page.index.firstUnswept < page.index.firstUndoable, budget > 0 {
            guard var record = try entryRecords(page.index.firstUnswept..<page.index.firstUnswept + 1).first else {
                page.index.firstUnswept += 1
                continue
            }
            let removed = min(record.chunks, budget)
            for ordinal in (record.chunks - removed)..<record.chunks { batch.delete(record.chunkName(ordinal)) }
            record.chunks -= removed
            budget -= removed
            if record.chunks == 0 {
                record.undoOctets = 0
                page.index.firstUnswept += 1
            }
            batch.put(EntryRecord.name(record.number), record.encoded())
            // An entry without such rows costs a little, too.
            if removed == 0 { budget -= 1 }
        }
        batch.put(HistoryIndex.name, page.index.encoded())
    }

    /// The index of the history; an empty one if there is none yet.
    func historyIndex() throws(StoreError) -> HistoryIndex {
        guard let row = try store.rows(named: [HistoryIndex.name]).rows.first else { return HistoryIndex() }
        return try decode(row) { bytes throws(DecodeError) in try HistoryIndex(decoding: bytes) }
    }

    /// The entries with those numbers that exist, ascending.
    func entryRecords(_ numbers: Range<UInt64>) throws(StoreError) -> [EntryRecord] {
        var records: [EntryRecord] = []
        for row in try store.rows(named: numbers.map(EntryRecord.name)).rows {
            records.append(try decode(row) { bytes throws(DecodeError) in try EntryRecord(decoding: bytes) })
        }
        return records
    }
}
