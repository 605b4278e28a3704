import DefinitionModel
import Definitions
import MeshCore
import Store
import SystemLayer

/// Advice for a damaged or missing database: which backup is the newest that fits, and how to restore it. Device keys
/// exist nowhere else, so nobody who has a backup should start over.
struct RestoringAdvice {
    private let context: Context

    /// The most backups to look into: each one is read as a whole.
    private static let limit = 12

    init(_ context: Context) {
        self.context = context
    }

    /// An error about a database of the folder, with a hint how to restore it. Any other error stays as it is.
    func improved(_ error: any Error) -> any Error {
        guard var found = error as? StoreError, let path = found.path, let network = network(at: path) else {
            return error
        }
        switch found.code {
        case .damaged, .notADatabase, .missing:
            if let hint = hint(for: network) {
                found.hint = Advice(hint)
            } else if found.code != .missing, (try? Workspace(context: context).sharedStore()) == nil {
                found.hint = """
                    no backup in \(Backups.folderName) fits: restore a copy, as meshplan state pull makes them; it \
                    may be on another machine. Device keys that were made here exist nowhere else
                    """
            }
            return found
        default: return error
        }
    }

    /// How to restore the newest intact backup of a network's database. Nil if there is none, or if a team shares the
    /// database.
    func hint(for network: String) -> String? {
        let workspace = Workspace(context: context)
        guard (try? workspace.sharedStore()) == nil, let candidate = newest(of: network) else { return nil }
        let target = Workspace.databasePath(network)
        let backup = "\(Backups.folderName)/\(candidate.backup.name)"
        var text =
            candidate.isOpened
            ? "The newest intact backup is of \(candidate.backup.time.text) (serial \(candidate.backup.serial)). "
            : "The newest backup is of \(candidate.backup.time.text) (serial \(candidate.backup.serial)); no available "
                + "secret opens it, so it may be damaged. "
        // SQLite would take the log of the damaged file for that of the backup.
        let companions = ["-wal", "-shm", "-journal"].map { target + $0 }
            .filter { Files.kind(context.absolute($0)) != nil }
        let removal = companions.isEmpty ? "" : "rm -f \(companions.map(\.shellWord).joined(separator: " ")) && "
        text += "Restore it with:\n  \(removal)cp -p \(backup.shellWord) \(target.shellWord)\n"
        if let entry = candidate.entry, candidate.backup.serial < entry.serial {
            text +=
                "\(StateLock.fileName) knows serial \(entry.serial): continue with --accept-older, and read the nodes back "
                + "with meshplan refresh. "
        }
        return text + "Do not import again: an import lacks device keys that were made since."
    }

    private struct Candidate {
        var backup: Backup
        var entry: StateLock.Entry?
        /// Whether a secret opened the backup and it turned out intact.
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
            switch try? DatabaseSecretSources(context).openedUnasked(sealed) {
            case let database?:
                guard (try? database.verify())?.problems.isEmpty == true else { continue }
                return Candidate(backup: backup, entry: entry, isOpened: true)
            case nil:
                unopened = unopened ?? Candidate(backup: backup, entry: entry, isOpened: false)
            }
        }
        return unopened
    }

    /// The network whose database has that path in the folder.
    private func network(at path: String) -> String? {
        guard let name = path.split(separator: "/").last, name.hasSuffix(".meshdb") else { return nil }
        let network = String(name.dropLast(".meshdb".count))
        return Name.isValid(network) && path == context.absolute(Workspace.databasePath(network)) ? network : nil
    }
}
