import MeshCore
import Planning

/// How devices become nodes and nodes leave.
extension NetworkRecord {
    /// Chooses and reserves addresses for a device with this number of elements, 1...255.
    mutating func reserve(
        _ count: Int,
        for order: ProvisioningOrder
    ) throws(ProvisioningProblem) -> UnicastAddress {
        var pool = self.pool ?? freshPool()
        self.pool = nil
        defer { self.pool = pool }
        guard let fixed = order.address else {
            guard let address = pool.reserveBlock(of: count, for: order.uuid) else {
                throw .noAddress(
                    "the ranges of meshplan's provisioner have no \(count) consecutive free addresses left"
                )
            }
            return address
        }
        do throws(AddressConflict) {
            try pool.reserve(fixed, count: count, for: order.uuid)
            return fixed
        } catch {
            throw .fixedAddress(
                "\(count == 1 ? "its element" : "its \(count) elements") cannot begin at \(fixed): \(clause(of: error))"
            )
        }
    }

    /// Why a fixed address cannot be used, without a full stop.
    private func clause(of conflict: AddressConflict) -> String {
        let address = conflict.address
        switch conflict.reason {
        case .notUnicast: return "\(address) is not a unicast address"
        case .node(_, let name): return "\(address) is taken by node `\(name)`"
        case .pending(_, let name): return "\(address) is reserved for `\(name)`, whose provisioning may have succeeded"
        case .reserved(let uuid): return "\(address) is set aside for `\(name(of: uuid))`"
        case .excluded(until: let index):
            return "\(address) was in use by a node that is gone and cannot be assigned before IV index \(index)"
        case .otherProvisioner(let name): return "\(address) is in the range of provisioner `\(name)`"
        case .outsideOurRanges: return "\(address) is not in the range of meshplan's provisioner"
        }
    }

    /// Makes the device of an earlier attempt get other addresses in the next one. It was a node meanwhile, and has
    /// used sequence numbers under its former addresses, which must not be used again (Mesh Protocol 3.4.4.5).
    mutating func leaveBlock(of uuid: DeviceUUID) {
        guard let pending = header.pendingProvisioning(of: uuid) else { return }
        var pool = self.pool ?? freshPool()
        pool.exclude(pending.addresses, leftBy: uuid)
        self.pool = pool
    }

    private mutating func freshPool() -> UnicastAddressPool {
        var pool = withNodes { UnicastAddressPool($0) }
        // A conflict is reported by the device that comes to use the address.
        for (uuid, address) in fixedAddresses.sorted(by: { $0.key < $1.key }) {
            try? pool.reserve(address, count: 1, for: uuid)
        }
        return pool
    }

    /// Frees the addresses reserved for a device, unless the device may know them.
    mutating func release(_ uuid: DeviceUUID) {
        guard header.pendingProvisioning(of: uuid) == nil, fixedAddresses[uuid] == nil, places[uuid] == nil else {
            return
        }
        pool?.release(uuid)
    }

    /// Records an attempt that is about to assign an address and a DeviceKey.
    mutating func recordAttempt(_ attempt: PendingProvisioning) {
        // Addresses of an earlier attempt that this one does not have are excluded, and its DeviceKeys retired.
        let former = header.pendingProvisioning(of: attempt.uuid)
        if let former, former.addresses != attempt.addresses {
            isHeaderDirty = true
            pool?.exclude(former.addresses.filter { !attempt.addresses.contains($0) }, leftBy: attempt.uuid)
        }
        let count = header.retiredNodes.count
        header.recordAttempt(attempt)
        newRetirements += header.retiredNodes[count...]
        dirtyPendings.insert(attempt.uuid)
    }

    /// Takes back an attempt whose provisioning data was not sent.
    mutating func withdrawAttempt(of uuid: DeviceUUID, _ deviceKey: KeyMaterial) {
        guard let place = header.pendingProvisionings.firstIndex(where: { $0.uuid == uuid }) else { return }
        dirtyPendings.insert(uuid)
        header.pendingProvisionings[place].deviceKeys.removeAll { $0 == deviceKey }
        if header.pendingProvisionings[place].deviceKeys.isEmpty { header.pendingProvisionings.remove(at: place) }
    }

    /// Makes a pending device a node, and retires the node that it was before.
    ///
    /// - Parameter order: how it was to be provisioned; nil if there is no order in this run.
    /// - Returns: nil if the device is not pending.
    mutating func promote(
        _ uuid: DeviceUUID,
        _ order: ProvisioningOrder?,
        deviceKey: KeyMaterial,
        at now: Timestamp
    ) -> (node: Node, replaced: Node?)? {
        guard header.pendingProvisioning(of: uuid) != nil else { return nil }
        let replaced = node(uuid)
        if replaced != nil { retire(uuid, reason: .replaced, at: now) }
        let promoted = header.promote(
            uuid,
            name: order?.name,
            deviceKey: deviceKey,
            isProtected: order?.isProtected ?? replaced?.isProtected ?? false,
            removalPolicy: order?.removalPolicy ?? replaced?.removalPolicy ?? .forget,
            at: now
        )
        header.nodes = []
        guard let node = promoted?.node else { return nil }
        insert(node)
        return (node, replaced)
    }

    /// Removes a node from the network.
    mutating func retire(_ uuid: DeviceUUID, reason: RetiredNode.Reason, at now: Timestamp) {
        guard let place = places.removeValue(forKey: uuid) else { return }
        if header.drifts.removeValue(forKey: uuid) != nil { dirtyDrifts.insert(uuid) }
        let node = nodes.remove(at: place)
        names[uuid] = node.name
        let hasPendingReprovision = header.pendingReprovisions[uuid] != nil
        let count = header.retiredNodes.count
        header.recordRetirement(of: node, reason: reason, at: now)
        newRetirements += header.retiredNodes[count...]
        if hasPendingReprovision { endedReprovisions.insert(uuid) }
        for later in place..<nodes.count { places[nodes[later].uuid] = later }
        isHeaderDirty = true
        dirtyNodes.remove(uuid)
        removedNodes.insert(uuid)
    }

    private mutating func insert(_ node: Node) {
        var place = nodes.count
        while place > 0, nodes[place - 1].unicastAddress > node.unicastAddress { place -= 1 }
        nodes.insert(node, at: place)
        for later in place..<nodes.count { places[nodes[later].uuid] = later }
        dirtyPendings.insert(node.uuid)
        dirtyNodes.insert(node.uuid)
        removedNodes.remove(node.uuid)
    }
}
