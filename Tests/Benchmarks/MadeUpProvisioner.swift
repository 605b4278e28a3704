import MeshCore

/// The provisioner of made-up networks, which is their only one.
enum MadeUpProvisioner {
    static let uuid = DeviceUUID(rawValue: Octets16(high: 0xA0, low: 1))

    /// What it may give away: all addresses.
    static let provisioner = Provisioner(
        name: "meshplan",
        uuid: uuid,
        unicastRanges: [0x0001...0x7FFF],
        groupRanges: [0xC000...0xFEFF]
    )

    /// Its node, at the first address.
    static func node(using generator: inout some RandomNumberGenerator) throws -> Node {
        guard let own = UnicastAddress(rawValue: 1) else { throw BenchmarkFailure("there is no address 1") }
        return Node(
            uuid: uuid,
            name: "meshplan",
            unicastAddress: own,
            deviceKey: .random(using: &generator),
            elements: [Element(models: [Model(identifier: .configurationClient)])],
            netKeys: [NodeKey(index: .primary)]
        )
    }
}
