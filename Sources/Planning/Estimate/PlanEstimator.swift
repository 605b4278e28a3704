import DefinitionModel
package import MeshCore

/// Estimates how long a plan will take, by rehearsing it: the executor's rules are followed message by message over a
/// radio that is reduced to queues and chances, a few times with other chances each time.
///
/// What is rehearsed: the proxy and the relays of each hop repeat every PDU and have it wait; what many relays send
/// collides; lost PDUs cost time-outs; nodes are talked to side by side within a window; parts of a plan that barriers
/// separate follow each other; devices are provisioned beside that over links of their own, and with stock firmware
/// they relay until they are configured; nodes with much to do get links of their own. Of large plans only some nodes
/// are rehearsed, and the rest is taken to be like them.
package struct PlanEstimator: Sendable {
    /// What is assumed of the radio.
    package var profile: RadioProfile
    /// Links at once; at least 1. Messages of one subnet go over one proxy link however many there may be; the others
    /// lead to devices that are provisioned, and to nodes for themselves alone.
    package var connections: Int
    /// Nodes that are talked to at once, at most.
    package var window: Int
    /// The nodes of the network, as far as they are known.
    private var site = RehearsedSite()
    /// Nodes that have not answered since they became nodes, for all that is known.
    private var unanswered: Set<DeviceUUID> = []
    /// Nodes whose answer to an earlier request is still missing: it is read back before anything else is asked of
    /// them.
    package var inDoubt: Set<DeviceUUID> = []
    /// Whether proxies are listened for before the first of them is connected to.
    package var listensForProxies = true
    /// How many events one rehearsal takes in at most, at least 1. A rehearsal that needs more ends there; the estimate
    /// reckons the rest from what was done, and is a lower bound. Where fifty relays repeat every PDU, the largest part
    /// of a plan that is rehearsed takes over half of the usual number.
    package var mostEvents = 2_000_000
    /// Nodes that advertise their Node Identity if they are asked to, for all that is known; none before it is known
    /// which network it is. Devices that become nodes do so by themselves.
    private var advertisers: Set<DeviceUUID> = []

    /// One standard deviation of what all this leaves out, as a share of the time after the first message: where nodes
    /// stand, how many relays hear each other, what else is in the air.
    private static let modelDeviation = 0.16
    /// The standard normal variable at 95 %.
    private static let quantile95 = 1.645
    /// Messages that are rehearsed at most, in one rehearsal and in all of them.
    private static let mostMessages = 450
    private static let mostMessagesInAll = 1_350
    /// How many rehearsals there are.
    private static let rehearsals = 3...15

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
        self.window = max(window, 1)
        for place in 0..<max(relays, 0) { site.known.append(RehearsedSite.Known(uuid: nil, isProxy: place == 0)) }
    }

    /// The same for a network of which it is known who relays, and how.
    package func relaying(in network: MeshNetwork) -> PlanEstimator {
        var estimator = self
        estimator.site.known = []
        // Who is not known to be one counts where nobody is.
        let hasProxy = network.nodes.contains { $0.features.proxy == .enabled && !$0.isExcluded }
        for place in network.nodes.indices where network.nodes[place].uuid != network.ownProvisioner {
            let node = network.nodes[place]
            guard !node.isExcluded, node.deviceKey != nil else { continue }
            let mayBeProxy = node.features.proxy == .enabled || node.features.proxy == nil
            // Who lives on a battery is not asked to advertise.
            if mayBeProxy, node.features.lowPower != .enabled { estimator.advertisers.insert(node.uuid) }
            // Made a node by an earlier run, which has got no answer to its first question.
            if node.isManaged, !node.isCompositionKnown { estimator.unanswered.insert(node.uuid) }
            let mayRelay = node.features.relay == .enabled || node.features.relay == nil
            estimator.site.known.append(
                RehearsedSite.Known(
                    uuid: node.uuid,
                    subnets: node.netKeys.reduce(0) { $0 | RehearsedSite.bit($1.index) },
                    canRelay: node.features.relay != .notSupported,
                    isRelay: mayRelay && network.isInReach(place),
                    isProxy: node.features.proxy == .enabled || node.features.proxy == nil && !hasProxy,
                    transmit: Repetition(node.networkTransmit),
                    retransmit: Repetition(node.relayRetransmit)
                )
            )
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
        var parts = PlanParts()
        var isLowerBound = false
        var barriers = barriers[...]
        var stages = StepStages()
        for (position, step) in steps.enumerated() {
            let isNewStage = stages.begins(with: step)
            let isBarrier = barriers.first == position
            if isBarrier { barriers.removeFirst() }
            if isBarrier || isNewStage { parts.addBarrier() }
            isLowerBound = add(step, to: &parts) || isLowerBound
        }
        return estimate(parts, isLowerBound: isLowerBound)
    }

    /// How long messages will take that depend on nothing but the one before to the same node, and change nothing.
    package func estimate(_ messages: [(node: DeviceUUID, cost: MessageCost)]) -> PlanEstimate {
        var parts = PlanParts()
        for message in messages where message.cost.messages > 0 {
            let lane = parts.lane(of: message.node)
            parts.add(message.cost, to: lane)
            parts.change(lane) { ($0.beginsReading, $0.onlyReads) = (true, true) }
        }
        return estimate(parts, isLowerBound: false)
    }

    /// Takes a step in; whether it may turn out to be more than is known.
    private func add(_ step: Step, to parts: inout PlanParts) -> Bool {
        guard let node = step.node else { return false }
        switch step.work {
        case .configure(_, let action):
            let lane = parts.lane(of: node)
            if parts.lanes[lane].cost.messages == 0, action.changesNothing {
                parts.change(lane) { $0.beginsReading = true }
            }
            parts.add(step.cost, to: lane)
            switch action {
            case .setRelay: parts.noteRelay(node)
            case .setProxy: parts.noteProxy(node)
            default: break
            }
            switch action {
            case .setRelay(false, _): parts.change(lane) { $0.relaysNoMore = true }
            case .resetNode: parts.change(lane) { ($0.relaysNoMore, $0.leaves) = (true, true) }
            case .setProxy(true): parts.change(lane) { $0.becomesProxyAfter = $0.cost.messages }
            case .setProxy(false): parts.change(lane) { $0.losesProxyAfter = $0.cost.messages }
            case .addNetKey(let key):
                let subnet = RehearsedSite.bit(key)
                parts.change(lane) { $0.gains.append(PlanParts.Gain(messages: $0.cost.messages, subnets: subnet)) }
            default: break
            }
        case .readBack:
            let lane = parts.lane(of: node)
            parts.add(step.cost, to: lane)
            parts.change(lane) { $0.beginsReading = true }
        case .configureWhenKnown(let configuration):
            let lane = parts.lane(of: node)
            parts.add(configuration.expectedCost, to: lane)
            if configuration.relay != nil { parts.noteRelay(node) }
            if configuration.proxy != nil { parts.noteProxy(node) }
            parts.change(lane) { lane in
                if configuration.relay == false { lane.relaysNoMore = true }
                // The executor knows once it has looked at what the composition says.
                if configuration.proxy == true { lane.becomesProxyAfter = lane.cost.messages }
                if configuration.proxy == false { lane.losesProxyAfter = lane.cost.messages }
                let subnets = (configuration.subnets ?? []).reduce(0) { $0 | RehearsedSite.bit($1) }
                lane.gains.append(PlanParts.Gain(messages: lane.cost.messages, subnets: subnets))
            }
            return configuration.hasRulesForUndeclaredModels
        case .provision(let order):
            let lane = parts.lane(of: node)
            parts.addDevice(lane)
            parts.change(lane) { lane in
                lane.subnet = order.netKeyIndex
                // A device that the plan tells nothing about relaying may not be able to.
                lane.relaysFirst = 0.5
                // One that only nodes hear is out of reach for a link, too.
                switch order.route {
                case .any, .direct: break
                default: lane.isInReach = false
                }
            }
        case .edit: break
        }
        return false
    }

    private func estimate(_ parts: PlanParts, isLowerBound: Bool) -> PlanEstimate {
        let isSending = parts.cost.messages > 0 || parts.lanes.contains(where: \.isDevice)
        guard isSending else {
            return PlanEstimate(
                profile: profile.name,
                total: .zero,
                nodes: [:],
                bound: nil,
                isLowerBound: isLowerBound,
                silence: nil
            )
        }
        let script = RehearsalScript(parts, atMost: Self.mostMessages) { lane in
            lane.isDevice ? lane.isInReach : advertisers.contains(lane.node)
        }
        let outcomes = rehearse(script)
        let total = time(outcomes, script.share)
        let doubtful = parts.lanes.count { isDoubtful($0.node) && !$0.isDevice && $0.cost.messages > 0 }
        var silence: PlanEstimate.Silence?
        if doubtful > 0 {
            let others = time(rehearse(script.silencing(unanswered, inDoubt: inDoubt)), script.share)
            silence = PlanEstimate.Silence(nodes: doubtful, more: max(others.median - total.median, 0))
        }
        return PlanEstimate(
            profile: profile.name,
            total: total,
            nodes: nodeTimes(of: parts),
            bound: bound(outcomes),
            isLowerBound: isLowerBound || outcomes.contains(where: \.isCutShort),
            silence: silence
        )
    }

    private func isDoubtful(_ node: DeviceUUID) -> Bool { unanswered.contains(node) || inDoubt.contains(node) }

    // MARK: Rehearsals

    private var bearer: Rehearsal.Bearer {
        Rehearsal.Bearer(
            profile: profile,
            connections: connections,
            window: window,
            listening: listensForProxies ? RadioProfile.listening : 0,
            mostEvents: mostEvents
        )
    }

    private func rehearse(_ script: RehearsalScript) -> [Rehearsal.Outcome] {
        let count = Self.mostMessagesInAll / max(script.messageCount, 1)
        let rehearsals = min(max(count, Self.rehearsals.lowerBound), Self.rehearsals.upperBound)
        return (1...UInt64(rehearsals)).map { seed in
            script.rehearse(site, bearer, seed: seed)
        }
    }

    /// - Parameter share: the share of the plan that was rehearsed, 0...1.
    private func time(_ outcomes: [Rehearsal.Outcome], _ share: Double) -> PlanEstimate.Time {
        let times = outcomes.map { $0.lead + ($0.duration - $0.lead) / share }.sorted()
        let leads = outcomes.map(\.lead).sorted()
        let median = (times[times.count / 2] + times[(times.count - 1) / 2]) / 2
        let lead = leads[leads.count / 2]
        let mean = times.reduce(0, +) / Double(times.count)
        let spread = times.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(max(times.count - 1, 1))
        let unknown = (median - lead) * Self.modelDeviation
        // How soon a proxy is heard and connected to varies by half of what it takes.
        let connecting = profile.connecting / 4
        let deviation = (spread + unknown * unknown + connecting * connecting).squareRoot()
        return PlanEstimate.Time(
            median: median * profile.correction,
            percentile95: (max(median, mean) + Self.quantile95 * deviation) * profile.correction
        )
    }

    /// Whether anybody relays what the proxy sends.
    private var isFlooded: Bool { site.known.contains(where: \.isRelay) }

    /// What the runs waited for most.
    private func bound(_ outcomes: [Rehearsal.Outcome]) -> PlanEstimate.Bound {
        let count = Double(outcomes.count)
        func mean(_ value: (Rehearsal.Outcome) -> Double) -> Double { outcomes.reduce(0) { $0 + value($1) } / count }
        let (duration, lead) = (mean(\.duration), mean(\.lead))
        if mean(\.provisionedAt) > 0.85 * duration { return .provisioning }
        if duration - lead < lead { return .connecting }
        if mean(\.directAt) > 0.95 * duration { return .directLinks }
        if mean(\.proxyLoad) > 0.75 { return isFlooded || mean(\.provisionedAt) > 0 ? .flood : .advertising }
        if mean(\.linkLoad) > 0.75 { return .gatt }
        return mean(\.waiting) > 0.4 * mean(\.talking) ? .timeouts : .roundTrips
    }

    /// What each node takes by itself: so much for each message and each PDU beyond the first two, as one node shows
    /// that is sent many of them.
    private func nodeTimes(of parts: PlanParts) -> [DeviceUUID: PlanEstimate.Time] {
        var costs: [DeviceUUID: MessageCost] = [:]
        for lane in parts.lanes where lane.cost.messages > 0 { costs[lane.node, default: .zero] += lane.cost }
        guard !costs.isEmpty else { return [:] }
        func measured(_ message: MessageCost) -> (mean: Double, variance: Double) {
            let count = 20
            let script = RehearsalScript(repeating: message, count)
            let times = (1...UInt64(4)).map { seed in
                let outcome = script.rehearse(site, bearer, seed: seed)
                return (outcome.duration - outcome.lead) / Double(count)
            }
            let mean = times.reduce(0, +) / Double(times.count)
            let spread = times.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(times.count - 1)
            return (mean, spread * Double(count))
        }
        let short = measured(MessageCost(messages: 1, pdusToNode: 1, pdusFromNode: 1))
        let long = measured(MessageCost(messages: 1, pdusToNode: 2, pdusFromNode: 2))
        let more = (mean: max(long.mean - short.mean, 0) / 2, variance: max(long.variance - short.variance, 0) / 2)
        return costs.mapValues { cost in
            let (messages, pdus) = (Double(cost.messages), Double(max(cost.pdus - 2 * cost.messages, 0)))
            let mean = (messages * short.mean + pdus * more.mean) * profile.correction
            let variance = messages * short.variance + pdus * more.variance
            return PlanEstimate.Time(
                median: mean,
                percentile95: mean + Self.quantile95 * variance.squareRoot() * profile.correction
            )
        }
    }
}

extension ConfigurationAction {
    /// Whether it only asks.
    fileprivate var changesNothing: Bool {
        switch self {
        case .readComposition, .read: true
        default: false
        }
    }
}
