internal import ArgumentParser

/// `meshplan network`
struct NetworkGroupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "network",
        abstract: "Look at what a network as a whole is in, and mend it.",
        subcommands: [NetworkIVCommand.self]
    )
}

/// `meshplan network iv`
struct NetworkIVCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "iv",
        abstract: "The IV index and our sequence numbers.",
        subcommands: [NetworkIVShowCommand.self, NetworkIVRecoverCommand.self, NetworkIVSetCommand.self]
    )
}
