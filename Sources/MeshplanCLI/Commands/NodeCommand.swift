import ArgumentParser
import DefinitionModel
import Execution
import MeshCore
import Store
import SystemLayer

/// `meshplan node`
struct NodeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "node",
        abstract: "Ask one node for what no definition declares, or record that it was reset.",
        subcommands: [ReadPages.self, PollTimeout.self, ClearSolicitations.self, WasReset.self]
    )

    /// The options of all these commands.
    struct Options: ParsableArguments {
        @OptionGroup var definition: DefinitionOptions
        @OptionGroup var mesh: MeshOptions
        @OptionGroup var networks: NetworkOptions
        @OptionGroup var store: StoreOptions
        @OptionGroup var format: FormatOptions

        func conversation(_ context: Context) throws -> NodeConversation {
            NodeConversation(
                context: context,
                route: try mesh.route(),
                knowledge: try ScanKnowledge(context, paths: definition.paths, network: networks.network)
            )
        }
    }

    /// `meshplan node read-pages`
    struct ReadPages: NetworkCommand {
        static let configuration = CommandConfiguration(
            commandName: "read-pages",
            abstract: "Read and store the composition pages beside page 0, and the models metadata.",
            discussion: """
                Page 1 describes relations between models, page 2 the node's profiles, and pages 128 and above the \
                composition after a pending firmware change. meshplan show lists the pages.
                """
        )

        @Argument(
            help: ArgumentHelp("The name, UUID or address of a node.", valueName: "node"),
            completion: Completion.nodes
        )
        var node: String

        @OptionGroup var options: Options

        var networks: NetworkOptions { options.networks }
        var store: StoreOptions { options.store }

        var writesJSON: Bool { options.format.json }

        func run(in context: Context) throws -> ExitStatus {
            let conversation = try options.conversation(context)
            let node = try conversation.node(node)
            let name = conversation.name(of: node)
            guard node.isCompositionKnown else {
                throw Failure(
                    .failure,
                    "the composition of \(name) is not known",
                    hint: "Name it in the definition; meshplan apply reads it."
                )
            }
            let read = try conversation.ask(node, for: "node read-pages") { $0.readPages(of: node) }
            guard let lines = context.json else {
                let pages = PageText.pages(read.compositionPages ?? [:])
                context.output.line("\(name) has \(pages.isEmpty ? "only page 0" : "page 0 and \(pages)").")
                if let metadata = read.modelsMetadata, !metadata.isEmpty {
                    context.output.line("Metadata of its models: \(PageText.pages(metadata)).")
                }
                return .success
            }
            lines.event([
                "type": "composition_pages", "node_uuid": read.uuid.description.json,
                "pages": read.compositionPages.map(ShowJSON.pages),
                "models_metadata": read.modelsMetadata.map(ShowJSON.pages),
            ])
            return .success
        }
    }

    /// `meshplan node poll-timeout`
    struct PollTimeout: NetworkCommand {
        static let configuration = CommandConfiguration(
            commandName: "poll-timeout",
            abstract:
                "Ask a Friend for the time without a poll after which it ends the friendship with a Low Power node."
        )

        @Argument(
            help: ArgumentHelp("The name, UUID or address of the Friend.", valueName: "friend"),
            completion: Completion.nodes
        )
        var friend: String

        @Argument(
            help: ArgumentHelp("The name, UUID or address of the Low Power node.", valueName: "low-power-node"),
            completion: Completion.nodes
        )
        var lowPowerNode: String

        @OptionGroup var options: Options

        var networks: NetworkOptions { options.networks }
        var store: StoreOptions { options.store }

        var writesJSON: Bool { options.format.json }

        func run(in context: Context) throws -> ExitStatus {
            let conversation = try options.conversation(context)
            let friend = try conversation.node(friend)
            let sleeper = try conversation.node(lowPowerNode)
            let steps = try conversation.ask(friend, for: "node poll-timeout") {
                $0.pollTimeout(of: sleeper.unicastAddress, at: friend)
            }
            guard let lines = context.json else {
                let (name, sleeperName) = (conversation.name(of: friend), conversation.name(of: sleeper))
                context.output.line(
                    steps == 0
                        ? "\(name) is not the Friend of \(sleeperName)."
                        : "\(name) is the Friend of \(sleeperName), and ends the friendship after "
                            + "\(DurationText.text(milliseconds: Int(steps) * 100)) without a poll."
                )
                return .success
            }
            lines.event([
                "type": "poll_timeout", "node_uuid": friend.uuid.description.json,
                "low_power_node_uuid": sleeper.uuid.description.json, "is_friend": .bool(steps != 0),
                "milliseconds": steps == 0 ? nil : .integer(Int(steps) * 100),
            ])
            return .success
        }
    }

    /// `meshplan node clear-solicitations`
    struct ClearSolicitations: NetworkCommand {
        static let configuration = CommandConfiguration(
            commandName: "clear-solicitations",
            abstract: "Make a node forget the Solicitation PDUs that it has received from some addresses.",
            discussion: """
                Afterwards the node again accepts solicitations from these addresses whose sequence numbers start \
                over. For this, the Solicitation PDU RPL Configuration Server of the node must have an application \
                key.
                """
        )

        @Argument(
            help: ArgumentHelp("The name, UUID or address of a node.", valueName: "node"),
            completion: Completion.nodes
        )
        var node: String

        @Argument(
            help: ArgumentHelp(
                "An address, or the first and last of a range: 0x0010, 0x0010-0x001f.",
                valueName: "range"
            )
        )
        var range: AddressRangeArgument

        @OptionGroup var options: Options

        var networks: NetworkOptions { options.networks }
        var store: StoreOptions { options.store }

        var writesJSON: Bool { options.format.json }

        func run(in context: Context) throws -> ExitStatus {
            let conversation = try options.conversation(context)
            let node = try conversation.node(node)
            let key = try conversation.key(for: .solicitationReplayServer, of: node)
            let cleared = try conversation.ask(node, for: "node clear-solicitations") {
                $0.clearSolicitations(of: range.addresses, at: node, under: key)
            }
            guard let lines = context.json else {
                context.output.line(
                    "\(conversation.name(of: node)) has forgotten the Solicitation PDUs of \(AddressRangeArgument(addresses: cleared))."
                )
                return .success
            }
            lines.event([
                "type": "solicitations_cleared", "node_uuid": node.uuid.description.json,
                "first_address": cleared.first.description.json, "addresses": .integer(Int(cleared.count)),
            ])
            return .success
        }
    }
}
