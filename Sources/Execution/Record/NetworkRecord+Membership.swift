import MeshCore
import Planning

/// How devices become nodes and nodes leave.
extension NetworkRecord {
    /// Chooses and reserves addresses for a device with this number of elements, 1...255.
    mutating func reserve(
        _ count: Int,
        for order: ProvisioningOrder
    ) throws(ProvisioningProblem) -> UnicastAddress {
        prepareAddresses()
        guard let fixed = order.address else {
            guard let address = addresses.reserve(count, for: order.uuid) else {
                throw .noAddress(
                    "the ranges of meshplan's provisioner have no \(count) consecutive free addresses left"
                )
            }
            return address
        }
        do throws(AddressConflict) {
            try addresses.reserve(count, from: fixed, for: order.uuid)
            return fixed
        } catch {
            let elements = count == 1 ? "its element" : "its \(count) elements"
            throw .fixedAddress("\(elements) cannot begin at \(fixed): \(error.clause { name(of: $0) })")
        }
    }

    /// Makes the device of an earlier attempt get other addresses in the next one. It was a node meanwhile, and has
    /// used sequence numbers under its former addresses, which must not be used again (Mesh Protocol 3.4.4.5).
    mutating func leaveBlock(of uuid: DeviceUUID) {
        guard let pending = header.pendingProvisioning(of: uuid) else { return }
        prepareAddresses()
        addresses.exclude(pending.addresses, leftBy: uuid)
    }

    private mutating func prepareAddresses() {
        if !addresses.isPrepared { addresses.prepare(withNodes { UnicastAddressPool($0) }) }
    }

    /// Frees the addresses reserved for a device, unless the device may know them.
    mutating func release(_ uuid: DeviceUUID) {
        guard header.pendingProvisioning(of: uuid) == nil, places[uuid] == nil else { return }
        addresses.release(uuid)
    }

    /// Records an attempt that is about to assign an address and a DeviceKey.
    mutating func recordAttempt(_ attempt: PendingProvisioning) {
        // Addresses of an earlier attempt that this one does not have are excluded, and its DeviceKeys retired.
        let former = header.pendingProvisioning(of: attempt.uuid)
        if let former, former.addresses != attempt.addresses {
            unsaved.isHeaderChanged = true
            addresses.exclude(former.addresses.filter { !attempt.addresses.contains($0) }, leftBy: attempt.uuid)
        }
        let count = header.retiredNodes.count
        header.recordAttempt(attempt)
        unsaved.retire(header.retiredNodes[count...])
        unsaved.changePending(attempt.uuid)
    }

    /// Takes back an attempt whose provisioning data was not sent.
    mutating func withdrawAttempt(of uuid: DeviceUUID, _ deviceKey: KeyMaterial) {
        guard let index = header.pendingProvisionings.firstIndex(where: { $0.uuid == uuid }) else { return }
        unsaved.changePending(uuid)
        header.pendingProvisionings[index].deviceKeys.removeAll { $0 == deviceKey }
        if header.pendingProvisionings[index].deviceKeys.isEmpty { header.pendingProvisionings.remove(at: index) }
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

    mutating func retire(_ uuid: DeviceUUID, reason: RetiredNode.Reason, at now: Timestamp) {
        guard let place = places.removeValue(forKey: uuid) else { return }
        if header.drifts.removeValue(forKey: uuid) != nil { unsaved.changeDrift(of: uuid) }
        let node = nodes.remove(at: place)
        names[uuid] = node.name
        let hasPendingReprovision = header.pendingReprovisions[uuid] != nil
        let count = header.retiredNodes.count
        header.recordRetirement(of: node, reason: reason, at: now)
        unsaved.retire(header.retiredNodes[count...])
        for later in place..<nodes.count { places[nodes[later].uuid] = later }
        unsaved.remove(uuid, endsReprovision: hasPendingReprovision)
    }

    private mutating func insert(_ node: Node) {
        var index = nodes.count
        while index > 0, nodes[index - 1].unicastAddress > node.unicastAddress { index -= 1 }
        nodes.insert(node, at: index)
        for later in index..<nodes.count { places[nodes[later].uuid] = later }
        unsaved.insert(node.uuid)
    }
}
