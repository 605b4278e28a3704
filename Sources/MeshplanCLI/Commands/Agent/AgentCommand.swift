import ArgumentParser

/// `meshplan agent`
struct AgentCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "agent",
        abstract: "Watch definitions, plan what changes, and do what is approved.",
        subcommands: [AgentRunCommand.self, AgentStatusCommand.self],
        defaultSubcommand: AgentRunCommand.self
    )
}
