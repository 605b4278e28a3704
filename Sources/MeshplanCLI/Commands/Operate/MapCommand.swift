import ArgumentParser
import Execution

/// `meshplan map`
struct MapCommand: OperatingCommand {
    static let configuration = CommandConfiguration(
        commandName: "map",
        abstract: "Measure who is how many hops away, and which relays carry whom.",
        discussion: """
            Asks every node for a few heartbeats to our own address, listens, and gives each node its own heartbeats back. \
            The number of hops, the relays that can have carried a node's messages, and relays without which nodes are not \
            reached become a table, JSON or a picture on standard output. The proxy that is used counts as 1 hop.

            Ctrl-C ends the listening and gives heartbeats back first. After a crash the next map or apply does that: \
            nodes stop by themselves after a few heartbeats. Ends with 4 if some nodes did not answer or have not got \
            their heartbeats back.
            """
    )

    /// What the map is written as.
    enum Format: String, CaseIterable, ExpressibleByArgument {
        case table, svg, html, json
    }

    @Option(
        name: .customLong("for"),
        help: ArgumentHelp("How long to listen at most, 10s to 1h. (default: 3m)", valueName: "duration"),
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

    @OptionGroup var format: FormatOptions

    var writesJSON: Bool { format.json || written == .json }

    func validate() throws {
        if let limit, !(10_000...3_600_000).contains(limit.milliseconds) {
            throw ValidationError("--for takes 10s to 1h.")
        }
        if floor != nil, written != .svg, written != .html {
            throw ValidationError("--floor is drawn with --format svg or html.")
        }
        if let range, MapRun.millimetres(range) == nil {
            throw ValidationError("--range takes a length such as 12m or 850cm.")
        }
    }

    func run(in context: Context) throws -> ExitStatus {
        let operating = try operatingRun(in: context)
        let run = MapRun(
            operating: operating,
            format: writesJSON ? .json : written,
            floor: floor,
            range: range.flatMap(MapRun.millimetres),
            paths: definition.definition,
            network: networks.network
        )
        return try run.map(for: limit?.duration ?? .seconds(180))
    }
}
