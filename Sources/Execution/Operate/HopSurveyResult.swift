package import MeshCore

/// What a survey of hops keeps: the one decides the other.
package enum HopBudget: Hashable, Sendable {
    /// At most this share of the air, 0...1; it takes as long as that needs.
    case airtime(Double)
    /// At most so long; it takes as much of the air as that needs.
    case time(Duration)
}

/// What was heard of one node.
package struct HopSighting: Hashable, Sendable {
    /// The fewest hops, the link of the proxy included: the smallest TTL that reached it, or fewer if its answers or
    /// heartbeats came over fewer.
    package var fewest: Int
    /// The most hops over which something of it came.
    package var most: Int
    package var answers = 0
    /// How many heartbeats came that it sends anyway.
    package var heartbeats = 0
}

/// What a survey is doing.
package enum HopSurveyEvent: Hashable, Sendable {
    /// So many nodes are asked with this TTL.
    case asking(Int, ttl: UInt8)
    /// No proxy leads to so many nodes.
    case unreachable(Int)
}

/// What came of counting hops.
package struct HopSurveyResult: Hashable, Sendable {
    package var nodes: [DeviceUUID] = []
    package var sightings: [DeviceUUID: HopSighting] = [:]
    /// The subnet in which each node was asked.
    package var subnets: [DeviceUUID: NetKeyIndex] = [:]
    /// The nodes that no proxy leads to.
    package var unreachable: Set<DeviceUUID> = []
    /// The proxies that answers came through.
    package var proxies: [UnicastAddress] = []
    package var questions = 0
    /// How long the air was busy with questions and answers at most: where every relay is heard.
    package var airtime = Duration.zero
    /// How long everything took.
    package var elapsed = Duration.zero
    /// Whether the time was over before every node was asked as often as it takes.
    package var isCutShort = false

    package init() {}

    package var answers: Int { sightings.values.reduce(0) { $0 + $1.answers } }

    package var heartbeats: Int { sightings.values.reduce(0) { $0 + $1.heartbeats } }

    /// The share of the air that questions and answers took at most.
    package var share: Double { Double(airtime.microseconds) / Double(max(elapsed.microseconds, 1)) }
}
