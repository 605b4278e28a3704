import DefinitionModel
import SystemLayer

/// A clone of a repository that belongs to the agent: it always has what the head of the branch has. What git does not
/// know in it, such as `.meshplan`, stays.
struct AgentGit {
    let context: Context
    /// The folder of the clone.
    let folder: String
    /// The address of the repository. It may hold a password, so no command line and no message names it.
    let remote: String
    let branch: String

    /// The setting by which the agent knows its clones: nobody's own work is thrown away.
    private static let mark = "meshplan.agent"

    /// Checks the address and the branch.
    ///
    /// - Throws: ``Failure`` if git would take one for an option, or cannot take it.
    func check() throws(Failure) {
        guard !remote.isEmpty, !remote.hasPrefix("-"), !remote.contains(where: \.isNewline) else {
            throw Failure(.usage, "--git does not name a repository", hint: "Give an address, as git clone takes it.")
        }
        guard !branch.isEmpty, !branch.hasPrefix("-"), branch.allSatisfy({ !$0.isWhitespace && $0 != ":" }) else {
            throw Failure(.usage, "--branch \(branch.printable) is not the name of a branch", hint: "Such as main.")
        }
    }

    /// Brings the clone to the head of the branch, and makes it first if there is none.
    ///
    /// - Throws: ``Failure`` if the folder holds somebody's own work, or git fails.
    func update() throws(Failure) {
        if Files.kind(folder) == nil {
            do throws(FileError) {
                _ = try Files.createFolder(folder, as: folder)
            } catch {
                throw Failure(explaining: error)
            }
        }
        if Files.kind(folder + "/.git") == nil {
            try git("init", "--quiet")
            try git("config", Self.mark, "true")
        } else if !run(["config", "--get", Self.mark]).output.contains("true") {
            throw Failure(
                .failure,
                "\(folder.printable) is a clone that somebody works in",
                hint: "The agent throws away what is not committed. Give it a folder of its own."
            )
        }
        try git("fetch", "--quiet", "--no-tags", "--depth", "1", "meshplan-agent", branch)
        try git("checkout", "--quiet", "--force", "--detach", "FETCH_HEAD")
    }

    private func git(_ arguments: String...) throws(Failure) {
        let result = run(arguments)
        guard !result.isDone else { return }
        let said = result.errors.last { !$0.trimmed.isEmpty } ?? "it does not say why"
        throw Failure(
            .failure,
            "git \(arguments[0]) fails: \(said.replacing(remote, with: "(remote)").printable)",
            hint: "Try in \(folder.printable.shellWord): git \(arguments[0])"
        )
    }

    private func run(_ arguments: [String]) -> ProgramResult {
        var environment = context.environment
        // Nobody is there to type a password.
        environment["GIT_TERMINAL_PROMPT"] = "0"
        environment["GIT_DIR"] = nil
        environment["GIT_WORK_TREE"] = nil
        environment["GIT_CONFIG_COUNT"] = "1"
        environment["GIT_CONFIG_KEY_0"] = "remote.meshplan-agent.url"
        environment["GIT_CONFIG_VALUE_0"] = remote
        let program = ProgramPool.Program(arguments: ["git"] + arguments, folder: folder, environment: environment)
        return context.runProgram(program)
    }
}
