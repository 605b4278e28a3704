import MeshCore
import TestSupport
import Testing

@testable import Simulator

@Suite("Nodes send heartbeats and count those of others")
struct HeartbeatTests {
    /// Remembers what a world records, and how often it records the configuration of a node.
    private final class Memory {
        var state = SimulatorState()
        var records = 0

        func record(_ record: StateRecord) -> Bool {
            state.apply(record)
            if case .node = record { records += 1 }
            return true
        }
    }

    private static let group = TestNetwork.group(0xC010)
    /// A proxy, two relays, one that sends heartbeats, and a spare one that nobody hears.
    private let network = TestNetwork.network(relays: 4)
    private var proxy: Node { network.nodes[1] }
    private var sender: Node { network.nodes[4] }

    /// The nodes hear each other only along a chain: proxy, relay, relay, sender.
    private func settings() -> WorldSettings {
        var settings = WorldSettings.ideal
        settings.topology = .links((1..<4).map { .init(network.nodes[$0].uuid, network.nodes[$0 + 1].uuid) })
        return settings
    }

    private func publish(
        count: UInt8,
        period: UInt8,
        ttl: UInt8 = 5,
        features: FeatureSet = [],
        to destination: Address = HeartbeatTests.group.address
    ) throws -> ConfigHeartbeatPublicationSet {
        ConfigHeartbeatPublicationSet(
            settings: HeartbeatPublicationSettings(
                destination: destination,
                countLog: try #require(HeartbeatPublicationCountLog(rawValue: count)),
                periodLog: try #require(HeartbeatPeriodLog(rawValue: period)),
                ttl: ttl,
                features: features,
                netKeyIndex: .primary
            )
        )
    }

    private func subscribe(period: UInt8) throws -> ConfigHeartbeatSubscriptionSet {
        ConfigHeartbeatSubscriptionSet(
            settings: HeartbeatSubscriptionSettings(
                source: sender.unicastAddress,
                destination: Self.group.address,
                periodLog: try #require(HeartbeatPeriodLog(rawValue: period))
            )
        )
    }

    /// A client whose proxy passes it what is sent to the group.
    private func listener(to world: SimulatedWorld) throws -> TestClient {
        let client = try TestClient.connected(to: world, network: network)
        try client.configure(.addAddresses([Self.group.address]))
        return client
    }

    @Test("A heartbeat takes one TTL a hop, so those who count it know how far away the sender is")
    func hops() throws {
        let world = SimulatedWorld(network: network, settings: settings(), seed: 1)
        let client = try listener(to: world)
        let watchers = network.nodes[1...3]
        for node in watchers {
            let status = try client.request(try subscribe(period: 8), of: node)
            #expect(status?.status == .success && status?.minimumHops == 0x7F && status?.countLog.rawValue == 0)
        }
        #expect(try client.request(try publish(count: 3, period: 1), of: sender)?.status == .success)
        try client.wait(.seconds(10))
        for (node, hops) in zip(watchers, [UInt8(3), 2, 1]) {
            let status = try #require(try client.request(ConfigHeartbeatSubscriptionGet(), of: node))
            #expect(status.minimumHops == hops && status.maximumHops == hops)
            #expect(status.countLog.rawValue == 3, "four heartbeats")
        }
        // The link of the client is one more hop.
        #expect(client.heartbeats.map(\.hops) == [4, 4, 4, 4])
        #expect(client.heartbeats.allSatisfy { $0.heartbeat.initialTTL == 5 && $0.heartbeat.features == 1 })
        #expect(client.heartbeats.allSatisfy { $0.message.source == sender.unicastAddress })
    }

    @Test("The TTL decides how far a heartbeat comes", arguments: [UInt8(0), 2, 3, 127])
    func reach(ttl: UInt8) throws {
        let world = SimulatedWorld(network: network, settings: settings(), seed: 1)
        let client = try listener(to: world)
        for node in network.nodes[1...3] { _ = try client.request(try subscribe(period: 8), of: node) }
        _ = try client.request(try publish(count: 1, period: 1, ttl: ttl), of: sender)
        try client.wait(.seconds(5))
        let counted = network.nodes[1...3].map { world.node($0.uuid)?.heartbeats.counted == 1 }
        #expect(counted == (ttl == 0 ? [false, false, true] : ttl == 2 ? [false, true, true] : [true, true, true]))
        #expect(client.heartbeats.map(\.hops) == (ttl == 127 ? [4] : []))
    }

    @Test("As many are sent as the count says, by the period, and the status says how many are left")
    func count() throws {
        let memory = Memory()
        let world = SimulatedWorld(network: network, settings: settings(), seed: 1, recorder: memory.record)
        let client = try listener(to: world)
        // Up to 2^3 heartbeats, one in four seconds.
        #expect(try client.request(try publish(count: 4, period: 3), of: sender)?.settings.countLog.rawValue == 4)
        try client.wait(.seconds(10))
        #expect(client.heartbeats.count == 3)
        let status = try client.request(ConfigHeartbeatPublicationGet(), of: sender)
        #expect(status?.settings.countLog.rawValue == 4, "five are left")
        try client.wait(.seconds(4))
        #expect(try client.request(ConfigHeartbeatPublicationGet(), of: sender)?.settings.countLog.rawValue == 3)
        try client.wait(.seconds(100))
        #expect(client.heartbeats.count == 8)
        #expect(try client.request(ConfigHeartbeatPublicationGet(), of: sender)?.settings.countLog.rawValue == 0)
        let times = zip(client.heartbeats, client.heartbeats.dropFirst()).map { $0.time.duration(to: $1.time) }
        #expect(times.allSatisfy { abs($0.microseconds - 4_000_000) < 100_000 })
        #expect(memory.state.nodes[sender.uuid]?.heartbeatPublication.countLog == .off)

        // The same again begins anew.
        _ = try client.request(try publish(count: 1, period: 3), of: sender)
        try client.wait(.seconds(10))
        _ = try client.request(try publish(count: 1, period: 3), of: sender)
        try client.wait(.seconds(10))
        #expect(client.heartbeats.count == 10)
    }

    @Test("0xFF goes on without a record of the node, and goes on after a restart until it is switched off")
    func endless() throws {
        let memory = Memory()
        let numbers = InMemorySequenceNumbers()
        let world = SimulatedWorld(network: network, settings: settings(), seed: 1, recorder: memory.record)
        let client = try TestClient.connected(to: world, network: network, sequenceNumbers: numbers)
        try client.configure(.addAddresses([Self.group.address]))
        _ = try client.request(try publish(count: 0xFF, period: 2), of: sender)
        try client.wait(.seconds(1))
        let records = memory.records
        try client.wait(.seconds(200))
        #expect((100...102).contains(client.heartbeats.count))
        #expect(memory.records == records)
        #expect(try client.request(ConfigHeartbeatPublicationGet(), of: sender)?.settings.countLog == .endless)

        let again = SimulatedWorld(network: network, settings: settings(), seed: 1, state: memory.state)
        let second = try TestClient.connected(to: again, network: network, sequenceNumbers: numbers)
        try second.configure(.addAddresses([Self.group.address]))
        try second.wait(.seconds(20))
        #expect((9...11).contains(second.heartbeats.count))
        again.setFaults(NodeFaults(isOff: true), of: sender.uuid)
        let before = second.heartbeats.count
        try second.wait(.seconds(20))
        #expect(second.heartbeats.count == before)
        again.setFaults(NodeFaults(), of: sender.uuid)
        try second.wait(.seconds(20))
        #expect((9...11).contains(second.heartbeats.count - before))
        _ = try second.request(try publish(count: 0, period: 0, to: .unassigned), of: sender)
        let last = second.heartbeats.count
        try second.wait(.seconds(60))
        #expect(second.heartbeats.count == last)
    }

    @Test("A subscription counts only from its source to its destination, and ends with its period; the counts stay")
    func subscription() throws {
        let memory = Memory()
        let world = SimulatedWorld(network: network, settings: settings(), seed: 1, recorder: memory.record)
        let client = try listener(to: world)
        let other = network.nodes[3]
        _ = try client.request(try publish(count: 0xFF, period: 1), of: sender)
        _ = try client.request(try publish(count: 0xFF, period: 1), of: other)
        // Sixteen seconds.
        #expect(try client.request(try subscribe(period: 5), of: proxy)?.settings.periodLog.rawValue == 5)
        try client.wait(.seconds(10))
        let during = try #require(try client.request(ConfigHeartbeatSubscriptionGet(), of: proxy))
        #expect(during.settings.periodLog.rawValue == 3, "four to seven seconds are left")
        #expect(during.countLog.rawValue == 4, "eight to fifteen were counted")
        try client.wait(.seconds(60))
        let after = try #require(try client.request(ConfigHeartbeatSubscriptionGet(), of: proxy))
        #expect(after.settings.periodLog == .off && after.settings.source == sender.unicastAddress)
        #expect(world.node(proxy.uuid).map { (15...17).contains($0.heartbeats.counted) } == true)
        #expect(after.minimumHops == 3 && after.maximumHops == 3)
        #expect(memory.state.nodes[proxy.uuid]?.heartbeatSubscription.periodLog == .off)
        #expect(try client.request(try subscribe(period: 5), of: proxy)?.countLog.rawValue == 0)
        #expect(world.node(other.uuid)?.heartbeats.counted == 0, "it has no subscription")
    }

    @Test("The fewest and the most hops are kept when the way changes")
    func minimumAndMaximum() throws {
        var settings = settings()
        // A short cut over the spare relay.
        let links = [(1, 2), (2, 3), (3, 4), (1, 5), (5, 4)]
        settings.topology = .links(links.map { .init(network.nodes[$0.0].uuid, network.nodes[$0.1].uuid) })
        let world = SimulatedWorld(network: network, settings: settings, seed: 1)
        let client = try listener(to: world)
        func hops() -> [UInt8]? {
            world.node(proxy.uuid).map { [$0.heartbeats.minimumHops, $0.heartbeats.maximumHops] }
        }
        _ = try client.request(try subscribe(period: 8), of: proxy)
        _ = try client.request(try publish(count: 0xFF, period: 1), of: sender)
        try client.wait(.seconds(5))
        #expect(hops() == [2, 2])
        world.setFaults(NodeFaults(isOff: true), of: network.nodes[5].uuid)
        try client.wait(.seconds(5))
        #expect(hops() == [2, 3])
    }

    @Test("A feature that is switched triggers one, if the publication names it")
    func features() throws {
        let world = SimulatedWorld(network: network, settings: settings(), seed: 1)
        let client = try listener(to: world)
        _ = try client.request(try publish(count: 0, period: 0, features: [.relay]), of: sender)
        func relay(_ isEnabled: Bool) throws {
            let set = ConfigRelaySet(isEnabled: isEnabled, retransmit: TransmitParameters(octet: 0x0A))
            _ = try client.request(set, of: sender)
            try client.wait(.seconds(2))
        }
        try client.wait(.seconds(10))
        #expect(client.heartbeats.isEmpty)
        try relay(false)
        #expect(client.heartbeats.map(\.heartbeat.features) == [0])
        try relay(false)
        #expect(client.heartbeats.count == 1, "nothing has changed")
        try relay(true)
        #expect(client.heartbeats.map(\.heartbeat.features) == [0, 1])
        #expect(try client.request(ConfigFriendSet(isEnabled: true), of: sender) != nil)
        try client.wait(.seconds(2))
        #expect(client.heartbeats.count == 2, "the publication does not name Friend")
        _ = try client.request(try publish(count: 0, period: 0, features: [.friend]), of: sender)
        #expect(try client.request(ConfigFriendSet(isEnabled: false), of: sender) != nil)
        try client.wait(.seconds(2))
        #expect(client.heartbeats.map(\.heartbeat.features) == [0, 1, 1])
    }

    @Test(
        "Logarithms as in Mesh Protocol 4.2.18 and 4.2.19",
        arguments: [(0, 0, 0), (1, 1, 1), (2, 2, 2), (3, 3, 2), (4, 3, 3), (5, 4, 3), (0x8000, 0x10, 0x10)]
            + [(0x8001, 0x11, 0x10), (0xFFFE, 0x11, 0x10)]
    )
    func logarithms(count: UInt32, left: UInt8, counted: UInt8) {
        #expect(HeartbeatPublicationCountLog(left: count).rawValue == left)
        var progress = HeartbeatProgress()
        progress.counted = UInt16(count)
        #expect(progress.countLog.rawValue == counted)
        #expect(HeartbeatPeriodLog(left: .seconds(Int64(count))).rawValue == counted)
    }

    @Test("Counting stops at 0xFFFF, and the hops at 127")
    func limits() {
        var progress = HeartbeatProgress()
        for _ in 0..<70_000 { progress.count(hops: 200) }
        #expect(progress.counted == 0xFFFF && progress.countLog.rawValue == 0xFF && progress.maximumHops == 0x7F)
        #expect(HeartbeatPublicationCountLog(left: nil) == .endless)
        #expect(HeartbeatPeriodLog(left: .seconds(65_535)).rawValue == 0x11)
        #expect(HeartbeatPeriodLog(left: .milliseconds(-5)) == .off)
    }
}
