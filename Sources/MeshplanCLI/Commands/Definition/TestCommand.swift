import ArgumentParser
import Simulator
import SystemLayer

/// `meshplan test`
struct TestCommand: NetworkCommand {
    static let configuration = CommandConfiguration(
        commandName: "test",
        abstract: "Play the tests of a definition in the simulator.",
        discussion: """
            Makes the devices of the definition, provisions and configures them in the simulator as the definition says, \
            and plays each test under `tests:` in that building: switches are pressed, sensors measure, nodes lose their \
            power – and lamps must do what the test expects, in time. No database and no hardware are needed, and nothing \
            is kept.

            What a device is made of comes from files with devices, or else from the database if there is one; of other \
            devices it is assumed that they have what the definition uses. Exits with 1 if a test fails.

            With --via, tests are played on the mesh that exists, as the database knows it: states are set and read \
            back, somebody at the terminal is asked to press switches, and lamps stay as the last test leaves them. \
            Tests that take power from nodes, or that need to see what only the simulator shows, are skipped and named; \
            then the command ends with 4.
            """
    )

    @OptionGroup var definition: DefinitionOptions

    @OptionGroup var networks: NetworkOptions
    @OptionGroup var store: StoreOptions

    @Option(
        help: ArgumentHelp(
            "\(BearerChoice.help) Without it, tests are played in a simulation of their own.",
            valueName: "bearer"
        )
    )
    var via: [String] = []

    @OptionGroup var adapter: AdapterOptions

    @OptionGroup var capture: CaptureOptions

    @Flag(help: "With --via: do not ask before tests act on a large part of the network.")
    var autoApprove = false

    @Option(
        help: ArgumentHelp("Only tests with this name; * stands for anything. May be repeated.", valueName: "pattern")
    )
    var only: [String] = []

    @OptionGroup var devices: SimulatedDeviceOptions

    @OptionGroup var radio: SimulatedRadioOptions

    @Option(
        help: ArgumentHelp("The number of hops that the network spans, instead of the radio's.", valueName: "count")
    )
    var hops: Int?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The share of copies lost on each hop, 0 to 1, instead of the radio's.", valueName: "share")
    )
    var loss: Double?

    @Option(
        help: ArgumentHelp(
            "The seed of the first run: it decides where nodes are, and what is lost. (default: 1)",
            valueName: "number"
        )
    )
    var seed: UInt64?

    @Option(
        help: ArgumentHelp("Play each test so often, under other chances each time. (default: 1)", valueName: "count")
    )
    var seeds: Int?

    @Option(
        help: ArgumentHelp("Also write the results to a file in the format of JUnit.", valueName: "file"),
        completion: Completion.files
    )
    var junit: String?

    @OptionGroup var variables: VariableOptions

    @OptionGroup var format: FormatOptions

    var writesJSON: Bool { format.json }

    func validate() throws {
        if let hops, !(1...126).contains(hops) { throw ValidationError("--hops takes 1 to 126.") }
        if let loss, !(0...1).contains(loss) {
            throw ValidationError("--loss takes a share from 0 to 1, such as 0.2.")
        }
        if let seeds, !(1...10_000).contains(seeds) { throw ValidationError("--seeds takes 1 to 10000.") }
        guard !via.isEmpty else {
            if adapter.adapter != nil { throw ValidationError("--adapter needs --via gatt.") }
            if capture.capture != nil { throw ValidationError("--capture needs --via.") }
            return
        }
        _ = try BearerChoice.all(adapter.routes(via))
        try adapter.check(for: via)
        try devices.check(for: via)
        try radio.check(for: via)
        if seeds != nil { throw ValidationError("--seeds cannot be combined with --via: a mesh has its own chances.") }
        let given = [(hops != nil, "--hops"), (loss != nil, "--loss"), (seed != nil, "--seed")]
        if via != ["simulator"], let (_, name) = given.first(where: \.0) {
            throw ValidationError("\(name) needs --via simulator, or no --via.")
        }
    }

    func run(in context: Context) throws -> ExitStatus {
        let context = try variables.applied(to: context)
        let selection = TestSelection(context: context, only: only, junit: junit)
        guard via.isEmpty else {
            let run = MeshTestingSession(context: context, selection: selection, isApproved: autoApprove)
            return try run.test(definition.paths, network: networks.network, over: route)
        }
        context.interrupts.arm()
        let run = TestingSession(
            context: context,
            settings: settings,
            devices: devices.devices,
            selection: selection,
            seed: seed ?? 1,
            seeds: seeds ?? 1
        )
        return try run.test(definition.paths, network: networks.network)
    }

    private func route() throws -> MeshRoute {
        var simulator = try SimulatorOptions.parse([])
        simulator.hops = hops
        simulator.loss = loss
        simulator.seed = seed
        return try MeshRoute(
            via: adapter.routes(via),
            devices,
            try VendorModelOptions.parse([]),
            simulator,
            radio,
            capture
        )
    }

    private var settings: WorldSettings {
        var settings = radio.radio.flatMap(WorldSettings.profile(named:)) ?? .ideal
        if let hops { settings.topology = .hops(hops) }
        if let loss { settings.copyLoss = loss }
        return settings
    }
}
