import DefinitionModel
import MeshCore

extension NodesOutside {
    /// Which leaving keys must still stay in the network; see ``LeavingResources/keepers(in:reached:)``.
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

    /// Notes about resources that leave the network, or should.
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
        return notes
    }

    /// Notes that a new subnet is made beside the primary one, although it could be the primary one under a new name.
    static func primaryNotes(_ desired: DesiredState, _ network: MeshNetwork) -> [String] {
        guard let primary = network.netKeys.first(where: { $0.index == .primary }), !primary.isManaged,
            !desired.subnets.contains(where: { $0.index == .primary }),
            let made = desired.subnets.first(where: { $0.recordedName == nil })
        else { return [] }
        return [
            "Subnet \(made.name.value) is created in addition to \(primary.name), the primary subnet, which stays "
                + "although the definition does not list it. If \(made.name.value) is to be the primary one, give it "
                + "`index: 0`."
        ]
    }

    /// Notes publications to nodes that are reset, which reach nobody from then on.
    ///
    /// - Parameters:
    ///   - network: the network before the plan.
    ///   - after: the network after the plan.
    func targetNotes(_ network: MeshNetwork, after: GuardedNetwork) -> [String] {
        guard !resets.isEmpty else { return [] }
        let resets = resets.sorted()
        // By address, because the nodes are sorted by address.
        var counts: [Int: Int] = [:]
        for node in after.others {
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
                + "which leaves the network; no definition asked for it, so it continues."
        }
    }
}

extension PlanBuilder {
    /// Records that devices which are provisioned again have lost the keys that they had as nodes.
    mutating func noteReplacements(_ desired: DesiredState, in network: MeshNetwork) {
        guard !leaving.isEmpty else { return }
        for node in desired.nodes {
            if case .device(_, let device) = node.origin, let position = device.replaced {
                noteLossOfAllKeys(of: network.nodes[position])
            }
        }
    }
}
