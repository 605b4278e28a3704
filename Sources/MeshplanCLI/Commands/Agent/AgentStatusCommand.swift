import ArgumentParser
import DefinitionModel
import SystemLayer

/// `meshplan agent status`
struct AgentStatusCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show what an agent knows: plans, approvals that wait, drift, and the next tests.",
        discussion: """
            Reads what an agent has stored in its own folder, whether it runs at present or not. Nothing is planned, sent or \
            stored. Digests that wait for approval are shown as lines for the file with approvals.
            """
    )

    @Argument(
        help: ArgumentHelp(
            "The folder that the agent watches, or its fleet.yaml: only its networks. (default: all that are known)",
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

    @OptionGroup var own: AgentStateOptions

    @OptionGroup var format: FormatOptions

    var writesJSON: Bool { format.json }

    func run(in context: Context) throws -> ExitStatus {
        let path = folder ?? "."
        let place = AgentPlace(own.stateFolder, in: context)
        let file = place.path(AgentPlace.stateName)
        guard Files.kind(file) != nil else {
            throw Failure(
                .failure,
                "no agent has worked in \(place.folder.printable) yet",
                hint: "Name its own folder with --state-folder, or begin with: meshplan agent FOLDER --once"
            )
        }
        let state = try AgentState.read(file, as: AgentPlace.stateName)
        AgentStatusView(context).show(state, try names(path, state, in: context))
        return .success
    }

    /// The networks to show: those of the folder, or those that are known if the folder has none at present.
    private func names(_ path: String, _ state: AgentState, in context: Context) throws -> [String] {
        // Whoever does not name the folder with the definitions sees what is known.
        if folder == nil, select.isEmpty { return state.networks.keys.sorted() }
        var fleet: Fleet
        do {
            fleet = try Fleet(at: path, in: context, isConfined: true)
        } catch  where select.isEmpty {
            let failure = Failure(explaining: error)
            FailureView(context).warn("the networks cannot be listed: \(failure.message)", hint: failure.hint)
            return state.networks.keys.sorted()
        }
        try fleet.select(select)
        return fleet.networks.map(\.name)
    }
}
