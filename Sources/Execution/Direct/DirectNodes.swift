package import MeshCore

/// Devices and nodes that are reached without a radio, because they are values in this process.
package protocol DirectNodes: AnyObject {
    /// How many elements a device has that is in no network; nil if there is no such device.
    func elementCount(ofDevice uuid: DeviceUUID) -> Int?

    /// Makes a device a node, as provisioning does.
    ///
    /// - Returns: false if there is no such device.
    func provision(_ uuid: DeviceUUID, with data: ProvisioningData, deviceKey: KeyMaterial) -> Bool

    /// Hands a request to a node.
    ///
    /// - Returns: the access payload of its answer; nil if it does not answer at once.
    func answer(to request: DirectRequest) -> [UInt8]?
}

/// A request that a node gets as its stack would hand it to its models.
package struct DirectRequest {
    package let node: DeviceUUID
    package let source: UnicastAddress
    /// The element that is asked.
    package let destination: UnicastAddress
    /// The access payload. It may contain keys.
    package let payload: [UInt8]
    /// The key that secures request and answer.
    package let security: MessageSecurity
    package let subnet: NetKeyIndex
}
