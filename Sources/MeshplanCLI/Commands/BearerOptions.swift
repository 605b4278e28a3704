internal import ArgumentParser
internal import Bearers
internal import MeshCore
internal import Simulator

/// How to reach the mesh, and how a simulated one behaves.
struct BearerOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "How to reach the mesh: simulator, unix:PATH or tcp:HOST:PORT of a gateway or simulator process.",
            valueName: "bearer"
        )
    )
    var via: String

    func validate() throws {
        do {
            _ = try BearerChoice(via)
        } catch {
            throw ValidationError("\(error)")
        }
    }
}

/// What carries the messages of a command.
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

/// A bearer that is ready, with the world behind it if that is simulated here.
struct BearerAccess {
    /// What carries packets.
    let bearer: any Bearer
    /// The simulated world, if the mesh is one.
    let simulation: Simulation?

    /// Opens what a choice says.
    ///
    /// - Parameters:
    ///   - watched: descriptors whose readers are to be woken.
    ///   - simulation: makes the simulated world if that is the choice.
    init(
        _ choice: BearerChoice,
        in context: Context,
        watched: [Int32] = [],
        simulation: () throws -> Simulation
    ) throws {
        switch choice {
        case .simulator:
            let opened = try simulation()
            self.simulation = opened
            bearer = SimulatedBearer(opened.world)
        case .socket(let address):
            self.simulation = nil
            bearer = SocketBearer(
                address: address.resolved(in: context),
                wakeUp: context.interrupts.wakeUp,
                watched: watched
            )
        }
    }
}
