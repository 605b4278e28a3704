/// Reprovisioning of nodes over their Node Provisioning Protocol Interface (Mesh Protocol 1.1, 3.11.8). These are pure
/// functions: the caller commits the changes in one transaction.
extension MeshNetwork {
    /// The result of a node's reprovisioning.
    package struct ReprovisionResult: Hashable, Sendable {
        /// The node after it.
        package var node: Node
        /// The node before it, with its former DeviceKey.
        package var former: RetiredNode
        /// Configured models that the node no longer has.
        package var droppedModels: [ModelAddress] = []
    }

    /// The reprovisionings whose outcome is unknown, sorted by UUID.
    package var sortedPendingReprovisions: [PendingReprovision] {
        pendingReprovisions.values.sorted { $0.uuid < $1.uuid }
    }

    /// Completes a pending reprovisioning that has taken effect. The former DeviceKey is kept among the retired nodes.
    /// If the node has moved, its former addresses are excluded and scenes drop them.
    ///
    /// Publications of other nodes to the former addresses stay recorded, since those nodes still send them.
    ///
    /// - Parameter composition: the composition that it reported; nil if it reported none or an invalid one.
    /// - Returns: nil, with nothing changed, if there is no such node or reprovisioning.
    package mutating func completeReprovision(
        of uuid: DeviceUUID,
        composition: Composition?,
        at now: Timestamp
    ) -> ReprovisionResult? {
        guard let place = nodes.firstIndex(where: { $0.uuid == uuid }),
            let pending = pendingReprovisions.removeValue(forKey: uuid)
        else { return nil }
        let before = nodes[place]
        var node = before.reprovisioned(by: pending)
        if let composition { node.record(composition) }
        node.observedAt = now
        node.unprovisionedSeenAt = nil
        let former = RetiredNode(node: before, reason: .reprovisioned, retiredAt: now)
        retiredNodes.append(former)
        let left = before.addresses.filter { !node.addresses.contains($0) }
        if !left.isEmpty {
            exclude(left)
            for index in scenes.indices { scenes[index].addresses.removeAll { left.contains($0.rawValue) } }
        }
        drifts[uuid] = nil
        nodes.remove(at: place)
        nodes.insert(node, at: nodes.firstPlace { ($0.unicastAddress, $0.uuid) >= (node.unicastAddress, uuid) })
        var result = ReprovisionResult(node: node, former: former)
        if pending.procedure != .nodeAddressRefresh { result.droppedModels = before.configuredModels(missingIn: node) }
        return result
    }

    /// Drops a pending reprovisioning that has not taken effect and never will. Its new addresses are free again.
    ///
    /// - Returns: the former record; nil if there was none.
    @discardableResult
    package mutating func dropReprovision(of uuid: DeviceUUID) -> PendingReprovision? {
        pendingReprovisions.removeValue(forKey: uuid)
    }

    /// Ends a pending reprovisioning with an unknown outcome because the node has left. What the node may have become
    /// is kept among the retired nodes, and the addresses that it may have had are excluded.
    ///
    /// - Parameter node: the node before the reprovisioning.
    /// - Returns: the retired form; nil if no reprovisioning was pending.
    package mutating func retireReprovision(
        of node: Node,
        reason: RetiredNode.Reason,
        at now: Timestamp
    ) -> RetiredNode? {
        guard let pending = pendingReprovisions.removeValue(forKey: node.uuid) else { return nil }
        let retired = RetiredNode(node: node.reprovisioned(by: pending), reason: reason, retiredAt: now)
        retiredNodes.append(retired)
        exclude(pending.addresses)
        return retired
    }
}

extension Node {
    /// The node after a reprovisioning. If it moves, it keeps its keys and loses all other configuration. Its
    /// composition is then unknown, because it may have changed.
    package func reprovisioned(by pending: PendingReprovision) -> Node {
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
        node.authentication = authentication
        node.isExcluded = isExcluded
        node.isManaged = isManaged
        node.isProtected = isProtected
        node.removalPolicy = removalPolicy
        return node
    }

    /// Configured models that another record of the same node lacks.
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
