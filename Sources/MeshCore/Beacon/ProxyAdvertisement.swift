/// The service data with which a node advertises that it is a proxy, Mesh Proxy Service 0x1828 (Mesh Protocol 7.2.2.2):
/// identification type (1), then a Network ID (8), or a hash (8) and a random (8), big-endian.
package enum ProxyAdvertisement: Hashable, Sendable {
    /// Type 0x00: any node of the subnet.
    case networkID(UInt64)
    /// Type 0x01: the node whose address the hash hides.
    case nodeIdentity(hash: UInt64, random: UInt64)
    /// Type 0x02 of 1.1: any node of the subnet; only members of the subnet can tell which subnet.
    case privateNetworkIdentity(hash: UInt64, random: UInt64)
    /// Type 0x03 of 1.1: the node whose address the hash hides.
    case privateNodeIdentity(hash: UInt64, random: UInt64)

    /// Reads service data.
    package init(decoding bytes: [UInt8]) throws(DecodeError) {
        var reader = ByteReader(bytes)
        let type = try reader.readUInt8()
        guard type <= 3 else { throw .unknownType(UInt64(type)) }
        let first = try reader.readUInt64()
        switch type {
        case 0: self = .networkID(first)
        case 1: self = .nodeIdentity(hash: first, random: try reader.readUInt64())
        case 2: self = .privateNetworkIdentity(hash: first, random: try reader.readUInt64())
        default: self = .privateNodeIdentity(hash: first, random: try reader.readUInt64())
        }
        try reader.expectEnd()
    }

    /// The octets of the service data.
    package var encoded: [UInt8] {
        var writer = ByteWriter(capacity: 17)
        func write(_ type: UInt8, _ hash: UInt64, _ random: UInt64) {
            writer.write(type)
            writer.write(hash)
            writer.write(random)
        }
        switch self {
        case .networkID(let identifier):
            writer.write(UInt8(0))
            writer.write(identifier)
        case .nodeIdentity(let hash, let random): write(1, hash, random)
        case .privateNetworkIdentity(let hash, let random): write(2, hash, random)
        case .privateNodeIdentity(let hash, let random): write(3, hash, random)
        }
        return writer.bytes
    }

    package static func nodeIdentity(
        of node: UnicastAddress,
        random: UInt64,
        credentials: SubnetCredentials
    ) -> ProxyAdvertisement {
        .nodeIdentity(hash: hash(node, random, padding: 0, credentials), random: random)
    }

    package static func privateNetworkIdentity(
        random: UInt64,
        credentials: SubnetCredentials
    ) -> ProxyAdvertisement {
        let block = Octets16(high: credentials.networkID, low: random)
        return .privateNetworkIdentity(hash: credentials.identity.encrypt(block).low, random: random)
    }

    package static func privateNodeIdentity(
        of node: UnicastAddress,
        random: UInt64,
        credentials: SubnetCredentials
    ) -> ProxyAdvertisement {
        .privateNodeIdentity(hash: hash(node, random, padding: 3, credentials), random: random)
    }

    /// Whether a member of the subnet with those credentials advertises this.
    ///
    /// - Parameter node: the node that a node identity must name; a network identity names every node of the subnet.
    package func names(_ node: UnicastAddress, credentials: SubnetCredentials) -> Bool {
        switch self {
        case .networkID(let identifier): identifier == credentials.networkID
        case .nodeIdentity(_, let random):
            self == .nodeIdentity(of: node, random: random, credentials: credentials)
        case .privateNetworkIdentity(_, let random):
            self == .privateNetworkIdentity(random: random, credentials: credentials)
        case .privateNodeIdentity(_, let random):
            self == .privateNodeIdentity(of: node, random: random, credentials: credentials)
        }
    }

    /// The index of the node that a node identity names; nil if it names none of them. One call encrypts the blocks of
    /// all nodes.
    func index(in nodes: [UnicastAddress], credentials: SubnetCredentials) -> Int? {
        let (padding, hash, random): (UInt64, UInt64, UInt64)
        switch self {
        case .networkID, .privateNetworkIdentity: return nil
        case .nodeIdentity(let advertised, let value): (padding, hash, random) = (0, advertised, value)
        case .privateNodeIdentity(let advertised, let value): (padding, hash, random) = (3, advertised, value)
        }
        let blocks = nodes.map { ProxyAdvertisement.block($0, random, padding: padding) }
        return credentials.identity.encrypt(blocks).firstIndex { $0.low == hash }
    }

    private static func hash(
        _ node: UnicastAddress,
        _ random: UInt64,
        padding: UInt64,
        _ credentials: SubnetCredentials
    ) -> UInt64 {
        credentials.identity.encrypt(block(node, random, padding: padding)).low
    }

    private static func block(_ node: UnicastAddress, _ random: UInt64, padding: UInt64) -> Octets16 {
        Octets16(high: padding << 16 | random >> 48, low: random << 16 | UInt64(node.rawValue))
    }
}
