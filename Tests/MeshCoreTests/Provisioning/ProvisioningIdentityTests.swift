import TestSupport
import Testing

@testable import MeshCore

@Suite("IdentityResolver")
struct ProvisioningIdentityTests {
    static let advertisements = Vector.list("proxy", "advertising")

    static func network(nodes: Int, keys: [NetKey]) -> MeshNetwork {
        let uuid = DeviceUUID(rawValue: Octets16(high: 0, low: 0))
        return MeshNetwork(
            uuid: uuid.rawValue,
            name: "test",
            ivIndex: IVIndex(value: 0),
            netKeys: keys,
            provisioners: [],
            ownProvisioner: uuid,
            nodes: (0..<nodes).compactMap { number in
                UnicastAddress(rawValue: UInt16(number * 3 + 1)).map {
                    Node(
                        uuid: DeviceUUID(rawValue: Octets16(high: 1, low: UInt64(number))),
                        name: "\(number)",
                        unicastAddress: $0,
                        deviceKey: nil,
                        netKeys: keys.map { NodeKey(index: $0.index, isUpdated: false) }
                    )
                }
            }
        )
    }

    static func key(_ index: UInt16, _ low: UInt64, old: UInt64? = nil) throws -> NetKey {
        NetKey(
            index: try #require(NetKeyIndex(rawValue: index)),
            name: "\(index)",
            key: KeyMaterial(Octets16(high: 9, low: low)),
            oldKey: old.map { KeyMaterial(Octets16(high: 9, low: $0)) },
            phase: old == nil ? .normal : .keyDistribution
        )
    }

    @Test("the advertisements of the sample are those of its subnet and its node", arguments: advertisements)
    func sample(vector: Vector) throws {
        let bytes = vector.octets("serviceData")
        guard vector.has("netKey") else {
            let advertisement = try ProvisioningAdvertisement(decoding: bytes)
            #expect(advertisement.outOfBandInformation == [.number, .insideManual])
            #expect(advertisement.outOfBandInformation.names == ["number", "inside manual"])
            return
        }
        let key = NetKey(index: .primary, name: "sample", key: vector.key("netKey"))
        var network = Self.network(nodes: 10, keys: [try Self.key(1, 1), key])
        var resolver = IdentityResolver(network)
        let advertisement = try ProxyAdvertisement(decoding: bytes)
        guard vector.has("address") else {
            #expect(resolver.resolve(advertisement) == .subnet(.primary))
            return
        }
        #expect(resolver.resolve(advertisement) == nil)
        network.nodes[5].unicastAddress = vector.unicast("address")
        resolver = IdentityResolver(network)
        for _ in 0..<2 { #expect(resolver.resolve(advertisement) == .node(vector.unicast("address"), .primary)) }
        // A node that does not have the key is nobody.
        network.nodes[5].netKeys = []
        resolver = IdentityResolver(network)
        #expect(resolver.resolve(advertisement) == nil)
    }

    @Test("each of thousands of nodes is recognised by both kinds of node identity")
    func many() throws {
        let keys = [try Self.key(0, 1), try Self.key(1, 2)]
        let network = Self.network(nodes: 3000, keys: keys)
        var resolver = IdentityResolver(network)
        var generator = SplitMix64(seed: 1)
        for number in stride(from: 0, to: 3000, by: 271) {
            let address = network.nodes[number].unicastAddress
            for key in keys {
                let credentials = SubnetCredentials(key.key)
                let random = generator.next()
                let expected = AdvertisedIdentity.node(address, key.index)
                let plain = ProxyAdvertisement.nodeIdentity(of: address, random: random, credentials: credentials)
                #expect(resolver.resolve(plain) == expected)
                let hidden = ProxyAdvertisement.privateNodeIdentity(
                    of: address,
                    random: random,
                    credentials: credentials
                )
                #expect(resolver.resolve(hidden) == expected)
                #expect(resolver.resolve(.nodeIdentity(hash: 1, random: random)) == nil)
                // The two kinds hash different blocks.
                if case .nodeIdentity(let hash, _) = plain {
                    #expect(resolver.resolve(.privateNodeIdentity(hash: hash, random: random)) == nil)
                }
            }
        }
    }

    @Test("both keys count during a key refresh")
    func keyRefresh() throws {
        let key = try Self.key(3, 2, old: 1)
        var resolver = IdentityResolver(Self.network(nodes: 2, keys: [key]))
        let foreign = SubnetCredentials(KeyMaterial(Octets16(high: 9, low: 3)))
        for material in [1, 2] as [UInt64] {
            let credentials = SubnetCredentials(KeyMaterial(Octets16(high: 9, low: material)))
            let subnet = AdvertisedIdentity.subnet(key.index)
            #expect(resolver.resolve(.networkID(credentials.networkID)) == subnet)
            #expect(resolver.resolve(.privateNetworkIdentity(random: 7, credentials: credentials)) == subnet)
            let node = ProxyAdvertisement.nodeIdentity(of: .first, random: 7, credentials: credentials)
            #expect(resolver.resolve(node) == .node(.first, key.index))
        }
        #expect(resolver.resolve(.networkID(foreign.networkID)) == nil)
        #expect(resolver.resolve(.privateNetworkIdentity(random: 7, credentials: foreign)) == nil)
    }

    @Test("whatever strangers advertise, what is remembered stays bounded and right")
    func memory() throws {
        let key = try Self.key(0, 1)
        var resolver = IdentityResolver(Self.network(nodes: 3, keys: [key]))
        let credentials = SubnetCredentials(key.key)
        let own = ProxyAdvertisement.nodeIdentity(of: .first, random: 5, credentials: credentials)
        for number in 0..<UInt64(IdentityResolver.memory + 10) {
            #expect(resolver.resolve(.nodeIdentity(hash: number, random: 1 << 40)) == nil)
            if number % 1000 == 0 { #expect(resolver.resolve(own) == .node(.first, key.index)) }
        }
        #expect(resolver.rememberedCount <= IdentityResolver.memory)
    }

    @Test("many blocks at once are encrypted like one after the other", arguments: [0, 1, 2, 7, 1000])
    func blocks(count: Int) {
        let cipher = AESBlockCipher(key: Octets16(high: 1, low: 2))
        let blocks = (0..<count).map { Octets16(high: UInt64($0), low: UInt64($0) &* 0x9E37_79B9_7F4A_7C15) }
        #expect(cipher.encrypt(blocks) == blocks.map { cipher.encrypt($0) })
    }
}
