import ArgumentParser
import MeshCore

/// `meshplan identify`
struct IdentifyCommand: NetworkCommand {
    static let configuration = CommandConfiguration(
        commandName: "identify",
        abstract: "Make a device or node attract attention (blink, for example), to see which one it is.",
        discussion: """
            A device without a network is invited, as when it is provisioned, and left alone after that. A node is \
            asked through a proxy; for that, its Health Server must have an application key.
            """
    )

    @Argument(
        help: ArgumentHelp(
            "The name or UUID of a device, or the name, UUID or address of a node.",
            valueName: "node"
        ),
        completion: Completion.nodes
    )
    var node: String

    @OptionGroup var definition: DefinitionOptions

    @OptionGroup var mesh: MeshOptions

    @OptionGroup var networks: NetworkOptions
    @OptionGroup var store: StoreOptions

    @Option(
        help: ArgumentHelp(
            "For how long, 1s to 255s; at most 60s for devices without a network.",
            valueName: "duration"
        ),
        transform: DurationArgument.parse
    )
    var time = DurationArgument(milliseconds: 10_000)

    @OptionGroup var format: FormatOptions

    var writesJSON: Bool { format.json }

    func validate() throws {
        guard (1_000...255_000).contains(time.milliseconds), time.milliseconds % 1_000 == 0 else {
            throw ValidationError("--time takes whole seconds from 1s to 255s.")
        }
    }

    func run(in context: Context) throws -> ExitStatus {
        let conversation = NodeConversation(
            context: context,
            route: try mesh.route(),
            knowledge: try ScanKnowledge(context, paths: definition.paths, network: networks.network)
        )
        return try IdentifySession(conversation: conversation).identify(
            node,
            seconds: UInt8(clamping: time.milliseconds / 1_000)
        )
    }
}
