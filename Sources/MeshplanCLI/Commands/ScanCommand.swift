import ArgumentParser
import MeshCore

/// `meshplan scan`
struct ScanCommand: NetworkCommand {
    static let configuration = CommandConfiguration(
        commandName: "scan",
        abstract: "List unprovisioned devices and proxies that advertise nearby.",
        discussion: """
            Unprovisioned devices are listed with what the definition or the database knows about them, proxies with \
            their names in the database, even if they advertise private identities. Without a database, advertisements \
            are listed as they are. Nodes of the database that are seen without a network are recorded, so that plan \
            provisions them again.

            With --remote, nodes of the network that have a Remote Provisioning Server (Mesh 1.1) listen, too, each \
            for --time, and the list shows which nodes hear a device and how well.
            """
    )

    @OptionGroup var definition: DefinitionOptions

    @OptionGroup var mesh: MeshOptions

    @OptionGroup var networks: NetworkOptions
    @OptionGroup var store: StoreOptions

    @Option(
        help: ArgumentHelp("How long to listen, such as 500ms, 5s or 1m.", valueName: "duration"),
        transform: DurationArgument.parse
    )
    var time = DurationArgument(milliseconds: 5_000)

    @Flag(help: "Continue until Ctrl-C, and show what appears and what falls silent.")
    var watch = false

    @Flag(help: "Let all nodes with a Remote Provisioning Server listen, too.")
    var remote = false

    @Option(
        help: ArgumentHelp("Let this node listen, too, and no others. May be repeated.", valueName: "node"),
        completion: Completion.nodes
    )
    var through: [String] = []

    @Option(
        defaultAsFlag: "",
        help: ArgumentHelp(
            """
            For devices that neither the definition nor the database knows, write entries of nodes: to standard \
            output, or append them to a file.
            """,
            valueName: "file"
        ),
        completion: Completion.files
    )
    var adopt: String?

    @OptionGroup var format: FormatOptions

    var writesJSON: Bool { format.json }

    func validate() throws {
        if watch, mesh.via == ["simulator"] {
            throw ValidationError(
                "--watch needs real time; run the simulation as a process with meshplan sim."
            )
        }
        if watch, adopt != nil { throw ValidationError("--adopt cannot be combined with --watch.") }
        if adopt == "", format.json { throw ValidationError("--adopt with --json needs a file.") }
    }

    func run(in context: Context) throws -> ExitStatus {
        let run = ScanSession(
            context: context,
            route: try mesh.route(),
            knowledge: try ScanKnowledge(context, paths: definition.paths, network: networks.network)
        )
        if remote || !through.isEmpty {
            if watch { return try run.watch(through: through) }
            return try run.list(through: through, for: time.duration, adopt: adopt)
        }
        if watch { return try run.watch() }
        return try run.list(for: time.duration, adopt: adopt)
    }
}
