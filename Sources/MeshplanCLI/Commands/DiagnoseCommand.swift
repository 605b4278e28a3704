import ArgumentParser
import MeshCore

/// `meshplan diagnose`
struct DiagnoseCommand: NetworkCommand {
    static let configuration = CommandConfiguration(
        commandName: "diagnose",
        abstract: "Find out why a node does not answer.",
        discussion: """
            Looks in this order: is a proxy of the network in reach, and was the node heard, as itself or as a device without \
            a network; does it answer; do others of its subnets; does it answer messages that go further (TTL 127); does it \
            answer under an application key. If nobody answers, 65,536 sequence numbers of ours are left out (0.4 % of those \
            that there are) to see whether the nodes have seen higher ones. Ends with the likely cause, and with 4 if \
            the node does not answer.
            """
    )

    @Argument(
        help: ArgumentHelp("The name, UUID or address of a node.", valueName: "node"),
        completion: Completion.nodes
    )
    var node: String

    @OptionGroup var definition: DefinitionOptions

    @Option(
        help: ArgumentHelp("How long to listen for proxies and devices.", valueName: "duration"),
        transform: DurationArgument.parse
    )
    var listen = DurationArgument(milliseconds: 5_000)

    @Flag(help: "Do not leave out sequence numbers, even if nobody answers.")
    var keepSequenceNumbers = false

    @OptionGroup var mesh: MeshOptions

    @OptionGroup var networks: NetworkOptions
    @OptionGroup var store: StoreOptions

    @OptionGroup var format: FormatOptions

    var writesJSON: Bool { format.json }

    func run(in context: Context) throws -> ExitStatus {
        let conversation = NodeConversation(
            context: context,
            route: try mesh.route(),
            knowledge: try ScanKnowledge(context, paths: definition.paths, network: networks.network)
        )
        return try DiagnosisSession(conversation: conversation).diagnose(
            node,
            listeningFor: listen.duration,
            skippingSequenceNumbers: !keepSequenceNumbers
        )
    }
}
