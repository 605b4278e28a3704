/// What becomes of nodes that are refreshed over their Node Provisioning Protocol Interface (Mesh Protocol 1.1,
/// 3.11.8). Pure: what is changed here is to be committed in one transaction.
extension MeshNetwork {
    /// What a refresh has made of a node.
    package struct NodeRefreshResult: Hashable, Sendable {
        /// The node as it is now.
        package var node: Node
        /// The node as it was, with its former DeviceKey.
        package var former: RetiredNode
        /// Models with a configuration that are there no more, by their elements.
        package var droppedModels: [ModelAddress] = []
    }

    /// The refreshes that nobody has seen to their end, sorted by UUID.
    package var sortedPendingRefreshes: [PendingRefresh] {
        pendingRefreshes.values.sorted { $0.uuid < $1.uuid }
    }

    /// The node as it is if its pending refresh has taken effect: what it answers to. Nil if there is none.
    package func refreshedForm(of uuid: DeviceUUID) -> Node? {
        guard let pending = pendingRefreshes[uuid], let node = nodes.first(where: { $0.uuid == uuid }) else {
            return nil
        }
        return node.refreshed(by: pending)
    }

    /// The pending refresh of a node has taken effect: its former DeviceKey is kept among the retired nodes, and where
    /// it has moved, the addresses that it left are excluded and scenes name them no more.
    ///
    /// What other nodes publish to its former addresses stays recorded, since they still do.
    ///
    /// - Parameter composition: what it said that it is made of; nil if it said nothing that it can be.
    /// - Returns: nil if there is no such node or no such refresh, and then nothing is changed.
    package mutating func completeRefresh(
        of uuid: DeviceUUID,
        composition: Composition?,
        at now: Timestamp
    ) -> NodeRefreshResult? {
        guard let place = nodes.firstIndex(where: { $0.uuid == uuid }),
            let pending = pendingRefreshes.removeValue(forKey: uuid)
        else { return nil }
        let before = nodes[place]
        var node = before.refreshed(by: pending)
        if let composition { node.record(composition) }
        node.observedAt = now
        node.unprovisionedSeenAt = nil
        let former = RetiredNode(node: before, reason: .refreshed, retiredAt: now)
        retiredNodes.append(former)
        let left = before.addresses.filter { !node.addresses.contains($0) }
        if !left.isEmpty {
            exclude(left)
            for place in scenes.indices { scenes[place].addresses.removeAll { left.contains($0.rawValue) } }
        }
        drifts[uuid] = nil
        nodes.remove(at: place)
        nodes.insert(node, at: nodes.firstPlace { ($0.unicastAddress, $0.uuid) >= (node.unicastAddress, uuid) })
        var result = NodeRefreshResult(node: node, former: former)
        if pending.procedure != .nodeAddressRefresh { result.droppedModels = before.configuredModels(missingIn: node) }
        return result
    }

    /// The pending refresh of a node has not taken effect and never will: its new addresses are free again.
    ///
    /// - Returns: the record that there was, nil if there was none.
    @discardableResult
    package mutating func dropRefresh(of uuid: DeviceUUID) -> PendingRefresh? {
        pendingRefreshes.removeValue(forKey: uuid)
    }

    /// The node is none any more, whatever became of its refresh: what it may have been is kept among the retired
    /// nodes, and the addresses that it may have had are excluded.
    ///
    /// - Parameter node: the node as it was.
    /// - Returns: what was retired, nil if no refresh was pending.
    package mutating func retireRefresh(
        of node: Node,
        reason: RetiredNode.Reason,
        at now: Timestamp
    ) -> RetiredNode? {
        guard let pending = pendingRefreshes.removeValue(forKey: node.uuid) else { return nil }
        let retired = RetiredNode(node: node.refreshed(by: pending), reason: reason, retiredAt: now)
        retiredNodes.append(retired)
        exclude(pending.addresses)
        return retired
    }
}

extension Node {
    /// The node after a refresh. One that moves keeps its keys and begins with everything else anew; its composition is
    /// not known then, for it may have become another.
    package func refreshed(by pending: PendingRefresh) -> Node {
        var node = self
        node.deviceKey = pending.deviceKey
        guard pending.procedure == .nodeAddressRefresh else {
            if pending.procedure == .nodeCompositionRefresh {
                node.compositionPages = nil
                node.modelsMetadata = nil
            }
            return node
        }
        node = Node(
            uuid: uuid,
            name: name,
            unicastAddress: pending.address,
            deviceKey: pending.deviceKey,
            elements: Array(repeating: Element(), count: pending.addresses.count),
            netKeys: netKeys,
            appKeys: appKeys
        )
        node.isSecurelyProvisioned = isSecurelyProvisioned
        node.isExcluded = isExcluded
        node.isManaged = isManaged
        node.isProtected = isProtected
        node.removalPolicy = removalPolicy
        return node
    }

    /// Models that have a configuration here and are not there in another record of the same node.
    fileprivate func configuredModels(missingIn other: Node) -> [ModelAddress] {
        var missing: [ModelAddress] = []
        for (index, element) in elements.enumerated() {
            let others = other.elements.indices.contains(index) ? other.elements[index].models : []
            let kept = Set(others.map(\.identifier))
            for model in element.models where !kept.contains(model.identifier) {
                guard !model.bindings.isEmpty || !model.subscriptions.isEmpty || model.publication != nil else {
                    continue
                }
                missing.append(ModelAddress(element: UInt8(truncatingIfNeeded: index), model: model.identifier))
            }
        }
        return missing
    }
}
