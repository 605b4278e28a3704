package import MeshCore

/// How the simulated radio behaves: who hears whom, how fast, and with what loss.
package struct WorldSettings: Hashable, Sendable {
    /// Who hears whom.
    package enum Topology: Hashable, Sendable {
        /// The nodes are spread evenly over that many hops, at least 1, from the first node that is a proxy. With too
        /// few nodes that can relay, the network has fewer hops. Each node hears the nearby active relays of its
        /// subnets, as many as matter; see `RadioNeighbours`.
        case hops(Int)
        /// Exactly these links, each in both directions.
        case links([RadioLink])
    }

    /// Two nodes that hear each other.
    package struct RadioLink: Hashable, Sendable {
        /// One of the two nodes.
        package var first: DeviceUUID
        package var second: DeviceUUID
        /// The share of copies lost, 0...1; nil for the share in the settings.
        package var copyLoss: Double?

        package init(_ first: DeviceUUID, _ second: DeviceUUID, copyLoss: Double? = nil) {
            self.first = first
            self.second = second
            self.copyLoss = copyLoss
        }
    }

    package var topology: Topology
    /// The share of a PDU's copies lost on each radio link before interference, 0...1.
    package var copyLoss: Double
    /// Advertising events per second of unrelated devices, heard by every node; each collides for 0.752 ms.
    package var backgroundEvents: Double
    /// Whether the traffic of neighbours counts as interference.
    package var neighboursInterfere: Bool
    /// How long a node takes from hearing a PDU until it queues the relayed one.
    package var relayTurnaround: ClosedRange<Duration>
    /// How long a node takes to act on a message.
    package var processing: ClosedRange<Duration>
    /// How long a node waits before it answers a message to its unicast address (Mesh Protocol 3.7.3.1).
    package var responseDelay: ClosedRange<Duration>
    /// How many PDUs a node advertises at once.
    package var advertisingSets: Int
    /// How many PDUs may wait for an advertising set; more are dropped.
    package var advertisingQueue: Int
    /// Whether nodes advertise like old controllers: one PDU in I + (C + 1)(I + 10) ms.
    package var isAdvertisingLegacy: Bool
    /// The random part of each advertising interval.
    package var advertisingDelay: ClosedRange<Duration>
    /// The interval of the GATT connection, at least a millisecond.
    package var connectionInterval: Duration
    /// How many Proxy PDU packets fit one connection event, in each direction.
    package var packetsPerEvent: Int
    /// The largest packet on the GATT connection, header included: ATT_MTU - 3, at least 2.
    package var maximumPacketSize: Int
    /// How often each proxy and each unprovisioned device advertises while somebody scans; at least a millisecond. One
    /// second is usual after the first minute.
    package var scannedInterval: Duration
    package var connecting: Duration
    /// How many links a client can have at once, at least 1. Bluetooth controllers of small computers support between 5
    /// and 10 connections.
    package var maximumLinks: Int
    /// The proxy drops each link after this many packets from the client; nil for never.
    package var dropsLinkAfterPackets: Int?
    package var limits: NodeLimits
    /// Whether models that extend each other on one element share one subscription list (Mesh Protocol 4.2.4), on nodes
    /// whose description does not say so.
    package var sharesSubscriptionLists: Bool
    /// The node that proxy links lead to; nil for the first powered one with the GATT Proxy feature on.
    package var proxy: DeviceUUID?

    /// No losses, no interference, small delays.
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

    /// An office with people and phones, and stock firmware.
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

    /// Old controllers, small queues, a crowded band, and the smallest ATT_MTU.
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

    /// A profile by name: `ideal`, `office` or `harsh`; nil for any other name.
    package static func profile(named name: String) -> WorldSettings? {
        profileNames.contains(name) ? (name == "ideal" ? .ideal : name == "office" ? .office : .harsh) : nil
    }

    /// The names of the profiles, from the easiest to the hardest.
    package static let profileNames = ["ideal", "office", "harsh"]
}
