import MeshCore
import Simulator
import Testing

@Suite("SimulatedWorld: real nodes beside the simulated ones")
struct StrangersTests {
    /// A proxy and a relay in one world, and another node of their network in a second one, which stands for a real node.
    private func worlds(
        settings: WorldSettings = .ideal
    ) -> (network: MeshNetwork, world: SimulatedWorld, other: SimulatedWorld) {
        let network = TestNetwork.network(relays: 2)
        let world = SimulatedWorld(
            network: TestNetwork.network(Array(network.nodes[1...2])),
            settings: settings,
            seed: 1
        )
        let other = SimulatedWorld(network: TestNetwork.network([network.nodes[3]]), settings: settings, seed: 2)
        return (network, world, other)
    }

    @Test("A client of a simulated proxy reaches a node that only hears the air, and the node's answer comes back")
    func configured() throws {
        let (network, world, other) = worlds()
        let client = TestClient(JoinedBearer(world, other), network: network)
        try client.open()
        let node = network.nodes[3]
        #expect(try client.request(ConfigDefaultTTLSet(ttl: 9), of: node)?.ttl == 9)
        #expect(other.node(node.uuid)?.defaultTTL == 9)
        // A segmented answer needs acknowledgments the other way.
        let composition = try client.request(ConfigCompositionDataGet(page: 0), of: node)
        #expect(composition.map { $0.data.count > 20 } == true)
        #expect(world.violations == [] && other.violations == [])
    }

    @Test("Without the port nobody hears them, and without them the world is the same to the octet")
    func closedPort() throws {
        let (network, world, other) = worlds()
        let client = try TestClient.connected(to: world, network: network)
        #expect(try client.request(ConfigDefaultTTLGet(), of: network.nodes[3], patience: .seconds(1)) == nil)
        let alone = world.traceHash

        let (_, again, stranger) = worlds()
        again.onAir = { _ in }
        let second = try TestClient.connected(to: again, network: network)
        #expect(try second.request(ConfigDefaultTTLGet(), of: network.nodes[3], patience: .seconds(1)) == nil)
        #expect(again.traceHash == alone)
        #expect(other.statistics.heard == 0 && stranger.statistics.heard == 0)
    }

    @Test("They hear the beacon of each subnet once when beacons are due, and nothing of a node without power")
    func beacons() throws {
        let (network, world, _) = worlds()
        var heard: [AirPacket] = []
        world.onAir = { heard.append($0) }
        world.sendBeaconsToStrangers()
        world.advance(to: world.now)
        #expect(heard.count == 1)
        guard case .beacon(let octets)? = heard.first else {
            Issue.record("no beacon")
            return
        }
        #expect(try SecureNetworkBeacon(decoding: octets).ivIndex == network.ivIndex)
        for node in network.nodes[1...2] { _ = world.setPower(node.uuid, isOn: false) }
        heard = []
        world.sendBeaconsToStrangers()
        world.advance(to: world.now)
        #expect(heard.isEmpty)
    }

    @Test("On a bad radio they miss packets, and simulated nodes miss theirs")
    func losses() throws {
        var settings = WorldSettings.ideal
        settings.copyLoss = 0.7
        let (network, world, _) = worlds(settings: settings)
        var heard = 0
        world.onAir = { _ in heard += 1 }
        let client = try TestClient.connected(to: world, network: network)
        for _ in 0..<40 {
            _ = try client.request(ConfigDefaultTTLGet(), of: network.nodes[3], patience: .milliseconds(100))
        }
        // Three copies of each request, and a relay that mostly repeats it.
        #expect(heard > 20 && heard < 80)
        let lost = world.statistics.lost
        for number in 0..<200 { world.hear(.message([UInt8](repeating: UInt8(number), count: 20))) }
        #expect(world.statistics.lost - lost > 200 && world.statistics.lost - lost < 360)
    }

    @Test("Octets that are no PDUs do nothing", arguments: 0..<40)
    func hostile(length: Int) throws {
        let (_, world, _) = worlds()
        world.onAir = { _ in }
        for seed in 0..<8 {
            let octets = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ seed &* 101) }
            world.hear(.message(octets))
            world.hear(.beacon(octets))
        }
        world.advance(to: world.now.advanced(by: .seconds(5)))
        #expect(world.violations == [])
        #expect(world.statistics.requests == 0)
    }
}

/// A client's way into one world, with a second one in the same air and the same time.
private final class JoinedBearer: Bearer {
    private let bearer: SimulatedBearer
    private let other: SimulatedWorld

    init(_ world: SimulatedWorld, _ other: SimulatedWorld) {
        bearer = SimulatedBearer(world)
        self.other = other
        world.onAir = { [unowned other] in other.hear($0) }
        other.onAir = { [unowned world] in world.hear($0) }
    }

    var now: Instant { bearer.now }
    var maximumLinks: Int { bearer.maximumLinks }

    func connect(to target: LinkTarget) throws(BearerError) -> LinkIdentifier { try bearer.connect(to: target) }
    func send(_ packet: [UInt8], on link: LinkIdentifier) throws(BearerError) { try bearer.send(packet, on: link) }
    func close(_ link: LinkIdentifier) { bearer.close(link) }
    func scan(_ isOn: Bool) throws(BearerError) { try bearer.scan(isOn) }

    func next(until deadline: Instant) throws(BearerError) -> BearerEvent? {
        while true {
            let times = [bearer.world.nextEventTime, other.nextEventTime, deadline].compactMap(\.self)
            if let event = try bearer.next(until: max(times.min() ?? deadline, now)) { return event }
            other.advance(to: now)
            if now >= deadline { return nil }
        }
    }
}
