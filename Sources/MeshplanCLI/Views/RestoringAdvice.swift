internal import Definitions
internal import MeshCore
internal import Store

/// Where the database of a network is damaged or gone: which backup is the newest that fits, and how to put it back. Device
/// keys exist nowhere else, so that nobody should begin anew who has one.
struct RestoringAdvice {
    private let context: Context

    /// More backups than that are not looked into: each is read as a whole.
    private static let limit = 12

    /// Advice about the databases of the working folder.
    init(_ context: Context) {
        self.context = context
    }

    /// An error about a database of the folder with the way back in its hint; any other error as it is.
    func improved(_ error: any Error) -> any Error {
        guard var found = error as? StoreError, let path = found.path, let network = network(at: path) else {
            return error
        }
        switch found.code {
        case .damaged, .notADatabase, .missing:
            if let hint = hint(for: network) {
                found.hint = hint
            } else if found.code != .missing, (try? Workspace(context: context).sharedStore()) == nil {
                found.hint =
                    "no backup in \(Backups.folderName) fits: put a copy in its place, as meshplan state pull makes them; it may be "
                    + "on another machine. Device keys that were made here are nowhere else"
            }
            return found
        default: return error
        }
    }

    /// How to put the newest backup of a network back that is whole and of the same database; nil without one, and where a
    /// team shares the database.
    func hint(for network: String) -> String? {
        let workspace = Workspace(context: context)
        guard (try? workspace.sharedStore()) == nil, let candidate = newest(of: network) else { return nil }
        let target = Workspace.databasePath(network)
        let backup = "\(Backups.folderName)/\(candidate.backup.name)"
        var text =
            candidate.isOpened
            ? "The newest backup that is whole is of \(candidate.backup.time.text) (serial \(candidate.backup.serial)). "
            : "The newest backup is of \(candidate.backup.time.text) (serial \(candidate.backup.serial)); nothing at hand "
                + "opens it, so that nobody knows whether it is whole. "
        // The log of the damaged file would be taken for that of the backup.
        let companions = ["-wal", "-shm", "-journal"].map { target + $0 }
            .filter { Files.kind(context.absolute($0)) != nil }
        let removal = companions.isEmpty ? "" : "rm -f \(companions.map(\.shellWord).joined(separator: " ")) && "
        text += "Put it back with:\n  \(removal)cp -p \(backup.shellWord) \(target.shellWord)\n"
        if let entry = candidate.entry, candidate.backup.serial < entry.serial {
            text +=
                "\(StateLock.fileName) knows serial \(entry.serial): go on with --accept-older, and read the nodes back "
                + "with meshplan refresh. "
        }
        return text + "Do not import again: device keys that were made since are nowhere else."
    }

    private struct Candidate {
        var backup: Backup
        var entry: StateLock.Entry?
        /// Whether a secret has opened it, and it was found whole.
        var isOpened: Bool
    }

    private func newest(of network: String) -> Candidate? {
        let names =
            (try? Files.names(inFolder: context.absolute(Backups.folderName), as: Backups.folderName)) ?? []
        let backups = names.compactMap { Backup($0) }.filter { $0.network == network }
            .sorted { ($0.time, $0.serial) > ($1.time, $1.serial) }
        let entry = (try? LockFile(context).read())?.networks[network]
        var unopened: Candidate?
        for backup in backups.prefix(Self.limit) {
            let path = context.absolute("\(Backups.folderName)/\(backup.name)")
            guard let sealed = try? SealedDatabase(at: .file(path)), entry == nil || sealed.lineage == entry?.lineage
            else { continue }
            switch try? KeySources(context).openedUnasked(sealed) {
            case let database?:
                guard (try? database.verify())?.problems.isEmpty == true else { continue }
                return Candidate(backup: backup, entry: entry, isOpened: true)
            case nil:
                unopened = unopened ?? Candidate(backup: backup, entry: entry, isOpened: false)
            }
        }
        return unopened
    }

    /// The network whose database lies at that path of the folder.
    private func network(at path: String) -> String? {
        guard let name = path.split(separator: "/").last, name.hasSuffix(".meshdb") else { return nil }
        let network = String(name.dropLast(".meshdb".count))
        return Name.isValid(network) && path == context.absolute(Workspace.databasePath(network)) ? network : nil
    }
}
