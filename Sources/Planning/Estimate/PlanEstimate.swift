package import MeshCore

/// How long a plan will take, for one radio profile.
package struct PlanEstimate: Hashable, Sendable {
    /// What a run cannot be faster than.
    package enum Bound: String, CaseIterable, Sendable {
        /// The round trips of single nodes, or of as many as are talked to at once.
        case roundTrips = "round-trips"
        /// The GATT connection to the proxy.
        case gatt
        /// The proxy's advertising queue.
        case advertising
        /// Relays, which repeat every PDU of both directions.
        case flood
        /// The air, which many relays in earshot of each other share.
        case air
        /// The links to nodes for themselves alone, which have to be made one after the other.
        case directLinks = "direct-links"
        /// The connections over which devices are provisioned.
        case provisioning
        /// The time-outs that are waited for where PDUs get lost.
        case timeouts = "time-outs"
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

    /// The profile it was made for.
    package var profile: String
    /// The whole plan, connecting included.
    package var total: Time
    /// What each node with messages takes if nothing else is going on.
    package var nodes: [DeviceUUID: Time]
    /// What the plan as a whole is bound by; nil if nothing is sent.
    package var bound: Bound?
    /// Whether more may turn out to be needed once compositions are known.
    package var isLowerBound: Bool
}
