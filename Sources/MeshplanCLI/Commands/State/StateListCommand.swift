internal import ArgumentParser
internal import MeshCore
internal import Store

/// `meshplan state list`
struct StateListCommand: NetworkCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List what the mesh database holds, one resource a line.",
        discussion: """
            The lines are what other commands take: subnet.NAME, key.NAME, group.NAME and node.NAME. With arguments only \
            those, or those whose kind is given (meshplan state list node).
            """
    )

    @Argument(help: ArgumentHelp("Resources, like node.lamp-1, or kinds, like group.", valueName: "resource"))
    var resources: [String] = []

    @OptionGroup var networks: NetworkOptions

    @OptionGroup var format: FormatOptions

    var writesJSON: Bool { format.json }

    func run(in context: Context) throws -> ExitStatus {
        let workspace = Workspace(context: context)
        let name = try workspace.only(networks.network)
        let network = try workspace.open(name).snapshot().network
        let all = StateResource.all(of: network)
        let asked = Set(resources)
        let found = asked.isEmpty ? all : all.filter { asked.contains($0.address) || asked.contains($0.kind.rawValue) }
        let known = Set(all.map(\.address)).union(StateResource.Kind.allCases.map(\.rawValue))
        if let unknown = resources.first(where: { !known.contains($0) }) {
            throw Failure(
                .usage,
                "there is no `\(unknown)` in the network `\(name)`",
                hint: "Say subnet.NAME, key.NAME, group.NAME, node.NAME or a kind; without arguments all are listed."
            )
        }
        for resource in found {
            context.json?.write([
                "type": "resource", "address": resource.address.json, "kind": resource.kind.rawValue.json,
                "name": resource.name.json, "identity": resource.identity.json,
            ])
            if context.json == nil { context.output.line(resource.address.printable) }
        }
        return .success
    }
}

/// Something in the mesh database that commands name.
struct StateResource: Hashable {
    /// What there is.
    enum Kind: String, CaseIterable {
        case subnet
        case key
        case group
        case node
    }

    /// What it is.
    var kind: Kind
    /// Its name in the database.
    var name: String
    /// What it is on air: the index of a key, the address of a group, the UUID of a node.
    var identity: String

    /// `kind.name`, what commands take.
    var address: String { "\(kind.rawValue).\(name)" }

    /// All of a network, in the order of indexes and addresses.
    static func all(of network: MeshNetwork) -> [StateResource] {
        network.netKeys.map { StateResource(kind: .subnet, name: $0.name, identity: $0.index.description) }
            + network.appKeys.map { StateResource(kind: .key, name: $0.name, identity: $0.index.description) }
            + network.groups.map { StateResource(kind: .group, name: $0.name, identity: $0.address.description) }
            + network.nodes.map { StateResource(kind: .node, name: $0.name, identity: $0.uuid.description) }
    }
}
