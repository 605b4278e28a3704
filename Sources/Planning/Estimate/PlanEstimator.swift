package import MeshCore

/// Estimates how long a plan will take.
///
/// A run is bound by whatever it uses up first: the GATT connection, the proxy's advertising queue, relays, air, or the
/// round trips of as many nodes as are talked to at once; it never takes less than its longest chain of one node.
/// Parts of a plan that barriers separate follow each other. Lost PDUs cost a time-out each; how many are lost is
/// binomial, which gives the 95th percentile.
package struct PlanEstimator: Sendable {
    /// What is assumed of the radio.
    package var profile: RadioProfile
    /// Links over which devices are provisioned at once; at least 1. Messages of one subnet go over one proxy link
    /// however many there may be.
    package var connections: Int
    /// Nodes that are talked to at once.
    package var window: Double

    /// The first time-out of a request before round trips are known, and the least one afterwards (RFC 6298, 2.4).
    private static let retryTimeout = 1.0
    /// The standard normal variable at 95 %.
    private static let quantile95 = 1.645
    /// One standard deviation of a round trip as a share of it.
    private static let roundTripDeviation = 0.25

    /// Runs with fewer messages say nothing: connecting takes most of their time.
    package static let leastMessagesToLearnFrom = 30

    /// An estimator for a profile.
    package init(profile: RadioProfile, connections: Int = 1, window: Int = 6) {
        self.profile = profile
        self.connections = max(connections, 1)
        self.window = Double(max(window, 1))
    }

    /// How long the plan will take.
    package func estimate(_ plan: Plan) -> PlanEstimate {
        estimate(plan.steps, barriers: plan.barriers)
    }

    /// How long steps will take, with the barriers between them.
    ///
    /// - Parameter barriers: positions of steps, ascending, before which everything earlier has to be over.
    package func estimate(_ steps: [Step], barriers: [Int]) -> PlanEstimate {
        var nodes = CostsByNode()
        var parts: [PlanPart] = []
        var part = PlanPart()
        var isLowerBound = false
        var barriers = barriers[...]
        for (position, step) in steps.enumerated() {
            if barriers.first == position {
                barriers.removeFirst()
                parts.append(part)
                part = PlanPart()
            }
            switch step.work {
            case .configure(let node, _), .readBack(let node):
                add(step.cost, node: node, to: &part, &nodes)
            case .configureWhenKnown(let configuration):
                add(step.cost, node: configuration.node, to: &part, &nodes)
                isLowerBound = isLowerBound || !configuration.isCostExact
            case .provision: part.devices += 1
            case .edit: break
            }
        }
        parts.append(part)
        return estimate(parts, nodes, isLowerBound: isLowerBound)
    }

    /// How long messages will take that depend on nothing but the one before to the same node.
    package func estimate(_ messages: [(node: DeviceUUID, cost: MessageCost)]) -> PlanEstimate {
        var nodes = CostsByNode()
        var part = PlanPart()
        for message in messages { add(message.cost, node: message.node, to: &part, &nodes) }
        return estimate([part], nodes, isLowerBound: false)
    }

    private func estimate(_ parts: [PlanPart], _ nodes: CostsByNode, isLowerBound: Bool) -> PlanEstimate {
        var total = Moments(mean: 0, variance: 0)
        var shares: [PlanEstimate.Bound: Double] = [:]
        for part in parts where part.sends {
            let (time, bound) = self.time(of: part)
            total.add(time)
            shares[bound, default: 0] += time.mean
        }
        let bound = PlanEstimate.Bound.allCases.filter { shares[$0] != nil }
            .max { shares[$0, default: 0] < shares[$1, default: 0] }
        if bound != nil {
            // Connecting varies by half of what it takes.
            let deviation = profile.connecting / 2
            total.add(Moments(mean: RadioProfile.listening + profile.connecting, variance: deviation * deviation))
        }
        return PlanEstimate(
            profile: profile.name,
            total: bound == nil ? .zero : time(total),
            nodes: Dictionary(uniqueKeysWithValues: zip(nodes.order, nodes.costs.map { time(chain($0)) })),
            bound: bound,
            isLowerBound: isLowerBound
        )
    }

    private func add(_ cost: MessageCost, node: DeviceUUID, to part: inout PlanPart, _ nodes: inout CostsByNode) {
        guard cost.messages > 0 else { return }
        part.nodes.add(cost, node)
        part.cost += cost
        nodes.add(cost, node)
    }

    /// What nodes are sent, in the order of their first messages, so that sums come out the same each time.
    private struct CostsByNode {
        var order: [DeviceUUID] = []
        var costs: [MessageCost] = []
        private var places: [DeviceUUID: Int] = [:]

        mutating func add(_ cost: MessageCost, _ node: DeviceUUID) {
            if let place = places[node] {
                costs[place] += cost
            } else {
                places[node] = costs.count
                order.append(node)
                costs.append(cost)
            }
        }
    }

    /// The steps between two barriers.
    private struct PlanPart {
        var nodes = CostsByNode()
        var cost = MessageCost.zero
        var devices = 0

        var sends: Bool { cost.messages > 0 || devices > 0 }
    }

    /// Mean and variance of a time in seconds.
    private struct Moments {
        var mean: Double
        var variance: Double

        mutating func add(_ other: Moments) {
            mean += other.mean
            variance += other.variance
        }
    }

    private func time(_ moments: Moments) -> PlanEstimate.Time {
        PlanEstimate.Time(
            median: moments.mean * profile.correction,
            percentile95: (moments.mean + Self.quantile95 * moments.variance.squareRoot()) * profile.correction
        )
    }

    /// A PDU on its way with nothing else going on: the GATT connection, the first transmission of each sender, and
    /// the relays between.
    private func oneWay() -> Double {
        profile.connectionInterval / 2 + profile.hops * 0.005 + (profile.hops - 1) * profile.relayTurnaround
    }

    /// How long one exchange takes on the average.
    ///
    /// The next request waits until the copies of the last PDUs have left, whatever the answer takes.
    private func roundTrip(_ cost: MessageCost) -> Double {
        let perMessage = Double(cost.pdus) / Double(max(cost.messages, 1))
        let sending = perMessage * profile.advertisingTime / profile.advertisingSets
        return max(sending, 2 * oneWay() + profile.answering + max(perMessage - 2, 0) * profile.connectionInterval)
    }

    /// The messages of one node, one after the other.
    private func chain(_ cost: MessageCost) -> Moments {
        let count = Double(cost.messages)
        let trip = roundTrip(cost)
        let perMessage = (cost.pdus + cost.messages - 1) / max(cost.messages, 1)
        let retries = profile.retryShare(pdus: perMessage, hops: profile.hops)
        let deviation = trip * Self.roundTripDeviation
        return Moments(
            mean: count * (trip + retries * Self.retryTimeout),
            variance: count * (deviation * deviation + retries * (1 - retries) * Self.retryTimeout * Self.retryTimeout)
        )
    }

    /// The time of one part and what bounds it.
    private func time(of part: PlanPart) -> (Moments, PlanEstimate.Bound) {
        let up = Double(part.cost.pdusToNode)
        let both = Double(part.cost.pdus)
        let perPDU = profile.connectionInterval / profile.pdusPerConnectionEvent
        let service = profile.advertisingTime / profile.advertisingSets
        var longest = Moments(mean: 0, variance: 0)
        var sum = Moments(mean: 0, variance: 0)
        for cost in part.nodes.costs {
            let chain = chain(cost)
            sum.add(chain)
            if chain.mean > longest.mean || chain.mean == longest.mean && chain.variance > longest.variance {
                longest = chain
            }
        }
        let perMessage = part.cost.messages == 0 ? 0 : (part.cost.pdus + part.cost.messages - 1) / part.cost.messages
        let again = 1 + profile.retryShare(pdus: perMessage, hops: profile.hops)
        let isFlooded = profile.hops > 1
        let devices = Double(part.devices)
        let bounds: [(PlanEstimate.Bound, Double)] = [
            (.gatt, max(up, both - up) * perPDU * again),
            (.advertising, up * service * again),
            (.flood, isFlooded ? both * service * again : 0),
            (
                .air,
                isFlooded
                    ? both * RadioProfile.transmissions * (1 + RadioProfile.relaysInEarshot) * RadioProfile.airTime : 0
            ),
            (.roundTrips, sum.mean / window),
            (.provisioning, devices * (profile.connecting + RadioProfile.provisioningSession) / Double(connections)),
        ]
        var (bound, mean) = (PlanEstimate.Bound.roundTrips, 0.0)
        for candidate in bounds where candidate.1 > mean { (bound, mean) = candidate }
        // Whatever bounds the whole, one node's chain comes after the others have begun to wait for the same resource.
        let variance = max(sum.variance / (window * window), longest.variance)
        if longest.mean > mean { return (longest, .roundTrips) }
        return (Moments(mean: mean, variance: variance), bound)
    }
}
