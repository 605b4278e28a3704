import ArgumentParser

/// `meshplan state key`
struct StateKeyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "key",
        abstract: "Manage the key slots, which decide who can open the mesh database.",
        discussion: """
            Everything in a database is sealed under one data key. Each key slot wraps that for one secret: a key file, a \
            passphrase, or what a command prints. Any one of them opens the database.
            """,
        subcommands: [
            StateKeyListCommand.self, StateKeyAddCommand.self, StateKeyRemoveCommand.self, StateKeyRotateCommand.self,
        ]
    )
}
