package import MeshCore

/// Who holds the lock of a database, as it tells others.
package struct LockHolder: Hashable, Sendable {
    /// The user's name.
    package var user: String
    /// The host's name.
    package var host: String
    /// The process identifier on that host.
    package var process: Int32
    /// What it is doing, like `apply`.
    package var operation: String
    /// Since when.
    package var since: Timestamp

    /// A holder with those values.
    package init(user: String, host: String, process: Int32, operation: String, since: Timestamp) {
        self.user = user
        self.host = host
        self.process = process
        self.operation = operation
        self.since = since
    }

    /// One line a value; control characters in names would spoil that and are left out.
    var encoded: [UInt8] {
        let lines = [
            ("user", user), ("host", host), ("process", String(process)), ("operation", operation),
            ("since", String(since.rawValue)),
        ]
        let text = lines.map { name, value in name + " " + LockHolder.line(value) }
        return Array((text.joined(separator: "\n") + "\n").utf8)
    }

    /// A value without what would spoil a line.
    static func line(_ value: String) -> String {
        let shown = value.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F }
        return String(String.UnicodeScalarView(shown.prefix(200)))
    }

    /// Who it is, in the middle of a sentence.
    var title: String {
        "\(LockHolder.line(user)) on \(LockHolder.line(host)), process \(process), \(LockHolder.line(operation))"
    }

    /// Nil unless all five values are there.
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

/// The right to write to a database, which one process at a time has; every write asks for it.
///
/// Of a file it is the lock of ``FileLock``, of a shared store that of ``PostgreSQLLock``. It is released by ``release()``
/// or with the last reference.
package final class WriteLease {
    /// Who holds it.
    package let holder: LockHolder
    /// What became of changes that an earlier run could not store, if it left some behind.
    package internal(set) var spill: SpillOutcome?
    let database: ObjectIdentifier
    private(set) var lock: (any StoreLock)?
    /// Why nothing can be written any more, once a write has failed and it is not known what was stored.
    var failure: StoreError?
    /// The state of the database as this lease last saw or left it; nobody else can have changed it since.
    var header: StoreHeader
    var manifest: Manifest
    /// What it writes into the history.
    var book = HistoryBook()

    init(
        _ lock: any StoreLock,
        holder: LockHolder,
        database: ObjectIdentifier,
        header: StoreHeader,
        manifest: Manifest
    ) {
        self.lock = lock
        self.holder = holder
        self.database = database
        self.header = header
        self.manifest = manifest
    }

    /// Whether it still allows writing.
    package var isHeld: Bool { lock != nil }

    /// The lineage of the database.
    package var lineage: Octets16 { header.lineage }

    /// The serial that the next commit builds on.
    package var serial: UInt64 { manifest.serial }

    /// The number of transactions that the database has seen since it was made, journal and sequence numbers included.
    package var revision: UInt64 { header.revision }

    /// Gives the lock back; doing so twice does nothing.
    package func release() {
        lock?.release()
        lock = nil
    }

    deinit {
        release()
    }
}
