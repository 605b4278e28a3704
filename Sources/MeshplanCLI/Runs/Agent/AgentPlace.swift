import DefinitionModel
import SystemLayer

/// The agent's own folder: its commands work there, so databases, key, settings and the lock file are there, and what
/// the agent knows. Whoever can write definitions has no say in it.
struct AgentPlace {
    /// Its absolute path.
    let folder: String

    /// The variable that names the folder, as systemd sets it.
    static let variable = "STATE_DIRECTORY"
    /// The file with the state, from the folder.
    static let stateName = Workspace.folderName + "/agent.json"
    /// The file by whose lock one agent at a time works in the folder.
    static let lockName = Workspace.folderName + "/agent.lock"

    /// The place that an option names, or the environment, or else the current folder.
    init(_ option: String?, in context: Context) {
        let variable = context.environment[Self.variable].flatMap { $0.split(separator: ":").first.map(String.init) }
        folder = Files.withoutDots(context.absolute(option ?? variable ?? "."))
    }

    /// The absolute path of a file in it.
    func path(_ name: String) -> String { "\(folder)/\(name)" }

    /// Makes the folder if there is none, and refuses one that others can change.
    ///
    /// - Parameter watched: the folder with the definitions.
    /// - Throws: ``Failure`` or ``FileError`` if it cannot be used.
    func prepare(besides watched: String) throws {
        let own = Files.resolved(folder) ?? folder
        let other = Files.resolved(watched) ?? watched
        guard own != other, !own.hasPrefix(other.hasSuffix("/") ? other : other + "/") else {
            throw Failure(
                .usage,
                "the agent's own folder is in the folder with the definitions",
                hint: "Whoever writes definitions could change its databases, key and approvals. Name another one with "
                    + "--state-folder."
            )
        }
        _ = try Files.createFolder(folder, as: folder)
        guard let mode = Files.permissions(folder), mode & 0o022 == 0 else {
            throw Failure(
                .failure,
                "others can write into the agent's own folder \(folder.printable)",
                hint: "Change that with: chmod go-w \(folder.printable.shellWord)"
            )
        }
        _ = try Files.createFolder(path(Workspace.folderName), as: Workspace.folderName)
    }
}
