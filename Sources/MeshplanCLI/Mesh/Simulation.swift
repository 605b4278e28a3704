import Bearers
import Catalogue
import MeshCore
import Simulator
import Store
import SystemLayer

/// A simulated world with the nodes of a mesh database and further devices. A file keeps its state.
struct Simulation {
    let world: SimulatedWorld
    /// The network as recorded in the database.
    let network: MeshNetwork
    private let file: SimulatorFile?
    private let names: [String: DeviceUUID]
    private let deviceNames: [String: DeviceUUID]

    /// The path of the state file, for people: the given one, otherwise that of the network.
    static func statePath(_ path: String?, network: String) throws(Failure) -> String {
        try Workspace.check(network)
        return path ?? Workspace.simulatorPath(network)
    }

    /// The world of a network's database, of devices, or of both.
    ///
    /// - Parameters:
    ///   - network: its name; nil for the only one. With devices, it need not have a database.
    ///   - devices: the paths of files with devices.
    ///   - vendorModels: the models of companies that its nodes simulate.
    ///   - state: the path of the state file; nil for the usual one.
    ///   - options: how radio and nodes behave; nil to only look, without storing anything.
    static func open(
        _ context: Context,
        network: String?,
        devices: [String],
        vendorModels: [VendorModel] = [],
        state: String?,
        options: SimulationSetup?
    ) throws -> Simulation {
        let workspace = Workspace(context: context)
        let name: String
        if devices.isEmpty {
            name = try workspace.only(network)
        } else {
            let known = try network ?? workspace.networks().onlyElement
            let hasDatabase = try known.map { try workspace.networks().contains($0) } ?? false
            guard let known, hasDatabase else {
                let path = try state ?? known.map { try statePath(nil, network: $0) }
                guard let path else {
                    throw Failure(
                        .usage,
                        "meshplan cannot choose the network for the state of the devices",
                        hint: "Choose one with --network NAME, or where to keep the state with "
                            + "--state-file FILE."
                    )
                }
                return try Simulation(
                    context,
                    network: .empty,
                    devices: devices,
                    statePath: path,
                    options: options,
                    vendorModels: vendorModels
                )
            }
            name = known
        }
        let snapshot = try workspace.open(name).snapshot()
        return try Simulation(
            context,
            network: snapshot.network,
            devices: devices,
            statePath: try statePath(state, network: name),
            options: options,
            heard: snapshot.replay,
            vendorModels: vendorModels
        )
    }

    /// The world of a network and of devices.
    ///
    /// - Parameters:
    ///   - devices: the paths of files with devices.
    ///   - statePath: the path of the state file, for people; nil to keep no state.
    ///   - options: how radio and nodes behave; nil to only look, without storing anything.
    ///   - heard: the last message of each source that the database knows.
    ///   - names: names that a definition or plan gives nodes, in addition to those of the database.
    ///   - vendorModels: the models of companies that its nodes simulate.
    init(
        _ context: Context,
        network: MeshNetwork,
        devices: [String],
        statePath: String?,
        options: SimulationSetup?,
        heard: [ReplayProtection.Entry] = [],
        names: [String: DeviceUUID] = [:],
        vendorModels: [VendorModel] = []
    ) throws {
        self.network = network
        let devices = try DeviceFiles(context: context).load(devices)
        self.names = names
        deviceNames = Dictionary(firstOf: devices.map { ($0.name, $0.uuid) })
        guard let options else {
            file = nil
            let path = statePath.flatMap { Files.kind(context.absolute($0)) == nil ? nil : $0 }
            let bytes = try path.map { try context.read($0, limit: SimulatorFile.sizeLimit) } ?? []
            world = SimulatedWorld(
                network: network,
                devices: devices,
                seed: 0,
                state: try SimulatorFile.decode(bytes, as: path ?? "").state
            )
            return
        }
        // It holds the keys of the nodes. The usual place is in a folder that git ignores anyway.
        if let statePath, let cover = try? GitIgnore.cover(statePath, in: context), let pattern = cover.pattern {
            context.errorOutput.line("Added \(pattern.printable) to \(cover.place.printable)")
        }
        let file = try statePath.map { try SimulatorFile(context.absolute($0), as: $0) }
        self.file = file
        var state = file?.state ?? SimulatorState()
        // Nodes continue after the last sequence numbers that the database heard, whatever happened to the file.
        // Otherwise it would reject all their messages as replays.
        for entry in heard {
            let stream = SequenceStream(source: entry.source, ivIndex: entry.ivIndex)
            state.reservations[stream] = max(state.reservations[stream] ?? 0, entry.sequence + 1)
        }
        if context.json == nil { Self.note(options, file, isKnown: !heard.isEmpty, context) }
        world = SimulatedWorld(
            network: network,
            devices: devices,
            settings: options.settings,
            seed: options.seed,
            state: state,
            vendorModels: vendorModels,
            recorder: { file?.record($0, context) ?? true }
        )
        try options.options.applyFaults(to: self)
    }

    /// Shows notes where the simulation differs from what the user may expect.
    private static func note(_ setup: SimulationSetup, _ file: SimulatorFile?, isKnown: Bool, _ context: Context) {
        var notes: [String] = []
        if let file, file.isNew, isKnown {
            notes.append(
                "There is no simulator state at \(file.name.printable): its nodes restart in the state of the mesh database."
            )
        }
        if let contradiction = setup.contradiction(keptHops: file?.state.hops) { notes.append(contradiction) }
        for note in notes { context.errorOutput.line(note) }
    }

    /// The node or device with a UUID, an address, or a name from the database, the definition or a file with devices.
    func identifier(of name: String) -> DeviceUUID? {
        if let uuid = names[name] ?? world.identifier(named: name) ?? deviceNames[name] { return uuid }
        if let uuid = DeviceUUID(name), world.nodeIdentifiers.contains(uuid) { return uuid }
        return network.node(named: name)?.uuid
    }

    /// Enters a value at a device that waits for it.
    func input(_ name: String, _ text: String) throws(DeviceInputError) {
        guard let uuid = identifier(of: name) else { throw .unknownDevice }
        try world.input(uuid, text: text)
    }

    /// Runs the world in step with real time, scaled by `speed`, and carries packets between it and the clients of a
    /// server, until a signal.
    ///
    /// - Parameter air: lets real nodes take part in the world's radio; nil for none.
    func serve(
        _ server: FrameServer,
        speed: Double,
        context: Context,
        console: SimulatorConsole,
        air: SimulatorAir? = nil
    ) throws {
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
            let events = try server.wait(
                atMost: min(max(next, .zero), .seconds(1)),
                watching: [console.descriptor, air?.descriptor].compactMap(\.self)
            )
            catchUp()
            console.poll()
            air?.poll()
            for event in events {
                clients.handle(event)
            }
        }
    }

    /// Lists the rules that were broken.
    ///
    /// - Returns: `failure` if any rule was broken.
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

extension MeshNetwork {
    /// An empty network, for worlds with nothing but devices.
    static var empty: MeshNetwork {
        let nobody = Octets16(high: 0, low: 0)
        return MeshNetwork(
            uuid: nobody,
            name: "",
            ivIndex: IVIndex(value: 0),
            netKeys: [],
            provisioners: [],
            ownProvisioner: DeviceUUID(rawValue: nobody),
            nodes: []
        )
    }
}

extension Array {
    /// The element, if there is exactly one.
    fileprivate var onlyElement: Element? { count == 1 ? first : nil }
}
