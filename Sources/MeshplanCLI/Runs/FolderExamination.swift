internal import MeshCore
internal import Planning

/// Looks at the modes of the folders that hold databases, backups and keys. Files in them have modes of their own; but whoever
/// may write to a folder can put another file in the place of one, and take one away.
struct FolderExamination {
    var context: Context

    /// The worst first; nothing where all is as `init` makes it.
    func findings() -> [ExaminationFinding] {
        let found = folders.compactMap(finding)
        return found.filter { $0.severity == .error } + found.filter { $0.severity != .error }
    }

    /// The folder and those in it, for people and, from the working folder, for the system.
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
            // Inside .meshplan nobody comes to another folder who is kept out of that one.
            guard folder == Workspace.folderName else { return nil }
            return ExaminationFinding(
                .warning,
                "folder-open",
                "\(folder) can be looked into by others than its owner (\(shown))",
                advice: "chmod 700 \(folder.shellWord)"
            )
        }
        return ExaminationFinding(
            .error,
            "folder-writable",
            "\(folder) can be written to by others than its owner (\(shown)), who could replace databases and keys in it",
            advice: "chmod 700 \(folder.shellWord), and see with meshplan state verify whether all is as it was."
        )
    }
}
