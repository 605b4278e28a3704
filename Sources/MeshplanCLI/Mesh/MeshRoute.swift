import Bearers
import Catalogue
import Execution
import MeshCore
import Simulator
import Store
import SystemLayer

/// How a command reaches the mesh: through other processes, or in a simulated world inside this one.
struct MeshRoute {
    /// The values of `--via`.
    let via: [String]
    private let choices: [BearerChoice]
    private let devices: [String]
    /// The paths of files with vendor models; empty for those of the definition.
    let modelFiles: [String]
    private let setup: SimulationSetup
    /// What is written down.
    private let capture: CaptureOptions

    /// The route that the options of a command describe.
    ///
    /// - Parameter via: the values of `--via`.
    /// - Throws: `ValidationError` as ``BearerChoice/all(_:)`` does.
    init(
        via: [String],
        _ devices: SimulatedDeviceOptions,
        _ models: VendorModelOptions,
        _ simulator: SimulatorOptions,
        _ radio: some RadioChoice,
        _ capture: CaptureOptions
    ) throws {
        self.capture = capture
        self.via = via
        choices = try BearerChoice.all(via)
        self.devices = devices.devices
        modelFiles = models.models
        setup = SimulationSetup(simulator, radio)
    }

    /// What the plan of a run over this route depends on.
    var dependency: PlanDependencies.Way { PlanDependencies.Way(via: via, files: devices + modelFiles) }

    /// How the world simulated in this process behaves; nil if there is none.
    var simulation: SimulationSetup? { choices.contains(.simulator) ? setup : nil }

    /// Opens the route, and starts to count interrupts.
    ///
    /// - Parameters:
    ///   - network: the network with which a simulated world begins.
    ///   - heard: the last message of each source that the database knows.
    ///   - name: the network's name, under which a simulated world keeps its state; nil to keep none.
    ///   - names: further names of nodes and devices, for options that take such names.
    ///   - vendorModels: the vendor models of a simulated world, unless the route names files with others.
    ///   - watched: descriptors that also end a wait of the bearer when they become readable.
    func open(
        in context: Context,
        network: @autoclosure () throws -> MeshNetwork,
        heard: @autoclosure () throws -> [ReplayProtection.Entry],
        named name: String?,
        names: [String: DeviceUUID] = [:],
        vendorModels: @autoclosure () -> [VendorModel] = [],
        watched: [Int32] = []
    ) throws -> BearerAccess {
        defer { context.interrupts.arm() }
        let file = try capture.capture.map { try CaptureFile($0, in: context) }
        let isNamed = capture.level != nil || choices.contains(.simulator)
        let models = try isNamed ? VendorModelFiles(context: context).models(modelFiles) ?? vendorModels() : []
        var known: MeshNetwork?
        if capture.level != nil { known = try? network() }
        try context.observation.begin(capture, network: known, vendorModels: models, in: context)
        func captured(_ bearer: any Bearer) -> any Bearer {
            context.observation.observing(file?.capturing(bearer) ?? bearer)
        }
        if choices.contains(.simulator) {
            let simulation = try Simulation(
                context,
                network: try network(),
                devices: devices,
                statePath: try name.map { try Simulation.statePath(nil, network: $0) },
                options: setup,
                heard: try heard(),
                names: names,
                vendorModels: models
            )
            return BearerAccess(bearer: captured(SimulatedBearer(simulation.world)), simulation: simulation)
        }
        let interruption = WaitInterruption(wakeUp: context.interrupts.wakeUp, watched: watched)
        let bearer = try RadioBearers(context: context, clock: BearerClock()).open(choices, via, interruption)
        return BearerAccess(bearer: captured(bearer), simulation: nil)
    }

    /// Checks that at least one bearer answers, before anybody is asked and before the waits of a lost link.
    ///
    /// One is enough. If there are several, those that do not answer are named once the mesh is connected.
    ///
    /// - Throws: the first ``BearerError`` if none answers; ``Failure`` if the files of a pairing are not as they
    ///   should be.
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

/// A bearer that is ready, with the world behind it if this process simulates one.
struct BearerAccess {
    /// The bearer that carries packets.
    let bearer: any Bearer
    /// The simulated world; nil for a real mesh.
    let simulation: Simulation?

    /// Tells people what they would see and hear next to the simulated devices.
    func tell(on terminal: RunTerminal) {
        simulation?.world.onObservation = { observation in
            guard observation.event.isForPeople else { return }
            terminal.say(text: "simulator: \(observation.description.printable)\n")
        }
    }
}

extension Context {
    /// The outside world of a run of the executor.
    ///
    /// - Parameters:
    ///   - prompter: answers the out-of-band questions of devices; nil if no device is provisioned.
    ///   - texts: the files and variables with keys; nil if no plan is carried out.
    ///   - database: the source of former keys; nil if no plan is carried out.
    ///   - emit: receives the events of the run.
    func execution(
        prompter: TerminalPrompter? = nil,
        texts: SecretTexts? = nil,
        database: MeshDatabase? = nil,
        emit: @escaping (ExecutionEvent) -> Void = { _ in }
    ) -> ExecutionContext {
        let keys = MeshKeyReader(context: self, texts: texts ?? SecretTexts(self), database: database)
        var execution = ExecutionContext(
            user: self.process.user,
            host: self.process.host,
            now: self.now,
            interrupts: {
                // Called in each round: unread input that nobody asked for would keep the bearer awake.
                prompter?.discardUnasked()
                return self.interrupts.count()
            },
            key: { source throws(ExecutionContext.KeyError) in try keys.key(from: source) },
            provisioningSecrets: {
                var generator = randomNumbers
                return .random(using: &generator)
            },
            emit: emit
        )
        if let prompter { execution.outOfBand = prompter.forExecutor }
        return execution
    }
}

extension DeviceObservation.Event {
    /// Whether a person is meant to see the event and to act.
    fileprivate var isForPeople: Bool {
        switch self {
        case .output, .inputAwaited: true
        case .attentionStarted, .attentionEnded, .outputEnded, .inputEnded, .provisioned, .light, .unprovisioned: false
        }
    }
}
