/// By which ways a device may be made a node.
///
/// Nodes are named in a definition and are UUIDs in a plan.
package enum ProvisioningRoute<Server: Hashable & Sendable>: Hashable, Sendable {
    /// Over a connection of the bearer if it hears the device, else through a node that does.
    case any
    /// Only over a connection of the bearer (PB-GATT).
    case direct
    /// Only through nodes with a Remote Provisioning Server (PB-Remote, Mesh Protocol 1.1, 5.2.3).
    case remote
    /// Only through the Remote Provisioning Server of that node.
    case node(Server)

    /// The node that it has to be, if it has to be a certain one.
    package var server: Server? {
        if case .node(let server) = self { server } else { nil }
    }

    /// The same with another name for the node; nil if there is none.
    package func named<Other>(_ name: (Server) -> Other?) -> ProvisioningRoute<Other>? {
        switch self {
        case .any: .any
        case .direct: .direct
        case .remote: .remote
        case .node(let server): name(server).map { .node($0) }
        }
    }
}
