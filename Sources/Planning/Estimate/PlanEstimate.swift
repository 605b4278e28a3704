package import MeshCore

/// How long a plan will take, for one radio profile.
package struct PlanEstimate: Hashable, Sendable {
    /// What sets the pace of a run.
    package enum Bound: String, CaseIterable, Sendable {
        /// The round trips of single nodes, or of the nodes within the window.
        case roundTrips = "round-trips"
        /// The GATT connection to the proxy.
        case gatt
        /// The proxy's advertising queue.
        case advertising
        /// Relays, which repeat every PDU of both directions.
        case flood
        /// The links to single nodes, which the client makes one after the other.
        case directLinks = "direct-links"
        /// The connections over which devices are provisioned.
        case provisioning
        /// The time-outs after lost PDUs.
        case timeouts = "time-outs"
        /// The search for a proxy and the connection to it, before the first message.
        case connecting
    }

    /// The time that half of all runs stay below, and the time that 19 of 20 runs stay below.
    package struct Time: Hashable, Sendable {
        /// The median in seconds.
        package var median: Double
        /// The 95th percentile in seconds.
        package var percentile95: Double

        package static let zero = Time(median: 0, percentile95: 0)
    }

    /// The time that nodes add if they do not answer.
    package struct Silence: Hashable, Sendable {
        /// How many nodes with messages did not answer when they were last asked.
        package var nodes: Int
        /// How many seconds the whole plan takes longer if none of them answers now either: the median, at least 0.
        package var more: Double
    }

    package var profile: String
    /// The whole plan, from the search for a proxy to the last answer, if every node answers.
    package var total: Time
    /// The time of each node with messages if nothing else happens.
    package var nodes: [DeviceUUID: Time]
    /// What sets the pace of the plan as a whole; nil if nothing is sent.
    package var bound: Bound?
    /// Whether it may take longer: compositions that are not known yet may need more messages.
    package var isLowerBound: Bool
    /// The time to add if nodes that did not answer before do not answer again; nil if there are no such nodes.
    package var silence: Silence?
}
