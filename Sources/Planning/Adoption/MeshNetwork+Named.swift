package import DefinitionModel
package import MeshCore

extension MeshNetwork {
    /// The network with the names that a definition has for its things, where it has their titles in place of them.
    ///
    /// Other programs show titles, so exports have them as names. A node is known by its UUID, a key by its index or
    /// its title, a group by its address or its title.
    package func named(as definition: Definition) -> MeshNetwork {
        var network = self
        var titles = self.titles
        func rename(_ name: inout String, _ ours: Located<String>, _ wording: Wording, _ resource: TitledResource) {
            guard let title = wording.title?.value, name == title else { return }
            name = ours.value
            titles[resource] = title
        }
        rename(&network.name, definition.network, definition.wording, .network)
        for subnet in definition.subnets {
            let index = subnet.index?.value ?? Self.only(netKeys, subnet.name, subnet.wording, \.name)?.index
            guard let position = netKeys.firstIndex(where: { $0.index == index }) else { continue }
            rename(&network.netKeys[position].name, subnet.name, subnet.wording, .netKey(netKeys[position].index))
        }
        for key in definition.applicationKeys {
            let index = key.index?.value ?? Self.only(appKeys, key.name, key.wording, \.name)?.index
            guard let position = appKeys.firstIndex(where: { $0.index == index }) else { continue }
            rename(&network.appKeys[position].name, key.name, key.wording, .appKey(appKeys[position].index))
        }
        for group in definition.groups {
            let address = group.address?.value ?? Self.only(groups, group.name, group.wording, \.name)?.address
            guard let position = groups.firstIndex(where: { $0.address == address }) else { continue }
            rename(&network.groups[position].name, group.name, group.wording, .group(groups[position].address))
        }
        let positions = Dictionary(nodes.enumerated().map { ($1.uuid, $0) }) { first, _ in first }
        for index in definition.nodes.indices where !definition.nodes[index].awaitsDevice {
            let node = definition.nodes[index]
            guard let position = positions[node.uuid.value] else { continue }
            rename(&network.nodes[position].name, node.name, node.wording, .node(node.uuid.value))
        }
        network.titles = titles
        return network
    }

    /// The only thing with a title, unless one has the name itself.
    private static func only<Item>(
        _ items: [Item],
        _ name: Located<String>,
        _ wording: Wording,
        _ itemName: (Item) -> String
    ) -> Item? {
        let titled = items.filter { itemName($0) == wording.title?.value }
        return titled.count == 1 && !items.contains { itemName($0) == name.value } ? titled.first : nil
    }
}
