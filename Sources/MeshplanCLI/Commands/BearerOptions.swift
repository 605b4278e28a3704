internal import ArgumentParser
internal import Bearers

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
