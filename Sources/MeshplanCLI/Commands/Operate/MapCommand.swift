import ArgumentParser
import Execution

/// `meshplan map`
struct MapCommand: OperatingCommand {
    static let configuration = CommandConfiguration(
        commandName: "map",
        abstract: "Measure who is how many hops away, and which relays carry whom.",
        discussion: """
            Asks every node for its Default TTL, first with TTL 2, which nobody relays, and those that are silent with ever \
            larger ones. The TTL that reaches a node, and that of its answer on arrival, tell its number of hops. Nothing is \
            configured. Hops, the relays that can have carried a node's messages, and relays without which nodes are not \
            reached become a table, JSON or a picture on standard output. The proxy that is used counts as 1 hop.

            Questions are spread so that together with the answers they take --airtime of the air at most, which decides \
            how long it takes; with --for it is the other way round. Ctrl-C ends it and shows what is known. Ends with 4 \
            if some nodes did not answer.
            """
    )

    /// What the map is written as.
    enum Format: String, CaseIterable, ExpressibleByArgument {
        case table, svg, html, json
    }

    @Option(
        help: ArgumentHelp(
            "The share of the air that it may take, such as 0.5%; it takes as long as that needs. (default: 1%)",
            valueName: "share"
        )
    )
    var airtime: ShareArgument?

    @Option(
        name: .customLong("for"),
        help: ArgumentHelp(
            "How long it may take, 10s to 12h, whatever of the air that needs, instead of --airtime.",
            valueName: "duration"
        ),
        transform: DurationArgument.parse
    )
    var limit: DurationArgument?

    @Option(name: .customLong("format"), help: ArgumentHelp("table, svg, html or json.", valueName: "format"))
    var written = Format.table

    @Option(
        help: ArgumentHelp("Draw the plan of a floor, with the hops of its nodes.", valueName: "name"),
        completion: Completion.floors
    )
    var floor: String?

    @Option(
        help: ArgumentHelp(
            "How far radio should reach, such as 12m: predicts hops from the positions of nodes.",
            valueName: "length"
        )
    )
    var range: String?

    @OptionGroup var definition: TagOptions

    @OptionGroup var mesh: MeshOptions

    @OptionGroup var networks: NetworkOptions
    @OptionGroup var store: StoreOptions

    @OptionGroup var format: FormatOptions

    var writesJSON: Bool { format.json || written == .json }

    func validate() throws {
        if let limit, !(10_000...43_200_000).contains(limit.milliseconds) {
            throw ValidationError("--for takes 10s to 12h.")
        }
        if airtime != nil, limit != nil {
            throw ValidationError("--airtime decides how long it takes, --for how much of the air: give one.")
        }
        if floor != nil, written != .svg, written != .html {
            throw ValidationError("--floor is drawn with --format svg or html.")
        }
        if let range, MapSession.millimetres(range) == nil {
            throw ValidationError("--range takes a length such as 12m or 850cm.")
        }
    }

    func run(in context: Context) throws -> ExitStatus {
        let operating = try operatingRun(in: context)
        let run = MapSession(
            operating: operating,
            format: writesJSON ? .json : written,
            floor: floor,
            range: range.flatMap(MapSession.millimetres),
            paths: definition.definition,
            network: networks.network
        )
        if let limit { return try run.map(within: .time(limit.duration)) }
        return try run.map(within: .airtime(Double(airtime?.millionths ?? 10_000) / 1_000_000))
    }
}
