import MeshCore
import Planning

/// Links of their own for nodes that have much to do, as long as there are spare links.
///
/// A newly provisioned device advertises its Node Identity by itself. Other nodes are asked to through the mesh (Mesh
/// Protocol 4.3.2.44). They stop by themselves after a minute (4.2.13), so a crash leaves nothing to undo, and asking
/// needs no record. While the run waits for such a link it sends nothing else to the node. If the link fails, the run
/// reaches the node through the mesh like the others.
extension ExecutionRun {
    /// Gives links of their own to as many nodes as makes sense, or begins to.
    func assignDirectLinks() {
        guard driver.client.maximumDirectLinks > 0 || !direct.stages.isEmpty else { return }
        let now = bearer.now
        for node in direct.order { considerEnd(of: node, at: now) }
        releaseSurplus()
        askForIdentities(at: now)
        let addresses = direct.order.compactMap { uuid -> UnicastAddress? in
            direct.stages[uuid] == .asking ? nil : network.node(uuid)?.unicastAddress
        }
        perform(driver.client.keepDirectLinks(to: addresses, at: now))
    }

    /// A device has become a node: it advertises its Node Identity by itself if it was provisioned over PB-GATT (Mesh
    /// Protocol 7.2.2.2.3). A device that was provisioned through a node is probably out of the bearer's reach.
    func awaitDirectLink(to uuid: DeviceUUID) {
        guard let lane = schedule.lane(of: uuid), direct.isOpen(uuid), !isInterrupted,
            direct.stages.count < driver.client.maximumDirectLinks * ExecutionRun.directLookAhead,
            driver.client.mayLinkDirectly,
            network.node(uuid)?.deviceKey != nil, !servers.reaches(uuid)
        else { return }
        direct.set(uuid, .advertising(since: bearer.now))
        schedule.reach(lane: lane, by: .held)
    }

    /// A link for one node alone is ready.
    func directLinkUp(to address: UnicastAddress, _ times: LinkTimes) {
        guard let uuid = direct.order.first(where: { network.node($0)?.unicastAddress == address }) else { return }
        direct.set(uuid, .linked)
        direct.measure(times)
        if let lane = schedule.lane(of: uuid) { schedule.reach(lane: lane, by: .direct) }
    }

    /// A link for one node alone is gone, or could not be made.
    func directLinkDown(to address: UnicastAddress, hasFailed: Bool) {
        guard let uuid = direct.order.first(where: { network.node($0)?.unicastAddress == address }) else { return }
        endDirectLink(of: uuid, hasFailed: hasFailed)
    }

    /// A node has answered whether it advertises its Node Identity.
    func settleIdentity(_ uuid: DeviceUUID, isRunning: Bool) {
        guard direct.stages[uuid] == .asking else { return }
        if isRunning {
            direct.set(uuid, .advertising(since: bearer.now))
        } else {
            endDirectLink(of: uuid, hasFailed: true)
        }
    }

    /// How many nodes the run talks to through the mesh.
    var meshLoad: Int {
        guard !direct.stages.isEmpty else { return jobs.count + outbox.count }
        return jobs.values.count { !direct.isLinked($0.node) } + outbox.count { !direct.isLinked($0.node) }
    }

    /// How many nodes for each link are asked or wait for a link, including the one that has it: while one is busy the
    /// next begins to advertise.
    private static let directLookAhead = 2

    // MARK: Asking

    private func askForIdentities(at now: Instant) {
        let slots = driver.client.maximumDirectLinks
        guard slots > 0, direct.mayAsk, !isInterrupted, driver.client.isIVIndexKnown, driver.client.isLinkReady,
            driver.client.mayLinkDirectly,
            direct.stages.count < slots * ExecutionRun.directLookAhead
        else { return }
        countOpenWork(at: now)
        var room = min(slots * ExecutionRun.directLookAhead - direct.stages.count, window.size - meshLoad)
        // Nodes that have not begun come first, then those that the run already reaches through the mesh.
        while directSearch < schedule.laneCount, isBehind(directSearch, isBegun: false) { directSearch += 1 }
        while begunSearch < schedule.laneCount, isBehind(begunSearch, isBegun: true) { begunSearch += 1 }
        for isBegun in [false, true] {
            let first = isBegun ? begunSearch : directSearch
            let lanes = first..<min(first + ExecutionRun.directSearchWidth, schedule.laneCount)
            for lane in lanes where room > 0 && startedNodes.contains(schedule.node(ofLane: lane)) == isBegun {
                if askForIdentity(lane) { room -= 1 }
            }
        }
    }

    /// How many lanes are examined to find one that benefits.
    private static let directSearchWidth = 64

    /// Whether this lane and those before it need not be examined again.
    private func isBehind(_ lane: Int, isBegun: Bool) -> Bool {
        isBegun ? schedule.isLaneFinished(lane) : startedNodes.contains(schedule.node(ofLane: lane))
    }

    /// Asks the node of a lane to advertise its identity, if that is worth it.
    private func askForIdentity(_ lane: Int) -> Bool {
        let uuid = schedule.node(ofLane: lane)
        guard direct.isOpen(uuid), schedule.isStartable(lane: lane), !servers.isAsking(uuid),
            let address = network.node(uuid)?.unicastAddress, !driver.client.isAsking(address),
            let question = identityQuestion(uuid), pays(lane: lane, slots: driver.client.maximumDirectLinks)
        else { return false }
        schedule.reach(lane: lane, by: .held)
        if driver.client.isDirect(to: address) {
            direct.set(uuid, .advertising(since: bearer.now))
            return false
        }
        direct.set(uuid, .asking)
        outbox.append(.identity(uuid, question))
        return true
    }

    /// The request that makes a node advertise its Node Identity, or its private one if it supports that; nil if it
    /// cannot or should not. It cannot while its GATT proxy is off (Mesh Protocol 4.2.12). A node on a battery should
    /// not advertise for a minute to spare others some messages: its friend stores those for it.
    private func identityQuestion(_ uuid: DeviceUUID) -> Question<Bool>? {
        guard let node = network.node(uuid), node.deviceKey != nil, !node.isExcluded, !unreachable.contains(uuid),
            doubts[uuid] == nil, node.features.proxy != .notSupported, node.features.proxy != .disabled,
            node.features.lowPower != .enabled,
            let subnet = network.subnets(of: node).first
        else { return nil }
        if node.hasPrimary(.privateBeaconServer) {
            return Question(PrivateNodeIdentitySet(netKeyIndex: subnet, isEnabled: true)) {
                $0.status == .success && $0.identity == .running
            }
        }
        return Question(ConfigNodeIdentitySet(netKeyIndex: subnet, isEnabled: true)) {
            $0.status == .success && $0.identity == .running
        }
    }

    /// Whether a node is done sooner over a link of its own: the mesh is busy for longer than connecting takes, and the
    /// node's share of the mesh's work takes longer than one link's share of connecting.
    private func pays(lane: Int, slots: Int) -> Bool {
        var cost = MessageCost.zero
        for step in schedule.openSteps(ofLane: lane) { cost += expectedCost(of: step) }
        let perPDU = RadioProfile.office.advertisingTime
        let connecting = DirectLinks.asking + direct.setUp
        let own = connecting + Double(cost.messages) * RadioProfile.office.directRoundTrip
        return Double(cost.pdus) * perPDU > connecting / Double(slots) && Double(direct.openPDUs) * perPDU > own
    }

    private func expectedCost(of step: Int) -> MessageCost {
        if case .configureWhenKnown(let deferred) = steps[step].work { return deferred.expectedCost }
        return steps[step].cost
    }

    /// Counts the PDUs of the steps that wait, at most once a second.
    private func countOpenWork(at now: Instant) {
        if let countedAt = direct.countedAt, countedAt.duration(to: now) < .seconds(1) { return }
        direct.countedAt = now
        direct.openPDUs = schedule.openSteps.reduce(0) { sum, step in
            let uuid = steps[step].node
            return uuid.map { direct.stages[$0] != nil } ?? true ? sum : sum + expectedCost(of: step).pdus
        }
    }

    // MARK: The end

    /// Releases nodes that wait for links which others have taken meanwhile, such as devices that are being
    /// provisioned. The mesh serves these nodes, and they may be asked again.
    private func releaseSurplus() {
        var surplus = direct.stages.count - driver.client.maximumDirectLinks * ExecutionRun.directLookAhead
        for uuid in direct.order.reversed() where surplus > 0 {
            guard case .advertising? = direct.stages[uuid] else { continue }
            if let address = network.node(uuid)?.unicastAddress, driver.client.isConnecting(to: address) { continue }
            endDirectLink(of: uuid, hasFailed: false)
            surplus -= 1
        }
    }

    private func considerEnd(of uuid: DeviceUUID, at now: Instant) {
        guard let stage = direct.stages[uuid], let lane = schedule.lane(of: uuid) else { return }
        let isIdle = schedule.isLaneFinished(lane) || !schedule.isActive(lane: lane)
        switch stage {
        case .asking: break
        case .linked:
            if isIdle { return endDirectLink(of: uuid, hasFailed: false) }
            // The mesh's own link may have led to the node, and may lead to another one by now. Then the node is one of
            // those in the mesh again.
            let isThere = network.node(uuid).map { driver.client.isDirect(to: $0.unicastAddress) } ?? false
            if !isThere { endDirectLink(of: uuid, hasFailed: true) }
        case .advertising(let since):
            guard let address = network.node(uuid)?.unicastAddress else {
                return endDirectLink(of: uuid, hasFailed: true)
            }
            // Composition and configuration of a new node may follow in the same turn.
            if schedule.isLaneFinished(lane) { return endDirectLink(of: uuid, hasFailed: false) }
            if driver.client.isDirect(to: address) {
                direct.set(uuid, .linked)
                return schedule.reach(lane: lane, by: .direct)
            }
            // No link that is being made leaves room for this one.
            if !driver.client.mayLinkDirectly, !driver.client.isConnecting(to: address) {
                return endDirectLink(of: uuid, hasFailed: false)
            }
            let isUnheard = driver.client.isListeningInVain(for: address, since: since, DirectLinks.listening, at: now)
            let isLate = since.advanced(by: DirectLinks.advertising) <= now && !driver.client.isConnecting(to: address)
            if isUnheard || isLate { endDirectLink(of: uuid, hasFailed: true) }
        }
    }

    private func endDirectLink(of uuid: DeviceUUID, hasFailed: Bool) {
        direct.end(uuid, hasFailed: hasFailed)
        if let lane = schedule.lane(of: uuid) { schedule.reach(lane: lane, by: .mesh) }
    }
}
