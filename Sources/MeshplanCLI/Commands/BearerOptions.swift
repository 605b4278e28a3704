internal import ArgumentParser
internal import Bearers

/// How to reach the mesh, and how a simulated one behaves.
struct BearerOptions: ParsableArguments {
    @Option(help: ArgumentHelp("\(BearerChoice.help)", valueName: "bearer"))
    var via: [String]

    func validate() throws {
        _ = try BearerChoice.all(via)
    }
}

/// What carries the messages of a command.
enum BearerChoice: Hashable {
    /// A simulated world in this process.
    case simulator
    /// A gateway, or a simulator process.
    case socket(SocketAddress)

    /// What `--via` takes.
    static let help = """
        How to reach the mesh: simulator, unix:PATH or tcp:HOST:PORT of a gateway or simulator process. May be repeated, \
        to use several at once.
        """

    /// Reads what `--via` says.
    init(_ text: String) throws(SocketAddressError) {
        self = text == "simulator" ? .simulator : .socket(try SocketAddress(text))
    }

    /// Reads what all of `--via` say, which is at least one.
    ///
    /// - Throws: `ValidationError` for one that names nothing, is there twice, or goes with no other.
    static func all(_ texts: [String]) throws(ValidationError) -> [BearerChoice] {
        var choices: [BearerChoice] = []
        for text in texts {
            let choice: BearerChoice
            do {
                choice = try BearerChoice(text)
            } catch {
                throw ValidationError("\(error)")
            }
            guard !choices.contains(choice) else { throw ValidationError("--via \(text) is given twice.") }
            choices.append(choice)
        }
        guard choices.count == 1 || !choices.contains(.simulator) else {
            throw ValidationError(
                "--via simulator is a world of its own, to which no other --via leads; simulate in a process with "
                    + "meshplan sim to reach it by several gateways."
            )
        }
        return choices
    }
}
