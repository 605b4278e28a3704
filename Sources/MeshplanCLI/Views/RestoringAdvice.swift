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
    /// database. While another process changes the database, or if it is whole after all, nothing is to be restored.
    func hint(for network: String) -> String? {
        let workspace = Workspace(context: context)
        guard (try? workspace.sharedStore()) == nil else { return nil }
        let target = Workspace.databasePath(network)
        if let holder = MeshDatabase.writer(at: context.absolute(target)), holder.process != context.process.number {
            return "\(holder.title.printable) changes it at this moment: wait until that has ended, then run the "
                + "command again. Restore nothing meanwhile."
        }
        let known = knownState(of: network)
        if isIntact(target) { return "A second look found it whole: run the command again." }
        guard let candidate = newest(of: network, known) else { return nil }
        let backup = "\(Backups.folderName)/\(candidate.backup.name)"
        var text =
            candidate.isOpened
            ? "The newest intact backup is of \(candidate.backup.time.text) (serial \(candidate.backup.serial)). "
            : "The newest backup is of \(candidate.backup.time.text) (serial \(candidate.backup.serial)); no available "
                + "secret opens it, so it may be damaged. "
        if let known, candidate.backup.serial < known.serial {
            let lost = known.serial - candidate.backup.serial
            text +=
                "The database was at serial \(known.serial) already: what the last "
                + "\(lost == 1 ? "change" : "\(lost) changes") stored, such as device keys of new nodes, the backup does "
                + "not have. "
        }
        text += "Restore it with:\n  \(aside(target))cp -p \(backup.shellWord) \(target.shellWord)\n"
        if let known, candidate.backup.serial < known.serial {
            text += "Then continue with --accept-older, and read the nodes back with meshplan refresh. "
        }
        return text + "Do not import again: an import lacks device keys that were made since."
    }

    /// The commands that put what there is into a folder of its own. Nothing is removed: who still has the files open
    /// goes on with them there, and they may be mended. SQLite would take the log of the damaged file for that of the
    /// backup, so that goes along.
    private func aside(_ target: String) -> String {
        let files = ([""] + TemporaryFiles.companions).map { target + $0 }
            .filter { Files.kind(context.absolute($0)) != nil }
        guard !files.isEmpty else { return "" }
        let base = Workspace.folderName + "/damaged"
        var (folder, number) = (base, 1)
        while Files.kind(context.absolute(folder)) != nil {
            number += 1
            folder = "\(base)-\(number)"
        }
        return "mkdir \(folder) && mv \(files.map(\.shellWord).joined(separator: " ")) \(folder)/ && "
    }

    /// The latest state that the files beside the database know, in git or not.
    private func knownState(of network: String) -> StateVersion? {
        let entry = (try? LockFile(context).read())?.networks[network]
        let newest = try? NewestState.read(beside: context.absolute(Workspace.databasePath(network)))
        let versions = [entry.map { StateVersion(lineage: $0.lineage, serial: $0.serial, digest: $0.digest) }, newest]
        return versions.compactMap(\.self).max { $0.serial < $1.serial }
    }

    private func isIntact(_ target: String) -> Bool {
        guard let sealed = try? SealedDatabase(at: .file(context.absolute(target))),
            let database = try? DatabaseSecretSources(context).openedUnasked(sealed),
            let found = try? database.verify(), found.problems.isEmpty
        else { return false }
        return true
    }

    private struct Candidate {
        var backup: Backup
        /// Whether a secret opened the backup and it turned out intact.
        var isOpened: Bool
    }

    private func newest(of network: String, _ known: StateVersion?) -> Candidate? {
        let names =
            (try? Files.names(inFolder: context.absolute(Backups.folderName), as: Backups.folderName)) ?? []
        let backups = names.compactMap { Backup($0) }.filter { $0.network == network }
            .sorted(by: Backup.isNewer)
        var unopened: Candidate?
        for backup in backups.prefix(Self.limit) {
            let path = context.absolute("\(Backups.folderName)/\(backup.name)")
            guard let sealed = try? SealedDatabase(at: .file(path)), known == nil || sealed.lineage == known?.lineage
            else { continue }
            switch try? DatabaseSecretSources(context).openedUnasked(sealed) {
            case let database?:
                guard (try? database.verify())?.problems.isEmpty == true else { continue }
                return Candidate(backup: backup, isOpened: true)
            case nil:
                unopened = unopened ?? Candidate(backup: backup, isOpened: false)
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
