internal import ArgumentParser
internal import MeshCore
internal import Store

/// `meshplan init`
struct InitCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Prepare the current folder: key file, database folder, .gitignore.",
        discussion: """
            Makes .meshplan with a new key file, which opens the databases to come, and lets git ignore both it and \
            saved plans. What is there already stays as it is. Keep a copy of the key file in a safe place.
            """
    )

    @Option(help: ArgumentHelp("Also make the database of a new network without nodes.", valueName: "name"))
    var network: String?

    @OptionGroup var store: StoreOptions

    var storeAccess: StoreAccess { store.access }

    func run(in context: Context) throws -> ExitStatus {
        if let network { try Workspace.check(network) }
        let workspace = Workspace(context: context)
        var done: [String] = []
        if try Files.createFolder(workspace.folder, as: Workspace.folderName) {
            done.append("Made \(Workspace.folderName)")
        }
        TemporaryFiles.removeLeftovers(inFolder: workspace.folder)
        let keyPath = context.absolute(Workspace.keyPath)
        if workspace.usesOwnKeyFile, Files.kind(keyPath) == nil {
            let others = try workspace.networks()
            guard others.isEmpty else {
                throw Failure(
                    .failure,
                    "the key file is missing, but there are databases that it opens: \(others.joined(separator: ", "))",
                    hint: "Restore \(Workspace.keyPath) from your copy; a new key would not open them."
                )
            }
            var generator = context.randomNumbers
            _ = try KeyFile.create(at: keyPath, using: &generator)
            done.append("Made \(Workspace.keyPath), which opens the databases: keep a copy in a safe place")
        }
        let patterns = try GitIgnore.complete(context)
        if !patterns.isEmpty { done.append("Added \(patterns.joined(separator: " and ")) to .gitignore") }
        if let network {
            let path = Workspace.databasePath(network)
            if Files.kind(context.absolute(path)) == nil {
                var generator = context.randomNumbers
                _ = try workspace.create(
                    network,
                    network: .new(name: network, at: context.now(), using: &generator)
                )
                done.append("Made \(path), a network of one provisioner and no other nodes")
            } else {
                _ = try workspace.open(network)
            }
        }
        for line in done { context.output.line(line) }
        if done.isEmpty { context.output.line("Everything is there already.") }
        if try workspace.networks().isEmpty {
            context.output.line("Next: meshplan import --cdb FILE, or meshplan init --network NAME")
        }
        return .success
    }
}
