import MeshCore
import Simulator
import TestSupport
import Testing

@Suite("SimulatedWorld: faults, checks and state")
struct SimulatedFaultTests {
    private let network = TestNetwork.network(relays: 2)
    private var node: Node { network.nodes[2] }

    private func world(_ settings: WorldSettings = .ideal, state: SimulatorState = SimulatorState()) -> SimulatedWorld {
        SimulatedWorld(network: network, settings: settings, seed: 1, state: state)
    }

    @Test("Off, deaf and mute nodes do not answer; a mute one acts all the same")
    func silentNodes() throws {
        for faults in [NodeFaults(isOff: true), NodeFaults(isDeaf: true), NodeFaults(isMute: true)] {
            let world = world()
            let client = try TestClient.connected(to: world, network: network)
            world.setFaults(faults, of: node.uuid)
            #expect(try client.request(ConfigDefaultTTLSet(ttl: 9), of: node) == nil)
            #expect(world.node(node.uuid)?.defaultTTL == (faults.isMute ? 9 : 5))
            world.setFaults(NodeFaults(), of: node.uuid)
            #expect(try client.request(ConfigDefaultTTLSet(ttl: 10), of: node)?.ttl == 10)
        }
    }

    @Test("A status can be forced, for some requests or for all")
    func forcedStatus() throws {
        let world = world()
        let client = try TestClient.connected(to: world, network: network)
        let add = ConfigAppKeyAdd(netKeyIndex: .primary, appKeyIndex: TestNetwork.appKey(0), key: TestNetwork.key(1))
        world.setFaults(
            NodeFaults(answers: [
                NodeFaults.Answer(opcode: ConfigAppKeyAdd.opcode, status: .storageFailure, count: 2)
            ]),
            of: node.uuid
        )
        #expect(try client.request(add, of: node)?.status == .storageFailure)
        #expect(try client.request(add, of: node)?.status == .storageFailure)
        #expect(world.node(node.uuid)?.appKeys.isEmpty == true)
        #expect(try client.request(add, of: node)?.status == .success)
        world.setFaults(
            NodeFaults(answers: [NodeFaults.Answer(opcode: ConfigNetKeyAdd.opcode, status: .insufficientResources)]),
            of: node.uuid
        )
        for number: UInt16 in 2..<5 {
            let add = ConfigNetKeyAdd(netKeyIndex: TestNetwork.netKey(number), key: TestNetwork.key(1))
            #expect(try client.request(add, of: node)?.status == .insufficientResources)
        }
    }

    @Test("Dropped requests are not acted on")
    func droppedRequests() throws {
        let world = world()
        let client = try TestClient.connected(to: world, network: network)
        world.setFaults(NodeFaults(requestsToDrop: 2), of: node.uuid)
        #expect(try client.request(ConfigDefaultTTLSet(ttl: 9), of: node, attempts: 2) == nil)
        #expect(world.node(node.uuid)?.defaultTTL == 5)
        #expect(try client.request(ConfigDefaultTTLSet(ttl: 9), of: node)?.ttl == 9)
    }

    @Test("A link that the proxy drops is reported closed, and another can be opened")
    func droppedLink() throws {
        var settings = WorldSettings.ideal
        settings.dropsLinkAfterPackets = 5
        let world = world(settings)
        let client = try TestClient.connected(to: world, network: network)
        for _ in 0..<5 where !client.isClosed { _ = try client.request(ConfigDefaultTTLGet(), of: node) }
        #expect(client.isClosed)
        let before = client.link
        try client.open()
        #expect(client.link > before)
        #expect(try client.request(ConfigDefaultTTLGet(), of: node)?.ttl == 5)
        #expect(world.violations == [])
    }

    @Test("A packet out of order ends the link")
    func brokenPackets() throws {
        let world = world()
        let bearer = SimulatedBearer(world)
        let (link, _) = try bearer.opened(.anyProxy)
        try bearer.send([0xC0, 1, 2, 3], on: link)
        var events: [BearerEvent] = []
        while let event = try bearer.next(until: Instant(microseconds: 500_000)) { events.append(event) }
        guard case .closed(link, _)? = events.last else {
            Issue.record("the link is still open")
            return
        }
    }

    @Test("Noise on the link does nothing", arguments: 0..<40)
    func noise(seed: UInt64) throws {
        let world = world()
        let bearer = SimulatedBearer(world)
        let (link, size) = try bearer.opened(.anyProxy)
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<200 {
            let length = Int(generator.next() % UInt64(size + 3))
            try bearer.send((0..<length).map { _ in UInt8(truncatingIfNeeded: generator.next() >> 3) }, on: link)
        }
        while try bearer.next(until: bearer.now.advanced(by: .seconds(30))) != nil {}
        #expect(world.mismatches(against: network) == [])
    }

    @Test("A sequence number that is used twice is noticed, also in another run")
    func reusedSequenceNumber() throws {
        var state = SimulatorState()
        let first = SimulatedWorld(network: network, seed: 1) {
            state.apply($0)
            return true
        }
        let client = try TestClient.connected(to: first, network: network)
        _ = try client.request(ConfigDefaultTTLGet(), of: node)
        #expect(first.violations == [])
        let again = try TestClient.connected(to: first, network: network)
        _ = try again.request(ConfigBeaconGet(), of: node)
        #expect(first.violations.count == 3, "two filter messages and one request")

        let second = world(state: state)
        _ = try TestClient.connected(to: second, network: network)
        #expect(second.violations.count == 2)
        let third = world(state: state)
        let numbers = InMemorySequenceNumbers(next: [TestNetwork.clientAddress: 1_000])
        let careful = try TestClient.connected(to: third, network: network, sequenceNumbers: numbers)
        #expect(try careful.request(ConfigDefaultTTLGet(), of: node) != nil)
        #expect(third.violations == [])
    }

    @Test("A PDU that is sent twice alike is a retransmission, no violation")
    func retransmission() throws {
        let world = world()
        let bearer = SimulatedBearer(world)
        let (link, _) = try bearer.opened(.anyProxy)
        var stack = MeshStack(
            address: TestNetwork.clientAddress,
            elementCount: 1,
            ivIndex: network.ivIndex,
            keys: KeyRing(network),
            sequenceNumbers: InMemorySequenceNumbers()
        )
        let message = OutgoingMessage(
            source: TestNetwork.clientAddress,
            destination: .unicast(node.unicastAddress),
            payload: ConfigDefaultTTLGet().encoded,
            security: .device(node: node.unicastAddress),
            ttl: 5
        )
        for case .transmit(let pdu, _) in try stack.send(message, at: .zero).1 {
            for _ in 0..<3 { try bearer.send([0] + pdu, on: link) }
        }
        while try bearer.next(until: Instant(microseconds: 2_000_000)) != nil {}
        #expect(world.violations == [])
        #expect(world.statistics.requests == 1)
    }

    @Test("A client that takes a node's address or a key the node lacks is noticed")
    func foreignAddressAndKey() throws {
        let world = world()
        let thief = TestClient(SimulatedBearer(world), network: network, address: node.unicastAddress)
        try thief.open()
        #expect(world.violations.contains { $0.contains(node.name) })

        let other = self.world()
        let client = try TestClient.connected(to: other, network: network)
        _ = try client.request(ConfigDefaultTTLGet(), of: node, netKeyIndex: TestNetwork.netKey(1))
        #expect(other.violations.count == 1)
    }

    @Test("What was acknowledged is there in the next run, and nodes go on with fresh sequence numbers")
    func restart() throws {
        var state = SimulatorState()
        var usedByNode: [SequenceRanges] = []
        let numbers = InMemorySequenceNumbers()
        for run in 0..<3 {
            let world = SimulatedWorld(network: network, seed: UInt64(run), state: state) {
                state.apply($0)
                return true
            }
            let client = try TestClient.connected(to: world, network: network, sequenceNumbers: numbers)
            let ttl = UInt8(10 + run)
            if run > 0 { #expect(world.node(node.uuid)?.defaultTTL == ttl - 1) }
            #expect(try client.request(ConfigDefaultTTLSet(ttl: ttl), of: node)?.ttl == ttl)
            #expect(world.violations == [])
            let stream = SequenceStream(source: node.unicastAddress, ivIndex: 5)
            usedByNode.append(try #require(state.used[stream]))
        }
        #expect(usedByNode[0].ranges.count == 1 && usedByNode[2].ranges.count == 3)
    }

    @Test("A node that was heard before a restart refuses what it heard then")
    func replayAcrossRestart() throws {
        var state = SimulatorState()
        let first = SimulatedWorld(network: network, seed: 1) {
            state.apply($0)
            return true
        }
        let client = try TestClient.connected(to: first, network: network)
        #expect(try client.request(ConfigDefaultTTLSet(ttl: 9), of: node) != nil)
        let second = world(state: state)
        let again = try TestClient.connected(to: second, network: network)
        #expect(try again.request(ConfigDefaultTTLSet(ttl: 20), of: node) == nil)
        #expect(second.node(node.uuid)?.defaultTTL == 9)
    }

    @Test("A change that cannot be recorded is neither made nor acknowledged")
    func fullDisk() throws {
        var isFull = false
        let world = SimulatedWorld(network: network, seed: 1) { _ in !isFull }
        let client = try TestClient.connected(to: world, network: network)
        #expect(try client.request(ConfigDefaultTTLSet(ttl: 9), of: node) != nil)
        isFull = true
        #expect(try client.request(ConfigDefaultTTLSet(ttl: 10), of: node) == nil)
        #expect(world.node(node.uuid)?.defaultTTL == 9)
    }

    @Test("The change is on record when its status arrives, and not before the request was sent")
    func recordedFirst() throws {
        var recorded: [UInt8] = []
        let world = SimulatedWorld(network: network, seed: 1) {
            if case .node(let node) = $0, node.uuid == TestNetwork.uuid(1) { recorded.append(node.defaultTTL) }
            return true
        }
        let client = try TestClient.connected(to: world, network: network)
        #expect(recorded == [5])
        #expect(try client.request(ConfigDefaultTTLSet(ttl: 9), of: node)?.ttl == 9)
        #expect(recorded == [5, 9])
    }

    @Test("Differences between database and nodes are named one by one, without keys")
    func mismatches() throws {
        let world = world()
        #expect(world.mismatches(against: network) == [])
        let client = try TestClient.connected(to: world, network: network)
        _ = try client.request(ConfigDefaultTTLSet(ttl: 9), of: node)
        _ = try client.request(
            ConfigAppKeyAdd(netKeyIndex: .primary, appKeyIndex: TestNetwork.appKey(0), key: TestNetwork.key(0x99)),
            of: node
        )
        _ = try client.request(
            ConfigModelAppBind(
                elementAddress: node.unicastAddress,
                appKeyIndex: TestNetwork.appKey(0),
                model: TestNetwork.onOffServer
            ),
            of: node
        )
        let found = world.mismatches(against: network)
        #expect(found.count == 3)
        #expect(found.allSatisfy { $0.hasPrefix(node.name + ": ") })
        var updated = network
        updated.nodes[2].defaultTTL = 9
        updated.nodes[2].appKeys = [NodeKey(index: TestNetwork.appKey(0))]
        updated.nodes[2].elements[0].models[2].bindings = [TestNetwork.appKey(0)]
        #expect(world.mismatches(against: updated) == ["node-1: AppKey 0 has other octets"])
    }
}
