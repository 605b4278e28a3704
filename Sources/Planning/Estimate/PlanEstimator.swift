package import MeshCore

/// Estimates how long a plan will take.
///
/// A run is bound by whatever it uses up first: the GATT connection, the proxy's advertising queue, relays, air, or the
/// round trips of as many nodes as are talked to at once; it never takes less than its longest chain of one node. Where
/// these are near each other, nodes wait for one another as in a queue. Parts of a plan that barriers separate follow each
/// other, each with the wait for its last answers. Lost PDUs cost a time-out each; how many are lost is binomial, which
/// gives the 95th percentile. Devices are provisioned beside that, over links of their own; with stock firmware they relay
/// until they are configured, and what many relays repeat collides.
package struct PlanEstimator: Sendable {
    /// What is assumed of the radio.
    package var profile: RadioProfile
    /// Links at once; at least 1. Messages of one subnet go over one proxy link however many there may be; the others lead
    /// to devices that are provisioned, and to nodes for themselves alone.
    package var connections: Int
    /// Nodes that are talked to at once.
    package var window: Double
    /// Nodes that relay before the plan, or may for all that is known.
    package var relays: Int
    /// Nodes that advertise their Node Identity if they are asked to, for all that is known; none before it is known which
    /// network it is. Devices that become nodes do so by themselves.
    private var advertisers: Set<DeviceUUID> = []

    /// The standard normal variable at 95 %.
    private static let quantile95 = 1.645
    /// One standard deviation of a round trip as a share of it.
    private static let roundTripDeviation = 0.25

    /// One standard deviation of what all this leaves out, as a share of the time for messages: where nodes stand, how many
    /// can relay, how often each transmits. So much the medians of simulated runs are spread around it, over networks of
    /// 1 to 44 nodes and all profiles.
    private static let modelDeviation = 0.15

    /// Runs with fewer messages say nothing: connecting takes most of their time.
    package static let leastMessagesToLearnFrom = 30

    /// An estimator for a profile.
    package init(
        profile: RadioProfile,
        connections: Int = 1,
        window: Int = WindowPolicy().maximum,
        relays: Int = 0
    ) {
        self.profile = profile
        self.connections = max(connections, 1)
        self.window = Double(max(window, 1))
        self.relays = max(relays, 0)
    }

    /// The same for a network of which it is known who relays.
    package func relaying(in network: MeshNetwork) -> PlanEstimator {
        var estimator = self
        for node in network.nodes where node.features.proxy == .enabled || node.features.proxy == nil {
            // Who lives on a battery is not asked to advertise.
            guard !node.isExcluded, node.deviceKey != nil, node.features.lowPower != .enabled else { continue }
            estimator.advertisers.insert(node.uuid)
        }
        estimator.relays = network.nodes.indices.count { place in
            let relay = network.nodes[place].features.relay
            return (relay == .enabled || relay == nil) && network.isInReach(place)
        }
        return estimator
    }

    /// How long the plan will take.
    package func estimate(_ plan: Plan) -> PlanEstimate {
        estimate(plan.steps, barriers: plan.barriers)
    }

    /// How long steps will take, with the barriers between them.
    ///
    /// - Parameter barriers: positions of steps, ascending, before which everything earlier has to be over.
    package func estimate(_ steps: [Step], barriers: [Int]) -> PlanEstimate {
        var nodes = PlanPart.CostsByNode()
        var parts: [PlanPart] = []
        var part = PlanPart()
        var isLowerBound = false
        var barriers = barriers[...]
        var relaying: Set<DeviceUUID> = []
        for step in steps {
            guard case .configureWhenKnown(let configuration) = step.work, configuration.relay != nil else { continue }
            relaying.insert(configuration.node)
        }
        for (position, step) in steps.enumerated() {
            if barriers.first == position {
                barriers.removeFirst()
                parts.append(part)
                part = PlanPart()
            }
            switch step.work {
            case .configure(let node, let action):
                add(step.cost, node: node, to: &part, &nodes)
                switch action {
                case .setRelay(false, _), .resetNode: part.relaysOff += 1
                default: break
                }
            case .readBack(let node):
                add(step.cost, node: node, to: &part, &nodes)
            case .configureWhenKnown(let configuration):
                add(configuration.expectedCost, node: configuration.node, to: &part, &nodes)
                isLowerBound = isLowerBound || configuration.hasRulesForUndeclaredModels
                // Of whom nothing is known, that one is thought to relay until it is switched off.
                if configuration.relay == false { part.relaysOff += 1 }
            case .provision(let order):
                part.devices += 1
                // One that only nodes hear is out of reach for a link, too.
                switch order.route {
                case .any, .direct: part.newNodes.insert(order.uuid)
                default: break
                }
                // Who is told nothing about relaying may not be able to.
                part.newRelays += relaying.contains(order.uuid) ? 1 : 0.5
            case .edit: break
            }
        }
        parts.append(part)
        return estimate(parts, nodes, isLowerBound: isLowerBound)
    }

    /// How long messages will take that depend on nothing but the one before to the same node.
    package func estimate(_ messages: [(node: DeviceUUID, cost: MessageCost)]) -> PlanEstimate {
        var nodes = PlanPart.CostsByNode()
        var part = PlanPart()
        for message in messages { add(message.cost, node: message.node, to: &part, &nodes) }
        return estimate([part], nodes, isLowerBound: false)
    }

    private func estimate(_ parts: [PlanPart], _ nodes: PlanPart.CostsByNode, isLowerBound: Bool) -> PlanEstimate {
        var total = Moments(mean: 0, variance: 0)
        var shares: [PlanEstimate.Bound: Double] = [:]
        var relays = Double(self.relays)
        for part in parts where part.sends {
            let (time, bound) = self.time(of: part, relaysBefore: relays)
            relays = part.relaysAfter(relays)
            total.add(time)
            shares[bound, default: 0] += time.mean
        }
        let bound = PlanEstimate.Bound.allCases.filter { shares[$0] != nil }
            .max { shares[$0, default: 0] < shares[$1, default: 0] }
        if parts.contains(where: { $0.cost.messages > 0 }) {
            // Connecting to the proxy varies by half of what it takes.
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

    private func add(
        _ cost: MessageCost,
        node: DeviceUUID,
        to part: inout PlanPart,
        _ nodes: inout PlanPart.CostsByNode
    ) {
        guard cost.messages > 0 else { return }
        part.nodes.add(cost, node)
        part.cost += cost
        nodes.add(cost, node)
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
        let losses = profile.losses()
        let share = losses.retryShare(up: Double(cost.pdusToNode) / count, down: Double(cost.pdusFromNode) / count)
        let wait = RetryWait(retryShare: share, roundTrip: trip)
        let deviation = trip * Self.roundTripDeviation
        return Moments(
            mean: count * (trip + wait.mean),
            variance: count * (deviation * deviation + wait.variance)
        )
    }

    /// The time of one part and what bounds it.
    private func time(of part: PlanPart, relaysBefore: Double) -> (Moments, PlanEstimate.Bound) {
        let provisioning = provisioningTime(of: part)
        if let shared = timeWithDirectLinks(of: part, provisioning: provisioning, relaysBefore: relaysBefore) {
            return shared
        }
        return time(of: part, provisioning: provisioning, relaysBefore: relaysBefore)
    }

    /// The time of a part of which nodes get links of their own, as many as make it shortest; nil if none does.
    ///
    /// The more nodes have one, the longer do the links take and the shorter the mesh: the best is where they meet.
    private func timeWithDirectLinks(
        of part: PlanPart,
        provisioning: Double,
        relaysBefore: Double
    ) -> (Moments, PlanEstimate.Bound)? {
        guard connections > 1, part.cost.messages > 0 else { return nil }
        // One is for the mesh. Where devices are provisioned, half of the links are for that; what is gained when they are
        // done is lost again by nodes whose GATT proxy is switched off, which ends the links to them.
        let links = part.devices > 0 ? connections / 2 - 1 : connections - 1
        let share = DirectShare(part, links: Double(links), profile: profile, advertisers: advertisers)
        guard let share else { return nil }
        func mesh(without count: Int) -> (Moments, PlanEstimate.Bound) {
            let rest = part.without(share.costs.prefix(count), asking: part.devices > 0 ? .zero : DirectShare.question)
            return time(of: rest, provisioning: provisioning, relaysBefore: relaysBefore)
        }
        var (least, most) = (0, share.costs.count)
        while least < most {
            let middle = (least + most + 1) / 2
            if share.time(ofFirst: middle) <= mesh(without: middle).0.mean { least = middle } else { most = middle - 1 }
        }
        guard least > 0 else { return nil }
        let (rest, bound) = mesh(without: least)
        let direct = share.time(ofFirst: least)
        let deviation = direct * Self.modelDeviation
        // They end together, so that the mean of the later one is what counts.
        guard direct >= rest.mean * 0.9 else { return (rest, bound) }
        return (
            Moments(mean: max(direct, rest.mean), variance: max(deviation * deviation, rest.variance)), .directLinks
        )
    }

    private func time(
        of part: PlanPart,
        provisioning: Double,
        relaysBefore: Double
    ) -> (Moments, PlanEstimate.Bound) {
        let (configuring, bound) = configurationTime(of: part, provisioning: provisioning, relaysBefore: relaysBefore)
        // How many relays are in earshot is chance as any number of places is: it varies by its root.
        var variance = configuring.variance
        let relays = part.relays(before: relaysBefore, provisioningShare: 1)
        if relays > 0, part.cost.messages > 0 {
            let more = relaysBefore + relays.squareRoot()
            let (busier, _) = configurationTime(of: part, provisioning: provisioning, relaysBefore: more)
            variance += (busier.mean - configuring.mean) * (busier.mean - configuring.mean)
        }
        guard part.devices > 0 else { return (Moments(mean: configuring.mean, variance: variance), bound) }
        // Before there is a first node there is nobody to be configured.
        let lead = min(profile.connecting + RadioProfile.provisioningSession + RadioProfile.hearing, provisioning)
        let isProvisioningBound = provisioning > configuring.mean + lead
        let mean = connections > 1 ? max(provisioning, configuring.mean + lead) : provisioning + configuring.mean
        // So does the time until each device is heard and connected.
        let each = profile.connecting / 2 + RadioProfile.hearing
        variance += Double(part.devices) * each * each / (provisioningLinks * provisioningLinks)
        return (Moments(mean: mean, variance: variance), isProvisioningBound ? .provisioning : bound)
    }

    /// Links that are left for devices, once there is one for the mesh.
    private var provisioningLinks: Double { Double(max(connections - 1, 1)) }

    /// How long devices take to become nodes, people aside.
    private func provisioningTime(of part: PlanPart) -> Double {
        // The next device is heard while others have the links.
        var each = profile.connecting + RadioProfile.provisioningSession
        // With one link, each device and the mesh take turns.
        if connections == 1, part.cost.messages > 0 { each += RadioProfile.listening + profile.connecting }
        return RadioProfile.hearing + Double(part.devices) * each / provisioningLinks
    }

    /// How long the messages of a part take, and what bounds them.
    ///
    /// Collisions make PDUs get lost, for which time-outs are waited; how many collide depends on how many are sent a
    /// second, so that the time is found by iteration.
    private func configurationTime(
        of part: PlanPart,
        provisioning: Double,
        relaysBefore: Double
    ) -> (Moments, PlanEstimate.Bound) {
        guard part.cost.messages > 0 else { return (Moments(mean: 0, variance: 0), .provisioning) }
        let count = Double(part.cost.messages)
        let up = Double(part.cost.pdusToNode)
        let both = Double(part.cost.pdus)
        let most = min(window, Double(part.nodes.costs.count))
        var longest = Moments(mean: 0, variance: 0)
        var trips = 0.0
        var variance = 0.0
        for cost in part.nodes.costs {
            let chain = chain(cost)
            trips += Double(cost.messages) * roundTrip(cost)
            variance += chain.variance
            if chain.mean > longest.mean || chain.mean == longest.mean && chain.variance > longest.variance {
                longest = chain
            }
        }
        let trip = trips / count
        let atLeast = part.relays(before: relaysBefore, provisioningShare: 1)
        let (bound, single) = limit(of: part, isRepeated: atLeast > 0)
        var (service, mean, size) = (single / count, max(single, trips / most), most)
        var wait = RetryWait(retryShare: 0, roundTrip: trip)
        for _ in 0..<Self.iterations {
            let share = connections > 1 ? min(provisioning / max(mean, 0.001), 1) : 1
            let relays = inEarshot(part.relays(before: relaysBefore, provisioningShare: share))
            let losses = profile.losses(
                relays: relays,
                rate: both * wait.transmissions / max(mean, 0.001),
                paths: relays < 2 ? 1 : 2
            )
            let retryShare = losses.retryShare(up: up / count, down: (both - up) / count)
            size = RetryWait.window(atMost: most, retryShare: retryShare)
            let queued = max(trip, size * service)
            wait = RetryWait(retryShare: retryShare, roundTrip: queued)
            let repeats = retryShare > 0 ? RetryWait.segmentRepeats(roundTrip: queued) : 0
            let segments = max(both - 2 * count, 0) / both
            service = single / count * (wait.transmissions + segments * repeats)
            let away = max(trip - service, 0) + wait.mean
            let next = count * SendQueue(service: service, away: away).interval(customers: size)
            if abs(next - mean) < 0.001 * mean { break }
            mean = (mean + next) / 2
        }
        let tail = wait.tail(of: size)
        // Whatever bounds the whole, one node's chain comes after the others have begun to wait for the same resource.
        let unknown = mean * Self.modelDeviation
        variance = max(max(variance, count * wait.variance) / (size * size), longest.variance) + tail.variance
        variance += unknown * unknown
        if longest.mean > mean + tail.mean {
            return (Moments(mean: longest.mean, variance: longest.variance + unknown * unknown), .roundTrips)
        }
        let total = Moments(mean: mean + tail.mean, variance: variance)
        let (busy, waiting) = (count * service, count * wait.mean / size)
        if waiting > busy, waiting > trips / size { return (total, .timeouts) }
        return (total, busy < trips / size ? .roundTrips : bound)
    }

    /// How many of so many relays the proxy hears: those of the first hop, if they stand at all distances.
    private func inEarshot(_ relays: Double) -> Double {
        min(relays / max(profile.hops - 1, 1), RadioProfile.mostRelaysInEarshot)
    }

    /// The iteration halves the error each time.
    private static let iterations = 40

    /// The least time of a part's messages, each sent once, and what bounds it.
    ///
    /// - Parameter isRepeated: whether anybody relays, the proxy included.
    private func limit(of part: PlanPart, isRepeated: Bool) -> (PlanEstimate.Bound, Double) {
        let up = Double(part.cost.pdusToNode)
        let both = Double(part.cost.pdus)
        let perPDU = profile.connectionInterval / profile.pdusPerConnectionEvent
        let service = profile.advertisingTime / profile.advertisingSets
        let air = RadioProfile.transmissions * (1 + RadioProfile.relaysInEarshot) * RadioProfile.airTime
        let bounds: [(PlanEstimate.Bound, Double)] = [
            (.gatt, max(up, both - up) * perPDU),
            (.advertising, up * service),
            // Relays repeat requests and answers alike, and the proxy that relays repeats the answers, too.
            (.flood, isRepeated || profile.hops > 1 ? both * service : 0),
            (.air, profile.hops > 1 ? both * air : 0),
        ]
        var (bound, time) = (PlanEstimate.Bound.roundTrips, 0.0)
        for candidate in bounds where candidate.1 > time { (bound, time) = candidate }
        return (bound, time)
    }
}
