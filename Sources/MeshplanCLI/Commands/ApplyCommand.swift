internal import ArgumentParser
internal import Bearers
internal import Execution
internal import MeshCore
internal import Planning
internal import Simulator
internal import Store

/// `meshplan apply`
struct ApplyCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "apply",
        abstract: "Carry out the changes that a definition, or a saved plan, asks for.",
        discussion: """
            Given a saved plan, exactly that is carried out without a question; it is refused if the database has moved \
            on. Otherwise the plan is made, shown and asked for. Nodes that do not answer are left for the next apply. \
            The first Ctrl-C finishes what is in flight, the second ends at once; nothing that was done is lost.
            """
    )

    @Argument(
        help: ArgumentHelp(
            "A saved plan, or files and folders with the definition. (default: the definition in the current folder)",
            valueName: "path"
        )
    )
    var paths: [String] = []

    @Option(
        help: ArgumentHelp(
            "How to reach the mesh: simulator, unix:PATH or tcp:HOST:PORT of a gateway or simulator process.",
            valueName: "bearer"
        )
    )
    var via: String

    @OptionGroup var networks: NetworkOptions

    @Flag(help: "Do not ask.")
    var autoApprove = false

    @Option(help: ArgumentHelp("Nodes talked to at once at most.", valueName: "count"))
    var window: Int?

    @Option(help: ArgumentHelp("The TTL of requests, 0 or 2 to 127.", valueName: "hops"))
    var ttl: UInt8?

    @Flag(help: "Show the details of each node however many there are, of a saved plan too.")
    var full = false

    @OptionGroup var format: FormatOptions

    @OptionGroup(title: "With --via simulator")
    var simulator: SimulatorOptions

    var writesJSON: Bool { format.json }

    func validate() throws {
        if let window, !(1...1_000).contains(window) { throw ValidationError("--window takes 1 to 1000.") }
        if let ttl, ttl == 1 || ttl > 127 { throw ValidationError("--ttl takes 0 or 2 to 127.") }
        do {
            _ = try BearerChoice(via)
        } catch {
            throw ValidationError("\(error)")
        }
    }

    func run(in context: Context) throws -> ExitStatus {
        let run = ApplyRun(
            context: context,
            choice: try BearerChoice(via),
            options: options,
            simulator: simulator,
            isFull: full,
            isApproved: autoApprove
        )
        if paths.count == 1, let path = paths.first, SavedPlan.isMeant(by: path, in: context) {
            return try run.savedPlan(at: path)
        }
        return try run.definition(paths, network: networks.network)
    }

    private var options: ExecutionOptions {
        var options = ExecutionOptions()
        if let window {
            options.maximumWindow = window
            options.initialWindow = min(options.initialWindow, window)
        }
        if let ttl { options.retry.ttl = ttl }
        return options
    }
}

/// What carries the messages of an apply.
enum BearerChoice {
    /// A simulated world in this process.
    case simulator
    /// A gateway, or a simulator process.
    case socket(SocketAddress)

    /// Reads what `--via` says.
    init(_ text: String) throws(SocketAddressError) {
        self = text == "simulator" ? .simulator : .socket(try SocketAddress(text))
    }
}
