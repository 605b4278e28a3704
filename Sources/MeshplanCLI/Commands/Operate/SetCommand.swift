import ArgumentParser
import Catalogue
import Execution

/// `meshplan set`
struct SetCommand: OperatingCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Set a state of nodes: set kitchen-1 lightness 40%, set group.kitchen onoff on.",
        discussion: """
            A value is a number with its unit or a word; where a state has several fields, values go to the fields with \
            their units, or are given as field=value: set hall ctl 3000K 80%. Before values that begin with a minus, \
            write --.

            To a group, the state is sent a few times with shrinking delays, so that all members start at once; then \
            each member is asked, and stragglers are set one by one. Of a pattern or tag, whole groups of the network \
            that it selects are set so, and the others one by one, to start with them. Without --transition several \
            nodes change at once; a single one takes its default transition time. Ends with 4 if some are silent or \
            otherwise than asked.

            A pattern or tag that acts on more than 30 % of ten or more nodes needs approval.
            """
    )

    @OptionGroup var target: TargetArgument

    @Argument(
        help: ArgumentHelp("The state, such as onoff or lightness.", valueName: "state"),
        completion: Completion.settableStates
    )
    var state: String

    @Argument(
        help: ArgumentHelp("What it becomes, such as on, 40% or 3000K.", valueName: "value"),
        completion: Completion.values
    )
    var values: [String]

    @Option(
        help: ArgumentHelp("How long the change takes, such as 2s.", valueName: "duration"),
        transform: DurationArgument.parse
    )
    var transition: DurationArgument?

    @Option(
        help: ArgumentHelp("The time before the change begins, 1275ms at most.", valueName: "duration"),
        transform: DurationArgument.parse
    )
    var delay: DurationArgument?

    @Flag(help: "Send without waiting for answers; nobody knows then whether it arrived.")
    var unacknowledged = false

    @Flag(help: "Do not ask before a pattern or tag acts on many nodes.")
    var autoApprove = false

    @OptionGroup var definition: TagOptions

    @OptionGroup var mesh: MeshOptions

    @OptionGroup var networks: NetworkOptions
    @OptionGroup var store: StoreOptions

    @OptionGroup var format: FormatOptions

    func run(in context: Context) throws -> ExitStatus {
        let operating = try operatingRun(in: context)
        let isForSeveral = try operating.resolve(target.target).isForSeveral
        let change: StateChange
        do throws(StateError) {
            let state = try StateSelector.state(named: state, of: operating.models)
            change = try StateChange(
                state,
                words: values,
                transition: transition?.milliseconds ?? (isForSeveral && state.hasTransition ? 0 : nil),
                delay: delay?.milliseconds ?? 0
            )
        } catch {
            throw Failure(error)
        }
        let run = StateSettingSession(
            operating: operating,
            change: change,
            isUnacknowledged: unacknowledged,
            isApproved: autoApprove
        )
        return try run.set(target.target)
    }
}
