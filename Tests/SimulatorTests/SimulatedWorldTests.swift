import MeshCore
import Simulator
import Testing

@Suite("SimulatedWorld: a client's conversation with nodes")
struct SimulatedWorldTests {
    @Test("The composition of a node arrives in segments and decodes")
    func composition() throws {
        let network = TestNetwork.network(relays: 2)
        let world = SimulatedWorld(network: network, seed: 1)
        let client = try TestClient.connected(to: world, network: network)
        let node = network.nodes[2]
        let status = try #require(try client.request(ConfigCompositionDataGet(page: 0), of: node))
        let composition = try Composition(page0: status.data)
        #expect(composition.elements.map(\.models) == node.elements.map { $0.models.map(\.identifier) })
        #expect(client.messages.contains { $0.isSegmented })
        #expect(world.violations == [])
    }

    @Test("A segmented AppKey Add is acknowledged, carried out, and answered")
    func addAppKey() throws {
        let network = TestNetwork.network(relays: 1)
        let world = SimulatedWorld(network: network, seed: 1)
        let client = try TestClient.connected(to: world, network: network)
        for node in network.nodes.dropFirst() {
            let add = ConfigAppKeyAdd(
                netKeyIndex: .primary,
                appKeyIndex: TestNetwork.appKey(0),
                key: TestNetwork.key(0x20)
            )
            #expect(try client.request(add, of: node)?.status == .success)
            #expect(world.node(node.uuid)?.appKeys.map(\.key) == [TestNetwork.key(0x20)])
        }
        #expect(world.violations == [])
    }

    @Test("After connecting the proxy sends a beacon for each subnet, authentic and with the IV index")
    func beacons() throws {
        let network = TestNetwork.network(relays: 1)
        let world = SimulatedWorld(network: network, seed: 1)
        let client = try TestClient.connected(to: world, network: network)
        #expect(client.beacons.count == 1)
        let beacon = try SecureNetworkBeacon(decoding: try #require(client.beacons.first))
        #expect(beacon.ivIndex == network.ivIndex)
        #expect(client.filterStatuses.last == .filterStatus(.acceptList, listSize: 1))
    }

    @Test("A chain of relays carries a message as far as its TTL allows", arguments: [1, 2, 3, 4])
    func hops(hops: Int) throws {
        let network = TestNetwork.network(relays: 4)
        let uuids = network.nodes.dropFirst().map(\.uuid)
        var settings = WorldSettings.ideal
        settings.topology = .links(zip(uuids, uuids.dropFirst()).map { WorldSettings.RadioLink($0, $1) })
        let world = SimulatedWorld(network: network, settings: settings, seed: 1)
        let client = try TestClient.connected(to: world, network: network)
        let node = network.nodes[1 + hops]
        let tooSmall = try client.request(ConfigDefaultTTLGet(), of: node, ttl: UInt8(hops))
        #expect(tooSmall == nil, "the proxy takes one, then every relay")
        #expect(try client.request(ConfigDefaultTTLGet(), of: node, ttl: UInt8(hops + 1))?.ttl == 5)
    }

    @Test("TTL 0 reaches the proxy node alone, which answers with TTL 0")
    func direct() throws {
        let network = TestNetwork.network(relays: 1)
        let world = SimulatedWorld(network: network, seed: 1)
        let client = try TestClient.connected(to: world, network: network)
        #expect(try client.request(ConfigDefaultTTLGet(), of: network.nodes[1], ttl: 0)?.ttl == 5)
        #expect(client.messages.last?.ttl == 0)
        #expect(try client.request(ConfigDefaultTTLGet(), of: network.nodes[2], ttl: 0) == nil)
    }

    @Test("A relay that is switched off cuts off what lies behind it")
    func relayOff() throws {
        let network = TestNetwork.network(relays: 2)
        let uuids = network.nodes.dropFirst().map(\.uuid)
        var settings = WorldSettings.ideal
        settings.topology = .links(zip(uuids, uuids.dropFirst()).map { WorldSettings.RadioLink($0, $1) })
        let world = SimulatedWorld(network: network, settings: settings, seed: 1)
        let client = try TestClient.connected(to: world, network: network)
        let behind = network.nodes[3]
        #expect(try client.request(ConfigRelayGet(), of: behind)?.state == .enabled)
        let off = ConfigRelaySet(isEnabled: false, retransmit: TransmitParameters(octet: 0))
        #expect(try client.request(off, of: network.nodes[2])?.state == .disabled)
        #expect(try client.request(ConfigRelayGet(), of: behind) == nil)
    }

    @Test("With a fifth of all copies lost on each of two hops everything arrives in the end")
    func losses() throws {
        let network = TestNetwork.network(relays: 6)
        var settings = WorldSettings.office
        settings.topology = .hops(2)
        settings.copyLoss = 0.2
        let world = SimulatedWorld(network: network, settings: settings, seed: 7)
        let client = try TestClient.connected(to: world, network: network)
        for node in network.nodes.dropFirst() {
            let add = ConfigAppKeyAdd(
                netKeyIndex: .primary,
                appKeyIndex: TestNetwork.appKey(0),
                key: TestNetwork.key(0x20)
            )
            #expect(try client.request(add, of: node, attempts: 10)?.status == .success)
            #expect(try client.request(ConfigCompositionDataGet(page: 0), of: node, attempts: 10) != nil)
        }
        #expect(world.statistics.lost > 0)
        #expect(world.violations == [])
    }

    @Test("The smallest ATT_MTU cuts every PDU to packets of 20 octets, both ways")
    func smallPackets() throws {
        let network = TestNetwork.network(relays: 1)
        var settings = WorldSettings.ideal
        settings.maximumPacketSize = 20
        let world = SimulatedWorld(network: network, settings: settings, seed: 1)
        let client = try TestClient.connected(to: world, network: network)
        #expect(try client.request(ConfigCompositionDataGet(page: 0), of: network.nodes[2]) != nil)
        #expect(client.longestPacket == 20)
        #expect(world.statistics.packetsToClient > client.networkPDUs + client.beacons.count)
    }

    @Test("Nothing passes the filter before the client has sent or asked for anything")
    func filter() throws {
        let network = TestNetwork.network(relays: 1)
        let world = SimulatedWorld(network: network, seed: 1)
        let talker = try TestClient.connected(to: world, network: network)
        let silent = world.connect(to: .anyProxy)
        for _ in 0..<3 { _ = try talker.request(ConfigDefaultTTLGet(), of: network.nodes[2]) }
        #expect(talker.messages.count == 3)
        #expect(talker.foreignPackets[silent] == 1, "the beacon alone")
        #expect(world.openLinks == [talker.link, silent])
    }

    @Test("Without setting its filter a client hears answers, since its source address is added")
    func implicitFilter() throws {
        let network = TestNetwork.network(relays: 1)
        let world = SimulatedWorld(network: network, seed: 1)
        let client = TestClient(SimulatedBearer(world), network: network)
        try client.open(filter: false)
        #expect(try client.request(ConfigDefaultTTLGet(), of: network.nodes[2])?.ttl == 5)
        try client.configure(.removeAddresses([TestNetwork.clientAddress.address]))
        #expect(client.filterStatuses.last == .filterStatus(.acceptList, listSize: 0))
        try client.configure(.setFilterType(.rejectList))
        #expect(try client.request(ConfigDefaultTTLGet(), of: network.nodes[2])?.ttl == 5)
    }

    @Test("Without a proxy that is on and powered a link cannot be opened")
    func noProxy() throws {
        let network = TestNetwork.network([TestNetwork.node(0)])
        let none = SimulatedBearer(SimulatedWorld(network: network, seed: 1))
        #expect(throws: BearerError.self) { _ = try none.opened(.anyProxy) }

        let proxies = TestNetwork.network([
            TestNetwork.node(0, proxy: .enabled), TestNetwork.node(1, proxy: .enabled),
        ])
        let world = SimulatedWorld(network: proxies, seed: 1)
        let bearer = SimulatedBearer(world)
        world.setFaults(NodeFaults(isOff: true), of: proxies.nodes[1].uuid)
        let link = try bearer.opened(.anyProxy).link
        world.setFaults(NodeFaults(isOff: true), of: proxies.nodes[2].uuid)
        let other = try bearer.connect(to: .anyProxy)
        var closed: [LinkIdentifier: BearerError] = [:]
        while let event = try bearer.next(until: Instant(microseconds: 1_000_000)) {
            if case .closed(let link, let error) = event { closed[link] = error }
        }
        #expect(closed[link]?.message == "the node lost power")
        #expect(closed[other]?.message == "no simulated proxy node has power")
    }

    @Test("Switching the proxy off ends its links after the status")
    func proxySwitchedOff() throws {
        let network = TestNetwork.network(relays: 1)
        let world = SimulatedWorld(network: network, seed: 1)
        let client = try TestClient.connected(to: world, network: network)
        #expect(try client.request(ConfigGATTProxySet(isEnabled: false), of: network.nodes[1])?.state == .disabled)
        try client.wait(.seconds(1))
        #expect(client.isClosed)
        #expect(world.openLinks.isEmpty)
    }

    @Test("A node that was reset is silent, also in a later run")
    func reset() throws {
        let network = TestNetwork.network(relays: 2)
        var state = SimulatorState()
        let world = SimulatedWorld(network: network, seed: 1) {
            state.apply($0)
            return true
        }
        let client = try TestClient.connected(to: world, network: network)
        #expect(try client.request(ConfigNodeReset(), of: network.nodes[3]) != nil)
        #expect(try client.request(ConfigDefaultTTLGet(), of: network.nodes[3]) == nil)
        #expect(state.nodes[network.nodes[3].uuid]?.isProvisioned == false)
        let later = SimulatedWorld(network: network, seed: 2, state: state)
        #expect(later.node(network.nodes[3].uuid)?.isProvisioned == false)
        #expect(later.mismatches(against: network).count >= 1)
    }

    @Test("The same seed gives the same run to the octet, another seed another")
    func determinism() throws {
        func run(_ seed: UInt64) throws -> (UInt64, WorldStatistics, Instant) {
            let network = TestNetwork.network(relays: 5)
            var settings = WorldSettings.office
            settings.copyLoss = 0.2
            let world = SimulatedWorld(network: network, settings: settings, seed: seed)
            let client = try TestClient.connected(to: world, network: network)
            for node in network.nodes.dropFirst() {
                _ = try client.request(ConfigCompositionDataGet(page: 0), of: node, attempts: 3)
            }
            return (world.traceHash, world.statistics, world.now)
        }
        let first = try run(3)
        #expect(try run(3) == first)
        #expect(try run(4).0 != first.0)
    }

    @Test("A key refresh is carried through by requests secured with the right keys")
    func keyRefresh() throws {
        var network = TestNetwork.network(relays: 2)
        let world = SimulatedWorld(network: network, settings: .ideal, seed: 1)
        let client = try TestClient.connected(to: world, network: network)
        let old = network.netKeys[0].key
        let new = TestNetwork.key(0x90)
        for node in network.nodes.dropFirst() {
            #expect(
                try client.request(ConfigNetKeyUpdate(netKeyIndex: .primary, key: new), of: node)?.status == .success
            )
        }
        network.netKeys[0].oldKey = old
        network.netKeys[0].key = new
        network.netKeys[0].phase = .keyDistribution
        client.stack.keys.set(network.netKeys[0])
        // The last node first, since beacons of the proxy take the others along.
        for node in network.nodes.dropFirst().reversed() {
            let phase = ConfigKeyRefreshPhaseSet(netKeyIndex: .primary, transition: .useNewKeys)
            #expect(try client.request(phase, of: node)?.phase == .usingNewKeys)
        }
        client.stack.keys.setPhase(.usingNewKeys, of: .primary)
        for node in network.nodes.dropFirst().reversed() {
            let phase = ConfigKeyRefreshPhaseSet(netKeyIndex: .primary, transition: .revokeOldKeys)
            #expect(try client.request(phase, of: node)?.phase == .normal)
        }
        network.netKeys[0].oldKey = nil
        network.netKeys[0].phase = .normal
        client.stack.keys.set(network.netKeys[0])
        #expect(try client.request(ConfigDefaultTTLGet(), of: network.nodes[2])?.ttl == 5)
        #expect(world.mismatches(against: network) == [])
        #expect(world.violations == [])
    }

    @Test("An IV update that a client announces spreads over the nodes, and the conversation goes on")
    func ivUpdate() throws {
        let network = TestNetwork.network(relays: 2)
        var recorded: [DeviceUUID] = []
        let world = SimulatedWorld(network: network, seed: 1) {
            if case .ivIndex(let node, let ivIndex) = $0, ivIndex == IVIndex(value: 6, isUpdateInProgress: true) {
                recorded.append(node)
            }
            return true
        }
        let client = try TestClient.connected(to: world, network: network)
        client.stack.ivIndex = IVIndex(value: 6, isUpdateInProgress: true)
        let beacon = try #require(client.stack.secureNetworkBeacon(.primary))
        try client.write(ProxyPDU(type: .beacon, payload: beacon))
        try client.wait(.seconds(2))
        #expect(Set(recorded) == Set(network.nodes.dropFirst().map(\.uuid)))
        #expect(client.beacons.last == beacon)
        #expect(try client.request(ConfigDefaultTTLGet(), of: network.nodes[3])?.ttl == 5)
        #expect(world.violations == [])
    }

    @Test("Where nodes stand outlives a change of their relays, and a run with other hops")
    func topologyIsKept() throws {
        let network = TestNetwork.network(relays: 5)
        var settings = WorldSettings.ideal
        settings.topology = .hops(3)
        var state = SimulatorState()
        _ = SimulatedWorld(network: network, settings: settings, seed: 1) {
            state.apply($0)
            return true
        }
        let before = state
        #expect(before.places.count == 6 && before.hops == 3 && before.root == network.nodes[1].uuid)
        var changed = network
        for index in changed.nodes.indices.dropFirst() { changed.nodes[index].features.relay = .disabled }
        changed.nodes.append(TestNetwork.node(50))
        settings.topology = .hops(1)
        let world = SimulatedWorld(network: changed, settings: settings, seed: 2, state: state) {
            state.apply($0)
            return true
        }
        let added = try #require(changed.nodes.last)
        #expect(state.places.filter { $0.key != added.uuid } == before.places)
        #expect(state.hops == 3)
        let client = try TestClient.connected(to: world, network: changed)
        #expect(try client.request(ConfigDefaultTTLGet(), of: added, attempts: 8)?.ttl == 5)
    }

    @Test("All relays but one are switched off, whichever they are, and every node goes on answering")
    func relaysSwitchedOff() throws {
        for (kept, settings) in [(3, WorldSettings.office), (8, .office), (4, .harsh), (11, .harsh)] {
            let network = TestNetwork.network(relays: 14)
            let world = SimulatedWorld(network: network, settings: settings, seed: 3)
            let client = try TestClient.connected(to: world, network: network)
            let off = ConfigRelaySet(isEnabled: false, retransmit: TransmitParameters(octet: 0))
            for (number, node) in network.nodes.dropFirst(2).enumerated() where number != kept {
                #expect(try client.request(off, of: node, attempts: 20)?.state == .disabled)
            }
            for node in network.nodes.dropFirst() {
                #expect(try client.request(ConfigDefaultTTLGet(), of: node, attempts: 20)?.ttl == 5)
            }
            #expect(world.violations == [])
        }
    }

    @Test("Every profile carries a configuration through", arguments: WorldSettings.profileNames)
    func profiles(name: String) throws {
        let network = TestNetwork.network(relays: 5)
        let settings = try #require(WorldSettings.profile(named: name))
        let world = SimulatedWorld(network: network, settings: settings, seed: 11)
        let client = try TestClient.connected(to: world, network: network)
        for node in network.nodes.dropFirst() {
            let set = ConfigDefaultTTLSet(ttl: 6)
            #expect(try client.request(set, of: node, ttl: 7, attempts: 12)?.ttl == 6)
        }
        #expect(world.violations == [])
        #expect(WorldSettings.profile(named: "quiet") == nil)
    }

    @Test("A link can be opened to a node without proxy, which then takes messages for itself alone")
    func namedNode() throws {
        let network = TestNetwork.network(relays: 2)
        var settings = WorldSettings.ideal
        settings.proxy = network.nodes[2].uuid
        let world = SimulatedWorld(network: network, settings: settings, seed: 1)
        let client = try TestClient.connected(to: world, network: network)
        #expect(try client.request(ConfigDefaultTTLGet(), of: network.nodes[2])?.ttl == 5)
        #expect(try client.request(ConfigDefaultTTLGet(), of: network.nodes[3]) == nil)
        let stranger = AdvertiserIdentifier(of: TestNetwork.uuid(0xABCD))
        #expect(throws: BearerError.self) { _ = try client.bearer.opened(.proxy(stranger)) }
    }

    @Test("Two links to two proxies work side by side")
    func twoLinks() throws {
        let network = TestNetwork.network([
            TestNetwork.node(0, proxy: .enabled), TestNetwork.node(1, proxy: .enabled),
        ])
        let world = SimulatedWorld(network: network, seed: 1)
        let first = world.connect(to: .proxy(AdvertiserIdentifier(of: network.nodes[1].uuid)))
        let second = world.connect(to: .proxy(AdvertiserIdentifier(of: network.nodes[2].uuid)))
        world.advance(to: Instant(microseconds: 100_000))
        let links = world.drain().compactMap { event -> LinkIdentifier? in
            guard case .received(let link, _) = event else { return nil }
            return link
        }
        #expect(links == [first, second])
        world.disconnect(first)
        #expect(world.openLinks == [second])
    }

    @Test("Ten thousand nodes are set up and one of them is configured")
    func manyNodes() throws {
        var nodes = (0..<10_000).map { number in
            var node = TestNetwork.node(0, relay: number % 50 == 1 ? .enabled : .disabled)
            node.uuid = TestNetwork.uuid(UInt64(number))
            node.name = "node-\(number)"
            node.unicastAddress = TestNetwork.address(UInt16(0x10 + 2 * number))
            return node
        }
        nodes[0].features.proxy = .enabled
        let network = TestNetwork.network(nodes)
        var settings = WorldSettings.ideal
        settings.topology = .hops(8)
        let world = SimulatedWorld(network: network, settings: settings, seed: 1)
        #expect(world.nodeIdentifiers.count == 10_000)
        let client = try TestClient.connected(to: world, network: network)
        #expect(try client.request(ConfigDefaultTTLSet(ttl: 9), of: network.nodes[9_999], ttl: 20)?.ttl == 9)
    }
}
