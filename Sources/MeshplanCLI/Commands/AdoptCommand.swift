import ArgumentParser
import MeshCore
import Store

/// `meshplan adopt`
struct AdoptCommand: NetworkCommand {
    static let configuration = CommandConfiguration(
        commandName: "adopt",
        abstract: "Write a definition for the network of a database, and let it manage the network.",
        discussion: """
            Creates DIR/NAME.yaml from the database. Nodes with equal settings share a profile. Rooms or the like, whose \
            names differ in one number only, become a module, and their devices stand in DIR/NAME.assignments. The \
            next plan is empty. Values that a definition cannot express are listed and left alone. Nothing is sent, and no key is \
            written. import --write-definition does the same for an imported network.
            """
    )

    @Argument(help: ArgumentHelp("The folder for the definition.", valueName: "dir"), completion: Completion.folders)
    var folder: String

    @OptionGroup var networks: NetworkOptions
    @OptionGroup var store: StoreOptions

    @Flag(help: "Replace an existing definition file.")
    var overwrite = false

    @Flag(help: "Write every node by itself, without modules.")
    var flat = false

    func run(in context: Context) throws -> ExitStatus {
        let workspace = Workspace(context: context)
        let name = try workspace.only(networks.network)
        let database = try workspace.open(name)
        let lease = try workspace.lock(database, for: "adopt")
        let snapshot = try database.snapshot()
        guard snapshot.unresolved.isEmpty else {
            throw Failure(
                .failure,
                "messages of an earlier run may or may not have arrived, so the current state is unknown",
                hint: "Read the nodes back first, with meshplan refresh or meshplan apply."
            )
        }
        let written = try WrittenDefinition(
            of: snapshot.network,
            named: name,
            in: folder,
            overwrites: overwrite,
            isFlat: flat,
            goesOn: true,
            source: "the mesh database of \(name)",
            context
        )
        var changes = StoreChanges()
        changes.nodes = zip(written.network.nodes, snapshot.network.nodes).filter { $0 != $1 }.map(\.0)
        changes.network = written.network
        try written.write()
        do {
            try database.commit(changes, with: lease)
        } catch {
            try written.withdraw()
            throw error
        }
        written.report()
        context.output.line("Next: meshplan plan\(written.planArgument)")
        return .success
    }
}
