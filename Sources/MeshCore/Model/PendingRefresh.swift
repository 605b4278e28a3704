/// A node that was about to get a new DeviceKey, and perhaps a new address, over its Node Provisioning Protocol
/// Interface when it was last heard of (Mesh Protocol 1.1, 3.11.8): written before its provisioning data leaves.
///
/// Until it is found out, the node answers either as its ``Node`` says or under what stands here; the record holds the
/// new addresses meanwhile.
package struct PendingRefresh: Hashable, Sendable {
    /// The node.
    package var uuid: DeviceUUID
    /// What is done to it.
    package var procedure: NodeProvisioningProcedure
    /// The DeviceKey that it will have.
    package var deviceKey: KeyMaterial
    /// The address of its primary element afterwards.
    package var address: UnicastAddress
    /// How many elements it has afterwards, 1...255.
    package var elementCount: UInt8
    /// When that was tried.
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

    /// The addresses that the node has afterwards.
    package var addresses: ClosedRange<UInt16> {
        let last = min(Int(address.rawValue) + Int(max(elementCount, 1)) - 1, Int(UnicastAddress.last.rawValue))
        return address.rawValue...UInt16(last)
    }
}
