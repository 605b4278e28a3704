package import MeshCore

/// Changes that wait to be confirmed, and returns that go on until they have reached their goal.
extension MeshDatabase {
    /// The note about changes that wait to be confirmed; nil if none do.
    package func pendingConfirmation() throws(StoreError) -> PendingConfirmation? {
        guard let note = try confirmationNote(), note.decision == nil else { return nil }
        return note
    }

    /// The note about the changes that were the last ones to wait, whether or not they still do; nil if none ever did.
    package func confirmationNote() throws(StoreError) -> PendingConfirmation? {
        guard let row = try store.rows(named: [PendingConfirmation.name]).rows.first else { return nil }
        return try decode(row) { bytes throws(DecodeError) in try PendingConfirmation(decoding: bytes) }
    }

    /// Notes durably that the following changes under this lease must be confirmed.
    ///
    /// - Returns: the note, without a deadline.
    /// - Throws: ``StoreError/Code/notLocked``, ``StoreError/Code/stale``, and other codes if a file or the server
    ///   fails.
    @discardableResult
    package func awaitConfirmation(with lease: WriteLease) throws(StoreError) -> PendingConfirmation {
        lease.beginHistoryEntry()
        let pending = PendingConfirmation(
            deadline: nil,
            serial: lease.serial,
            entry: try historyIndex().next,
            user: lease.holder.user,
            host: lease.holder.host,
            process: lease.holder.process,
            began: lease.holder.since
        )
        var batch = RowBatch()
        batch.put(PendingConfirmation.name, pending.encoded())
        try write(batch, manifest: lease.manifest, with: lease)
        return pending
    }

    /// Sets the deadline for confirming the changes that wait.
    ///
    /// - Returns: the note with the deadline; nil if no changes wait.
    /// - Throws: ``StoreError/Code/notLocked``, ``StoreError/Code/stale``, and other codes if a file or the server
    ///   fails.
    package func setConfirmationDeadline(
        _ deadline: Timestamp,
        with lease: WriteLease
    ) throws(StoreError) -> PendingConfirmation? {
        guard var pending = try pendingConfirmation() else { return nil }
        pending.deadline = deadline
        var batch = RowBatch()
        batch.put(PendingConfirmation.name, pending.encoded())
        try write(batch, manifest: lease.manifest, with: lease)
        return pending
    }

    /// Notes that the changes that wait were confirmed; without such changes it does nothing.
    ///
    /// - Throws: ``StoreError/Code/notLocked``, ``StoreError/Code/stale``, and other codes if a file or the server
    ///   fails.
    package func confirm(with lease: WriteLease) throws(StoreError) {
        var batch = RowBatch()
        guard try decide(.confirmed, in: &batch) else { return }
        try write(batch, manifest: lease.manifest, with: lease)
    }

    /// The last command if it went back and was cut short before it reached its goal; nil otherwise.
    package func unfinishedReturn() throws(StoreError) -> HistoryEntry? {
        let index = try historyIndex()
        var next = index.next
        // Nearly always, one of the newest entries is an apply.
        while next > index.first {
            let first = max(index.first, next - min(next, 16))
            if let last = try entryRecords(first..<next).last(where: { $0.definition != nil || $0.goal != nil }) {
                return last.goal == nil ? nil : try history().unfinishedReturn
            }
            next = first
        }
        return nil
    }

    /// Notes that what was declared is reached. Changes that were taken back wait no longer.
    ///
    /// - Throws: ``StoreError/Code/notLocked``, ``StoreError/Code/stale``, and other codes if a file or the server
    ///   fails.
    package func reachGoal(with lease: WriteLease) throws(StoreError) {
        var batch = RowBatch()
        var page = lease.book.page
        if case .unconfirmed = lease.book.goal {
            _ = try decide(.takenBack, in: &batch)
            // The history must tell that they were taken back, even if nothing of them had arrived anywhere.
            if page == nil { page = try historyPage(keeping: [], in: &batch, lease) }
        }
        if var reached = page, let goal = lease.book.goal {
            reached.entry.goal = goal
            reached.entry.isGoalReached = true
            batch.put(EntryRecord.name(reached.entry.number), reached.entry.encoded())
            page = reached
        } else if page == nil, let unfinished = try unfinishedReturn(),
            unfinished.goal == lease.book.goal ?? .definition,
            unfinished.definition == lease.book.definition?.digest,
            var record = try entryRecords(unfinished.number..<unfinished.number + 1).first
        {
            // Another command had done all of it.
            record.isGoalReached = true
            batch.put(EntryRecord.name(record.number), record.encoded())
        } else {
            return
        }
        try write(batch, manifest: lease.manifest, with: lease)
        lease.book.page = page
    }

    private func decide(_ decision: PendingConfirmation.Decision, in batch: inout RowBatch) throws(StoreError) -> Bool {
        guard var pending = try pendingConfirmation() else { return false }
        pending.decision = decision
        batch.put(PendingConfirmation.name, pending.encoded())
        return true
    }
}
