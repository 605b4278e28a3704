import DefinitionModel
import Definitions
import MeshCore
import Store
import SystemLayer

/// The lock file in the working folder. It makes commands refuse a database that is older than the file says, that has
/// diverged from it, or that is another one.
///
/// Commands read the file before the database. A change reaches the database first and the file later, so the database
/// can only be newer than the file, whoever else is at work.
struct LockFile {
    private let context: Context
    private let path: String

    init(_ context: Context) {
        self.context = context
        path = context.absolute(StateLock.fileName)
    }

    /// The contents of the file; empty if there is none.
    ///
    /// - Throws: ``InvalidDefinition`` if the file is damaged or contains a merge conflict; ``FileError`` if it cannot
    ///   be read.
    func read() throws -> StateLock {
        guard Files.kind(path) != nil else { return StateLock() }
        let bytes = try context.read(StateLock.fileName, limit: StateLock.sizeLimit)
        let files = SourceFiles(files: [.init(path: StateLock.fileName, bytes: bytes)])
        let (lock, diagnostics) = StateLock.read(files: files)
        guard !diagnostics.contains(where: { $0.severity == .error }) else {
            throw InvalidDefinition(diagnostics: diagnostics, files: files)
        }
        return lock
    }

    /// Refuses a database that must not be continued.
    ///
    /// - Parameters:
    ///   - entry: the file's entry for the network.
    ///   - version: the version of the database.
    ///   - source: the file that the entry comes from.
    /// - Throws: ``Failure`` with ``ExitStatus/stale`` if they do not fit.
    func check(
        _ entry: StateLock.Entry,
        _ version: StateVersion,
        of network: String,
        in source: String = StateLock.fileName
    ) throws(Failure) {
        guard let problem = Self.problem(entry, version) else { return }
        let database = (try? Workspace(context: context).databaseName(network)) ?? Workspace.databasePath(network)
        let message =
            switch problem {
            case .otherLineage:
                "\(database) is not the database in \(source): it was created separately from that one, "
                    + "which was at serial \(entry.serial)"
            case .older:
                "\(database) is older than \(source) says: it is at serial \(version.serial), but serial "
                    + "\(entry.serial) exists already"
            case .forked:
                "\(database) is not the copy in \(source): both are at serial \(version.serial), but "
                    + "were changed separately"
            }
        let isShared = (try? Workspace(context: context).sharedStore()) != nil
        throw Failure(.stale, message, hint: isShared && problem != .otherLineage ? sharedHint(source) : hint(source))
    }

    private static func rest(_ source: String) -> String {
        "by --accept-older, which skips sequence numbers that may have been used, and read the nodes back with meshplan "
            + "refresh."
            + (source == StateLock.fileName
                ? " If \(StateLock.fileName) itself is the wrong one, restore that with git." : "")
    }

    /// Nobody restores a server because of the last seconds before a promotion.
    private func sharedHint(_ source: String) -> String {
        "If a standby has taken over, it lacks what was stored last; with synchronous replication nothing would be lost. "
            + "Continue with it \(Self.rest(source))"
    }

    private func hint(_ source: String) -> String {
        let backups = Workspace.folderName + "/backups"
        let place =
            Files.kind(context.absolute(backups)) == .folder
            ? "the newest copy: one on another machine, or in \(backups)"
            : "the newest copy: it may be on another machine, or in a backup"
        return "Restore \(place). If it is lost, continue with this one \(Self.rest(source))"
    }

    private enum Problem {
        case otherLineage
        case older
        case forked
    }

    private static func problem(_ entry: StateLock.Entry, _ version: StateVersion) -> Problem? {
        if entry.lineage != version.lineage { return .otherLineage }
        if version.serial < entry.serial { return .older }
        return version.serial == entry.serial && version.digest != entry.digest ? .forked : nil
    }

    /// Whether a database may be continued.
    static func fits(_ entry: StateLock.Entry, _ version: StateVersion) -> Bool { problem(entry, version) == nil }

    /// Brings the file up to date with databases. Writes only if something changes.
    ///
    /// - Parameter replacing: whether to replace an entry that the database does not fit.
    /// - Throws: ``Failure`` with ``ExitStatus/stale`` if a database does not fit and `replacing` is false; otherwise
    ///   the errors of reading and writing.
    func update(_ databases: [(network: String, database: MeshDatabase)], replacing: Bool = false) throws {
        // Processes working on other networks write the same file, so they take turns.
        let folder = context.absolute(Workspace.folderName)
        let lock = try? OpenFile(folder, .folder)
        lock?.waitForLock()
        defer { withExtendedLifetime(lock) {} }
        let before = try read()
        var after = before
        for (network, database) in databases {
            let version = try database.version()
            if let entry = before.networks[network], !replacing { try check(entry, version, of: network) }
            after.networks[network] = StateLock.Entry(version)
        }
        guard after != before else { return }
        try AtomicFile.write(path, as: StateLock.fileName, Array(after.text.utf8), mode: 0o644)
    }
}

extension StateLock.Entry {
    init(_ version: StateVersion) {
        self.init(lineage: version.lineage, serial: version.serial, digest: version.digest)
    }
}
