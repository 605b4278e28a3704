internal import ArgumentParser

/// `meshplan state`
struct StateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "state",
        abstract: "Look at the mesh database, and mend it where no plan can.",
        subcommands: [
            StateListCommand.self, StateHistoryCommand.self, StateShowCommand.self, StateRestoreCommand.self,
        ]
    )
}
