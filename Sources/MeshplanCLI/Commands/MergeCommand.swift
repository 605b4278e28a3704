import ArgumentParser
import MeshCore
import Planning
import Store
import SystemLayer

/// `meshplan db`
struct DatabaseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "db",
        abstract: "Merge mesh databases.",
        subcommands: [MergeCommand.self]
    )
}

/// `meshplan db merge`
struct MergeCommand: NetworkCommand {
    static let configuration = CommandConfiguration(
        commandName: "merge",
        abstract: "Merge another provisioner's changes of the same network into the database.",
        discussion: """
            The file is a configuration database (JSON) that the other provisioner exported, or a copy of a mesh \
            database. --base names an earlier common state, such as an old export of either side: what only one side \
            has changed since is taken from that side. Without it, what only one side has is kept, and every \
            difference in what both have is a conflict. Conflicts are listed, and nothing is changed unless --prefer \
            chooses a side. Nothing is sent; device keys that the merge removes are kept among retired nodes.
            """
    )

    @Argument(
        help: ArgumentHelp("The other side: an export, or a copy of a mesh database.", valueName: "file"),
        completion: Completion.files
    )
    var file: String

    @Option(
        help: ArgumentHelp("The common state from which both sides started.", valueName: "file"),
        completion: Completion.files
    )
    var base: String?

    @Option(help: ArgumentHelp("The side that wins conflicts: ours or theirs.", valueName: "side"))
    var prefer: Side?

    @Flag(help: "Only show what would change.")
    var dryRun = false

    @Flag(help: "Do not ask for approval.")
    var autoApprove = false

    @OptionGroup var networks: NetworkOptions
    @OptionGroup var store: StoreOptions

    @OptionGroup var format: FormatOptions

    var writesJSON: Bool { format.json }

    /// A side of the merge, as the command line names it.
    enum Side: String, ExpressibleByArgument, CaseIterable {
        case ours
        case theirs
    }

    func run(in context: Context) throws -> ExitStatus {
        let workspace = Workspace(context: context)
        let name = try workspace.only(networks.network)
        let theirs = try workspace.read(file)
        let base = try base.map { try workspace.read($0) }
        let database = try workspace.open(name)
        let lease = dryRun ? nil : try workspace.lock(database, for: "db merge")
        try Confirmation(context: context, network: name).check(database)
        let snapshot = try database.snapshot()
        for (network, path) in [(theirs, file), (base, self.base ?? "")] where network != nil {
            guard network?.uuid == snapshot.network.uuid else {
                throw Failure(
                    .invalidInput,
                    "\(path.printable) is of another network than `\(name)`",
                    hint: "Merge databases of one network only; meshplan import takes in another one."
                )
            }
        }
        guard snapshot.unresolved.isEmpty else {
            throw Failure(
                .failure,
                "messages of an earlier run may or may not have arrived, so it is unknown what to merge with",
                hint: "Let meshplan apply, or meshplan refresh, find that out first."
            )
        }
        let merge = NetworkMerge(
            of: theirs,
            into: snapshot.network,
            base: base,
            preferring: prefer.flatMap { NetworkMerge.Side(rawValue: $0.rawValue) },
            at: context.now()
        )
        MergeView(merge: merge, isSettled: prefer != nil).show(in: context)
        let contradictions = merge.conflicts.filter(\.isContradiction)
        guard merge.conflicts.isEmpty || (prefer != nil && contradictions.isEmpty) else {
            throw Failure(
                .refused,
                "\(count(merge.conflicts.count, "conflict")); nothing was changed",
                hint: contradictions.isEmpty
                    ? "Decide with --prefer ours or --prefer theirs, or repair one side first."
                    : "Repair the contradiction on one side first."
            )
        }
        let changes = StoreChanges(from: snapshot.network, to: merge.network)
        guard let lease, !merge.changes.isEmpty, !changes.isEmpty else { return .success }
        if !autoApprove {
            try Prompt(context: context).confirm(
                "Do you want to merge these changes?",
                explanation: "Only the mesh database changes; nothing is sent."
            )
        }
        let serial = try database.commit(changes, with: lease)
        if let lines = context.json {
            lines.write(["type": "merged", "serial": .integer(Int(clamping: serial))])
        } else {
            context.output.line("Merged; the serial is \(serial) now.")
            context.output.line("Next: meshplan plan shows how the definition differs.")
        }
        return .success
    }
}

extension Workspace {
    private static let sizeLimit = 256 << 20

    /// Reads the network from a configuration database or from a copy of a mesh database.
    fileprivate func read(_ file: String) throws -> MeshNetwork {
        let magic = Array("SQLite format 3".utf8)
        // What comes out of a stream is gone once it is read, and a database is none.
        if !context.isStream(file), try Files.readStart(context.absolute(file), as: file, count: magic.count) == magic {
            return try open(copy: file).snapshot().network
        }
        let bytes = try context.read(file, limit: Self.sizeLimit)
        let document: CDBDocument
        do {
            document = try CDBImport.read(bytes)
        } catch {
            throw StoreError(error.code, error.message, hint: error.hint, path: file)
        }
        guard !document.isPartial else {
            throw Failure(
                .invalidInput,
                "\(file.printable) contains only a part of the network; everything it leaves out would count as removed",
                hint: "Export the whole network, with device keys, from the other program."
            )
        }
        return document.network
    }
}
