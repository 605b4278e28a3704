/// How devices become nodes and nodes leave. Pure: what is changed here is to be committed in one transaction.
extension MeshNetwork {
    /// The record of a device that may have become a node, nil if there is none.
    package func pendingProvisioning(of uuid: DeviceUUID) -> PendingProvisioning? {
        let place = pendingPlace(of: uuid)
        guard place < pendingProvisionings.count, pendingProvisionings[place].uuid == uuid else { return nil }
        return pendingProvisionings[place]
    }

    /// Records an attempt that is about to hand out an address and a DeviceKey.
    ///
    /// The DeviceKeys of earlier attempts stay in front of the new ones, each once, for any of them may be the one that
    /// the device took. An attempt with another block of addresses begins a new record, since a DeviceKey is of no use
    /// at other addresses than those it was given with: what the device may have become before is kept among the
    /// retired nodes, once for each DeviceKey, and those of its addresses that the new block leaves are excluded.
    ///
    /// - Returns: the record as it stands now, to be committed.
    @discardableResult
    package mutating func recordAttempt(_ attempt: PendingProvisioning) -> PendingProvisioning {
        let place = pendingPlace(of: attempt.uuid)
        guard place < pendingProvisionings.count, pendingProvisionings[place].uuid == attempt.uuid else {
            pendingProvisionings.insert(attempt, at: place)
            return attempt
        }
        let former = pendingProvisionings[place]
        guard former.addresses == attempt.addresses else {
            pendingProvisionings[place] = attempt
            retire(former, reason: .replaced, at: attempt.attemptedAt)
            exclude(former.addresses.filter { !attempt.addresses.contains($0) })
            return attempt
        }
        var record = attempt
        record.deviceKeys = former.deviceKeys.filter { !attempt.deviceKeys.contains($0) } + attempt.deviceKeys
        record.isSecurelyProvisioned = former.isSecurelyProvisioned && attempt.isSecurelyProvisioned
        pendingProvisionings[place] = record
        return record
    }

    /// Makes a pending device a node, see
    /// ``PendingProvisioning/node(name:deviceKey:isUpdated:isProtected:removalPolicy:at:)``, and retires the node that
    /// the device was before, if it was one.
    ///
    /// - Parameters:
    ///   - deviceKey: the key that turned out to be the one.
    ///   - name: the name it has meanwhile in the definition; nil for that of the record.
    /// - Returns: the node and what it replaced, or nil if the device is not pending, and then nothing is changed.
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

    /// Gives up finding out whether a device has become a node: what it may be is kept among the retired nodes.
    ///
    /// - Returns: the record that there was, nil if there was none.
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

    /// Takes a node out of the network, keeps it among the retired ones, and excludes its addresses.
    ///
    /// - Returns: the record of it, or nil if there is no such node, and then nothing is changed.
    @discardableResult
    package mutating func retire(_ uuid: DeviceUUID, reason: RetiredNode.Reason, at now: Timestamp) -> RetiredNode? {
        guard let place = nodes.firstIndex(where: { $0.uuid == uuid }) else { return nil }
        return recordRetirement(of: nodes.remove(at: place), reason: reason, at: now)
    }

    /// Records the retirement of a node that ``nodes`` does not hold any more, for whoever keeps the nodes elsewhere:
    /// it is among the retired ones, its addresses are excluded at the current IV index, and no scene names them. What
    /// other nodes publish to it stays recorded, since they still do.
    @discardableResult
    package mutating func recordRetirement(
        of node: Node,
        reason: RetiredNode.Reason,
        at now: Timestamp
    ) -> RetiredNode {
        let retired = RetiredNode(node: node, reason: reason, retiredAt: now)
        retiredNodes.append(retired)
        exclude(node.addresses)
        _ = retireRefresh(of: node, reason: reason, at: now)
        for place in scenes.indices {
            scenes[place].addresses.removeAll { node.addresses.contains($0.rawValue) }
        }
        return retired
    }

    /// Where the record of that device is or would be.
    private func pendingPlace(of uuid: DeviceUUID) -> Int {
        pendingProvisionings.firstPlace { $0.uuid >= uuid }
    }
}

extension PendingProvisioning {
    /// The node that the device has become: managed, with one NetKey, and with elements whose models are not known yet.
    ///
    /// - Parameters:
    ///   - name: the name it has meanwhile in the definition; nil for that of the record.
    ///   - deviceKey: the key that turned out to be the one.
    ///   - isUpdated: whether the NetKey that it was given is the new one of a key refresh, as it is in phase 2 (Mesh
    ///     Protocol 5.4.2.5).
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
        node.isManaged = true
        node.isProtected = isProtected
        node.removalPolicy = removalPolicy
        node.observedAt = now
        return node
    }
}
