import DefinitionModel
package import MeshCore

/// Estimates how long a plan will take, by rehearsing it. A rehearsal follows the executor's rules message by message
/// over a radio that consists of queues and chances. There are several rehearsals, each with other chances.
///
/// These things take time in a rehearsal:
/// - The proxy and the relays of each hop repeat every PDU, and PDUs wait in their queues.
/// - What many relays send collides. Lost PDUs cost time-outs.
/// - The client talks to several nodes at once, within a window.
/// - Parts of a plan that barriers separate follow each other.
/// - Devices are provisioned over links of their own at the same time. Stock firmware relays until it is configured.
/// - Nodes with much to do get links of their own.
///
/// Of a large plan, only some nodes are rehearsed. The estimate assumes that the others are like them.
package struct PlanEstimator: Sendable {
    /// What is assumed of the radio.
    package var profile: RadioProfile
    /// Links at once; at least 1. Messages of one subnet share one proxy link. The other links lead to devices that are
    /// provisioned, or to single nodes with much to do.
    package var connections: Int
    /// The most nodes that the client talks to at once.
    package var window: Int
    /// The nodes of the network, as far as they are known.
    private var site = RehearsedSite()
    /// Nodes of which no answer is known since they became nodes.
    private var unanswered: Set<DeviceUUID> = []
    /// Nodes whose answer to an earlier request is still missing. The executor reads them back before anything else.
    package var inDoubt: Set<DeviceUUID> = []
    /// Whether the client listens for proxies before it connects to the first one.
    package var listensForProxies = true
    /// The most events of one rehearsal, at least 1. A rehearsal that needs more ends there. The estimate then
    /// extrapolates the rest and is a lower bound. Where fifty relays repeat every PDU, the largest part of a plan that
    /// is rehearsed takes over half of the usual number.
    package var mostEvents = 2_000_000
    /// Nodes that probably advertise their Node Identity when asked to. Empty until the network is known. Devices that
    /// become nodes advertise it by themselves.
    private var advertisers: Set<DeviceUUID> = []

    /// The standard deviation of what rehearsals leave out, as a share of the time after the first message: where nodes
    /// stand, how many relays hear each other, what else is in the air.
    private static let modelDeviation = 0.16
    /// The 95 % quantile of the standard normal distribution.
    private static let quantile95 = 1.645
    /// The most messages of one rehearsal, and of all rehearsals together.
    private static let mostMessages = 450
    private static let mostMessagesInAll = 1_350
    /// Up to so many messages and devices, a plan that provisions devices is rehearsed whole: stock devices relay as
    /// soon as they are nodes, so a rehearsal of every second one has half of the relays and seems too fast.
    private static let mostWithDevices = 1_000
    /// How many rehearsals there are.
    private static let rehearsals = 3...15

    /// Shorter runs teach nothing, because connecting takes most of their time.
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

    /// The same estimator for a network whose relays and proxies are known.
    package func relaying(in network: MeshNetwork) -> PlanEstimator {
        var estimator = self
        estimator.site.known = []
        // If no node is known to be a proxy, those that may be one count as proxies.
        let hasProxy = network.nodes.contains { $0.features.proxy == .enabled && !$0.isExcluded }
        for place in network.nodes.indices where network.nodes[place].uuid != network.ownProvisioner {
            let node = network.nodes[place]
            guard !node.isExcluded, node.deviceKey != nil else { continue }
            let mayBeProxy = node.features.proxy == .enabled || node.features.proxy == nil
            // The executor does not ask a node on a battery to advertise.
            if mayBeProxy, node.features.lowPower != .enabled { estimator.advertisers.insert(node.uuid) }
            // An earlier run made it a node and got no answer to its first question.
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

    /// How long messages take that change nothing. Each depends only on the message before it to the same node.
    package func estimate(_ messages: [(node: DeviceUUID, cost: MessageCost)]) -> PlanEstimate {
        var parts = PlanParts()
        for message in messages where message.cost.messages > 0 {
            let lane = parts.lane(of: message.node)
            parts.add(message.cost, to: lane)
            parts.change(lane) { ($0.beginsReading, $0.onlyReads) = (true, true) }
        }
        return estimate(parts, isLowerBound: false)
    }

    /// Adds a step. Returns whether it may turn out to need more messages than are known.
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
                // The executor learns this from the composition.
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
                // If the plan says nothing about relaying, the device may not be able to relay.
                lane.relaysFirst = 0.5
                // The client cannot link to a device that only nodes hear.
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
        let script = RehearsalScript(parts, atMost: Self.most(of: parts)) { lane in
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

    /// About the most messages and devices of a plan to rehearse.
    private static func most(of parts: PlanParts) -> Int {
        let devices = parts.lanes.count(where: \.isDevice)
        return devices > 0 && parts.cost.messages + devices <= mostWithDevices ? mostWithDevices : mostMessages
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
        // The time until a proxy is heard and connected to varies by half.
        let connecting = profile.connecting / 4
        let deviation = (spread + unknown * unknown + connecting * connecting).squareRoot()
        return PlanEstimate.Time(
            median: median * profile.correction,
            percentile95: (max(median, mean) + Self.quantile95 * deviation) * profile.correction
        )
    }

    /// Whether any node relays what the proxy sends.
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

    /// The time of each node by itself: a share for each message, and one for each PDU beyond the first two. Both come
    /// from rehearsals of one node that gets many messages.
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
    /// Whether it only reads.
    fileprivate var changesNothing: Bool {
        switch self {
        case .readComposition, .read, .holdState: true
        default: false
        }
    }
}
