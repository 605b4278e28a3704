internal import ArgumentParser
internal import MeshCore
internal import Store

/// `meshplan state unlock`
struct StateUnlockCommand: NetworkCommand {
    static let configuration = CommandConfiguration(
        commandName: "unlock",
        abstract: "Tell who holds the lock of the mesh database, and free it where nobody does.",
        discussion: """
            The lock of a database file goes with the process that holds it, however that ends, so there is nothing to be \
            broken: end that process, or wait.
            """
    )

    @OptionGroup var networks: NetworkOptions

    func run(in context: Context) throws -> ExitStatus {
        let workspace = Workspace(context: context)
        let name = try workspace.only(networks.network)
        let database = try workspace.open(name)
        // Taking it is the proof that nobody has it; what a killed process has left in the lock file goes with that.
        try workspace.lock(database, for: "state unlock").release()
        context.output.line("Nobody holds the lock of network \(name.printable).")
        return .success
    }
}
