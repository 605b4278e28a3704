import DefinitionModel
import MeshCore

/// A title that the database has otherwise than the definition.
struct TitleDifference {
    /// What is called so.
    var resource: TitledResource
    /// The address of that thing, like `node.kitchen-1`.
    var address: String
    /// The title in the database; nil if it has none.
    var before: String?
    /// The title in the definition; nil if it has none.
    var after: String?
}

extension TitleDifference {
    /// All titles that differ, in the order of the definition: the network, subnets, keys, groups, nodes.
    static func all(
        between definition: Definition,
        _ desired: DesiredState,
        selected: Set<DeviceUUID>?,
        and network: MeshNetwork
    ) -> [TitleDifference] {
        var differences: [TitleDifference] = []
        func compare(_ resource: TitledResource, _ address: @autoclosure () -> String, _ wording: Wording) {
            let (before, after) = (network.titles[resource], wording.title?.value)
            guard before != after else { return }
            differences.append(
                TitleDifference(resource: resource, address: address(), before: before, after: after)
            )
        }
        if selected == nil {
            compare(.network, "network." + definition.network.value, definition.wording)
            let netKeys = Dictionary(desired.subnets.map { ($0.name.value, $0.index) }) { first, _ in first }
            for subnet in definition.subnets {
                guard let index = netKeys[subnet.name.value] else { continue }
                compare(.netKey(index), "subnet." + subnet.name.value, subnet.wording)
            }
            let appKeys = Dictionary(desired.applicationKeys.map { ($0.name.value, $0.index) }) { first, _ in first }
            for key in definition.applicationKeys {
                guard let index = appKeys[key.name.value] else { continue }
                compare(.appKey(index), "application_key." + key.name.value, key.wording)
            }
            let groups = Dictionary(desired.groups.map { ($0.group.name, $0.group.address) }) { first, _ in first }
            for group in definition.groups {
                guard let address = groups[group.name.value] else { continue }
                compare(.group(address), "group." + group.name.value, group.wording)
            }
        }
        // By index, because a loop over the nodes would copy each of them.
        let nodes = definition.nodes
        for index in nodes.indices where !nodes[index].awaitsDevice {
            let uuid = nodes[index].uuid.value
            guard selected?.contains(uuid) ?? true else { continue }
            compare(.node(uuid), "node." + nodes[index].name.value, nodes[index].wording)
        }
        return differences
    }
}
