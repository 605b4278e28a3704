import ArgumentParser
import DefinitionModel
import Definitions
import MeshCore
import Store
import SystemLayer

/// `meshplan init`
struct InitCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Prepare the current folder: key file, database folder, .gitignore.",
        discussion: """
            Creates .meshplan with a new key file for future databases, and makes git ignore that folder, saved plans \
            and pairing files. Existing files stay as they are. Keep a copy of the key file in a safe place, or name \
            another secret to open the first database: --key-file, --passphrase-file or --key-command. Commit the \
            definition, .gitignore and meshplan.lock.yaml, which every change of a database updates. With --state, \
            init also creates the tables of a shared database if they are missing.
            """
    )

    @Option(help: ArgumentHelp("Also create the database of a new network without nodes.", valueName: "name"))
    var network: String?

    @OptionGroup var store: StoreOptions

    var storeAccess: StoreAccess { store.access }

    func run(in context: Context) throws -> ExitStatus {
        if let network { try Workspace.check(network) }
        let workspace = Workspace(context: context)
        var done: [String] = []
        if Files.kind(workspace.folder) == nil, let above = workspace.folderAbove() {
            context.errorOutput.line(
                "There is a \(Workspace.folderName) with databases in \(above.printable) already; this command creates a separate one."
            )
        }
        if try Files.createFolder(workspace.folder, as: Workspace.folderName) {
            done.append("Made \(Workspace.folderName)")
        }
        if let shared = try workspace.sharedStore(), try shared.prepare() {
            done.append("Made the tables of meshplan in \(shared.name)")
        }
        TemporaryFiles.removeLeftovers(inFolder: workspace.folder)
        // Git must ignore the folder before there is a key in it that somebody can commit.
        let patterns = try GitIgnore.complete(context)
        let keyPath = context.absolute(Workspace.keyPath)
        if workspace.usesOwnKeyFile, Files.kind(keyPath) == nil {
            let others = try workspace.networks()
            guard others.isEmpty else {
                throw Failure(
                    .failure,
                    "the key file is missing, but there are databases that it opens: \(others.joined(separator: ", "))",
                    hint: try workspace.sharedStore() == nil
                        ? "Restore \(Workspace.keyPath) from your copy; a new key would not open them."
                        : "Have a colleague give you \(Workspace.keyPath), which opens them; a new key would not."
                )
            }
            var generator = context.randomNumbers
            _ = try KeyFile.create(at: keyPath, using: &generator)
            done.append("Made \(Workspace.keyPath), which opens the databases: keep a copy in a safe place")
        }
        if !patterns.isEmpty { done.append(GitIgnore.note(patterns)) }
        if let network {
            if try !workspace.isThere(network) {
                var generator = context.randomNumbers
                _ = try workspace.create(
                    network,
                    network: .new(name: network, at: context.now(), using: &generator)
                )
                let place = try workspace.databaseName(network)
                done.append("Made \(place), a network of one provisioner and no other nodes")
            } else {
                // An attempt that was cut short may not have come to the lock file.
                context.session.follow(try workspace.open(network))
            }
        }
        for line in done { context.output.line(line) }
        for file in [store.keyFile, store.passphraseFile].compactMap(\.self) {
            FailureView(context).show(GitIgnore.keepOut(file, context))
        }
        if done.isEmpty { context.output.line("Everything exists already.") }
        if !done.isEmpty, network != nil {
            context.output.line(
                "Commit \(StateLock.fileName) with the definition: it is how meshplan recognises older copies of a database."
            )
        }
        if try workspace.networks().isEmpty {
            context.output.line(
                "Next: meshplan import --cdb FILE\(workspace.stateOption), or meshplan init --network NAME\(workspace.stateOption)"
            )
        }
        return .success
    }
}
