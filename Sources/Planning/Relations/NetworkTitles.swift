package import DefinitionModel
package import MeshCore

/// What people call the things of a network: the titles of the definition, and those in the database of what it
/// does not mention. Commands take names; titles are for reading.
package struct NetworkTitles: Hashable, Sendable {
    package private(set) var network: String?
    private var nodes: [DeviceUUID: String] = [:]
    private var groups: [String: String] = [:]
    private var subnets: [String: String] = [:]
    private var keys: [String: String] = [:]

    /// Collects the titles.
    ///
    /// - Parameters:
    ///   - network: the network as the database knows it.
    ///   - definition: its definition; nil if there is none, so that all is as recorded.
    package init(_ network: MeshNetwork, definition: Definition?) {
        self.network = definition == nil ? network.titles[.network] : definition?.wording.title?.value
        for node in network.nodes { nodes[node.uuid] = network.titles[.node(node.uuid)] }
        for group in network.groups { groups[group.name] = network.titles[.group(group.address)] }
        for key in network.netKeys { subnets[key.name] = network.titles[.netKey(key.index)] }
        for key in network.appKeys { keys[key.name] = network.titles[.appKey(key.index)] }
        guard let definition else { return }
        // By index, because a loop over the nodes would copy each of them.
        let declared = definition.nodes
        for index in declared.indices { nodes[declared[index].uuid.value] = declared[index].wording.title?.value }
        for group in definition.groups { groups[group.name.value] = group.wording.title?.value }
        for subnet in definition.subnets { subnets[subnet.name.value] = subnet.wording.title?.value }
        for key in definition.applicationKeys { keys[key.name.value] = key.wording.title?.value }
    }

    package func node(_ uuid: DeviceUUID) -> String? { nodes[uuid] }

    package func group(_ name: String) -> String? { groups[name] }

    package func subnet(_ name: String) -> String? { subnets[name] }

    package func applicationKey(_ name: String) -> String? { keys[name] }
}
