import ArgumentParser
import MeshCore

/// `meshplan reprovision`
struct ReprovisionCommand: NetworkCommand {
    static let configuration = CommandConfiguration(
        commandName: "reprovision",
        abstract: "Give a node a new device key, a new address or its new composition without a reset.",
        discussion: """
            The node is provisioned once more over the network, through its own Remote Provisioning Server (Mesh 1.1, \
            Node Provisioning Protocol Interface). --device-key gives it a new device key and leaves everything else \
            as it is. --address also gives it new addresses; it keeps its network and application keys and forgets the \
            rest of its configuration, which the next apply restores. --composition activates the composition that a \
            firmware update has prepared (Composition Data page 128), with as many elements as before. The former key \
            is kept until the node has answered with the new one; if the outcome is unknown, the exit code is 4, and \
            this command or apply finds out once the node answers.
            """
    )

    @Argument(
        help: ArgumentHelp("The name, UUID or address of a node.", valueName: "node"),
        completion: Completion.nodes
    )
    var node: String

    @Flag(help: "A new device key, and nothing else (Device Key Refresh).")
    var deviceKey = false

    @Flag(help: "A new device key and new addresses (Node Address Refresh).")
    var address = false

    @Flag(help: "A new device key and the composition that the node has prepared (Node Composition Refresh).")
    var composition = false

    @Option(
        help: ArgumentHelp(
            "With --address, the address of its first element. (default: that in the definition, or else a free one)",
            valueName: "address"
        )
    )
    var to: AddressRangeArgument?

    @OptionGroup var definition: DefinitionOptions

    @OptionGroup var mesh: MeshOptions

    @OptionGroup var networks: NetworkOptions
    @OptionGroup var store: StoreOptions

    @Option(
        help: ArgumentHelp(
            "A CSV or YAML file with static values and public keys of devices. May be repeated.",
            valueName: "file"
        ),
        completion: Completion.files
    )
    var secrets: [String] = []

    @Flag(help: "Do not ask for approval.")
    var autoApprove = false

    @OptionGroup var format: FormatOptions

    var writesJSON: Bool { format.json }

    /// The procedure that the options ask for; nil unless they ask for exactly one.
    private var procedure: NodeProvisioningProcedure? {
        switch (deviceKey, address, composition) {
        case (true, false, false): .deviceKeyRefresh
        case (false, true, false): .nodeAddressRefresh
        case (false, false, true): .nodeCompositionRefresh
        default: nil
        }
    }

    func validate() throws {
        guard let procedure else {
            let chosen = [(deviceKey, "--device-key"), (address, "--address"), (composition, "--composition")]
                .filter(\.0).map(\.1)
            if chosen.count > 1 {
                throw ValidationError(
                    "\(chosen.joined(separator: " and ")) exclude each other"
                        + (chosen.contains("--device-key") ? ": the other one brings a new device key, too." : ".")
                )
            }
            throw ValidationError("Choose one of --device-key, --address and --composition.")
        }
        if let to {
            guard procedure == .nodeAddressRefresh else { throw ValidationError("--to needs --address.") }
            guard to.addresses.count == 1 else {
                throw ValidationError("--to takes the address of the first element; the others follow it.")
            }
        }
    }

    func run(in context: Context) throws -> ExitStatus {
        guard let procedure else { return .usage }
        let run = ReprovisionSession(
            conversation: NodeConversation(
                context: context,
                route: try mesh.route(),
                knowledge: try ScanKnowledge(context, paths: definition.paths, network: networks.network)
            ),
            secrets: try SecretsReader(context: context, files: secrets),
            isApproved: autoApprove
        )
        return try run.reprovision(node, by: procedure, to: to?.addresses.first)
    }
}
