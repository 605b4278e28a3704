import ArgumentParser
import Basics
import Bearers
import Definitions
import MeshCore
import Simulator
import Store
import SystemLayer

/// `meshplan sim`
struct SimCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sim",
        abstract: "Simulate the nodes of a network, for programs that speak Proxy PDUs.",
        subcommands: [SimRunCommand.self, SimStatusCommand.self, SimResetCommand.self],
        defaultSubcommand: SimRunCommand.self
    )
}

/// `meshplan sim run`, or just `meshplan sim`
struct SimRunCommand: NetworkCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Simulate in real time until SIGINT or SIGTERM.",
        discussion: """
            Simulates the nodes of the database and unprovisioned devices; either can be missing. Standard output \
            shows what a person next to the devices would see, such as a lamp that blinks; standard input takes that \
            person's actions, which `help` lists.

            Each client has one connection for all its links and for scanning. It carries frames: a length of two \
            octets, most significant first, a type of one octet, and a body. The first frame each way is a hello with \
            the version \(Frame.version); then the client opens and closes links, sends packets and scans, and \
            receives events about links, packets and advertisements. A packet is what is written to Data In or \
            notified on Data Out; keys never pass. Exits with 1 if a rule was broken, such as a sequence number used \
            twice.
            """
    )

    @Option(help: ArgumentHelp("Where to listen: unix:PATH or tcp:HOST:PORT.", valueName: "address"))
    var listen: String

    @Option(
        help: ArgumentHelp(
            """
            The datagram socket through which real nodes join the simulated radio: unix:PATH. Each datagram, either \
            way, is the advertising data of one packet: Mesh Messages and Mesh Beacons.
            """,
            valueName: "address"
        )
    )
    var air: String?

    @OptionGroup var networks: NetworkOptions
    @OptionGroup var store: StoreOptions

    @OptionGroup var simulated: SimulatorStateOptions

    @Option(
        help: ArgumentHelp(
            """
            How much faster than real time, \(Self.maximumSpeed) at most: clients run in real time, and faster nodes \
            would discard messages of which only a part has arrived.
            """,
            valueName: "factor"
        )
    )
    var speed = 1.0

    /// The largest factor. A node discards a message after 10 s without a further segment, and a proxy PDU after 20 s.
    /// At this factor, a client has half a second of real time for that.
    private static let maximumSpeed = 20

    @OptionGroup var devices: SimulatedDeviceOptions

    @OptionGroup var models: VendorModelOptions

    @OptionGroup var radio: SimulatedRadioOptions

    @OptionGroup var simulator: SimulatorOptions

    func validate() throws {
        guard speed > 0, speed <= Double(Self.maximumSpeed) else {
            throw ValidationError(
                """
                --speed takes a factor above 0 and up to \(Self.maximumSpeed): clients run in real time, and faster \
                nodes would discard messages of which only a part has arrived.
                """
            )
        }
        do {
            _ = try SocketAddress(listen)
        } catch {
            throw ValidationError("\(error).")
        }
        if let air {
            do {
                guard case .unix = try SocketAddress(air) else {
                    throw ValidationError("--air takes only unix:PATH, because real nodes run on this machine.")
                }
            } catch let error as SocketAddressError {
                throw ValidationError("\(error).")
            }
        }
    }

    func run(in context: Context) throws -> ExitStatus {
        let simulation = try Simulation.open(
            context,
            network: networks.network,
            devices: devices.devices,
            vendorModels: try VendorModelFiles(context: context).models(models.models)
                ?? DefinitionFiles(context: context).readingOfWorkingFolder()?.vendorModels ?? [],
            state: simulated.stateFile,
            options: SimulationSetup(simulator, radio)
        )
        context.interrupts.arm()
        let address = try SocketAddress(listen)
        var settings = FrameServer.Settings()
        settings.maximumLinks = simulation.world.settings.maximumLinks
        let server = try FrameServer(
            listeningAt: address.resolved(in: context),
            settings: settings,
            wakeUp: context.interrupts.wakeUp
        )
        if case .unix = address {
            context.output.line("listening on \(address)")
        } else {
            context.output.line("listening on \(server.address ?? address)")
        }
        let console = SimulatorConsole(context, simulation)
        let air = try air.map { try SimulatorAir(SocketAddress($0).resolved(in: context), simulation.world) }
        try simulation.serve(server, speed: speed, context: context, console: console, air: air)
        air?.close()
        server.close()
        return simulation.report(context)
    }
}

/// `meshplan sim status`
struct SimStatusCommand: NetworkCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show how the simulated nodes differ from the mesh database, and which lamps are lit."
    )

    @OptionGroup var networks: NetworkOptions
    @OptionGroup var store: StoreOptions

    @OptionGroup var devices: SimulatedDeviceOptions

    @OptionGroup var simulated: SimulatorStateOptions

    func run(in context: Context) throws -> ExitStatus {
        let simulation = try Simulation.open(
            context,
            network: networks.network,
            devices: devices.devices,
            state: simulated.stateFile,
            options: nil
        )
        let world = simulation.world
        let differences = world.mismatches(against: simulation.network)
        let devices = world.nodeIdentifiers.count { !(world.node($0)?.isProvisioned ?? false) }
        let nodes = world.nodeIdentifiers.count - devices
        context.output.line(
            "\(count(nodes, "simulated node"))"
                + (devices == 0 ? "." : ", \(count(devices, "unprovisioned device")).")
        )
        for difference in differences { context.output.line("  \(difference.printable)") }
        context.output.line(
            differences.isEmpty
                ? "All agree with the mesh database."
                : "\(count(differences.count, "difference")) from the mesh database."
        )
        let lit = world.lights.filter { $0.level > 0 }
        if !lit.isEmpty {
            var table = Table()
            table.header = ["LIT", ""]
            let named = lit.map { (name: $0.name.printable, text: $0.text) }
            table.rows = named.sorted { NaturalOrder($0.name) < NaturalOrder($1.name) }.map { [$0.name, $0.text] }
            context.output.write(table.render(.plain))
        }
        return .success
    }
}

/// `meshplan sim reset`
struct SimResetCommand: NetworkCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset",
        abstract: "Delete the state of simulated nodes and devices.",
        discussion: """
            Nodes restart in the state of the mesh database, after the sequence numbers that it has heard; devices \
            restart unprovisioned. A node that neither the database nor a file of devices names is gone. Positions of \
            nodes are drawn again, too, for the hops of the next run.
            """
    )

    @OptionGroup var networks: NetworkOptions
    @OptionGroup var store: StoreOptions

    @OptionGroup var simulated: SimulatorStateOptions

    func run(in context: Context) throws -> ExitStatus {
        let path =
            try simulated.stateFile
            ?? Simulation.statePath(nil, network: Workspace(context: context).only(networks.network))
        guard Files.kind(context.absolute(path)) != nil else {
            context.output.line("There is no simulator state at \(path.printable).")
            return .success
        }
        // A running simulator must not lose its file.
        try SimulatorFile.remove(context.absolute(path), as: path)
        context.output.line("Removed \(path.printable).")
        return .success
    }
}

extension SocketAddress {
    /// The address, with a path relative to the context's working folder made absolute.
    func resolved(in context: Context) -> SocketAddress {
        guard case .unix(let path) = self else { return self }
        return .unix(path: context.absolute(path))
    }
}
