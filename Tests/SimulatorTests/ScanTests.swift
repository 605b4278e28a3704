import MeshCore
import Simulator
import Testing

@Suite("Scanning a simulated world")
struct ScanTests {
    private let network: MeshNetwork = {
        var both = TestNetwork.node(2, proxy: .enabled)
        both.netKeys.append(NodeKey(index: TestNetwork.netKey(1)))
        return TestNetwork.network([TestNetwork.node(0, proxy: .enabled), TestNetwork.node(1), both])
    }()

    private func advertiser(_ number: Int) -> AdvertiserIdentifier {
        AdvertiserIdentifier(of: TestNetwork.uuid(UInt64(number)))
    }

    private func networkID(_ index: Int) -> Advertisement.Content {
        .proxy(.networkID(SubnetCredentials(network.netKeys[index].key).networkID))
    }

    /// What is heard in so many seconds from now on.
    private func heard(_ bearer: SimulatedBearer, seconds: Int) throws -> [Advertisement] {
        let deadline = bearer.now.advanced(by: .seconds(seconds))
        var heard: [Advertisement] = []
        while let event = try bearer.next(until: deadline) {
            if case .heard(let advertisement) = event { heard.append(advertisement) }
        }
        return heard
    }

    @Test("Every proxy is heard about once a second with the Network IDs of its subnets in turn, others are not")
    func networkIDs() throws {
        let bearer = SimulatedBearer(SimulatedWorld(network: network, seed: 1))
        try bearer.scan(true)
        try bearer.scan(true)
        let all = try heard(bearer, seconds: 20)
        let first = all.filter { $0.advertiser == advertiser(0) }.map(\.content)
        let second = all.filter { $0.advertiser == advertiser(2) }.map(\.content)
        #expect(first.count >= 19 && first.count <= 20 && Set(first) == [networkID(0)])
        #expect(second.count >= 19 && second.count <= 20)
        for (place, content) in second.enumerated() { #expect(content == networkID(place % 2)) }
        #expect(all.count == first.count + second.count)
    }

    @Test("Nothing is heard, and nothing waits to happen, before scanning begins and after it ends")
    func onlyWhileScanning() throws {
        let bearer = SimulatedBearer(SimulatedWorld(network: network, seed: 1))
        #expect(bearer.world.nextEventTime == nil)
        try bearer.scan(true)
        bearer.world.advance(to: bearer.now.advanced(by: .seconds(5)))
        try bearer.scan(false)
        try bearer.scan(false)
        #expect(try heard(bearer, seconds: 20) == [])
        #expect(bearer.world.nextEventTime == nil)
        try bearer.scan(true)
        #expect(try heard(bearer, seconds: 10).count >= 18)
    }

    @Test("Two who scan are told apart: the end of one leaves the other")
    func twoScanners() throws {
        let world = SimulatedWorld(network: network, seed: 1)
        let first = SimulatedBearer(world)
        let second = SimulatedBearer(world)
        try first.scan(true)
        try second.scan(true)
        try second.scan(false)
        #expect(try heard(first, seconds: 10).count >= 18)
    }

    @Test("Node Identity is advertised for sixty seconds instead of the Network ID, and leads to the very node")
    func nodeIdentity() throws {
        let world = SimulatedWorld(network: network, seed: 1)
        let node = try #require(network.nodes.first { $0.uuid == TestNetwork.uuid(2) })
        let client = try TestClient.connected(to: world, network: network)
        let set = ConfigNodeIdentitySet(netKeyIndex: .primary, isEnabled: true)
        #expect(try client.request(set, of: node) != nil)
        client.bearer.close(client.link)

        let bearer = SimulatedBearer(world)
        try bearer.scan(true)
        let all = try heard(bearer, seconds: 120).filter { $0.advertiser == advertiser(2) }.map(\.content)
        var resolver = IdentityResolver(network)
        let identities = all.filter { content in
            guard case .proxy(let proxy) = content else { return false }
            return resolver.resolve(proxy) == .node(node.unicastAddress, .primary)
        }
        #expect(identities.count >= 28 && identities.count <= 31, "every other of a minute")
        #expect(Set(identities).count <= 2, "the random changes now and then, not always")
        #expect(all.filter { $0 == networkID(1) }.count >= 58, "in the other subnet it is as before")
        #expect(all.suffix(50).filter { $0 == networkID(0) }.count == 25)
    }

    @Test("A link to an advertiser leads to that node, and ends once its proxy is switched off")
    func leadsToTheNode() throws {
        let world = SimulatedWorld(network: network, seed: 1)
        let node = try #require(network.nodes.first { $0.uuid == TestNetwork.uuid(2) })
        let client = TestClient(SimulatedBearer(world), network: network)
        try client.open(.proxy(advertiser(2)))
        // With TTL 0 only the node at the other end of the link hears it.
        #expect(try client.request(ConfigDefaultTTLGet(), of: node, ttl: 0)?.ttl == 5)
        #expect(try client.request(ConfigDefaultTTLGet(), of: network.nodes[1], ttl: 0) == nil)
        #expect(try client.request(ConfigGATTProxySet(isEnabled: false), of: node) != nil)
        try client.wait(.seconds(1))
        #expect(client.isClosed)
        #expect(world.violations == [])
        for silent in [1, 2] {
            #expect(throws: BearerError.self) { _ = try client.bearer.opened(.proxy(advertiser(silent))) }
        }
        #expect(throws: BearerError.self) { _ = try client.bearer.opened(.provisioning(advertiser(1))) }
        let nobody = AdvertiserIdentifier(rawValue: [1, 2])
        #expect(throws: BearerError.self) { _ = try client.bearer.opened(.proxy(nobody)) }
    }

    @Test("A node without power or voice is not heard")
    func silent() throws {
        let world = SimulatedWorld(network: network, seed: 1)
        world.setFaults(NodeFaults(isOff: true), of: TestNetwork.uuid(0))
        world.setFaults(NodeFaults(isMute: true), of: TestNetwork.uuid(2))
        let bearer = SimulatedBearer(world)
        try bearer.scan(true)
        #expect(try heard(bearer, seconds: 10) == [])
        world.setFaults(NodeFaults(), of: TestNetwork.uuid(0))
        #expect(try heard(bearer, seconds: 10).count >= 9)
    }

    @Test("A share of the advertisements is lost as on the radio")
    func loss() throws {
        var settings = WorldSettings.ideal
        settings.copyLoss = 0.5
        let bearer = SimulatedBearer(SimulatedWorld(network: network, settings: settings, seed: 1))
        try bearer.scan(true)
        #expect((700...1_300).contains(try heard(bearer, seconds: 1_000).count))
    }

    @Test("The signal is weaker with each hop, keeps to its node, and is the same in every run")
    func signals() throws {
        var settings = WorldSettings.ideal
        settings.topology = .hops(3)
        let network = TestNetwork.network((0..<40).map { TestNetwork.node($0, proxy: .enabled) })
        func signals() throws -> [[Int8]] {
            let bearer = SimulatedBearer(SimulatedWorld(network: network, settings: settings, seed: 7))
            try bearer.scan(true)
            let all = try heard(bearer, seconds: 10)
            return (0..<40).map { number in
                all.filter { $0.advertiser == advertiser(number) }.compactMap(\.signal)
            }
        }
        let first = try signals()
        #expect(try signals() == first)
        for node in first {
            let spread = (node.max() ?? 0) - (node.min() ?? 0)
            #expect(node.count >= 9 && spread <= 4)
        }
        let strongest = first.map { $0.max() ?? .min }
        #expect(strongest[0] >= -58, "the client stands beside the first proxy")
        #expect(strongest.dropFirst().allSatisfy { $0 < -50 })
        #expect((strongest.min() ?? 0) < -74, "some are three hops away")
    }

    @Test("Scanning changes nothing of what else happens")
    func changesNothing() throws {
        func trace(scanning: Bool) throws -> UInt64 {
            let world = SimulatedWorld(network: network, settings: .office, seed: 3)
            let scanner = SimulatedBearer(world)
            let client = try TestClient.connected(to: world, network: network)
            if scanning { try scanner.scan(true) }
            _ = try client.request(ConfigDefaultTTLGet(), of: network.nodes[2])
            return world.traceHash
        }
        #expect(try trace(scanning: true) == trace(scanning: false))
    }

    @Test("During a key refresh the old key is advertised, and from its second phase on the new one")
    func keyRefresh() throws {
        var refreshed = network
        let new = TestNetwork.key(0x99)
        refreshed.netKeys[0].oldKey = refreshed.netKeys[0].key
        refreshed.netKeys[0].key = new
        for place in refreshed.nodes.indices.dropFirst() { refreshed.nodes[place].netKeys[0].progress = .updated }
        for (phase, key) in [(KeyRefreshPhase.keyDistribution, network.netKeys[0].key), (.usingNewKeys, new)] {
            refreshed.netKeys[0].phase = phase
            let bearer = SimulatedBearer(SimulatedWorld(network: refreshed, seed: 1))
            try bearer.scan(true)
            let heard = try heard(bearer, seconds: 3).filter { $0.advertiser == advertiser(0) }
            #expect(!heard.isEmpty)
            #expect(heard.allSatisfy { $0.content == .proxy(.networkID(SubnetCredentials(key).networkID)) })
        }
    }
}
