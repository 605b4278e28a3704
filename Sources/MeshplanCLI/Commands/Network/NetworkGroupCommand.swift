import ArgumentParser

/// `meshplan network`
struct NetworkGroupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "network",
        abstract: "Show and repair the state of a network as a whole.",
        subcommands: [NetworkIVCommand.self]
    )
}

/// `meshplan network iv`
struct NetworkIVCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "iv",
        abstract: "Show, recover or set the IV index.",
        subcommands: [NetworkIVShowCommand.self, NetworkIVRecoverCommand.self, NetworkIVSetCommand.self]
    )
}
