/// A node that was about to get a new DeviceKey, and perhaps a new address, over its Node Provisioning Protocol
/// Interface when we last heard from it (Mesh Protocol 1.1, 3.11.8). It is written before the provisioning data are
/// sent.
///
/// Until the outcome is known, the node answers either as its ``Node`` says or with the values here. Meanwhile the
/// record keeps the new addresses from being assigned.
package struct PendingReprovision: Hashable, Sendable {
    package var uuid: DeviceUUID
    package var procedure: NodeProvisioningProcedure
    /// The DeviceKey after the reprovisioning.
    package var deviceKey: KeyMaterial
    /// The address of its primary element after the reprovisioning.
    package var address: UnicastAddress
    /// The number of its elements after the reprovisioning, 1...255.
    package var elementCount: UInt8
    package var attemptedAt: Timestamp

    package init(
        uuid: DeviceUUID,
        procedure: NodeProvisioningProcedure,
        deviceKey: KeyMaterial,
        address: UnicastAddress,
        elementCount: UInt8,
        attemptedAt: Timestamp
    ) {
        self.uuid = uuid
        self.procedure = procedure
        self.deviceKey = deviceKey
        self.address = address
        self.elementCount = elementCount
        self.attemptedAt = attemptedAt
    }

    /// The addresses of the node after the reprovisioning.
    package var addresses: ClosedRange<UInt16> {
        let last = min(Int(address.rawValue) + Int(max(elementCount, 1)) - 1, Int(UnicastAddress.last.rawValue))
        return address.rawValue...UInt16(last)
    }
}
