package import MeshCore

/// How long a plan will take, for one radio profile.
package struct PlanEstimate: Hashable, Sendable {
    /// What sets the pace of a run.
    package enum Bound: String, CaseIterable, Sendable {
        /// The round trips of single nodes, or of as many as are talked to at once.
        case roundTrips = "round-trips"
        /// The GATT connection to the proxy.
        case gatt
        /// The proxy's advertising queue.
        case advertising
        /// Relays, which repeat every PDU of both directions.
        case flood
        /// The links to nodes for themselves alone, which have to be made one after the other.
        case directLinks = "direct-links"
        /// The connections over which devices are provisioned.
        case provisioning
        /// The time-outs that are waited for where PDUs get lost.
        case timeouts = "time-outs"
        /// The search for a proxy and the connection to it, before the first message.
        case connecting
    }

    /// A time of which half of all runs take less, and one of which 19 of 20 do.
    package struct Time: Hashable, Sendable {
        /// The median in seconds.
        package var median: Double
        /// The 95th percentile in seconds.
        package var percentile95: Double

        /// No time at all.
        package static let zero = Time(median: 0, percentile95: 0)
    }

    /// What nodes that may not answer add.
    package struct Silence: Hashable, Sendable {
        /// How many nodes with messages did not answer when they were last asked.
        package var nodes: Int
        /// How many seconds the whole plan takes longer if none of them answers now either: the median, at least 0.
        package var more: Double
    }

    /// The profile it was made for.
    package var profile: String
    /// The whole plan from the search for a proxy to the last answer, if all nodes answer that are there.
    package var total: Time
    /// What each node with messages takes if nothing else is going on.
    package var nodes: [DeviceUUID: Time]
    /// What sets the pace of the plan as a whole; nil if nothing is sent.
    package var bound: Bound?
    /// Whether it may well take longer: more may turn out to be needed once compositions are known, or the rehearsal
    /// was so long that its end was only reckoned.
    package var isLowerBound: Bool
    /// What comes on top if nodes that were silent before are so again; nil if there are none.
    package var silence: Silence?
}
