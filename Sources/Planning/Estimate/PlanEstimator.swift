import DefinitionModel
package import MeshCore

/// Estimates how long a plan will take, by a formula over what the plan and the database know.
///
/// Barriers divide a plan into parts, which follow each other. In each part, ``MeshPart`` and ``DevicePart`` say what
/// is slowest: a node with many messages, the window of nodes, the air around the proxy, the GATT connection, or
/// provisioning. To that come the search for a proxy and the time-outs of what gets lost. The constants are the
/// executor's own timers and rules, and the figures of the radio profile.
package struct PlanEstimator: Sendable {
    package var profile: RadioProfile
    /// Links at once; at least 1. Messages of one subnet share one proxy link. The other links lead to devices that are
    /// provisioned, or to single nodes with much to do.
    package var connections: Int
    /// The most nodes that the client talks to at once.
    package var window: Int
    /// The nodes of the network, as far as they are known.
    private var site = EstimatedSite()
    /// Nodes of which no answer is known since they became nodes.
    private var unanswered: Set<DeviceUUID> = []
    /// Nodes whose answer to an earlier request is still missing. The executor reads them back before anything else.
    package var inDoubt: Set<DeviceUUID> = []
    /// Whether the client listens for proxies before it connects to the first one.
    package var listensForProxies = true
    /// Nodes that probably advertise their Node Identity when asked to. Empty until the network is known. Devices that
    /// become nodes advertise it by themselves.
    private var advertisers: Set<DeviceUUID> = []

    /// The standard deviation of what the formula leaves out, as a share of the time after the first message: where
    /// nodes stand, how many relays hear each other, what else is in the air. Runs in the simulator deviate that much
    /// from their estimates.
    private static let modelDeviation = 0.25
    /// The 95 % quantile of the standard normal distribution.
    private static let quantile95 = 1.645

    /// Shorter runs teach nothing, because connecting takes most of their time.
    package static let leastMessagesToLearnFrom = 30

    package init(
        profile: RadioProfile,
        connections: Int = 1,
        window: Int = WindowPolicy().maximum,
        relays: Int = 0
    ) {
        self.profile = profile
        self.connections = max(connections, 1)
        self.window = max(window, 1)
        for place in 0..<max(relays, 0) { site.known.append(EstimatedSite.Known(uuid: nil, isProxy: place == 0)) }
    }

    /// The same estimator for a network whose relays and proxies are known.
    package func relaying(in network: MeshNetwork) -> PlanEstimator {
        var estimator = self
        estimator.site = EstimatedSite()
        // If no node is known to be a proxy, those that may be one count as proxies.
        let hasProxy = network.nodes.contains { $0.features.proxy == .enabled && !$0.isExcluded }
        for place in network.nodes.indices where network.nodes[place].uuid != network.ownProvisioner {
            let node = network.nodes[place]
            guard !node.isExcluded, node.deviceKey != nil else { continue }
            for publication in node.elements.lazy.flatMap(\.models).compactMap(\.publication) {
                estimator.site.published += publication.pdusPerSecond
            }
            let mayBeProxy = node.features.proxy == .enabled || node.features.proxy == nil
            // The executor does not ask a node on a battery to advertise.
            if mayBeProxy, node.features.lowPower != .enabled { estimator.advertisers.insert(node.uuid) }
            // An earlier run made it a node and got no answer to its first question.
            if node.isManaged, !node.isCompositionKnown { estimator.unanswered.insert(node.uuid) }
            let mayRelay = node.features.relay == .enabled || node.features.relay == nil
            estimator.site.known.append(
                EstimatedSite.Known(
                    uuid: node.uuid,
                    subnets: node.netKeys.reduce(0) { $0 | EstimatedSite.bit($1.index) },
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
            if parts.lanes[lane].messages.isEmpty {
                parts.change(lane) { lane in
                    lane.beginsReading = action.changesNothing
                    if case .setDefaultTTL = action { lane.beginsWithTTL = true }
                }
            }
            parts.add(step.cost, to: lane)
            switch action {
            case .setRelay(let isOn, let retransmit):
                parts.noteFeature(node)
                parts.change(lane) { ($0.relay, $0.retransmit) = (isOn, retransmit) }
            case .setProxy(let isOn):
                parts.noteFeature(node)
                parts.change(lane) { $0.proxy = isOn }
            case .setNetworkTransmit(let transmit): parts.change(lane) { $0.transmit = transmit }
            case .resetNode: parts.change(lane) { $0.leaves = true }
            case .addNetKey(let key): parts.change(lane) { $0.subnets |= EstimatedSite.bit(key) }
            default: break
            }
        case .readBack:
            let lane = parts.lane(of: node)
            parts.add(step.cost, to: lane)
            parts.change(lane) { $0.beginsReading = true }
        case .configureWhenKnown(let configuration):
            let lane = parts.lane(of: node)
            parts.add(configuration.expectedCost, to: lane)
            if configuration.relay != nil || configuration.proxy != nil { parts.noteFeature(node) }
            parts.change(lane) { lane in
                if let relay = configuration.relay { lane.relay = relay }
                if let proxy = configuration.proxy { lane.proxy = proxy }
                if let retransmit = configuration.relayRetransmit { lane.retransmit = retransmit }
                lane.subnets |= (configuration.subnets ?? []).reduce(0) { $0 | EstimatedSite.bit($1) }
            }
            return configuration.hasRulesForUndeclaredModels
        case .provision(let order):
            let lane = parts.lane(of: node)
            parts.addDevice(lane)
            parts.change(lane) { lane in
                lane.subnet = order.netKeyIndex
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
        guard parts.lanes.contains(where: { $0.isDevice || !$0.messages.isEmpty }) else {
            return PlanEstimate(
                profile: profile.name,
                total: .zero,
                nodes: [:],
                bound: nil,
                isLowerBound: isLowerBound,
                silence: nil
            )
        }
        let course = course(of: parts, isSilent: false)
        let doubtful = parts.lanes.count { isDoubtful($0) }
        var silence: PlanEstimate.Silence?
        if doubtful > 0 {
            let more = self.course(of: parts, isSilent: true).seconds - course.seconds
            silence = PlanEstimate.Silence(nodes: doubtful, more: max(more * profile.correction, 0))
        }
        // The time until a proxy is heard and connected to varies by half.
        let connecting = profile.connecting / 4
        let unknown = (course.seconds - course.lead) * Self.modelDeviation
        let deviation = (course.variance + unknown * unknown + connecting * connecting).squareRoot()
        return PlanEstimate(
            profile: profile.name,
            total: PlanEstimate.Time(
                median: course.seconds * profile.correction,
                percentile95: (course.seconds + Self.quantile95 * deviation) * profile.correction
            ),
            nodes: nodeTimes(of: parts),
            bound: course.bound,
            isLowerBound: isLowerBound,
            silence: silence
        )
    }

    private func isDoubtful(_ lane: PlanParts.Lane) -> Bool {
        (unanswered.contains(lane.node) || inDoubt.contains(lane.node)) && !lane.isDevice && !lane.messages.isEmpty
    }

    // MARK: The course of a run

    /// How long a run takes, and what takes the time.
    private struct Course {
        var seconds = 0.0
        /// The seconds before the first message.
        var lead = 0.0
        /// The variance of the time-outs.
        var variance = 0.0
        var provisioning = 0.0
        var waiting = 0.0
        var bounds: [PlanEstimate.Bound: Double] = [:]

        var bound: PlanEstimate.Bound? {
            if provisioning > 0.85 * seconds { return .provisioning }
            if seconds - lead < lead { return .connecting }
            if waiting > 0.4 * (seconds - lead) { return .timeouts }
            return PlanEstimate.Bound.allCases.max { bounds[$0, default: 0] < bounds[$1, default: 0] }
        }
    }

    /// - Parameter isSilent: whether doubtful nodes do not answer.
    private func course(of parts: PlanParts, isSilent: Bool) -> Course {
        var (course, site) = (Course(), site)
        let isFromNothing = site.known.isEmpty && parts.lanes.contains(where: \.isDevice)
        if !isFromNothing {
            let listening = listensForProxies ? profile.listening(for: site.known.count(where: \.isProxy)) : 0
            course.lead = listening + DirectLinkModel.setUp(profile)
            course.seconds = course.lead
        }
        var given: Set<DeviceUUID> = []
        var needsLink = isFromNothing
        for part in parts.parts {
            let isFirst = site.known.isEmpty
            site.addDevices(of: part)
            let silent = isSilent ? part.filter { isDoubtful($0) } : []
            let answering = silent.isEmpty ? part : part.filter { !isDoubtful($0) }[...]
            let mesh = MeshPart(answering, profile, HopModel(site, profile), window: window)
            var (seconds, bound) = (mesh.quantile(0.5), mesh.bound)
            let late = (mesh.quantile(0.95) - seconds) / Self.quantile95
            course.variance += late * late
            course.waiting += mesh.waiting + max(seconds - mesh.seconds, 0)
            if part.contains(where: \.isDevice) {
                let devices = DevicePart(
                    part,
                    mesh,
                    profile,
                    connections: connections,
                    isFirst: isFirst,
                    needsLink: needsLink
                )
                // Provisioning begins while the client still looks for a proxy.
                seconds = max(devices.seconds - (course.seconds == course.lead ? course.lead : 0), 0)
                if isFirst { course.lead = devices.provisioned }
                needsLink = needsLink && isFirst && part.count == 1
                course.provisioning += devices.provisioned
                if devices.provisioned > 0.5 * devices.seconds { bound = .provisioning }
                if devices.direct > 0.5 * devices.seconds { bound = .directLinks }
            } else {
                let busy = answering.filter { !$0.messages.isEmpty }
                let shared = DirectLinkModel.share(seconds, of: busy, mesh, profile, connections: connections) {
                    advertisers.contains($0.node)
                }
                if shared.seconds < seconds {
                    if shared.direct > 0.5 * shared.seconds { bound = .directLinks }
                    seconds = shared.seconds
                }
            }
            // A node that was silent before a barrier is asked nothing after it.
            seconds = self.seconds(seconds, waitingFor: silent.filter { given.insert($0.node).inserted }, of: part)
            course.seconds += seconds
            course.bounds[bound, default: 0] += seconds
            site.finish(part)
        }
        return course
    }

    /// The seconds of a part with silent nodes. They fill the window in turns. Beside a turn that does not fill it, the
    /// others go on.
    private func seconds(
        _ others: Double,
        waitingFor silent: [PlanParts.Lane],
        of part: ArraySlice<PlanParts.Lane>
    ) -> Double {
        guard !silent.isEmpty else { return others }
        let policy = RetryPolicy()
        let waits = silent.map { lane in
            // The executor reads back a request that may have taken effect before it gives the node up.
            let wait = policy.deadline + (lane.beginsReading ? .zero : policy.readBackDeadline)
            guard inDoubt.contains(lane.node) else { return wait.seconds }
            // Two questions: what became of the request, and whether the node answers at all. Then it is given up,
            // unless the request set its Default TTL: too small a one would silence it, so it is set again.
            return (policy.doubtDeadline * 2 + (lane.beginsWithTTL ? wait : .zero)).seconds
        }
        let turns = stride(from: 0, to: waits.count, by: window).map { waits[$0..<min($0 + window, waits.count)] }
        let full = turns.filter { $0.count == window }.reduce(0) { $0 + ($1.max() ?? 0) }
        let all = turns.reduce(0) { $0 + ($1.max() ?? 0) }
        // Before that, some are asked to advertise for a link of their own.
        let open = part.reduce(0) { $0 + $1.cost.pdus }
        let isAsked = silent.contains { lane in
            advertisers.contains(lane.node) && connections > 1
                && DirectLinkModel.pays(
                    lane.cost,
                    links: connections - 1,
                    openPDUs: open,
                    setUp: DirectLinkModel.setUp(profile)
                )
        }
        // They stand anywhere among the others: of so many, the last one begins after that share of the time.
        let before = others * Double(waits.count) / Double(waits.count + 1)
        return max(others + full, before + all) + (isAsked ? policy.readBackDeadline.seconds : 0)
    }

    private func nodeTimes(of parts: PlanParts) -> [DeviceUUID: PlanEstimate.Time] {
        let hops = HopModel(site, profile)
        var times: [DeviceUUID: PlanEstimate.Time] = [:]
        for lane in parts.lanes where !lane.messages.isEmpty {
            let alone = MeshPart([lane], profile, hops, window: 1)
            let median = alone.quantile(0.5) * profile.correction
            times[lane.node, default: .zero].median += median
            times[lane.node, default: .zero].percentile95 += alone.quantile(0.95) * profile.correction
        }
        return times
    }
}

extension Publication {
    /// The PDUs that a model publishes by itself; a status usually takes one.
    fileprivate var pdusPerSecond: Double {
        period.milliseconds > 0 ? Double(1 + retransmit.count) * 1_000 / Double(period.milliseconds) : 0
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
