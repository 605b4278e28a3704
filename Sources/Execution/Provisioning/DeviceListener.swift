package import MeshCore

/// Who listened for a device that was not heard.
package enum DeviceListener: Hashable, Sendable {
    /// The bearer, and the nodes with a Remote Provisioning Server if there are any.
    case anybody
    /// The bearer alone, as the definition demands.
    case bearer
    /// Nodes with a Remote Provisioning Server alone, as the definition demands.
    case nodes
    /// Nobody: only nodes were to listen, and none has a Remote Provisioning Server.
    case nobody
    /// The one node through which the device is to be provisioned.
    case node(DeviceUUID, name: String)
    /// Nobody: the one node through which the device is to be provisioned does not answer, or refuses to listen.
    case silentNode(DeviceUUID, name: String)

    /// The node that had to listen; nil if it did not have to be a certain one.
    package var node: DeviceUUID? {
        switch self {
        case .anybody, .bearer, .nodes, .nobody: nil
        case .node(let uuid, _), .silentNode(let uuid, _): uuid
        }
    }
}

extension DeviceListener: CustomStringConvertible {
    /// What happened to the device, to follow its name.
    package var description: String {
        switch self {
        case .anybody: "was not heard"
        case .bearer: "was not heard directly"
        case .nodes: "was not heard by any node"
        case .nobody: "was not heard, for no node has a Remote Provisioning Server"
        case .node(_, let name): "\(name) did not hear it"
        case .silentNode(_, let name): "\(name), through which it is to be provisioned, does not listen"
        }
    }
}
