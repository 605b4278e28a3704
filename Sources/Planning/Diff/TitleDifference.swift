import DefinitionModel
import MeshCore

/// A title that the database has otherwise than the definition.
struct TitleDifference {
    var resource: TitledResource
    /// The address of that thing, like `node.kitchen-1`.
    var address: String
    /// The title in the database; nil if it has none.
    var before: String?
    /// The title in the definition; nil if it has none.
    var after: String?
    /// Whether the thing itself is new. Then it comes with its title, which is no addition of its own.
    var isOfNew: Bool
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
        func compare(
            _ resource: TitledResource,
            _ address: @autoclosure () -> String,
            _ wording: Wording,
            isNew: @autoclosure () -> Bool
        ) {
            let (before, after) = (network.titles[resource], wording.title?.value)
            guard before != after else { return }
            differences.append(
                TitleDifference(
                    resource: resource,
                    address: address(),
                    before: before,
                    after: after,
                    isOfNew: isNew() && after != nil
                )
            )
        }
        if selected == nil {
            compare(.network, "network." + definition.network.value, definition.wording, isNew: false)
            let netKeys = Dictionary(desired.subnets.map { ($0.name.value, $0) }) { first, _ in first }
            for subnet in definition.subnets {
                guard let wanted = netKeys[subnet.name.value] else { continue }
                let isNew = wanted.recordedName == nil
                compare(.netKey(wanted.index), "subnet." + subnet.name.value, subnet.wording, isNew: isNew)
            }
            let appKeys = Dictionary(desired.applicationKeys.map { ($0.name.value, $0) }) { first, _ in first }
            for key in definition.applicationKeys {
                guard let wanted = appKeys[key.name.value] else { continue }
                let isNew = wanted.recordedName == nil
                compare(.appKey(wanted.index), "application_key." + key.name.value, key.wording, isNew: isNew)
            }
            let groups = Dictionary(desired.groups.map { ($0.group.name, $0) }) { first, _ in first }
            for group in definition.groups {
                guard let wanted = groups[group.name.value] else { continue }
                let isNew = wanted.recorded == nil
                compare(.group(wanted.group.address), "group." + group.name.value, group.wording, isNew: isNew)
            }
        }
        // By index, because loops over the nodes would copy each of them.
        let wanted = desired.nodes
        let devices = Set(wanted.indices.lazy.compactMap { wanted[$0].order?.uuid })
        let nodes = definition.nodes
        for index in nodes.indices where !nodes[index].awaitsDevice {
            let uuid = nodes[index].uuid.value
            guard selected?.contains(uuid) ?? true else { continue }
            compare(.node(uuid), "node." + nodes[index].name.value, nodes[index].wording, isNew: devices.contains(uuid))
        }
        return differences
    }
}
