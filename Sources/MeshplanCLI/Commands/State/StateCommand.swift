import ArgumentParser

/// `meshplan state`
struct StateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "state",
        abstract: "Inspect the mesh database, and repair what no plan can.",
        subcommands: [
            StateListCommand.self, StateShowCommand.self, StateHistoryCommand.self, StateRestoreCommand.self,
            StateRemoveCommand.self, StateMoveCommand.self, StatePullCommand.self, StatePushCommand.self,
            StateVerifyCommand.self, StateUnlockCommand.self, StateKeyCommand.self,
        ]
    )
}
