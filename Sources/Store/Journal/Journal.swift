package import MeshCore

extension MeshDatabase {
    /// Begins a run. From now on its plan counts as applied and is in the history.
    ///
    /// - Parameter digest: the plan's digest, for the history.
    /// - Throws: ``StoreError/Code/notLocked``, ``StoreError/Code/stale`` if the plan was applied before, and other
    ///   codes if a file or the server fails.
    package func begin(
        plan: Octets16,
        digest: String? = nil,
        user: String,
        host: String,
        at now: Timestamp,
        with lease: WriteLease
    ) throws(StoreError) -> RunIdentifier {
        guard try !hasRun(plan: plan) else {
            throw StoreError(.stale, "the plan was applied before", hint: "make a new plan", path: path)
        }
        var manifest = lease.manifest
        let run = Run(
            identifier: RunIdentifier(rawValue: manifest.nextRun),
            plan: plan,
            user: user,
            host: host,
            started: now,
            counts: Run.Counts(),
            serial: manifest.serial,
            details: 0
        )
        manifest.nextRun += 1
        var batch = RowBatch()
        batch.put(JournalCodec.name(run.identifier), JournalCodec.encode(run))
        batch.put(RowName(.plan, key: plan.bytes), JournalCodec.encode(planOf: run.identifier))
        try forget(before: run.identifier, in: &batch)
        let applied = HistoryEntry.AppliedPlan(run: run.identifier, digest: digest)
        let page = try historyPage(of: applied, in: &batch, lease)
        try write(batch, manifest: manifest, with: lease)
        lease.book.page = page
        return run.identifier
    }

    /// Ends a run. Its unresolved intents stay.
    ///
    /// - Parameters:
    ///   - failures: how many steps failed without an outcome in the journal, such as devices that became no nodes.
    ///   - timing: how long it took, if later estimates can learn from it.
    /// - Throws: ``StoreError/Code/unknownRun``, ``StoreError/Code/notLocked``, and other codes if a file or the server
    ///   fails.
    package func end(
        _ run: RunIdentifier,
        _ outcome: RunOutcome,
        at now: Timestamp,
        failures: Int = 0,
        timing: RunTiming? = nil,
        with lease: WriteLease
    ) throws(StoreError) {
        guard var record = try record(of: run) else { throw unknown(run) }
        record.counts.failed &+= UInt32(clamping: failures)
        record.ended = now
        record.outcome = outcome
        record.timing = timing
        var batch = RowBatch()
        batch.put(JournalCodec.name(run), JournalCodec.encode(record))
        try write(batch, manifest: lease.manifest, with: lease)
    }

    /// All recorded runs, oldest first. A run without an end is still running, or was killed.
    package func runs() throws(StoreError) -> [Run] {
        var runs: [Run] = []
        _ = try scan { row throws(StoreError) in
            if row.name.kind == .run { runs.append(try decode(row, JournalCodec.decodeRun)) }
        }
        return runs
    }

    /// How long the last runs took that estimates can learn from, oldest first. Reads the rows of few runs only.
    ///
    /// - Parameter count: how many at most.
    package func timings(ofLast count: Int) throws(StoreError) -> [RunTiming] {
        let found = try store.recentRows(named: [Manifest.name])
        let next = try manifest(found.rows.first, header: found.header).nextRun
        var timings: [RunTiming] = []
        var end = next
        while end > 1, next - end < Run.keptRuns, timings.count < count {
            let start = end > 16 ? end - 16 : 1
            let names = (start..<end).map { JournalCodec.name(RunIdentifier(rawValue: $0)) }
            var runs: [Run] = []
            for row in try store.rows(named: names).rows { runs.append(try decode(row, JournalCodec.decodeRun)) }
            runs.sort { $0.identifier.rawValue < $1.identifier.rawValue }
            timings.insert(contentsOf: runs.compactMap(\.timing), at: 0)
            end = start
        }
        return Array(timings.suffix(count))
    }

    /// The outcomes of a run other than success, in the order of recording. The first 200 are kept, for each of the
    /// last 20 runs.
    ///
    /// - Throws: ``StoreError/Code/unknownRun``, ``StoreError/Code/damaged`` if a row cannot be read, and other codes
    ///   if a file or the server fails.
    package func details(of run: RunIdentifier) throws(StoreError) -> [JournalDetail] {
        guard let count = try record(of: run)?.details else { throw unknown(run) }
        let names = (0..<count).map { JournalCodec.name(run, detail: $0) }
        var details: [JournalDetail] = []
        for row in try store.rows(named: names).rows { details.append(try decode(row, JournalCodec.decodeDetail)) }
        return details
    }

    /// Whether a plan was applied. A saved plan is applied only once.
    package func hasRun(plan: Octets16) throws(StoreError) -> Bool {
        try runIdentifier(plan: plan) != nil
    }

    /// The run that carried out a plan, or began to; nil if there was none.
    package func run(plan: Octets16) throws(StoreError) -> Run? {
        guard let identifier = try runIdentifier(plan: plan) else { return nil }
        return try record(of: identifier)
    }

    private func runIdentifier(plan: Octets16) throws(StoreError) -> RunIdentifier? {
        guard let row = try store.rows(named: [RowName(.plan, key: plan.bytes)]).rows.first else { return nil }
        return try decode(row, JournalCodec.decodePlan)
    }

    /// Continues a run that was killed or stopped, or that left something undone. It has no end until
    /// ``end(_:_:at:failures:timing:with:)``.
    ///
    /// - Parameter digest: the plan's digest, for the history.
    /// - Throws: ``StoreError/Code/unknownRun``, ``StoreError/Code/stale`` if others have changed the database since,
    ///   ``StoreError/Code/notLocked``, and other codes if a file or the server fails.
    package func resume(_ run: RunIdentifier, digest: String? = nil, with lease: WriteLease) throws(StoreError) {
        guard var record = try record(of: run) else { throw unknown(run) }
        guard record.serial == lease.serial else {
            throw StoreError(.stale, "the database has changed since the run", hint: "make a new plan", path: path)
        }
        record.ended = nil
        record.outcome = nil
        var batch = RowBatch()
        batch.put(JournalCodec.name(run), JournalCodec.encode(record))
        let page = try historyPage(of: HistoryEntry.AppliedPlan(run: run, digest: digest), in: &batch, lease)
        try write(batch, manifest: lease.manifest, with: lease)
        lease.book.page = page
    }

    /// The intents of all runs whose outcome is missing or unknown, oldest run first.
    package func unresolvedIntents() throws(StoreError) -> [JournalIntent] {
        var intents: [JournalIntent] = []
        _ = try scan { row throws(StoreError) in
            if row.name.kind == .intent { intents.append(try decode(row, JournalCodec.decodeIntent)) }
        }
        return intents
    }

    /// Adds intents and outcomes to a batch. Resolved intents vanish. Success lives on in the state and in the run's
    /// counts, anything else in the run's details.
    ///
    /// An outcome may belong to a run that was forgotten while its node was away for a long time. Its intent vanishes
    /// all the same.
    func addJournal(_ changes: StoreChanges, serial: UInt64, to batch: inout RowBatch) throws(StoreError) {
        let (intents, outcomes) = (changes.intents, changes.outcomes)
        var records: [RunIdentifier: Run] = [:]
        for run in Set(intents.map(\.run) + [changes.run].compactMap(\.self)) {
            guard let record = try record(of: run) else { throw unknown(run) }
            records[run] = record
        }
        for run in Set(outcomes.map(\.run)) where records[run] == nil { records[run] = try record(of: run) }
        if let run = changes.run { records[run]?.serial = serial }

        var open: [RowName: JournalIntent] = [:]
        for row in try store.rows(named: outcomes.map { JournalCodec.name($0.run, $0.subject) }).rows {
            open[row.name] = try decode(row, JournalCodec.decodeIntent)
        }
        for intent in intents {
            let name = JournalCodec.name(intent.run, intent.subject)
            open[name] = intent
            batch.put(name, JournalCodec.encode(intent))
        }
        for outcome in outcomes {
            let name = JournalCodec.name(outcome.run, outcome.subject)
            var intent = open[name]
            let wasUnknown = intent?.isUnknown == true
            if outcome.result == .unknown, intent != nil {
                intent?.isUnknown = true
                open[name] = intent
                if let intent { batch.put(name, JournalCodec.encode(intent)) }
            } else {
                batch.delete(name)
                open[name] = nil
            }
            guard var record = records[outcome.run] else { continue }
            if wasUnknown, record.counts.unknown > 0 { record.counts.unknown -= 1 }
            record.counts.count(outcome.result)
            // An outcome that stays unknown is no news.
            if outcome.result != .succeeded, !(wasUnknown && outcome.result == .unknown),
                Int(record.details) < Run.maximumDetails
            {
                let detail = JournalDetail(subject: outcome.subject, node: intent?.node, result: outcome.result)
                batch.put(JournalCodec.name(outcome.run, detail: record.details), JournalCodec.encode(detail))
                record.details += 1
            }
            records[outcome.run] = record
        }
        for (run, record) in records { batch.put(JournalCodec.name(run), JournalCodec.encode(record)) }
    }

    func record(of run: RunIdentifier) throws(StoreError) -> Run? {
        guard let row = try store.rows(named: [JournalCodec.name(run)]).rows.first else { return nil }
        return try decode(row, JournalCodec.decodeRun)
    }

    private func unknown(_ run: RunIdentifier) -> StoreError {
        StoreError(.unknownRun, "there is no run \(run) in the journal", path: path)
    }

    /// Drops what is too old, so that the journal stays small however long a database is used.
    private func forget(before run: RunIdentifier, in batch: inout RowBatch) throws(StoreError) {
        func stored(_ age: UInt64) throws(StoreError) -> Run? {
            guard run.rawValue > age else { return nil }
            let name = JournalCodec.name(RunIdentifier(rawValue: run.rawValue - age))
            guard let row = try store.rows(named: [name]).rows.first else { return nil }
            return try decode(row, JournalCodec.decodeRun)
        }
        if var old = try stored(Run.detailedRuns) {
            for detail in 0..<old.details { batch.delete(JournalCodec.name(old.identifier, detail: detail)) }
            old.details = 0
            batch.put(JournalCodec.name(old.identifier), JournalCodec.encode(old))
        }
        if let oldest = try stored(Run.keptRuns) {
            batch.delete(JournalCodec.name(oldest.identifier))
            batch.delete(RowName(.plan, key: oldest.plan.bytes))
        }
    }
}

extension Run.Counts {
    mutating func count(_ result: JournalResult) {
        switch result {
        case .succeeded: succeeded &+= 1
        case .failed: failed &+= 1
        case .unknown, .notKnown: unknown &+= 1
        case .skipped: skipped &+= 1
        }
    }
}
