internal import MeshCore

extension NodesOutside {
    /// Which keys that leave have to stay in the network still; see ``LeavingResources/keepers(in:reached:)``.
    func keepers(
        of leaving: LeavingResources,
        _ desired: DesiredState,
        _ network: MeshNetwork
    ) -> [NetworkResource: Int] {
        guard !leaving.isEmpty else { return [:] }
        var reached = resets
        for node in desired.nodes {
            switch node.origin {
            case .recorded(let position): reached.insert(position)
            case .device(_, let device): if let position = device.replaced { reached.insert(position) }
            case .node: break
            }
        }
        return leaving.keepers(in: network, reached: reached)
    }

    /// What to know of things that leave the network, or should.
    func removalNotes(
        _ desired: DesiredState,
        _ keepers: [NetworkResource: Int],
        _ network: MeshNetwork,
        _ names: ResourceNames
    ) -> [String] {
        var notes: [String] = []
        for resource in desired.leaving.ordered {
            guard let count = keepers[resource] else { continue }
            let nodes = count == 1 ? "1 node that is" : "\(count) nodes that are"
            switch resource {
            case .netKey(let index):
                notes.append("Subnet \(names.netKey(index)) stays in the database for \(nodes) not in the definition.")
            case .appKey(let index):
                notes.append(
                    "Application key \(names.appKey(index)) stays in the database for \(nodes) not in the definition."
                )
            case .group: break
            }
        }
        for index in desired.keptSubnets {
            notes.append(
                "Subnet \(names.netKey(index)) stays, since application keys that are not managed belong to it."
            )
        }
        return notes + groupNotes(desired, network, names) + targetNotes(desired, network)
    }

    /// Nodes that are not managed go on using groups that leave; the addresses are not given to other groups.
    private func groupNotes(_ desired: DesiredState, _ network: MeshNetwork, _ names: ResourceNames) -> [String] {
        let groups = desired.leaving.groups
        guard !groups.isEmpty else { return [] }
        let managed = Set(
            desired.nodes.compactMap { if case .recorded(let position) = $0.origin { position } else { nil } }
        )
        var counts: [SubscriptionAddress: Int] = [:]
        for (position, node) in network.nodes.enumerated() where !managed.contains(position) {
            var used: Set<SubscriptionAddress> = []
            for model in node.elements.lazy.flatMap(\.models) {
                for group in model.subscriptions where groups.contains(group) { used.insert(group) }
                switch model.publication?.address {
                case .group(let group): if groups.contains(.group(group)) { used.insert(.group(group)) }
                case .virtual(let label): if groups.contains(.virtual(label)) { used.insert(.virtual(label)) }
                case .unicast, .unknownLabel, nil: break
                }
            }
            for group in node.states.compactMap(\.heartbeatGroup) where groups.contains(group) { used.insert(group) }
            for group in used { counts[group, default: 0] += 1 }
        }
        return counts.keys.sorted().map { group in
            let count = counts[group] ?? 0
            return "Group \(names.group(group)) is still used by \(count == 1 ? "1 node" : "\(count) nodes") "
                + "that \(count == 1 ? "is" : "are") left alone."
        }
    }

    /// Publications to nodes that are reset go nowhere from then on.
    private func targetNotes(_ desired: DesiredState, _ network: MeshNetwork) -> [String] {
        guard !resets.isEmpty else { return [] }
        let gone = resets
        let resets = resets.sorted()
        // By address, as the nodes are sorted.
        var counts: [Int: Int] = [:]
        for (position, node) in network.nodes.enumerated() where !gone.contains(position) {
            var targets: Set<Int> = []
            for model in node.elements.lazy.flatMap(\.models) {
                guard case .unicast(let address) = model.publication?.address, !model.isPublicationManaged else {
                    continue
                }
                let place = resets.firstPlace { network.nodes[$0].unicastAddress > address }
                guard place > 0, network.nodes[resets[place - 1]].addresses.contains(address.rawValue) else { continue }
                targets.insert(resets[place - 1])
            }
            for target in targets { counts[target, default: 0] += 1 }
        }
        return counts.keys.sorted().map { position in
            let count = counts[position] ?? 0
            return "\(count == 1 ? "1 node publishes" : "\(count) nodes publish") to \(network.nodes[position].name), "
                + "which leaves the network; no definition asks for that, and it goes on."
        }
    }
}

extension PlanBuilder {
    /// Notes that devices which are provisioned anew have lost the keys that they had as nodes.
    mutating func noteReplacements(_ desired: DesiredState, in network: MeshNetwork) {
        guard !leaving.isEmpty else { return }
        for node in desired.nodes {
            if case .device(_, let device) = node.origin, let position = device.replaced {
                noteLossOfAllKeys(of: network.nodes[position])
            }
        }
    }
}
