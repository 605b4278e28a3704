import MeshCore
import Planning
import Store

/// Finds out which models of a product share one subscription list: a plan reads lists before and after it adds a group
/// to another one.
struct SharedListSearch {
    /// What nodes told of their subscription lists.
    private var nodes: [DeviceUUID: SharedListEvidence] = [:]

    mutating func confirmed(_ action: ConfigurationAction, by node: DeviceUUID) {
        nodes[node]?.confirmed(action)
    }

    /// A node told one of its subscription lists.
    mutating func heard(
        _ list: [Address],
        of address: ModelAddress,
        on uuid: DeviceUUID,
        _ ledger: inout RunLedger
    ) {
        let proofs = nodes[uuid, default: SharedListEvidence()].heard(Set(list), of: address)
        if let product = ledger.network.node(uuid)?.product {
            for proof in proofs {
                ledger.network.learn(
                    ListSharing(
                        product: product,
                        element: address.element,
                        address.model,
                        proof.model,
                        isShared: proof.isShared
                    )
                )
            }
        }
        ledger.network.takeGroups(list, of: address, on: uuid, at: ledger.now)
    }
}

extension MeshNetwork {
    /// Whether a step reads a list although it is already known which lists it is shared with.
    func isNeedless(_ action: ConfigurationAction, on node: Node) -> Bool {
        guard case .read(.subscriptions(let address)) = action, let product = node.product else { return false }
        return listSharings.contains { sharing in
            sharing.product == product && sharing.element == address.element
                && (sharing.first == address.model || sharing.second == address.model)
        }
    }
}

extension NetworkRecord {
    /// Remembers which models of a product share a subscription list.
    mutating func learn(_ sharing: ListSharing) {
        if header.learn(sharing) { unsaved.areSharingsChanged = true }
    }

    /// Records the groups that a node told to be in a list. Virtual addresses are recorded by their labels only, which
    /// a list does not contain.
    mutating func takeGroups(_ list: [Address], of address: ModelAddress, on uuid: DeviceUUID, at now: Timestamp) {
        let told = list.compactMap { GroupAddress(rawValue: $0.rawValue) }.map { SubscriptionAddress.group($0) }
        guard let node = node(uuid), let model = node.model(at: address) else { return }
        let labels = model.subscriptions.filter { if case .group = $0 { false } else { true } }
        let subscriptions = Set(told + labels).sorted()
        guard subscriptions != model.subscriptions else { return }
        update(uuid, at: now) { $0.setSubscriptions(subscriptions, of: address) }
    }

    /// Records that models do not share a list after all, because a node told different ones.
    mutating func learnContradictions(of node: Node) {
        guard let product = node.product else { return }
        for (element, one, other) in node.contradictions(of: header.sharedLists(of: node)) {
            learn(ListSharing(product: product, element: element, one, other, isShared: false))
        }
    }
}

extension Node {
    fileprivate mutating func setSubscriptions(_ list: [SubscriptionAddress], of address: ModelAddress) {
        guard elements.indices.contains(Int(address.element)),
            let index = elements[Int(address.element)].models.firstIndex(where: { $0.identifier == address.model })
        else { return }
        elements[Int(address.element)].models[index].subscriptions = list
        elements[Int(address.element)].models[index].managedSubscriptions.removeAll { !list.contains($0) }
    }
}
