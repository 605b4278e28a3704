package import MeshCore

/// How hops are counted.
package struct HopSurveyOptions: Hashable, Sendable {
    /// How long to listen at most, from the first heartbeat that is asked for.
    package var duration: Duration
    /// How many heartbeats each node sends.
    package var count: HeartbeatPublicationCountLog
    /// How often it sends them.
    package var period: HeartbeatPeriodLog

    /// The TTL of the heartbeats, the highest: whoever is farther away is not in the network.
    static let ttl: UInt8 = 127

    /// Two heartbeats of each node within the time.
    package init(duration: Duration) {
        self.duration = duration
        count = .off
        period = .off
        spread(count: 2)
    }

    /// So many heartbeats of each node, as far apart as fits well into the time, but no more than 32 seconds.
    ///
    /// - Parameter count: a power of two.
    package mutating func spread(count: UInt32) {
        self.count = HeartbeatPublicationCountLog(count: count) ?? .off
        // A quarter of the time is left for nodes that are asked late.
        let interval = UInt32(clamping: max(duration.components.seconds * 3 / 4 / Int64(max(count, 1)), 1))
        let log = UInt8(clamping: UInt32.bitWidth - interval.leadingZeroBitCount)
        period = HeartbeatPeriodLog(rawValue: min(log, 6)) ?? .off
    }
}

/// What was heard of one node.
package struct HopSighting: Hashable, Sendable {
    /// The fewest hops, the link of the proxy included.
    package var fewest: Int
    /// The most hops.
    package var most: Int
    /// How many heartbeats were heard.
    package var count: Int
    /// The features in use, as the node says.
    package var features: FeatureSet
}

/// What a survey is doing.
package enum HopSurveyEvent: Hashable, Sendable {
    /// Nodes are asked for their own heartbeats, which they get back later: how many.
    case reading(Int)
    /// Nodes are asked for heartbeats: how many.
    case declaring(Int)
    /// It listens for at most so long.
    case listening(Duration)
    /// Nodes get their own heartbeats back: how many.
    case restoring(Int)
}

/// What came of counting hops.
package struct HopSurveyResult: Hashable, Sendable {
    /// What was heard of each node.
    package var sightings: [DeviceUUID: HopSighting] = [:]
    /// The subnet of the heartbeats of each node that was asked for some.
    package var subnets: [DeviceUUID: NetKeyIndex] = [:]
    /// The nodes that did not answer when they were asked for heartbeats.
    package var silent: [DeviceUUID] = []
    /// The nodes that refuse to send heartbeats, with the status.
    package var refusals: [DeviceUUID: ConfigStatusCode] = [:]
    /// The nodes that have not got their own heartbeats back. The database knows them; the next plan or survey sets it
    /// right.
    package var unrestored: [DeviceUUID] = []
    /// The proxies that heartbeats came through.
    package var proxies: [UnicastAddress] = []
    /// How many heartbeats were heard.
    package var heartbeats = 0
    /// How many heartbeats the nodes that were asked for some have sent at most.
    package var expectedHeartbeats = 0
    /// How many messages it took beside heartbeats at most: requests, each repetition included, and an answer to each.
    package var messages = 0
    /// How long it listened, from the first heartbeat that was asked for.
    package var listened = Duration.zero
    /// How long everything took.
    package var elapsed = Duration.zero

    /// Nothing yet.
    package init() {}
}
