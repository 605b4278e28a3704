import ArgumentParser
import MeshCore
import Store

/// `meshplan state push`
struct StatePushCommand: NetworkCommand {
    static let configuration = CommandConfiguration(
        commandName: "push",
        abstract: "Replace the contents of the mesh database with those of a copy.",
        discussion: """
            Refused if the copy is of another database, or not newer than the database, unless --force is given. \
            Nothing is sent. Plan afterwards, and read nodes back that may have changed since the copy was made. \
            Retired nodes, replay entries and sequence numbers of both are kept.
            """
    )

    @Argument(
        help: ArgumentHelp("A copy, as state pull writes it.", valueName: "file"),
        completion: Completion.files
    )
    var file: String

    @Flag(help: "Accept a copy that is older, or of another database.")
    var force = false

    @Flag(help: "Do not ask for approval.")
    var autoApprove = false

    @OptionGroup var networks: NetworkOptions
    @OptionGroup var store: StoreOptions

    func run(in context: Context) throws -> ExitStatus {
        let workspace = Workspace(context: context)
        let copy = try workspace.open(copy: file)
        let (name, database, lease) = try workspace.openToChange(networks.network, for: "state push")
        let (present, pushed) = (try database.snapshot(), try copy.snapshot())
        try check(pushed, against: present, named: name)
        if present.lineage == pushed.lineage, present.network == pushed.network, try copy.extras() == database.extras()
        {
            context.output.line("The database already has the contents of \(file.printable); nothing to do.")
            return .success
        }
        let changes = StoreChanges(from: present.network, to: pushed.network)
        context.output.line(
            "\(file.printable), serial \(pushed.serial), against the database, serial \(present.serial): "
                + "\(count(changes.nodes.count, "node")) new or changed, \(changes.removedNodes.count) removed."
        )
        if !autoApprove {
            try Prompt(context: context).confirm(
                "Do you want to replace the state of network \(name.printable) with the copy?",
                explanation:
                    "Plans no longer know what the database has learned since the copy was made; nothing is sent."
            )
        }
        let serial = try database.takeOver(copy, with: lease)
        context.output.line("Pushed \(file.printable); the serial is \(serial) now.")
        context.output.line("Next: meshplan plan (shows what differs; meshplan refresh reads back what nodes have now)")
        return .success
    }

    private func check(_ pushed: Snapshot, against present: Snapshot, named name: String) throws(Failure) {
        guard pushed.unresolved.isEmpty, present.unresolved.isEmpty else {
            let place = present.unresolved.isEmpty ? file.printable : "the database"
            throw Failure(
                .failure,
                "\(place) has messages of an earlier run that may or may not have arrived",
                hint: "Let meshplan apply, or meshplan refresh, find that out first."
            )
        }
        if force { return }
        guard pushed.lineage == present.lineage else {
            throw Failure(
                .stale,
                "\(file.printable) is a copy of a database other than that of the network `\(name)`",
                hint: "Choose the right file or --network; --force replaces the database all the same."
            )
        }
        guard pushed.serial >= present.serial else {
            throw Failure(
                .stale,
                "\(file.printable) is older than the database: its serial is \(pushed.serial), that of the database \(present.serial)",
                hint:
                    "meshplan state restore shows a plan that goes back; --force replaces the database all the same."
            )
        }
        guard pushed.serial > present.serial || pushed.network == present.network else {
            throw Failure(
                .stale,
                "\(file.printable) and the database have diverged from a common state, both to serial \(pushed.serial)",
                hint: "meshplan db merge brings both together; --force takes the copy's state alone."
            )
        }
    }
}
