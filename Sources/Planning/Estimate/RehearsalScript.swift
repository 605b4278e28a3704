import MeshCore

/// The messages of a plan that are rehearsed: those of all nodes, or of every n-th node if there are many.
struct RehearsalScript {
    private var lanes: [RehearsedLane] = []
    private var nodes: [DeviceUUID?] = []
    private var beginsReading: [Bool] = []
    /// The lanes of each part between two barriers.
    private var parts: [Range<Int>] = []
    /// Messages and devices that are rehearsed.
    private(set) var messageCount = 0
    /// The share of all messages and devices that is rehearsed, above 0 and up to 1.
    private(set) var share = 1.0

    /// A script of a plan's parts.
    ///
    /// - Parameters:
    ///   - most: about the most messages and devices to rehearse. One node of each part is always rehearsed.
    ///   - mayBeDirect: whether the node of a lane may get a link of its own.
    init(_ plan: PlanParts, atMost most: Int, mayBeDirect: (PlanParts.Lane) -> Bool) {
        func weight(_ lane: PlanParts.Lane) -> Int { lane.cost.messages + (lane.isDevice ? 1 : 0) }
        let all = plan.lanes.reduce(0) { $0 + weight($1) }
        let stride = max((all + most - 1) / max(most, 1), 1)
        var chosen: [Int] = []
        for (part, start) in plan.starts.enumerated() {
            let end = part + 1 < plan.starts.count ? plan.starts[part + 1] : plan.lanes.count
            let first = chosen.count
            chosen += Swift.stride(from: start, to: end, by: stride)
            parts.append(first..<chosen.count)
        }
        for (place, messages) in plan.messages(of: chosen).enumerated() {
            let planned = plan.lanes[chosen[place]]
            var lane = RehearsedLane(messages)
            if planned.isDevice { lane.way = .device }
            lane.relaysFirst = planned.relaysFirst
            lane.isProxyFirst = planned.isProxyTold
            lane.relaysNoMore = planned.relaysNoMore
            lane.leaves = planned.leaves
            lane.onlyReads = planned.onlyReads
            lane.becomesProxyAfter = planned.becomesProxyAfter
            lane.losesProxyAfter = planned.losesProxyAfter
            lane.mayBeDirect = mayBeDirect(planned)
            if let subnet = planned.subnet { lane.subnets = RehearsedSite.bit(subnet) }
            lane.gains = planned.gains
            lanes.append(lane)
            nodes.append(planned.node)
            beginsReading.append(planned.beginsReading)
            messageCount += weight(planned)
        }
        if all > 0 { share = Double(messageCount) / Double(all) }
    }

    /// A script of one node that gets the same message many times.
    init(repeating message: MessageCost, _ count: Int) {
        lanes = [RehearsedLane(Array(repeating: message, count: count))]
        nodes = [nil]
        beginsReading = [false]
        parts = [0..<1]
        messageCount = count
    }

    /// The same script if some nodes do not answer.
    ///
    /// - Parameters:
    ///   - silent: nodes that do not answer.
    ///   - doubtful: nodes that are first asked what became of an earlier request.
    func silencing(_ silent: Set<DeviceUUID>, inDoubt doubtful: Set<DeviceUUID>) -> RehearsalScript {
        var script = self
        let policy = RetryPolicy()
        var given: Set<DeviceUUID> = []
        for (place, node) in nodes.enumerated() where lanes[place].way != .device {
            guard let node, doubtful.contains(node) || silent.contains(node) else { continue }
            // A node that was silent before a barrier is asked nothing after it.
            guard given.insert(node).inserted else {
                script.lanes[place].next = lanes[place].messages.count
                continue
            }
            if doubtful.contains(node) {
                // Two questions: what became of the request, and whether the node answers at all.
                script.lanes[place].silence = 2 * policy.doubtDeadline.seconds
            } else {
                // The executor reads back a request that may have taken effect before it gives the node up.
                let readingBack = beginsReading[place] ? .zero : policy.readBackDeadline
                script.lanes[place].silence = (policy.deadline + readingBack).seconds
            }
        }
        return script
    }

    /// Rehearses it.
    ///
    /// - Parameter known: the network's nodes.
    func rehearse(_ known: RehearsedSite, _ bearer: Rehearsal.Bearer, seed: UInt64) -> Rehearsal.Outcome {
        var dice = RehearsalDice(seed: seed)
        let hops = max(Int(bearer.profile.hops.rounded()), 1)
        let stage = known.stage(lanes, of: nodes, hops: hops, &dice)
        var rehearsal = Rehearsal(stage, bearer, dice: dice)
        for part in parts { rehearsal.run(part) }
        return rehearsal.finish()
    }
}
