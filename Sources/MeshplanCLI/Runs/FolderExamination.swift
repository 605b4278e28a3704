import DefinitionModel
import MeshCore
import Planning
import Store
import SystemLayer

/// Examines the modes of the folders with databases, backups and keys, and to whom they and their files belong. The
/// files have modes of their own, but anybody who may write to a folder can replace or remove its files.
struct FolderExamination {
    var context: Context

    /// The findings, the worst first; empty if everything is as `init` creates it.
    func findings() -> [ExaminationFinding] {
        let found = folders.compactMap(finding) + strangeHands()
        return found.filter { $0.severity == .error } + found.filter { $0.severity != .error }
    }

    /// The folder, its subfolders and those of pairings, relative to the working folder, which is how people see them.
    private var folders: [String] {
        let folder = Workspace.folderName
        guard Files.kind(context.absolute(folder)) == .folder else { return [] }
        let own = subfolders(of: folder)
        // Each pairing has a folder of its own.
        let pairings = own.contains(GatewayPairing.allFolder) ? subfolders(of: GatewayPairing.allFolder) : []
        return [folder] + own + pairings
    }

    private func subfolders(of folder: String) -> [String] {
        let names = (try? Files.names(inFolder: context.absolute(folder), as: folder)) ?? []
        return names.map { "\(folder)/\($0)" }.filter { Files.kind(context.absolute($0)) == .folder }
    }

    /// Refuses to change a database that, with what lies beside it, is in the hands of others.
    ///
    /// - Throws: ``StoreError`` that names the first such file.
    func check(_ database: MeshDatabase) throws(StoreError) {
        let home = context.workingDirectory + "/"
        let path = database.path.hasPrefix(home) ? String(database.path.dropFirst(home.count)) : database.path
        let beside = ["", "-wal", "-shm", "-journal", ".lock", ".sequence", NewestState.suffix].map { path + $0 }
        try check([Workspace.folderName, Workspace.keyPath] + beside)
    }

    /// The same for paths as people see them; those with nothing there are in nobody's hands.
    ///
    /// - Throws: ``StoreError`` that names the first such file.
    func check(_ paths: [String]) throws(StoreError) {
        for path in paths {
            let found: Files.StrangeHands?
            do throws(FileError) {
                found = try hands(on: path)
            } catch {
                throw StoreError(.permissionDenied, error.message, path: path)
            }
            guard let found else { continue }
            let (message, advice) = Self.text(found, path)
            throw StoreError(.insecurePermissions, message, hint: advice, path: path)
        }
    }

    private func hands(on path: String) throws(FileError) -> Files.StrangeHands? {
        try Files.strangeHands(on: context.absolute(path), in: context.workingDirectory)
    }

    /// The findings about files, and about the owners of folders.
    private func strangeHands() -> [ExaminationFinding] {
        let files = folders.flatMap { folder in
            ((try? Files.names(inFolder: context.absolute(folder), as: folder)) ?? []).map { "\(folder)/\($0)" }
        }
        return (folders + files).compactMap { path in
            guard let hands = (try? hands(on: path)) ?? nil else { return nil }
            // What others may write to a folder is told above.
            if case .mode = hands, folders.contains(path) { return nil }
            let (message, advice) = Self.text(hands, path)
            return ExaminationFinding(.error, "strange-hands", message, advice: advice)
        }
    }

    private static func text(_ hands: Files.StrangeHands, _ path: String) -> (message: String, advice: String) {
        switch hands {
        case .owner(let user):
            (
                "\(path.printable) belongs to another user (\(user)), who can change it at any time",
                "If it is yours, give it back to you: chown \"$(id -u)\" \(path.shellWord)"
            )
        case .mode(let mode):
            (
                "other users can write to \(path.printable) (mode 0\(String(mode, radix: 8)))",
                "chmod go-rwx \(path.shellWord), and check with meshplan state verify that nothing was changed."
            )
        }
    }

    private func finding(_ folder: String) -> ExaminationFinding? {
        guard let mode = Files.permissions(context.absolute(folder)), mode & 0o077 != 0 else { return nil }
        let shown = "mode 0\(String(mode & 0o777, radix: 8))"
        guard mode & 0o022 != 0 else {
            // Whoever is kept out of .meshplan cannot reach a folder inside it.
            guard folder == Workspace.folderName else { return nil }
            return ExaminationFinding(
                .warning,
                "folder-open",
                "other users can read \(folder) (\(shown))",
                advice: "chmod 700 \(folder.shellWord)"
            )
        }
        return ExaminationFinding(
            .error,
            "folder-writable",
            "other users can write to \(folder) (\(shown)), and could replace databases and keys in it",
            advice: "chmod 700 \(folder.shellWord), and check with meshplan state verify that nothing was changed."
        )
    }
}
