internal import Bearers
internal import Execution
internal import MeshCore
internal import Simulator
internal import Store

/// How a command reaches the mesh: through other processes, or into a world that it simulates itself.
struct MeshRoute {
    /// What each `--via` said.
    let via: [String]
    private let choices: [BearerChoice]
    private let devices: [String]
    private let setup: SimulationSetup

    /// The route that the options of a command describe.
    ///
    /// - Parameter via: what each `--via` says.
    /// - Throws: `ValidationError` as ``BearerChoice/all(_:)`` does.
    init(
        via: [String],
        _ devices: SimulatedDeviceOptions,
        _ simulator: SimulatorOptions,
        _ radio: some RadioChoice
    ) throws {
        self.via = via
        choices = try BearerChoice.all(via)
        self.devices = devices.devices
        setup = SimulationSetup(simulator, radio)
    }

    /// How the world behaves that is simulated in this process; nil if none is.
    var simulation: SimulationSetup? { choices.contains(.simulator) ? setup : nil }

    /// Opens it, and lets interrupts be counted from then on.
    ///
    /// - Parameters:
    ///   - network: what a world that is simulated here begins with.
    ///   - heard: the last message of each source that the database knows of.
    ///   - name: the network's name, by which such a world remembers what became of it; nil if nothing is to be remembered.
    ///   - names: further names of nodes and devices, for options that name them.
    ///   - watched: descriptors whose readers are to be woken.
    func open(
        in context: Context,
        network: @autoclosure () throws -> MeshNetwork,
        heard: @autoclosure () throws -> [ReplayProtection.Entry],
        named name: String?,
        names: [String: DeviceUUID] = [:],
        watched: [Int32] = []
    ) throws -> BearerAccess {
        defer { context.interrupts.arm() }
        if choices.contains(.simulator) {
            let simulation = try Simulation(
                context,
                network: try network(),
                devices: devices,
                statePath: try name.map { try Simulation.statePath(nil, network: $0) },
                options: setup,
                heard: try heard(),
                names: names
            )
            return BearerAccess(bearer: SimulatedBearer(simulation.world), simulation: simulation)
        }
        let interruption = WaitInterruption(wakeUp: context.interrupts.wakeUp, watched: watched)
        let bearer = try RadioBearers(context: context, clock: BearerClock()).open(choices, via, interruption)
        return BearerAccess(bearer: bearer, simulation: nil)
    }

    /// Finds out before anybody is asked, and before the waits of a lost link, that nobody listens at all.
    ///
    /// Where there are several, those that do not answer are named once the mesh is connected to; one is enough.
    func probe(in context: Context) throws {
        let bearers = RadioBearers(context: context, clock: BearerClock())
        var first: (any Error)?
        for (choice, name) in zip(choices, via) where choice != .simulator {
            do {
                try bearers.probe(choice, name)
                return
            } catch let error as BearerError {
                first = first ?? error
            }
        }
        if let first { throw first }
    }
}

/// A bearer that is ready, with the world behind it if that is simulated here.
struct BearerAccess {
    /// What carries packets.
    let bearer: any Bearer
    /// The simulated world, if the mesh is one.
    let simulation: Simulation?

    /// Tells people what they would see and hear beside the simulated devices.
    func tell(on terminal: RunTerminal) {
        simulation?.world.onObservation = { observation in
            guard observation.event.isForPeople else { return }
            terminal.say(text: "simulator: \(observation.description.printable)\n")
        }
    }
}

extension Context {
    /// What a run of the executor has of the outside.
    ///
    /// - Parameters:
    ///   - desk: who answers what devices ask out of band; nil where no device is provisioned.
    ///   - database: where former keys are; nil where no plan is carried out.
    ///   - emit: takes the events of the run.
    func execution(
        desk: TerminalDesk? = nil,
        database: MeshDatabase? = nil,
        emit: @escaping (ExecutionEvent) -> Void = { _ in }
    ) -> ExecutionContext {
        let keys = KeyReader(context: self, database: database)
        var execution = ExecutionContext(
            user: process.user,
            host: process.host,
            now: now,
            interrupts: {
                // Asked in each round: what nobody asked for must not keep the bearer awake.
                desk?.discardUnasked()
                return interrupts.count()
            },
            key: { source throws(ExecutionContext.KeyError) in try keys.key(from: source) },
            provisioningSecrets: {
                var generator = randomNumbers
                return .random(using: &generator)
            },
            emit: emit
        )
        if let desk { execution.outOfBand = desk.desk }
        return execution
    }
}

extension DeviceObservation.Event {
    /// Whether somebody is meant to see it and to do something.
    fileprivate var isForPeople: Bool {
        switch self {
        case .output, .inputAwaited: true
        case .attentionStarted, .attentionEnded, .outputEnded, .inputEnded, .provisioned, .unprovisioned: false
        }
    }
}
