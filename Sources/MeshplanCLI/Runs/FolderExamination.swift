import DefinitionModel
import MeshCore
import Planning
import SystemLayer

/// Examines the modes of the folders with databases, backups and keys. The files in them have modes of their own, but
/// anybody who may write to a folder can replace or remove its files.
struct FolderExamination {
    var context: Context

    /// The findings, the worst first; empty if everything is as `init` creates it.
    func findings() -> [ExaminationFinding] {
        let found = folders.compactMap(finding)
        return found.filter { $0.severity == .error } + found.filter { $0.severity != .error }
    }

    /// The folder and its subfolders, relative to the working folder; people see them in this form, too.
    private var folders: [String] {
        let folder = Workspace.folderName
        guard Files.kind(context.absolute(folder)) == .folder else { return [] }
        let names = (try? Files.names(inFolder: context.absolute(folder), as: folder)) ?? []
        return [folder]
            + names.map { "\(folder)/\($0)" }.filter { Files.kind(context.absolute($0)) == .folder }
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
