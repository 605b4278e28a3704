import ArgumentParser
import MeshCore
import Store

/// `meshplan state list`
struct StateListCommand: NetworkCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the resources of the mesh database, one per line.",
        discussion: """
            Other commands take these names: subnet.NAME, key.NAME, group.NAME and node.NAME. With arguments, only \
            those resources or kinds are listed (meshplan state list node).
            """
    )

    @Argument(
        help: ArgumentHelp("Resources, like node.lamp-1, or kinds, like group.", valueName: "resource"),
        completion: Completion.resources
    )
    var resources: [String] = []

    @OptionGroup var networks: NetworkOptions
    @OptionGroup var store: StoreOptions

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
                hint: "Use subnet.NAME, key.NAME, group.NAME, node.NAME or a kind; without arguments all are listed."
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
