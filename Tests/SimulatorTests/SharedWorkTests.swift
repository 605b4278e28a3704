import MeshCore
import TestSupport
import Testing

@testable import Simulator

@Suite("What many nodes compute alike is computed once")
struct SharedWorkTests {
    private struct Run: Equatable {
        var trace: UInt64
        var statistics: WorldStatistics
        var now: Instant
        var violations: [String]
        var answers: [[UInt8]]
        var nodes: [NodeConfigurationState?]
    }

    /// Messages to a group and to single nodes in two subnets, while some nodes already have the next NetKey and an IV
    /// update spreads.
    private func run(_ settings: WorldSettings, shares: Bool) throws -> Run {
        let room = TestNetwork.group(0xC000)
        var network = TestNetwork.network(relays: 8)
        for index in network.nodes.indices.dropFirst() {
            network.nodes[index].appKeys = [0, 1].map { NodeKey(index: TestNetwork.appKey($0)) }
            if index > 6 { network.nodes[index].netKeys.append(NodeKey(index: TestNetwork.netKey(1))) }
            // Some nodes know the key and do not use it.
            guard index % 3 != 0 else { continue }
            network.nodes[index].elements[0].models[2].bindings = [TestNetwork.appKey(0)]
            network.nodes[index].elements[0].models[2].subscriptions = [.group(room)]
        }
        let world = SimulatedWorld(network: network, settings: settings, seed: 11)
        world.sharesWork = shares
        let client = try TestClient.connected(to: world, network: network)
        func command(_ number: UInt8) throws {
            let set: [UInt8] = [0x82, 0x02, number & 1, number]
            try client.send(set, to: .group(room), under: .application(TestNetwork.appKey(0)))
            try client.wait(.seconds(1))
        }
        for number in 0..<4 { try command(UInt8(number)) }
        let update = ConfigNetKeyUpdate(netKeyIndex: .primary, key: TestNetwork.key(0x90))
        for node in network.nodes.dropFirst(6) { _ = try client.request(update, of: node, attempts: 4) }
        client.stack.ivIndex = IVIndex(value: 6, isUpdateInProgress: true)
        let beacon = try #require(client.stack.secureNetworkBeacon(.primary))
        try client.write(ProxyPDU(type: .beacon, payload: beacon))
        for number in 4..<8 { try command(UInt8(number)) }
        for node in network.nodes.dropFirst() {
            _ = try client.request(ConfigCompositionDataGet(page: 0), of: node, attempts: 3)
        }
        return Run(
            trace: world.traceHash,
            statistics: world.statistics,
            now: world.now,
            violations: world.violations,
            answers: client.messages.map(\.payload),
            nodes: network.nodes.map { world.node($0.uuid) }
        )
    }

    @Test(
        "A world whose nodes share what they decrypt behaves like one whose nodes do all the work themselves",
        arguments: WorldSettings.profileNames
    )
    func sharing(profile: String) throws {
        let settings = try #require(WorldSettings.profile(named: profile))
        let shared = try run(settings, shares: true)
        #expect(try run(settings, shares: false) == shared)
        // Something has happened that could differ.
        #expect(shared.answers.count > 20)
        #expect(shared.statistics.heard > 500)
        #expect(shared.nodes.contains { $0?.netKeys.first?.oldKey != nil })
    }

    @Test("The last 32 PDUs are remembered, and only those")
    func recent() {
        let pdus = (0..<40).map { SharedNetworkPDU([UInt8](repeating: 7, count: 20) + [$0]) }
        let heard = SharedRecency(members: 3, capacity: HeardPDU.capacity)
        func isKnown(_ pdu: SharedNetworkPDU) -> Bool {
            var news = HeardPDU(pdu)
            return news.isKnown(to: 1, in: heard)
        }
        func reach(_ pdu: SharedNetworkPDU) -> Bool {
            var news = HeardPDU(pdu)
            return news.reach(1, in: heard)
        }
        #expect(pdus.allSatisfy { reach($0) })
        #expect(pdus.map { isKnown($0) } == (0..<40).map { $0 >= 8 })
        #expect(!reach(pdus[8]) && reach(pdus[0]))
        #expect(!isKnown(pdus[8]) && isKnown(pdus[9]))
        #expect(isKnown(SharedNetworkPDU(pdus[39].octets)), "octets count, not objects")
    }
}

@Suite("Neighbours are kept as long as nothing changes")
struct KeptNeighboursTests {
    @Test("After any change of a node its neighbours are those of a radio that is worked out anew", arguments: 1...4)
    func updates(hops: Int) throws {
        var generator = SeededGenerator(seed: UInt64(hops))
        let canRelay = (0..<50).map { $0 % 3 == 0 }
        let places = RadioPlace.spread(
            hops: hops,
            root: 3,
            canRelay: canRelay,
            bearings: canRelay.map { _ in UInt16(truncatingIfNeeded: generator.next()) },
            kept: canRelay.map { _ in nil }
        )
        var stations = places.map { RadioStation(place: $0, subnets: [], isRelay: false) }
        var radio = RadioNeighbours(stations, root: 3, copyLoss: 0.05)
        #expect(radio.links.isEmpty)
        let guests = TestNetwork.netKey(1)
        for step in 0..<400 {
            let node = Int(generator.microseconds(in: 0...49))
            switch generator.microseconds(in: 0...4) {
            case 0: stations[node].subnets = []
            case 1: stations[node].subnets = [.primary]
            case 2: stations[node].subnets = [.primary, guests]
            case 3: stations[node].subnets = [guests]
            default: stations[node].isRelay = canRelay[node] && !stations[node].isRelay
            }
            radio.update(node, stations[node])
            let anew = RadioNeighbours(stations, root: 3, copyLoss: 0.05)
            try #require(radio.neighbours == anew.neighbours, "step \(step), node \(node)")
        }
        #expect(radio.links.count > 30)
    }

    @Test("Power, losses, links of the client and relays count at once")
    func world() throws {
        var network = TestNetwork.network(relays: 7)
        network.nodes[4].features.proxy = .enabled
        var settings = WorldSettings.ideal
        settings.topology = .hops(2)
        let world = SimulatedWorld(network: network, settings: settings, seed: 1)
        func audiences() -> [[RadioNeighbours.Neighbour]] { world.nodes.indices.map { world.audience(of: $0) } }
        let before = audiences()
        let root = world.rootNode
        let neighbour = try #require(before[root].first)
        let uuid = world.nodes[neighbour.node].state.uuid

        world.setFaults(NodeFaults(isOff: true), of: uuid)
        #expect(!world.audience(of: root).contains { $0.node == neighbour.node })
        #expect(world.audience(of: neighbour.node).isEmpty)
        world.setFaults(NodeFaults(copyLoss: 0.5), of: uuid)
        #expect(audiences() == before)
        #expect(world.copyLoss(from: root, to: neighbour) == 0.5)
        world.setFaults(NodeFaults(), of: uuid)
        #expect(world.copyLoss(from: root, to: neighbour) == 0)

        // The client stands where the root is, so whoever it is connected to hears the root.
        let guest = try #require(world.positions[network.nodes[4].uuid])
        let client = TestClient(SimulatedBearer(world), network: network)
        try client.open(.proxy(AdvertiserIdentifier(of: network.nodes[4].uuid)), filter: false)
        #expect(world.audience(of: guest).first?.node == root)
        #expect(world.audience(of: root).last?.node == guest)
        client.bearer.close(client.link)
        #expect(audiences() == before)

        let silent = try #require(world.nodes.indices.first { $0 != root && world.nodes[$0].isRelay })
        world.change(world.nodes[silent].state.uuid) { $0.relay = .disabled }
        #expect(audiences() != before)
        world.change(world.nodes[silent].state.uuid) { $0.relay = .enabled }
        #expect(audiences() == before)
    }

    @Test("Many nodes may lose power at once")
    func many() {
        var settings = WorldSettings.ideal
        settings.topology = .hops(2)
        let world = SimulatedWorld(network: TestNetwork.network(relays: 7), settings: settings, seed: 1)
        func audiences() -> [[RadioNeighbours.Neighbour]] { world.nodes.indices.map { world.audience(of: $0) } }
        let before = audiences()
        let root = world.rootNode
        let others = world.nodes.indices.filter { $0 != root }.map { world.nodes[$0].state.uuid }
        #expect(others.count > 4)
        for uuid in others { world.setFaults(NodeFaults(isOff: true), of: uuid) }
        #expect(audiences().allSatisfy { $0.isEmpty })
        for uuid in others { world.setFaults(NodeFaults(), of: uuid) }
        #expect(audiences() == before)
    }
}
