internal import MeshCore

extension MeshNetwork {
    /// A network of nobody but ourselves: a new primary NetKey, one provisioner that owns all addresses, and its node
    /// at 0x0001.
    ///
    /// - Parameter generator: cryptographically secure outside tests.
    static func empty(named name: String, using generator: inout some RandomNumberGenerator) -> MeshNetwork {
        let provisioner = DeviceUUID(rawValue: .randomUUID(using: &generator))
        let ourselves = Node(
            uuid: provisioner,
            name: "meshplan",
            unicastAddress: .first,
            deviceKey: .random(using: &generator),
            elements: [
                Element(models: [Model(identifier: .configurationServer), Model(identifier: .configurationClient)])
            ],
            netKeys: [NodeKey(index: .primary)]
        )
        return MeshNetwork(
            uuid: .randomUUID(using: &generator),
            name: name,
            ivIndex: IVIndex(value: 0),
            netKeys: [NetKey(index: .primary, name: "primary", key: .random(using: &generator))],
            provisioners: [
                Provisioner(
                    name: "meshplan",
                    uuid: provisioner,
                    unicastRanges: [0x0001...0x7FFF],
                    groupRanges: [GroupAddress.assignable],
                    sceneRanges: [0x0001...0xFFFF]
                )
            ],
            ownProvisioner: provisioner,
            nodes: [ourselves]
        )
    }
}

extension Octets16 {
    /// A random UUID of version 4 (RFC 9562, section 5.4).
    static func randomUUID(using generator: inout some RandomNumberGenerator) -> Octets16 {
        Octets16(
            high: generator.next() & 0xFFFF_FFFF_FFFF_0FFF | 0x4000,
            low: generator.next() & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
        )
    }
}
