internal import ArgumentParser
internal import MeshCore

/// `meshplan scan`
struct ScanCommand: NetworkCommand {
    static let configuration = CommandConfiguration(
        commandName: "scan",
        abstract: "List devices without a network, and proxies, that advertise nearby.",
        discussion: """
            Devices that can be provisioned are listed with what the definition or the database knows of them, proxies by \
            the names in the database, also where they advertise private identities. Without a database everything is \
            listed as it advertises. The database notes nodes of it that were seen without a network, so that plan \
            provisions them again.

            With --remote, nodes of the network that have a Remote Provisioning Server (Mesh 1.1) listen, too, each for \
            --time, and the list says who hears a device and how well.
            """
    )

    @OptionGroup var definition: DefinitionOptions

    @OptionGroup var mesh: MeshOptions

    @OptionGroup var networks: NetworkOptions

    @Option(
        help: ArgumentHelp("How long to listen, such as 500ms, 5s or 1m.", valueName: "duration"),
        transform: DurationArgument.parse
    )
    var time = DurationArgument(milliseconds: 5_000)

    @Flag(help: "Go on until Ctrl-C, and tell who appears and who falls silent.")
    var watch = false

    @Flag(help: "Let all nodes with a Remote Provisioning Server listen, too.")
    var remote = false

    @Option(
        help: ArgumentHelp("Let this node listen, too, and no others; can be given several times.", valueName: "node")
    )
    var through: [String] = []

    @Option(
        defaultAsFlag: "",
        help: ArgumentHelp(
            """
            Write entries of nodes: for devices that neither the definition nor the database knows, to standard output, \
            or to the end of a file.
            """,
            valueName: "file"
        )
    )
    var adopt: String?

    @OptionGroup var format: FormatOptions

    var writesJSON: Bool { format.json }

    func validate() throws {
        if watch, mesh.bearer.via == ["simulator"] {
            throw ValidationError(
                "--watch waits for what happens in real time; simulate in a process of its own with meshplan sim."
            )
        }
        if watch, adopt != nil { throw ValidationError("--adopt takes what was heard in --time, not --watch.") }
        if adopt == "", format.json { throw ValidationError("--adopt with --json needs a file.") }
    }

    func run(in context: Context) throws -> ExitStatus {
        let run = ScanRun(
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
