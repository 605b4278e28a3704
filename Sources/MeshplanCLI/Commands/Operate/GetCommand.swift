import ArgumentParser

/// `meshplan get`
struct GetCommand: OperatingCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Read states of nodes: onoff, lightness, ctl, sensor …",
        discussion: """
            Asks many nodes side by side and shows values in their units. Without a state, it reads those that change in \
            operation. Where there are several of a state, say which: get hall sensor-cadence \
            property=present-ambient-light-level.

            Our own node is recorded with the client models and key bindings that this needs. Ends with 4 if some did \
            not answer; they are named.
            """
    )

    @OptionGroup var target: TargetArgument

    @Argument(
        help: ArgumentHelp("The states, such as onoff or lightness.", valueName: "state"),
        completion: Completion.states
    )
    var states: [String] = []

    @Flag(help: "Show the raw numbers of the messages instead of values with units.")
    var raw = false

    @OptionGroup var definition: TagOptions

    @OptionGroup var mesh: MeshOptions

    @OptionGroup var networks: NetworkOptions
    @OptionGroup var store: StoreOptions

    @OptionGroup var format: FormatOptions

    func run(in context: Context) throws -> ExitStatus {
        let operating = try operatingRun(in: context)
        return try StateReadingSession(operating: operating, isRaw: raw).read(target.target, states)
    }
}
