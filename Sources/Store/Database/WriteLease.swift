package import MeshCore

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

/// Who holds the lock of a database, as the lock file tells it to others.
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
        let text = lines.map { name, value in
            name + " " + String(String.UnicodeScalarView(value.unicodeScalars.filter { $0.value >= 0x20 }.prefix(200)))
        }
        return Array((text.joined(separator: "\n") + "\n").utf8)
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
/// It is the advisory lock (`flock`) of the file `<database>.lock`, so the kernel takes it back when the process
/// dies however it dies, and a lock file left behind means nothing. The lock is on a file of its own because the
/// database's file may be replaced by another one. It is released by ``release()`` or with the last reference.
package final class WriteLease {
    /// Who holds it.
    package let holder: LockHolder
    let database: ObjectIdentifier
    private var file: OpenFile?
    /// The state of the database as this lease last saw or left it; nobody else can have changed it since.
    var header: StoreHeader
    var manifest: Manifest
    /// What it writes into the history.
    var book = HistoryBook()

    init(
        path: String,
        holder: LockHolder,
        database: ObjectIdentifier,
        state: () throws(StoreError) -> (StoreHeader, Manifest)
    ) throws(StoreError) {
        let file = try WriteLease.lock(path, holder)
        (header, manifest) = try state()
        self.file = file
        self.holder = holder
        self.database = database
    }

    /// Whether it still allows writing.
    package var isHeld: Bool { file != nil }

    /// The lineage of the database.
    package var lineage: Octets16 { header.lineage }

    /// The serial that the next commit builds on.
    package var serial: UInt64 { manifest.serial }

    /// The number of transactions that the database has seen since it was made, journal and sequence numbers included.
    package var revision: UInt64 { header.revision }

    /// Gives the lock back; doing so twice does nothing.
    package func release() {
        // The content goes first, so that nobody reads it as that of the next holder.
        try? file?.overwrite([])
        file = nil
    }

    deinit {
        release()
    }

    /// Takes the lock of `path` for the making of a database, without a database.
    static func lock(_ path: String, _ holder: LockHolder) throws(StoreError) -> OpenFile {
        let file = try OpenFile(path, flags: O_RDWR | O_CREAT, mode: 0o600, doing: "the lock file cannot be opened")
        guard try file.lockExclusively() else {
            let other = LockHolder(decoding: (try? file.readAll(limit: 4096)) ?? [])
            let who = other.map { "\($0.user) on \($0.host), process \($0.process), \($0.operation)" }
            throw StoreError(
                .locked,
                "is being changed by \(who ?? "another process")",
                hint: "wait until that has ended, or end it; the lock goes with the process",
                path: path,
                holder: other
            )
        }
        try file.overwrite(holder.encoded)
        return file
    }
}
