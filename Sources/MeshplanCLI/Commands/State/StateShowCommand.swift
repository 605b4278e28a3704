import ArgumentParser
import Store

/// `meshplan state show`
struct StateShowCommand: NetworkCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show the mesh database, or one node or group of it, as it was at a serial.",
        discussion: "SERIAL is one that meshplan state history shows. Keys are never shown."
    )

    @Argument(help: ArgumentHelp("The serial.", valueName: "serial"))
    var serial: UInt64

    @Argument(
        help: ArgumentHelp(
            "node.NAME (or its UUID or address instead of the name) or group.NAME (or its address).",
            valueName: "what"
        ),
        completion: Completion.resources
    )
    var what: String?

    @OptionGroup var networks: NetworkOptions
    @OptionGroup var store: StoreOptions

    @OptionGroup var format: FormatOptions

    var writesJSON: Bool { format.json }

    func run(in context: Context) throws -> ExitStatus {
        let workspace = Workspace(context: context)
        let network = try workspace.only(networks.network)
        let snapshot = try workspace.open(network).snapshot(at: serial)
        try ShowCommand.show(what, of: snapshot, named: network, in: context)
        return .success
    }
}
