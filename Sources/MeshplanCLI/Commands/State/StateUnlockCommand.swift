import ArgumentParser
import MeshCore
import Store

/// `meshplan state unlock`
struct StateUnlockCommand: NetworkCommand {
    static let configuration = CommandConfiguration(
        commandName: "unlock",
        abstract: "Show who holds the lock of the mesh database, and release a stale lock.",
        discussion: """
            The lock of a database file ends with the process that holds it, so it never needs to be broken: end that \
            process, or wait. The lock of a shared database expires a minute after its holder's last activity; if you \
            know that the holder is gone, give the lock's number, which the error of a refused command names, to \
            release it at once. If the holder is alive after all, its next write is refused, and nothing is lost.
            """
    )

    @Argument(help: ArgumentHelp("The number of a shared database's lock.", valueName: "lock"))
    var lock: String?

    @Flag(help: "Do not ask for approval.")
    var autoApprove = false

    @OptionGroup var networks: NetworkOptions
    @OptionGroup var store: StoreOptions

    func run(in context: Context) throws -> ExitStatus {
        let workspace = Workspace(context: context)
        let name = try workspace.only(networks.network)
        if let lock {
            // A standby that has taken over may be older than the lock file says, and still have a lock whose holder
            // has ended. Whoever goes on from there needs the lock first.
            let database = try workspace.open(unchecked: name)
            guard database.sharedNetwork != nil, UInt64(lock) != nil else {
                throw Failure(
                    .usage,
                    database.sharedNetwork == nil
                        ? "the lock of a database file has no number" : "`\(lock)` is not the number of a lock",
                    hint: database.sharedNetwork == nil
                        ? "End the process that holds it; the error of a refused command names that process."
                        : "The error of a refused command names it."
                )
            }
            if !autoApprove {
                try Prompt(context: context).confirm(
                    "Do you want to take lock \(lock.printable) of network \(name.printable) away from its holder?",
                    explanation: "If the holder is alive, its next write is refused; it has to begin again."
                )
            }
            try database.forceUnlock(lock)
            context.output.line("Lock \(lock.printable) of network \(name.printable) is free.")
            return .success
        }
        let database = try workspace.open(name)
        // Taking the lock proves that nobody holds it, and removes what a killed process left behind.
        try workspace.lock(database, for: "state unlock").release()
        context.output.line("Nobody holds the lock of network \(name.printable).")
        return .success
    }
}
