import ArgumentParser

/// `meshplan fleet`
struct FleetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fleet",
        abstract: "Do for many networks what a command does for one.",
        discussion: """
            A fleet is a folder with a folder or file for each network's definition, or with a fleet.yaml that lists \
            networks with tags, variables, ways to reach them and the places of their databases. Each network gets a line, \
            and --details shows what its command prints. The exit code is that of the command; if networks differ, that of \
            the gravest.
            """,
        subcommands: [
            FleetPlanCommand.self, FleetShowCommand.self, FleetApplyCommand.self, FleetTestCommand.self,
            FleetDriftCommand.self, FleetRefreshCommand.self, FleetStatusCommand.self, FleetDoctorCommand.self,
            FleetWorkCommand.self, FleetStopCommand.self, FleetContinueCommand.self, FleetRollbackCommand.self,
            FleetRunsCommand.self, FleetServeCommand.self,
        ]
    )
}
