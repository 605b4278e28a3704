import MeshCore

/// The ways in which a device may become a node.
///
/// A definition identifies nodes by name, a plan by UUID.
package enum ProvisioningRoute<Server: Hashable & Sendable>: Hashable, Sendable {
    /// Over a direct connection of the bearer if it hears the device, else through a node that hears it.
    case any
    /// Only over a direct connection of the bearer (PB-GATT).
    case direct
    /// Only through nodes with a Remote Provisioning Server (PB-Remote, Mesh Protocol 1.1, 5.2.3).
    case remote
    /// Only through the Remote Provisioning Server of this node.
    case node(Server)

    /// The node that the route demands; nil if it demands none.
    package var server: Server? {
        if case .node(let server) = self { server } else { nil }
    }

    /// The same route with another name for the node; nil if `name` gives none.
    package func named<Other>(_ name: (Server) -> Other?) -> ProvisioningRoute<Other>? {
        switch self {
        case .any: .any
        case .direct: .direct
        case .remote: .remote
        case .node(let server): name(server).map { .node($0) }
        }
    }
}
