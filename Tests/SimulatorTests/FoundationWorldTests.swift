import MeshCore
import Simulator
import TestSupport
import Testing

@Suite("SimulatedWorld: what follows from the states of 1.1")
struct FoundationWorldTests {
    /// Remembers what a world records.
    private final class Memory {
        var state = SimulatorState()
        var ivIndexes: [DeviceUUID: IVIndex] = [:]

        func record(_ record: StateRecord) -> Bool {
            state.apply(record)
            if case .ivIndex(let node, let ivIndex) = record { ivIndexes[node] = ivIndex }
            return true
        }
    }

    @Test("Segments are sent as the SAR Transmitter state says, also after a restart")
    func timing() throws {
        let node = TestNetwork.node(0, with: [.sarConfigurationServer], proxy: .enabled)
        let network = TestNetwork.network([node])
        let memory = Memory()
        let numbers = InMemorySequenceNumbers()
        func duration(_ client: TestClient) throws -> Duration {
            let start = client.bearer.now
            _ = try #require(try client.request(ConfigCompositionDataGet(page: 0), of: node))
            return start.duration(to: client.bearer.now)
        }
        let world = SimulatedWorld(network: network, seed: 1, recorder: memory.record)
        let client = try TestClient.connected(to: world, network: network, sequenceNumbers: numbers)
        let before = try duration(client)
        var state = SARTransmitterState.standard
        state.segmentIntervalStep = 15
        #expect(try client.request(SARTransmitterSet(state: state), of: node)?.state == state)
        let after = try duration(client)
        // Four segments and so three times 100 ms more; the delay of a response is a little different each time.
        let expected = Duration.milliseconds(240)...Duration.milliseconds(360)
        #expect(expected.contains(after - before))
        let again = SimulatedWorld(network: network, seed: 1, state: memory.state, recorder: memory.record)
        let second = try TestClient.connected(to: again, network: network, sequenceNumbers: numbers)
        let restarted = try duration(second)
        #expect(expected.contains(restarted - before))
    }

    @Test("A proxy with private beacons on tells its clients nothing openly, with a random that changes in time")
    func beaconsForClients() throws {
        let node = TestNetwork.node(0, with: [.privateBeaconServer], proxy: .enabled)
        let network = TestNetwork.network([node])
        let world = SimulatedWorld(network: network, seed: 1)
        let client = try TestClient.connected(to: world, network: network)
        #expect(client.beacons.count == 1 && client.beacons[0].first == 1)
        let set = PrivateBeaconSet(isEnabled: true, randomUpdateIntervalSteps: 60)
        #expect(try client.request(set, of: node)?.isEnabled == true)
        func reopen() throws -> [UInt8] {
            client.bearer.close(client.link)
            try client.open()
            return try #require(client.beacons.last)
        }
        let beacon = try reopen()
        #expect(beacon.count == MeshPrivateBeacon.size && beacon.first == MeshPrivateBeacon.type)
        #expect(try AuthenticBeacon(beacon, under: KeyRing(network))?.ivIndex == network.ivIndex)
        #expect(try reopen() == beacon)
        try client.wait(.seconds(601))
        #expect(try reopen() != beacon)
        let always = PrivateBeaconSet(isEnabled: true, randomUpdateIntervalSteps: 0)
        #expect(try client.request(always, of: node) != nil)
        #expect(try reopen() != reopen())
    }

    @Test("Private beacons carry an IV update over the air where no others are on, and nothing does where none are")
    func beaconsOnAir() throws {
        for isPrivate in [true, false] {
            var first = TestNetwork.node(0, with: [.privateBeaconServer], proxy: .enabled)
            first.secureNetworkBeacon = false
            let network = TestNetwork.network([first, TestNetwork.node(1)])
            let memory = Memory()
            let world = SimulatedWorld(network: network, seed: 1, recorder: memory.record)
            let client = try TestClient.connected(to: world, network: network)
            #expect(try client.request(PrivateBeaconSet(isEnabled: isPrivate), of: first) != nil)
            client.stack.ivIndex = IVIndex(value: 6, isUpdateInProgress: true)
            let beacon = try #require(client.stack.secureNetworkBeacon(.primary))
            try client.write(ProxyPDU(type: .beacon, payload: beacon))
            try client.wait(.seconds(2))
            #expect(memory.ivIndexes[TestNetwork.uuid(0)]?.value == 6)
            #expect(memory.ivIndexes[TestNetwork.uuid(1)]?.value == (isPrivate ? 6 : nil))
            #expect(client.beacons.last?.first == (isPrivate ? 2 : 1))
        }
    }

    @Test("A private proxy is heard by those who have the key, can be connected to, and lets go when switched off")
    func privateProxy() throws {
        let hidden = TestNetwork.node(1, with: [.privateBeaconServer])
        let network = TestNetwork.network([TestNetwork.node(0, proxy: .enabled), hidden])
        let memory = Memory()
        let world = SimulatedWorld(network: network, seed: 1, recorder: memory.record)
        let client = try TestClient.connected(to: world, network: network)
        let advertiser = AdvertiserIdentifier(of: hidden.uuid)
        #expect(throws: BearerError.self) { _ = try client.bearer.opened(.proxy(advertiser)) }
        #expect(try client.request(PrivateGATTProxySet(isEnabled: true), of: hidden)?.state == .enabled)

        let bearer = SimulatedBearer(world)
        let contents = try heard(bearer, from: advertiser, seconds: 1_200)
        #expect(contents.count >= 1_100)
        #expect((2...3).contains(Set(contents).count), "the random changes every ten minutes")
        var resolver = IdentityResolver(network)
        for content in Set(contents) { #expect(resolver.resolve(content) == .subnet(.primary)) }

        client.bearer.close(client.link)
        try client.open(.proxy(advertiser))
        #expect(client.beacons.last?.first == MeshPrivateBeacon.type)
        #expect(memory.state.nodes[hidden.uuid]?.foundation.isPrivateGATTProxyEnabled == true)
        #expect(try client.request(PrivateGATTProxySet(isEnabled: false), of: hidden, ttl: 0)?.state == .disabled)
        try client.wait(.seconds(1))
        #expect(client.isClosed)
    }

    @Test("Private Node Identity is advertised for sixty seconds and names the very node to those who have the key")
    func privateNodeIdentity() throws {
        let hidden = TestNetwork.node(1, with: [.privateBeaconServer])
        let network = TestNetwork.network([TestNetwork.node(0, proxy: .enabled), hidden])
        let world = SimulatedWorld(network: network, seed: 1)
        let client = try TestClient.connected(to: world, network: network)
        let start = PrivateNodeIdentitySet(netKeyIndex: .primary, isEnabled: true)
        #expect(try client.request(start, of: hidden)?.identity == .running)
        let visitor = TestClient(SimulatedBearer(world), network: network)
        try visitor.open(.proxy(AdvertiserIdentifier(of: hidden.uuid)), filter: false)
        try visitor.wait(.milliseconds(200))
        #expect(visitor.beacons.map(\.first) == [MeshPrivateBeacon.type])
        visitor.bearer.close(visitor.link)
        let contents = try heard(SimulatedBearer(world), from: AdvertiserIdentifier(of: hidden.uuid), seconds: 120)
        #expect((58...61).contains(contents.count))
        var resolver = IdentityResolver(network)
        for content in Set(contents) {
            #expect(resolver.resolve(content) == .node(hidden.unicastAddress, .primary))
            guard case .privateNodeIdentity = content else {
                Issue.record("\(content) is not private")
                continue
            }
        }
        #expect(try client.request(PrivateNodeIdentityGet(netKeyIndex: .primary), of: hidden)?.identity == .stopped)
    }

    private func heard(
        _ bearer: SimulatedBearer,
        from advertiser: AdvertiserIdentifier,
        seconds: Int
    ) throws -> [ProxyAdvertisement] {
        try bearer.scan(true)
        let deadline = bearer.now.advanced(by: .seconds(seconds))
        var heard: [ProxyAdvertisement] = []
        while let event = try bearer.next(until: deadline) {
            if case .heard(let advertisement) = event, advertisement.advertiser == advertiser,
                case .proxy(let content) = advertisement.content
            {
                heard.append(content)
            }
        }
        try bearer.scan(false)
        return heard
    }
}

@Suite("SimulatedWorld: subnet bridges")
struct BridgingTests {
    /// A proxy of both subnets that can be a bridge, and a node of the second subnet alone.
    private func site(
        _ addresses: BridgedAddresses?,
        isOn: Bool = true
    ) throws -> (world: SimulatedWorld, client: TestClient, node: Node) {
        var proxy = TestNetwork.node(0, with: [.bridgeConfigurationServer], proxy: .enabled)
        proxy.netKeys.append(NodeKey(index: TestNetwork.netKey(1)))
        var node = TestNetwork.node(1)
        node.netKeys = [NodeKey(index: TestNetwork.netKey(1))]
        let network = TestNetwork.network([proxy, node])
        let world = SimulatedWorld(network: network, seed: 1)
        let client = try TestClient.connected(to: world, network: network)
        // Else it would hear the second subnet itself.
        client.stack.keys.removeNetKey(TestNetwork.netKey(1))
        #expect(try client.request(SubnetBridgeSet(isEnabled: isOn), of: proxy)?.isEnabled == isOn)
        if let addresses {
            let add = BridgingTableAdd(
                directions: addresses.directions,
                subnets: NetKeyIndexPair(first: .primary, second: TestNetwork.netKey(1)),
                firstAddress: addresses.first.address,
                secondAddress: addresses.second
            )
            #expect(try client.request(add, of: proxy)?.status == .success)
        }
        return (world, client, node)
    }

    private func entry(_ directions: BridgingDirections, _ second: UInt16 = 0x20) -> BridgedAddresses {
        BridgedAddresses(
            first: TestNetwork.clientAddress,
            second: Address(rawValue: second),
            directions: directions
        )
    }

    @Test("Requests and answers, segmented too, pass between subnets both ways")
    func bothWays() throws {
        let (world, client, node) = try site(entry(.bothWays))
        #expect(try client.request(ConfigDefaultTTLSet(ttl: 9), of: node)?.ttl == 9)
        #expect(try client.request(ConfigCompositionDataGet(page: 0), of: node)?.page == 0)
        let add = ConfigAppKeyAdd(
            netKeyIndex: TestNetwork.netKey(1),
            appKeyIndex: TestNetwork.appKey(2),
            key: TestNetwork.key(0x22)
        )
        #expect(try client.request(add, of: node)?.status == .success)
        #expect(world.violations == [])
    }

    @Test("One way, the request arrives and its answer does not")
    func oneWay() throws {
        let (world, client, node) = try site(entry(.oneWay))
        #expect(try client.request(ConfigDefaultTTLSet(ttl: 9), of: node) == nil)
        #expect(world.node(node.uuid)?.defaultTTL == 9)
        #expect(world.violations == [])
    }

    @Test("Bridging takes one from the TTL, and nothing with TTL 1 passes", arguments: [UInt8(0), 1, 2])
    func timeToLive(ttl: UInt8) throws {
        let (world, client, node) = try site(entry(.bothWays))
        _ = try client.request(ConfigDefaultTTLSet(ttl: 9), of: node, ttl: ttl)
        #expect(world.node(node.uuid)?.defaultTTL == (ttl == 2 ? 9 : 5))
    }

    @Test("Without an entry for both addresses, or with the bridge off, nothing passes")
    func closed() throws {
        let sites = [try site(nil), try site(entry(.bothWays, 0x21)), try site(entry(.bothWays), isOn: false)]
        for (world, client, node) in sites {
            #expect(try client.request(ConfigDefaultTTLSet(ttl: 9), of: node) == nil)
            #expect(world.node(node.uuid)?.defaultTTL == 5)
            #expect(!world.violations.isEmpty, "the client cannot have meant that")
        }
    }
}
