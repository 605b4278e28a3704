import MeshCore
import TestSupport

/// A device with that number.
func device(_ number: UInt64) -> DeviceUUID { DeviceUUID(rawValue: Octets16(high: 0xD0, low: number)) }

/// A key with that number.
func key(_ number: UInt64) -> KeyMaterial { KeyMaterial(Octets16(high: 0x5EC2E7, low: number)) }

func unicast(_ value: Int) throws -> UnicastAddress {
    try required(UInt16(exactly: value).flatMap(UnicastAddress.init))
}

/// A node with so many elements at an address.
func node(_ number: UInt64, at address: Int, elements: Int = 1) throws -> Node {
    Node(
        uuid: device(number),
        name: "node-\(number)",
        unicastAddress: try unicast(address),
        deviceKey: key(number),
        elements: Array(repeating: Element(models: [Model(identifier: .configurationServer)]), count: elements),
        netKeys: [NodeKey(index: .primary)]
    )
}

/// A device that may have become a node with so many elements at an address.
func pending(
    _ number: UInt64,
    at address: Int,
    elements: UInt8 = 1,
    keys: [UInt64]? = nil
) throws
    -> PendingProvisioning
{
    PendingProvisioning(
        uuid: device(number),
        name: "pending-\(number)",
        address: try unicast(address),
        elementCount: elements,
        deviceKeys: (keys ?? [number]).map(key),
        netKeyIndex: .primary,
        isSecurelyProvisioned: true,
        attemptedAt: Timestamp(rawValue: 1)
    )
}

/// A network whose own provisioner, device 1, has those unicast ranges and whose IV index is 10.
func network(ranges: [ClosedRange<UInt16>] = [1...0x7FFF], nodes: [Node] = []) -> MeshNetwork {
    MeshNetwork(
        uuid: Octets16(high: 1, low: 1),
        name: "house",
        ivIndex: IVIndex(value: 10),
        netKeys: [NetKey(index: .primary, name: "primary", key: key(0))],
        provisioners: [Provisioner(name: "me", uuid: device(1), unicastRanges: ranges)],
        ownProvisioner: device(1),
        nodes: nodes
    )
}
