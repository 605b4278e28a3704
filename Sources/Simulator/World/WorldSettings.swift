package import MeshCore

/// How the simulated radio behaves: who hears whom, how fast and with what loss.
package struct WorldSettings: Hashable, Sendable {
    /// Who hears whom.
    package enum Topology: Hashable, Sendable {
        /// The nodes spread evenly over that many hops, 1 or more, from the first node that is a proxy; where nodes that
        /// can relay are lacking the network is flatter. Each hears those near it, of the relays that are on in its subnets
        /// as many as matter; see `RadioNeighbours`.
        case hops(Int)
        /// Exactly these links, each both ways.
        case links([RadioLink])
    }

    /// Two nodes that hear each other.
    package struct RadioLink: Hashable, Sendable {
        /// One of them.
        package var first: DeviceUUID
        /// The other.
        package var second: DeviceUUID
        /// The share of copies lost, 0...1; nil for that of the settings.
        package var copyLoss: Double?

        /// A link.
        package init(_ first: DeviceUUID, _ second: DeviceUUID, copyLoss: Double? = nil) {
            self.first = first
            self.second = second
            self.copyLoss = copyLoss
        }
    }

    /// Who hears whom.
    package var topology: Topology
    /// The share of copies of a PDU lost on each radio link before interference, 0...1.
    package var copyLoss: Double
    /// Advertising events a second of strangers that every node hears; each collides for 0.752 ms.
    package var backgroundEvents: Double
    /// Whether the traffic of neighbours is counted to the interference.
    package var neighboursInterfere: Bool
    /// How long a node takes from hearing a PDU to queueing what it relays.
    package var relayTurnaround: ClosedRange<Duration>
    /// How long a node takes to act on a message.
    package var processing: ClosedRange<Duration>
    /// How long a node waits before it answers a message to its unicast address (Mesh Protocol 3.7.3.1).
    package var responseDelay: ClosedRange<Duration>
    /// PDUs a node advertises at once.
    package var advertisingSets: Int
    /// PDUs that wait for an advertising set; more are dropped.
    package var advertisingQueue: Int
    /// Whether nodes advertise as old controllers do, one PDU in I + (C + 1)(I + 10) ms.
    package var isAdvertisingLegacy: Bool
    /// The random part of each advertising interval.
    package var advertisingDelay: ClosedRange<Duration>
    /// The interval of the GATT connection; at least a millisecond counts.
    package var connectionInterval: Duration
    /// Proxy PDU packets in one connection event, each way.
    package var packetsPerEvent: Int
    /// The largest packet on the GATT connection, header included: ATT_MTU - 3; at least 2 counts.
    package var maximumPacketSize: Int
    /// How often each proxy and each device that can be provisioned advertises to those who scan; at least a
    /// millisecond counts. A second is usual once the first minute is over.
    package var scannedInterval: Duration
    /// How long connecting takes.
    package var connecting: Duration
    /// Links that a client can have at once; at least 1 counts. The Bluetooth controllers of small computers have
    /// between 5 and 10 connections.
    package var maximumLinks: Int
    /// The proxy drops every link after this many packets from the client; nil never.
    package var dropsLinkAfterPackets: Int?
    /// What nodes can store.
    package var limits: NodeLimits
    /// Whether models that extend each other on one element share one subscription list (Mesh Protocol 4.2.4), on nodes
    /// whose description does not say it.
    package var sharesSubscriptionLists: Bool
    /// The node whose proxy links lead to; nil for the first that has the GATT Proxy feature on and is powered.
    package var proxy: DeviceUUID?

    /// No losses, nobody else on the air, small delays.
    package static let ideal = WorldSettings(
        topology: .hops(1),
        copyLoss: 0,
        backgroundEvents: 0,
        neighboursInterfere: false,
        relayTurnaround: .microseconds(300)...(.microseconds(1_500)),
        processing: .milliseconds(1)...(.milliseconds(3)),
        responseDelay: .milliseconds(20)...(.milliseconds(50)),
        advertisingSets: 4,
        advertisingQueue: 32,
        isAdvertisingLegacy: false,
        advertisingDelay: .zero...(.milliseconds(10)),
        connectionInterval: .microseconds(7_500),
        packetsPerEvent: 6,
        maximumPacketSize: 66,
        scannedInterval: .seconds(1),
        connecting: .zero,
        maximumLinks: 4,
        dropsLinkAfterPackets: nil,
        limits: NodeLimits(),
        sharesSubscriptionLists: false,
        proxy: nil
    )

    /// An office with people and phones in it, stock firmware.
    package static let office: WorldSettings = {
        var settings = WorldSettings.ideal
        settings.topology = .hops(2)
        settings.copyLoss = 0.05
        settings.backgroundEvents = 75
        settings.neighboursInterfere = true
        settings.relayTurnaround = .milliseconds(2)...(.milliseconds(15))
        settings.processing = .milliseconds(3)...(.milliseconds(8))
        settings.advertisingSets = 1
        settings.connectionInterval = .milliseconds(15)
        settings.packetsPerEvent = 4
        settings.connecting = .milliseconds(1_900)
        return settings
    }()

    /// Old controllers, small queues, a crowded band, the smallest ATT_MTU.
    package static let harsh: WorldSettings = {
        var settings = WorldSettings.office
        settings.topology = .hops(3)
        settings.copyLoss = 0.25
        settings.backgroundEvents = 400
        settings.relayTurnaround = .milliseconds(5)...(.milliseconds(30))
        settings.processing = .milliseconds(5)...(.milliseconds(20))
        settings.advertisingQueue = 6
        settings.isAdvertisingLegacy = true
        settings.connectionInterval = .milliseconds(30)
        settings.packetsPerEvent = 1
        settings.maximumPacketSize = 20
        settings.connecting = .milliseconds(4_000)
        return settings
    }()

    /// A profile by its name: `ideal`, `office` or `harsh`; nil for any other.
    package static func profile(named name: String) -> WorldSettings? {
        profileNames.contains(name) ? (name == "ideal" ? .ideal : name == "office" ? .office : .harsh) : nil
    }

    /// The names of the profiles, from kind to cruel.
    package static let profileNames = ["ideal", "office", "harsh"]
}
