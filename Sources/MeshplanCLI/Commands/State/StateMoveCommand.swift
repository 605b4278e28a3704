import ArgumentParser
import MeshCore
import Store

/// `meshplan state mv`
struct StateMoveCommand: NetworkCommand {
    static let configuration = CommandConfiguration(
        commandName: "mv",
        abstract: "Rename a resource in the mesh database; nothing is sent.",
        discussion: """
            The definition refers to groups, keys and subnets by name, so rename them there, too; a `moved:` entry in \
            the definition does the same for everybody who applies it. A node is identified by its UUID, and the next \
            apply gives it the name in the definition.
            """
    )

    @Argument(
        help: ArgumentHelp("The current name, like group.kitchen.", valueName: "from"),
        completion: Completion.resources
    )
    var from: String

    @Argument(help: ArgumentHelp("The new name, like group.galley.", valueName: "to"))
    var to: String

    @Flag(help: "Only show what would change.")
    var dryRun = false

    @OptionGroup var networks: NetworkOptions
    @OptionGroup var store: StoreOptions

    func run(in context: Context) throws -> ExitStatus {
        let (name, database, lease) = try Workspace(context: context).open(
            networks.network,
            toChangeUnless: dryRun,
            for: "state mv"
        )
        let snapshot = try database.snapshot()
        let before = try RepeatedStateChange("state mv", database, snapshot.network, named: name)
        if before.removed(from) != nil, (try? StateResource.find(to, in: snapshot.network, named: name)) != nil {
            context.output.line("Renamed \(from.printable) to \(to.printable) already, by the last command")
            return .success
        }
        let resource = try StateResource.find(from, in: snapshot.network, named: name)
        let prefix = resource.kind.rawValue + "."
        guard to.hasPrefix(prefix), to.utf8.count > prefix.utf8.count else {
            throw Failure(
                .usage,
                "a \(resource.kind.rawValue) cannot become `\(to)`",
                hint: "Use \(prefix)NAME."
            )
        }
        let newName = String(to.dropFirst(prefix.count))
        guard newName.utf8.count <= 200, !newName.unicodeScalars.contains(where: { $0.value < 0x20 }) else {
            throw Failure(
                .usage,
                "`\(newName.printable)` cannot be a name",
                hint: "Use a short one without control characters."
            )
        }
        let isTaken = StateResource.all(of: snapshot.network).contains { $0.address == to }
        guard !isTaken else {
            throw Failure(.usage, "there is a `\(to)` already", hint: "Rename that one first, or choose another name.")
        }
        var network = snapshot.network
        network.rename(resource.reference, to: newName)
        if let lease { try database.commit(StoreChanges(from: snapshot.network, to: network), with: lease) }
        context.output.line("\(dryRun ? "Would rename" : "Renamed") \(resource.address.printable) to \(to.printable)")
        return .success
    }
}

extension MeshNetwork {
    fileprivate mutating func rename(_ reference: StateResource.Reference, to name: String) {
        switch reference {
        case .node(let uuid):
            for index in nodes.indices where nodes[index].uuid == uuid { nodes[index].name = name }
        case .resource(.netKey(let index)):
            for place in netKeys.indices where netKeys[place].index == index { netKeys[place].name = name }
        case .resource(.appKey(let index)):
            for place in appKeys.indices where appKeys[place].index == index { appKeys[place].name = name }
        case .resource(.group(let address)):
            for index in groups.indices where groups[index].address == address { groups[index].name = name }
        }
    }
}
