import DefinitionModel
import MeshCore
import Planning

/// What is remembered of devices.
extension NetworkRecord {
    /// Remembers something of a device.
    ///
    /// - Parameter key: makes the key of a new memory.
    mutating func remember(
        _ uuid: DeviceUUID,
        key: () -> KeyMaterial,
        _ change: (inout DeviceMemory) -> Void
    ) {
        let former = header.deviceMemories[uuid]
        var memory = former ?? DeviceMemory(uuid: uuid, key: key())
        change(&memory)
        guard memory != former else { return }
        header.deviceMemories[uuid] = memory
        unsaved.changeMemory(of: uuid)
    }

    /// Takes back that a value was given away.
    mutating func withdraw(_ value: StaticOutOfBandValue, of uuid: DeviceUUID) {
        guard header.deviceMemories[uuid]?.isUsed(value) == true else { return }
        header.deviceMemories[uuid]?.withdraw(value)
        unsaved.changeMemory(of: uuid)
    }

    /// Who knew HMAC-SHA256, if a device should know it, too: the device itself, or a node of the same product.
    func witnessOfHMAC(_ order: ProvisioningOrder) -> HMACWitness? {
        if header.deviceMemories[order.uuid]?.knowsHMAC == true { return .itself }
        guard let product = order.product else { return nil }
        let isKnown = nodes.contains { node in
            node.product.map { ProductIdentifier(company: $0.company, product: $0.product) } == product
                && (node.authentication?.algorithm == .hmacSHA256
                    || header.deviceMemories[node.uuid]?.knowsHMAC == true)
        }
        return isKnown ? .product : nil
    }
}

/// Who has shown that a device should know HMAC-SHA256.
package enum HMACWitness: Hashable, Sendable {
    /// The device itself, earlier.
    case itself
    /// A node of the same product.
    case product
}
