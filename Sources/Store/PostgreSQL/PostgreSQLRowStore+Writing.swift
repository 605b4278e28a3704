import MeshCore
import PostgreSQL

/// The lock, and the transactions under it.
extension PostgreSQLRowStore {
    func lock(_ holder: LockHolder, token: () -> [UInt8]) throws(StoreError) -> any StoreLock {
        session.isWriting = true
        // Until the lock is held, a failure leaves everything as it was.
        defer { session.isWriting = locked != nil }
        try refuse(formerPrimary: try findOrigin())
        let (lock, results) = try acquire(holder, token: token())
        do throws(StoreError) {
            // If a standby was promoted since the lock was asked for, the first write finds that out.
            let origin = try findOrigin()
            try refuse(formerPrimary: origin)
            locked = try contents(results, under: lock, origin)
        } catch {
            lock.release()
            throw error
        }
        seen = nil
        session.patience = session.timing.writerPatience
        session.watch = PrimaryWatch(session.address, every: session.timing.watch, since: locked?.origin)
        lock.onRelease = { [weak self] isOurs in
            guard let self else { return }
            if isOurs, let locked {
                let rows = locked.rows.rows(named: [Manifest.name])
                see(rows, locked.header, at: session.clock.now(), of: [.manifest])
            }
            locked = nil
            session.watch = nil
            session.isWriting = false
            session.patience = session.timing.readerPatience
        }
        return lock
    }

    /// Reads what the holder of the lock must know, in the transaction that takes the lock: once that has raised the
    /// fence, nobody else can write. Whoever did not get the lock reads no rows.
    private func contentQueries(_ token: [UInt8]) -> [SQLStatement] {
        let rows = """
            SELECT kind, key, revision, body FROM meshplan_rows WHERE lineage = $1
                AND EXISTS (SELECT 1 FROM meshplan_locks l WHERE l.lineage = $1 AND l.token = $2)
            """
        return [headerQuery, slotQuery, SQLStatement(rows, .octets(lineage.bytes), .octets(token))]
    }

    private func contents(
        _ results: [SQLResult],
        under lock: PostgreSQLLock,
        _ origin: StoreOrigin?
    ) throws(StoreError) -> LockedStore {
        let slots = try PostgreSQLRowStore.keySlots(results[1], session)
        let (header, rows) = try session.reading { () throws(PostgreSQLError) -> (StoreHeader?, LockedRows) in
            var rows = LockedRows()
            for row in results[2].rows { rows.add(try PostgreSQLRowStore.storedRow(row)) }
            return (try readHeader(results[0]), rows)
        }
        return LockedStore(lock: lock, header: try required(header), rows: rows, slots: slots, origin: origin)
    }

    /// Takes the lock. It may take it from the last process of this machine that had it, which was killed, had no
    /// connection any more, or released it on a server whose standby has taken over without that. The kernel has
    /// released that process's lock of the local file, so it certainly does not write any more.
    ///
    /// - Returns: the lock, and the answers to ``contentQueries(_:)``.
    private func acquire(_ holder: LockHolder, token: [UInt8]) throws(StoreError) -> (PostgreSQLLock, [SQLResult]) {
        let local: FileLock
        do {
            local = try FileLock(of: localPath, holder)
        } catch {
            var error = error
            if error.code == .locked { error.path = session.name }
            throw error
        }
        let queries = contentQueries(token)
        func take() throws(StoreError) -> (PostgreSQLLock, [SQLResult]) {
            try PostgreSQLLock.take(of: lineage, session, holder, token: token, local: local, then: queries)
        }
        do throws(StoreError) {
            return try take()
        } catch {
            guard let abandoned = local.abandoned else { throw error }
            if error.code == .locked {
                // If that is not the lock that is held, nothing happens.
                try? PostgreSQLLock.end(abandoned, of: lineage, session)
                if let taken = try? take() { return taken }
            }
            try? local.note(abandoned)
            local.abandon()
            throw error
        }
    }

    func forceUnlock(_ lock: String) throws(StoreError) {
        session.isWriting = true
        defer { session.isWriting = false }
        try PostgreSQLLock.end(lock, of: lineage, session)
    }

    func findOrigin() throws(StoreError) -> StoreOrigin? {
        if let locked { return locked.origin }
        return try session.findOrigin()
    }

    func whenPromoted(_ body: @escaping (Promotion) -> Void) { onPromotion = body }

    func commit(
        _ changes: RowChanges,
        expecting expected: StoreHeader,
        revision: UInt64,
        under lock: any StoreLock
    ) throws(StoreError) {
        guard let locked, locked.lock === lock else { throw notLocked() }
        do throws(StoreError) {
            guard expected.lineage == lineage else { throw stale() }
            try transact(changes, from: expected.revision, to: revision, locked.lock)
        } catch {
            // A command that has waited in vain ends. It must not wait again for each question on the way out.
            if error.code == .unreachable { session.patience = .zero }
            throw error
        }
        self.locked?.header.revision = revision
        self.locked?.rows.apply(changes)
        if let slots = changes.slots { self.locked?.slots = slots }
        self.locked?.recent.add(changes, revision: revision)
    }

    /// Where a network stands on the server.
    private struct Standing {
        var revision: UInt64
        var fence: Int64
        var token: [UInt8]
        var origin: StoreOrigin?

        func isHeld(by lock: PostgreSQLLock) -> Bool { fence == lock.fence && token == lock.token }
    }

    /// Carries out one transaction if lineage, revision, lock and timeline are as expected. After a broken connection
    /// it finds out whether the transaction happened.
    ///
    /// If a standby was promoted since, it first stores again what of this lease the standby lacks.
    ///
    /// - Throws: ``StoreError/Code/promoted`` in that case if the transaction reserves sequence numbers: which ones are
    ///   free has to be decided anew.
    private func transact(
        _ changes: RowChanges,
        from expected: UInt64,
        to revision: UInt64,
        _ lock: PostgreSQLLock
    ) throws(StoreError) {
        // Each further turn needs a further promotion.
        for _ in 0..<8 {
            guard let found = try attempt(changes, from: expected, to: revision, lock, locked?.origin) else { return }
            let isPromoted = found.origin != nil && found.origin != locked?.origin
            if found.isHeld(by: lock), found.revision == revision {
                // An earlier attempt has succeeded although its answer was lost.
                if isPromoted { promoted(to: found.origin, missing: 0) }
                return
            }
            guard found.isHeld(by: lock), isPromoted, found.revision <= expected else {
                throw try loss(of: lock, found, expected, isPromoted: isPromoted)
            }
            guard let missing = locked?.recent.after(found.revision, upTo: expected) else {
                throw lost(expected - found.revision)
            }
            for transaction in missing {
                let (before, new) = (transaction.revision - 1, transaction.revision)
                guard try attempt(transaction.changes, from: before, to: new, lock, found.origin) == nil else {
                    throw stale()
                }
            }
            promoted(to: found.origin, missing: missing.count)
            if changes.puts.contains(where: { $0.name.kind == .sequenceNumbers }) {
                throw StoreError(
                    .promoted,
                    "the server was replaced by its standby meanwhile",
                    hint: "run the command again",
                    path: session.name
                )
            }
        }
        throw stale()
    }

    private func promoted(to origin: StoreOrigin?, missing: Int) {
        locked?.origin = origin
        onPromotion(missing == 0 ? .during : .repaired(missing))
    }

    /// Tries the transaction once, or more often if the connection breaks.
    ///
    /// - Returns: nil if it is stored; otherwise where the network stands.
    private func attempt(
        _ changes: RowChanges,
        from expected: UInt64,
        to revision: UInt64,
        _ lock: PostgreSQLLock,
        _ origin: StoreOrigin?
    ) throws(StoreError) -> Standing? {
        let new = RowBatches.Guard(
            lineage: lineage,
            revision: revision,
            fence: lock.fence,
            token: lock.token,
            timeline: origin?.timeline
        )
        let writes =
            RowBatches.puts(changes.puts, new) + RowBatches.deletes(changes.deletes, new)
            + (changes.slots.map { RowBatches.replacement(of: $0, new) } ?? [])
        let statements = RowBatches.transaction(writes, from: expected, to: new)
        let found = try session.reconnecting { connection throws(PostgreSQLError) -> Standing? in
            if try connection.transact(statements)[0].count == 1 { return nil }
            let sql = """
                SELECT n.revision, n.fence, COALESCE(
                    (SELECT l.token FROM meshplan_locks l WHERE l.lineage = n.lineage AND l.fence = n.fence),
                    CAST('' AS bytea))
                FROM meshplan_networks n WHERE n.lineage = $1
                """
            guard let row = try connection.run([SQLStatement(sql, .octets(lineage.bytes))])[0].rows.first else {
                return Standing(revision: 0, fence: -1, token: [])
            }
            return Standing(
                revision: UInt64(bitPattern: try row.integer(0)),
                fence: try row.integer(1),
                token: try row.octets(2),
                origin: try connection.findOrigin().origin
            )
        }
        return found
    }

    /// The error for a lease that can go on no more.
    private func loss(
        of lock: PostgreSQLLock,
        _ found: Standing,
        _ expected: UInt64,
        isPromoted: Bool
    ) throws(StoreError) -> StoreError {
        if isPromoted, found.fence >= 0, found.revision < expected { return lost(expected - found.revision) }
        let loss = try lock.loss(session)
        // Nobody has the lock that this command took just before.
        if isPromoted, found.revision == expected, let loss, loss.holder == nil { return lost(0) }
        return loss ?? stale()
    }

    /// The error if the standby that took over lacks what its primary has acknowledged, and the lock as well.
    private func lost(_ count: UInt64) -> StoreError {
        let transactions = count == 0 ? "" : " and its last \(count) transaction\(count == 1 ? "" : "s")"
        return StoreError(
            .stale,
            "the server was replaced by its standby, which lacks the lock of this command\(transactions)",
            hint: """
                read back what nodes have with \(command: .readBack()), then run the command again; where the standby is \
                synchronous (synchronous_standby_names) nothing is lost
                """,
            path: session.name
        )
    }

    private func notLocked() -> StoreError {
        StoreError(.notLocked, "the lock of the database is not held", path: session.name)
    }

    private func stale() -> StoreError {
        StoreError(
            .stale,
            "the database was changed in the meantime",
            hint: "run the command again, it will see the new state",
            path: session.name
        )
    }
}
