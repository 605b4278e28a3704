/// How devices become nodes and how nodes leave. These are pure functions: the caller commits the changes in one
/// transaction.
extension MeshNetwork {
    /// The record of a device that may have become a node; nil if there is none.
    package func pendingProvisioning(of uuid: DeviceUUID) -> PendingProvisioning? {
        let index = pendingPlace(of: uuid)
        guard index < pendingProvisionings.count, pendingProvisionings[index].uuid == uuid else { return nil }
        return pendingProvisionings[index]
    }

    /// Records an attempt that is about to send an address and a DeviceKey.
    ///
    /// The DeviceKeys of earlier attempts stay before the new ones, each once, because the device may have taken any of
    /// them. An attempt with another block of addresses begins a new record, since a DeviceKey belongs to its
    /// addresses. What the device may have become before is then kept among the retired nodes, once for each DeviceKey,
    /// and the addresses that the new block lacks are excluded.
    ///
    /// - Returns: the new record, which the caller must commit.
    @discardableResult
    package mutating func recordAttempt(_ attempt: PendingProvisioning) -> PendingProvisioning {
        let index = pendingPlace(of: attempt.uuid)
        guard index < pendingProvisionings.count, pendingProvisionings[index].uuid == attempt.uuid else {
            pendingProvisionings.insert(attempt, at: index)
            return attempt
        }
        let former = pendingProvisionings[index]
        guard former.addresses == attempt.addresses else {
            pendingProvisionings[index] = attempt
            retire(former, reason: .replaced, at: attempt.attemptedAt)
            exclude(former.addresses.filter { !attempt.addresses.contains($0) })
            return attempt
        }
        var record = attempt
        record.deviceKeys = former.deviceKeys.filter { !attempt.deviceKeys.contains($0) } + attempt.deviceKeys
        record.isSecurelyProvisioned = former.isSecurelyProvisioned && attempt.isSecurelyProvisioned
        // Which of the attempts made the node is not known; the least that was proved is sure.
        if let first = former.authentication, let second = attempt.authentication {
            record.authentication = second.assurance < first.assurance ? second : first
        } else {
            record.authentication = nil
        }
        pendingProvisionings[index] = record
        return record
    }

    /// Makes a node of a pending device; see
    /// ``PendingProvisioning/node(name:deviceKey:isUpdated:isProtected:removalPolicy:at:)``. If the device was a node
    /// before, that node is retired.
    ///
    /// - Parameters:
    ///   - deviceKey: the key that proved to be the device's.
    ///   - name: its current name in the definition; nil for the name in the record.
    /// - Returns: the node and what it replaced. Nil, with nothing changed, if the device is not pending.
    package mutating func promote(
        _ uuid: DeviceUUID,
        name: String? = nil,
        deviceKey: KeyMaterial,
        isProtected: Bool = false,
        removalPolicy: RemovalPolicy = .forget,
        at now: Timestamp
    ) -> (node: Node, replaced: RetiredNode?)? {
        guard let pending = pendingProvisioning(of: uuid) else { return nil }
        let replaced = retire(uuid, reason: .replaced, at: now)
        pendingProvisionings.remove(at: pendingPlace(of: uuid))
        let phase = netKeys.first { $0.index == pending.netKeyIndex }?.phase
        let node = pending.node(
            name: name,
            deviceKey: deviceKey,
            isUpdated: phase == .usingNewKeys,
            isProtected: isProtected,
            removalPolicy: removalPolicy,
            at: now
        )
        nodes.insert(node, at: nodes.firstPlace { ($0.unicastAddress, $0.uuid) >= (node.unicastAddress, uuid) })
        return (node, replaced)
    }

    /// Stops trying to find out whether a device has become a node. What it may be is kept among the retired nodes.
    ///
    /// - Returns: the former record; nil if there was none.
    mutating func abandonProvisioning(of uuid: DeviceUUID) -> PendingProvisioning? {
        guard let pending = pendingProvisioning(of: uuid) else { return nil }
        pendingProvisionings.remove(at: pendingPlace(of: uuid))
        retire(pending, reason: .excluded, at: pending.attemptedAt)
        return pending
    }

    /// Keeps what a device may have become among the retired nodes, once for each DeviceKey.
    private mutating func retire(_ former: PendingProvisioning, reason: RetiredNode.Reason, at now: Timestamp) {
        for key in former.deviceKeys {
            let node = former.node(
                deviceKey: key,
                isUpdated: false,
                isProtected: false,
                removalPolicy: .forget,
                at: former.attemptedAt
            )
            retiredNodes.append(RetiredNode(node: node, reason: reason, retiredAt: now))
        }
    }

    /// Removes a node from the network, keeps it among the retired ones, and excludes its addresses.
    ///
    /// - Returns: the record of the retirement. Nil, with nothing changed, if there is no such node.
    @discardableResult
    package mutating func retire(_ uuid: DeviceUUID, reason: RetiredNode.Reason, at now: Timestamp) -> RetiredNode? {
        guard let index = nodes.firstIndex(where: { $0.uuid == uuid }) else { return nil }
        return recordRetirement(of: nodes.remove(at: index), reason: reason, at: now)
    }

    /// Records the retirement of a node that has left ``nodes``, for callers that keep nodes elsewhere. It joins the
    /// retired ones, its addresses are excluded at the current IV index, and scenes drop them. Publications of other
    /// nodes to it stay recorded, since those nodes still send them.
    @discardableResult
    package mutating func recordRetirement(
        of node: Node,
        reason: RetiredNode.Reason,
        at now: Timestamp
    ) -> RetiredNode {
        let retired = RetiredNode(node: node, reason: reason, retiredAt: now)
        retiredNodes.append(retired)
        exclude(node.addresses)
        _ = retireReprovision(of: node, reason: reason, at: now)
        for index in scenes.indices {
            scenes[index].addresses.removeAll { node.addresses.contains($0.rawValue) }
        }
        return retired
    }

    /// The position of that device's record, or where it belongs.
    private func pendingPlace(of uuid: DeviceUUID) -> Int {
        pendingProvisionings.firstPlace { $0.uuid >= uuid }
    }
}

extension PendingProvisioning {
    /// The node that the device has become: managed, with one NetKey, and with elements whose models are unknown.
    ///
    /// - Parameters:
    ///   - name: its current name in the definition; nil for the name in the record.
    ///   - deviceKey: the key that proved to be the device's.
    ///   - isUpdated: whether it got the new NetKey of a key refresh, as in phase 2 (Mesh Protocol 5.4.2.5).
    package func node(
        name: String? = nil,
        deviceKey: KeyMaterial,
        isUpdated: Bool,
        isProtected: Bool,
        removalPolicy: RemovalPolicy,
        at now: Timestamp
    ) -> Node {
        var node = Node(
            uuid: uuid,
            name: name ?? self.name,
            unicastAddress: address,
            deviceKey: deviceKey,
            elements: Array(repeating: Element(), count: addresses.count),
            netKeys: [NodeKey(index: netKeyIndex, progress: isUpdated ? .usingNewKey : .none)]
        )
        node.isSecurelyProvisioned = isSecurelyProvisioned
        node.authentication = authentication
        node.isManaged = true
        node.isProtected = isProtected
        node.removalPolicy = removalPolicy
        node.observedAt = now
        return node
    }
}
