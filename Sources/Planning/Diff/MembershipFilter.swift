import DefinitionModel
import MeshCore

/// Finds the nodes that are connected to groups and subnets.
struct MembershipFilter {
    private var groups: Set<SubscriptionAddress>
    private var netKeys: Set<NetKeyIndex>
    private var appKeys: Set<AppKeyIndex>

    init(_ selection: PlanSelection, desired: DesiredState, network: MeshNetwork) {
        let globs = selection.groups.map { Glob($0) }
        let addresses = Set(selection.groups.lazy.map { $0.lowercased() })
        func matches(_ group: Group) -> Bool {
            globs.contains { $0.matches(group.name) } || addresses.contains(group.address.description.lowercased())
        }
        groups = Set(desired.groups.lazy.map(\.group).filter(matches).map(\.address))
        groups.formUnion(network.groups.lazy.filter(matches).map(\.address))
        let subnets = selection.subnets.map { Glob($0) }
        func matches(_ subnet: String) -> Bool { subnets.contains { $0.matches(subnet) } }
        netKeys = Set(desired.subnets.lazy.filter { matches($0.name.value) }.map(\.index))
        netKeys.formUnion(network.netKeys.lazy.filter { matches($0.name) }.map(\.index))
        let inSubnets = netKeys
        appKeys = Set(desired.applicationKeys.lazy.filter { inSubnets.contains($0.boundNetKey) }.map(\.index))
    }

    /// Whether a node is recorded in one of the subnets, or one of its models uses one of the groups.
    func matches(_ node: Node) -> Bool {
        if node.netKeys.contains(where: { netKeys.contains($0.index) }) { return true }
        guard !groups.isEmpty else { return false }
        return node.elements.contains { element in
            element.models.contains { model in
                model.subscriptions.contains(where: groups.contains) || matches(model.publication?.address)
            }
        }
    }

    /// The same, as recorded or as desired.
    func matches(_ desired: DesiredNode, in network: MeshNetwork) -> Bool {
        switch desired.origin {
        case .recorded(let position): if matches(network.nodes[position]) { return true }
        case .device(let order, _): if netKeys.contains(order.netKeyIndex) { return true }
        case .node(let node): if matches(node) { return true }
        }
        if desired.settings.subnets?.value.contains(where: netKeys.contains) ?? false { return true }
        if desired.settings.applicationKeys?.value.contains(where: appKeys.contains) ?? false { return true }
        for model in desired.models {
            if model.bindings?.value.contains(where: appKeys.contains) ?? false { return true }
            if model.subscriptions?.value.contains(where: groups.contains) ?? false { return true }
            if let publication = model.publication?.value, matches(publication) { return true }
        }
        return desired.rules.contains { rule in
            switch rule.effect {
            case .subscribe(let addresses): addresses.contains(where: groups.contains)
            case .publish(let publication): matches(publication)
            case .state: false
            }
        }
    }

    private func matches(_ publication: DesiredPublication) -> Bool {
        if let key = publication.key, appKeys.contains(key) { return true }
        guard case .address(let address) = publication.target else { return false }
        return matches(address)
    }

    private func matches(_ address: PublishAddress?) -> Bool {
        switch address {
        case .group(let group): groups.contains(.group(group))
        case .virtual(let label): groups.contains(.virtual(label))
        case .unicast, .unknownLabel, nil: false
        }
    }
}
