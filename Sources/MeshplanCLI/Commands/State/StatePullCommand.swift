import ArgumentParser
import MeshCore
import Store

/// `meshplan state pull`
struct StatePullCommand: NetworkCommand {
    static let configuration = CommandConfiguration(
        commandName: "pull",
        abstract: "Write a sealed copy of the mesh database into a file.",
        discussion: """
            The copy is complete and consistent, even during an apply, and the same secrets open it. meshplan state \
            push restores it.
            """
    )

    @Argument(
        help: ArgumentHelp("The file to create.", valueName: "file"),
        completion: Completion.files
    )
    var file: String

    @OptionGroup var networks: NetworkOptions
    @OptionGroup var store: StoreOptions

    func run(in context: Context) throws -> ExitStatus {
        let workspace = Workspace(context: context)
        let name = try workspace.only(networks.network)
        let database = try workspace.open(name)
        let path = context.absolute(file)
        do {
            try database.pull(to: path)
        } catch {
            // What is wrong with the database is not wrong with the copy.
            guard error.path == path else { throw error }
            throw StoreError(error.code, error.message, hint: error.hint, path: file.printable)
        }
        let copy = try workspace.open(copy: file)
        let snapshot = try copy.snapshot()
        context.output.line(
            "Wrote \(file.printable): network \(name.printable) at serial \(snapshot.serial), "
                + "\(count(snapshot.network.nodes.count, "node")). It holds all keys, sealed."
        )
        return .success
    }
}
