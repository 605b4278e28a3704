package import MeshCore

/// The holder of a database's lock, as others see it.
package struct LockHolder: Hashable, Sendable {
    package var user: String
    package var host: String
    package var process: Int32
    /// What the process is doing: the name that its program has for the operation.
    package var operation: String
    package var since: Timestamp

    package init(user: String, host: String, process: Int32, operation: String, since: Timestamp) {
        self.user = user
        self.host = host
        self.process = process
        self.operation = operation
        self.since = since
    }

    /// The text form: one line for each value. Control characters in names would break lines and are left out.
    var encoded: [UInt8] {
        let lines = [
            ("user", user), ("host", host), ("process", String(process)), ("operation", operation),
            ("since", String(since.rawValue)),
        ]
        let text = lines.map { name, value in name + " " + LockHolder.line(value) }
        return Array((text.joined(separator: "\n") + "\n").utf8)
    }

    /// A value without characters that would break a line.
    static func line(_ value: String) -> String {
        let shown = value.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F }
        return String(String.UnicodeScalarView(shown.prefix(200)))
    }

    /// The holder, worded for the middle of a sentence.
    package var title: String {
        "\(LockHolder.line(user)) on \(LockHolder.line(host)), process \(process), \(LockHolder.line(operation))"
    }

    /// The holder that the text describes; nil unless all five values are there.
    init?(decoding bytes: [UInt8]) {
        guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
        var values: [Substring: Substring] = [:]
        for line in text.split(separator: "\n") {
            guard let space = line.firstIndex(of: " ") else { return nil }
            values[line[..<space]] = line[line.index(after: space)...]
        }
        guard let user = values["user"], let host = values["host"], let operation = values["operation"],
            let process = values["process"].flatMap({ Int32($0) }), let since = values["since"].flatMap({ Int64($0) })
        else { return nil }
        self.init(
            user: String(user),
            host: String(host),
            process: process,
            operation: String(operation),
            since: Timestamp(rawValue: since)
        )
    }
}

/// The right to write to a database. One process has it at a time, and every write asks for it.
///
/// For a file it is a ``FileLock``, for a shared store a ``PostgreSQLLock``. It ends with ``release()`` or with the
/// last reference.
package final class WriteLease {
    package let holder: LockHolder
    /// What happened to changes that an earlier run could not store, if it left some behind.
    package internal(set) var spill: SpillOutcome?
    /// Whether the server of a shared database was replaced by its standby since it was last used, as far as that is
    /// known before anything is sent.
    package internal(set) var promotion: Promotion?
    /// Called when a later write finds that out.
    package var onPromotion: (Promotion) -> Void = { _ in }
    /// Called with what could not be done at the end, after everything was stored: bring the log into the database's
    /// file, or note the latest state beside it.
    package var onUnsettled: (StoreError) -> Void = { _ in }
    /// Tells the time since an arbitrary moment.
    var clock: () -> Duration = WriteLease.stopwatch()
    /// How long its end waits for readers that are in the way of that.
    var patience = Duration.seconds(5)
    /// The store that it writes to. Only while it is held: it keeps a connection.
    private var store: (any RowStore)?
    private let localPath: String
    private var gathered: Duration = .zero
    private var ungathered = 0
    let database: ObjectIdentifier
    private(set) var lock: (any StoreLock)?
    /// Why nothing can be written any more: a write has failed, and it is not known what was stored.
    var failure: StoreError?
    /// The state of the database as this lease last saw or left it. Nobody else can have changed it since.
    var header: StoreHeader
    var manifest: Manifest
    /// What the last snapshot with this lease showed; nil if there was none, or if it may have changed since.
    var known: Snapshot?
    /// The history entry that it writes.
    var book = HistoryBook()

    init(
        _ lock: any StoreLock,
        of store: any RowStore,
        at location: DatabaseLocation,
        holder: LockHolder,
        database: ObjectIdentifier,
        header: StoreHeader,
        manifest: Manifest
    ) {
        self.lock = lock
        self.store = store
        localPath = location.localPath
        self.holder = holder
        self.database = database
        self.header = header
        self.manifest = manifest
    }

    package var isHeld: Bool { lock != nil }

    package var lineage: Octets16 { header.lineage }

    /// The serial that the next commit builds on.
    package var serial: UInt64 { manifest.serial }

    /// The number of transactions since the database was created, including journal and sequence numbers.
    package var revision: UInt64 { header.revision }

    private static func stopwatch() -> () -> Duration {
        let start = ContinuousClock.now
        return { ContinuousClock.now - start }
    }

    /// How long a command may write, and how often, before the log is brought into the file while it goes on.
    private static let gathering = (time: Duration.seconds(60), commits: 64)

    /// Counts a commit. One that writes for days brings the log into the file as it goes; if a reader is in the way,
    /// the next commit tries again.
    func noteCommit() {
        ungathered += 1
        let now = clock()
        guard ungathered >= WriteLease.gathering.commits || now - gathered >= WriteLease.gathering.time else { return }
        guard let store, (try? store.gather(patience: .zero)) != nil else { return }
        (gathered, ungathered) = (now, 0)
    }

    /// Releases the lock, after all that was written is in the database's own file. A second call does nothing.
    package func release() {
        if lock != nil { settle() }
        lock?.release()
        lock = nil
        store = nil
        known = nil
    }

    private func settle() {
        do throws(StoreError) {
            if failure == nil { try NewestState.write(manifest.version(of: header.lineage), beside: localPath) }
        } catch {
            onUnsettled(error)
        }
        guard ungathered > 0 else { return }
        ungathered = 0
        do throws(StoreError) {
            try store?.gather(patience: patience)
        } catch {
            onUnsettled(error)
        }
    }

    deinit {
        release()
    }
}
