import ArgumentParser
import Catalogue
import DefinitionModel
import Execution
import MeshCore

/// `meshplan watch`
struct WatchCommand: OperatingCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Show what nodes publish: states, messages and heartbeats.",
        discussion: """
            Listens through a proxy to all groups and virtual addresses of the network and to our own address, until \
            Ctrl-C or the end of --for. What nodes send to one element of another node is not heard. Each message is \
            told once, with its sender, destination, model and values in their units; what is not known is shown in \
            hexadecimal.

            Nodes, elements and tags choose by the sender, groups by the destination: watch hall/1 group.kitchen shows \
            what element 1 of hall sends, and what anybody sends to kitchen.

            Holds the lock of the database as long as it listens, because asking a proxy for groups uses our sequence \
            numbers.
            """
    )

    @Argument(
        help: ArgumentHelp(
            """
            NODE, NODE/ELEMENT, tag=value: what they send. group.NAME: what is sent to the group. `*` stands for any \
            characters. (default: everything)
            """,
            valueName: "target"
        ),
        completion: Completion.targets
    )
    var targets: [String] = []

    @Option(
        help: ArgumentHelp("Only messages of this model, client or server.", valueName: "model"),
        completion: Completion.models
    )
    var model: String?

    @Option(
        name: .customLong("for"),
        help: ArgumentHelp("How long to listen, such as 30s or 10m. (default: until Ctrl-C)", valueName: "duration"),
        transform: DurationArgument.parse
    )
    var limit: DurationArgument?

    @OptionGroup var definition: TagOptions

    @OptionGroup var mesh: MeshOptions

    @OptionGroup var networks: NetworkOptions
    @OptionGroup var store: StoreOptions

    @OptionGroup var format: FormatOptions

    func validate() throws {
        guard limit == nil, mesh.via == ["simulator"] else { return }
        throw ValidationError(
            """
            Without --for, watch needs real time; run the simulation as a process with meshplan sim, or say how long \
            to listen.
            """
        )
    }

    func run(in context: Context) throws -> ExitStatus {
        let operating = try operatingRun(in: context)
        let names = operating.models.names
        let identifier = try model.map { try Self.identifier(of: $0, names) }
        let selection = try operating.watchSelection(targets, model: identifier)
        return try WatchSession(operating: operating, selection: selection).watch(for: limit?.duration)
    }

    private static func identifier(of name: String, _ names: ModelNames) throws(Failure) -> ModelIdentifier {
        if let identifier = names.model(named: name) { return identifier }
        let nearest = Suggestion.nearest(to: name, among: names.all)
        throw Failure(
            .usage,
            "there is no model `\(name.printable)`",
            hint: nearest.map { "Did you mean `\($0)`?" }
        )
    }
}
