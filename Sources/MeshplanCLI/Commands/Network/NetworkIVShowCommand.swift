import ArgumentParser
import MeshCore
import Store

/// `meshplan network iv show`
struct NetworkIVShowCommand: NetworkCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show the IV index that the mesh database knows, and how many sequence numbers are left under it.",
        discussion: """
            Every message takes a sequence number, of which there are 16,777,216 under an IV index. The nodes raise it \
            together, in an IV update of four days or more that one of them starts when its own numbers run low; then \
            numbers restart at 0. Nothing is sent: the IV index is the last that the database learned, usually from a \
            beacon.
            """
    )

    @OptionGroup var networks: NetworkOptions
    @OptionGroup var store: StoreOptions

    @OptionGroup var format: FormatOptions

    var writesJSON: Bool { format.json }

    func run(in context: Context) throws -> ExitStatus {
        let workspace = Workspace(context: context)
        let name = try workspace.only(networks.network)
        let database = try workspace.open(name)
        let snapshot = try database.snapshot()
        let health = try SequenceNotice(context, network: name).health(of: snapshot, database)
        let view = IVIndexView(network: snapshot.network, name: name, health: health)
        if let lines = context.json {
            view.write(to: lines)
        } else {
            context.output.write(view.render(style: context.style))
        }
        return .success
    }
}
