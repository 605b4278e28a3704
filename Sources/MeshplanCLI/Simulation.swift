internal import Bearers
internal import MeshCore
internal import Simulator
internal import Store

/// A simulated world whose nodes are those of a mesh database and whose state is kept in a file.
struct Simulation {
    /// The world.
    let world: SimulatedWorld
    /// The network as the database has it.
    let network: MeshNetwork
    private let file: SimulatorFile?

    /// The path of the state file, for people: the one given, else that of the network.
    static func statePath(_ path: String?, network: String) throws(Failure) -> String {
        try Workspace.check(network)
        return path ?? Workspace.simulatorPath(network)
    }

    /// The world of a network's database.
    ///
    /// - Parameters:
    ///   - network: its name, nil for the only one.
    ///   - state: the path of the state file, nil for the usual one.
    ///   - options: how radio and nodes behave; nil only looks and stores nothing.
    static func open(
        _ context: Context,
        network: String?,
        state: String?,
        options: SimulatorOptions?
    ) throws -> Simulation {
        let workspace = Workspace(context: context)
        let name = try workspace.only(network)
        let snapshot = try workspace.open(name).snapshot()
        return try Simulation(
            context,
            network: snapshot.network,
            named: name,
            state: state,
            options: options
        )
    }

    /// The world of a network; `names` are what a definition or a plan calls nodes beside the database.
    init(
        _ context: Context,
        network: MeshNetwork,
        named name: String,
        state: String?,
        options: SimulatorOptions?,
        names: [String: DeviceUUID] = [:]
    ) throws {
        let path = try Self.statePath(state, network: name)
        self.network = network
        guard let options else {
            file = nil
            let bytes =
                Files.kind(context.absolute(path)) == nil
                ? [] : try Files.read(context.absolute(path), as: path, limit: 1 << 30)
            world = SimulatedWorld(network: network, seed: 0, state: try StateFile.decode(bytes).state)
            return
        }
        let file = try SimulatorFile(context.absolute(path), as: path)
        self.file = file
        world = SimulatedWorld(
            network: network,
            settings: options.settings,
            seed: options.seed,
            state: file.state,
            recorder: { file.record($0) }
        )
        try options.applyFaults(to: world, of: network, names: names)
    }

    /// Lets the world run beside real time and carries packets between it and the clients of a server, until a signal.
    func serve(_ server: FrameServer, speed: Double, context: Context) throws {
        let start = ContinuousClock.now
        let before = context.interrupts.count()
        var clients = ServedClients(of: server, in: world)
        func catchUp() {
            world.advance(to: Instant.zero.advanced(by: start.duration(to: .now) * speed))
            clients.deliver()
        }
        while context.interrupts.count() == before {
            catchUp()
            let next = world.nextEventTime.map { world.now.duration(to: $0) / speed } ?? .seconds(1)
            for event in try server.wait(atMost: min(max(next, .zero), .seconds(1))) {
                catchUp()
                clients.handle(event)
            }
        }
    }

    /// Says what went against the rules.
    ///
    /// - Returns: failure if anything did.
    func report(_ context: Context) -> ExitStatus {
        for violation in world.violations {
            context.errorOutput.line("violation: \(violation.printable)")
        }
        guard world.violations.isEmpty else {
            let failure = Failure(
                .failure,
                "\(count(world.violations.count, "rule")) broken in the simulated network"
            )
            return FailureView(context).show(failure)
        }
        return .success
    }
}
