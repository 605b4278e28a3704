import ArgumentParser
import DefinitionModel
import SystemLayer

/// `meshplan agent status`
struct AgentStatusCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show what an agent knows: plans, approvals that wait, drift, and the next tests.",
        discussion: """
            Reads what the agent of a folder has stored, whether it runs at present or not. Nothing is planned, sent or \
            stored. Digests that wait for approval are shown as lines for the file with approvals.
            """
    )

    @Argument(
        help: ArgumentHelp(
            "The folder that the agent watches, or its fleet.yaml. (default: the current folder)",
            valueName: "folder"
        ),
        completion: Completion.files
    )
    var folder: String?

    @Option(
        help: ArgumentHelp(
            "Only networks with these tags, as for meshplan fleet. May be repeated.",
            valueName: "tag=value"
        )
    )
    var select: [String] = []

    @OptionGroup var format: FormatOptions

    var writesJSON: Bool { format.json }

    func run(in context: Context) throws -> ExitStatus {
        let path = folder ?? "."
        let place = AgentFolder(context, path: path, selection: select).folder
        let file = "\(place)/\(AgentRun.stateName)"
        guard Files.kind(file) != nil else {
            throw Failure(
                .failure,
                "no agent has worked in \(path == "." ? "the current folder" : path.printable) yet",
                hint: "Begin with: meshplan agent --once" + (path == "." ? "" : " \(path.printable.shellWord)")
            )
        }
        let state = try AgentState.read(file, as: AgentRun.stateName)
        AgentStatusView(context).show(state, try names(path, state, in: context))
        return .success
    }

    /// The networks to show: those of the folder, or those that are known if the folder has none at present.
    private func names(_ path: String, _ state: AgentState, in context: Context) throws -> [String] {
        var fleet: Fleet
        do {
            fleet = try Fleet(at: path, in: context)
        } catch  where select.isEmpty {
            let failure = Failure(explaining: error)
            FailureView(context).warn("the networks cannot be listed: \(failure.message)", hint: failure.hint)
            return state.networks.keys.sorted()
        }
        try fleet.select(select)
        return fleet.networks.map(\.name)
    }
}
