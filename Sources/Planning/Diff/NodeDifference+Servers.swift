import DefinitionModel
import MeshCore

extension NodeDifference {
    /// The identity of the node, or of the device that becomes it.
    fileprivate func uuid(in network: MeshNetwork) -> DeviceUUID {
        switch origin {
        case .recorded(let position): network.nodes[position].uuid
        case .device(let order, _): order.uuid
        case .node(let node): node.uuid
        }
    }
}

extension [NodeDifference] {
    /// The nodes through which devices are provisioned. By index, like all passes over differences: to copy one takes
    /// longer than to look at it.
    private var wantedServers: Set<DeviceUUID> { Set(indices.lazy.compactMap { self[$0].order?.route.server }) }

    /// The differences of the nodes through which devices are provisioned.
    func servers(in network: MeshNetwork) -> [DeviceUUID: NodeDifference] {
        let wanted = wantedServers
        guard !wanted.isEmpty else { return [:] }
        var servers: [DeviceUUID: NodeDifference] = [:]
        for place in indices {
            let uuid = self[place].uuid(in: network)
            if wanted.contains(uuid) { servers[uuid] = self[place] }
        }
        return servers
    }

    /// Notes about devices whose provisioning goes through something that neither is a node nor becomes one by these
    /// differences.
    func unreachableNotes(_ network: MeshNetwork) -> [String] {
        let wanted = wantedServers
        guard !wanted.isEmpty else { return [] }
        let there = Set(network.nodes.lazy.filter { $0.unprovisionedSeenAt == nil }.map(\.uuid))
            .union(indices.lazy.compactMap { self[$0].order?.uuid })
        let count = indices.count { self[$0].order?.route.server.map { !there.contains($0) } ?? false }
        guard count > 0 else { return [] }
        return [
            count == 1
                ? "1 device is to be provisioned through a node that is not provisioned yet and is left out of this "
                    + "plan."
                : "\(count) devices are to be provisioned through nodes that are not provisioned yet and are left out "
                    + "of this plan."
        ]
    }
}
