import ArgumentParser

/// `meshplan fleet plan`
struct FleetPlanCommand: FleetRunCommand {
    static let configuration = CommandConfiguration(
        commandName: "plan",
        abstract: "Show the changes that make each network match its definition."
    )

    @OptionGroup var options: FleetOptions

    @Option(
        name: [.short, .long],
        help: ArgumentHelp(
            "Save the plans of all networks into this folder, for `meshplan fleet apply --plan FOLDER`.",
            valueName: "folder"
        ),
        completion: Completion.folders
    )
    var out: String?

    @OptionGroup var running: FleetRunOptions

    @Flag(help: "Exit with 2 instead of 0 if there are changes.")
    var detailedExitcode = false

    func run(in context: Context) throws -> ExitStatus {
        let status = try out.map { try save(to: $0, in: context) } ?? plan(in: context)
        return status == .changes && !detailedExitcode ? .success : status
    }

    private func plan(in context: Context) throws -> ExitStatus {
        try runForAll(.init(command: .plan, arguments: { _ in [.flag("--detailed-exitcode")] }), in: context)
    }

    private func save(to out: String, in context: Context) throws -> ExitStatus {
        let target = FleetPlansFolder(out, in: context)
        try target.checkTarget()
        let saving = FleetPlanSaving(
            run: try fleetRun(of: .plan, in: context),
            paths: FleetPaths(options.folder ?? ".", in: context),
            target: target
        )
        return try saving()
    }
}

/// `meshplan fleet test`
struct FleetTestCommand: FleetRunCommand {
    static let configuration = CommandConfiguration(
        commandName: "test",
        abstract: "Play the tests of each definition in the simulator."
    )

    @OptionGroup var options: FleetOptions

    @OptionGroup var running: FleetRunOptions

    func run(in context: Context) throws -> ExitStatus { try runForAll(.init(command: .test), in: context) }
}

/// `meshplan fleet drift`
struct FleetDriftCommand: FleetRunCommand {
    static let configuration = CommandConfiguration(
        commandName: "drift",
        abstract: "Show in which networks nodes differ from what was recorded."
    )

    @OptionGroup var options: FleetOptions

    @OptionGroup var running: FleetRunOptions

    func run(in context: Context) throws -> ExitStatus { try runForAll(.init(command: .drift), in: context) }
}

/// `meshplan fleet doctor`
struct FleetDoctorCommand: FleetRunCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Look for problems of each network."
    )

    @OptionGroup var options: FleetOptions

    @OptionGroup var running: FleetRunOptions

    func run(in context: Context) throws -> ExitStatus {
        try runForAll(.init(command: .doctor, takesDefinition: false), in: context)
    }
}

/// `meshplan fleet refresh`
struct FleetRefreshCommand: FleetRunCommand {
    static let configuration = CommandConfiguration(
        commandName: "refresh",
        abstract: "Read the nodes of each network back."
    )

    @OptionGroup var options: FleetOptions

    @OptionGroup var bearer: FleetBearerOptions

    @OptionGroup var running: FleetRunOptions

    func run(in context: Context) throws -> ExitStatus {
        try bearer.check(try options.fleet(in: context))
        return try runForAll(.init(command: .refresh, via: bearer.routes), in: context)
    }
}
