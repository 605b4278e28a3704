import MeshCore
import Planning

/// Links of their own for nodes that have much to do, as far as there are links to spare.
///
/// A device that has just been provisioned advertises its Node Identity by itself, others are asked to through the mesh
/// (Mesh Protocol 4.3.2.44). They stop by themselves after a minute (4.2.13), so that there is nothing that a crash
/// could leave undone: asking needs no record. While its link is awaited nothing else is sent to a node; if it does not
/// come about, the node is reached through the mesh like the others.
extension ExecutionRun {
    /// Sees to it that as many nodes as make sense have links of their own, or are about to.
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
    /// Protocol 7.2.2.2.3). One that was provisioned through a node is out of the bearer's reach, most likely.
    func awaitDirectLink(to uuid: DeviceUUID) {
        guard let lane = schedule.lane(of: uuid), direct.isOpen(uuid), !isInterrupted,
            direct.stages.count < driver.client.maximumDirectLinks * ExecutionRun.directLookAhead,
            driver.client.mayLinkDirectly,
            network.node(uuid)?.deviceKey != nil, !servers.reaches(uuid)
        else { return }
        direct.set(uuid, .advertising(since: bearer.now))
        schedule.reach(lane: lane, by: .held)
    }

    /// A link to a node for itself alone is ready.
    func directLinkUp(to address: UnicastAddress, _ times: LinkTimes) {
        guard let uuid = direct.order.first(where: { network.node($0)?.unicastAddress == address }) else { return }
        direct.set(uuid, .linked)
        direct.measure(times)
        if let lane = schedule.lane(of: uuid) { schedule.reach(lane: lane, by: .direct) }
    }

    /// A link to a node for itself alone is gone, or did not come about.
    func directLinkDown(to address: UnicastAddress, hasFailed: Bool) {
        guard let uuid = direct.order.first(where: { network.node($0)?.unicastAddress == address }) else { return }
        endDirectLink(of: uuid, hasFailed: hasFailed)
    }

    /// A node was asked to advertise its Node Identity.
    func settleIdentity(_ uuid: DeviceUUID, isRunning: Bool) {
        guard direct.stages[uuid] == .asking else { return }
        if isRunning {
            direct.set(uuid, .advertising(since: bearer.now))
        } else {
            endDirectLink(of: uuid, hasFailed: true)
        }
    }

    /// How many nodes are talked to through the mesh.
    var meshLoad: Int {
        guard !direct.stages.isEmpty else { return jobs.count + outbox.count }
        return jobs.values.count { !direct.isLinked($0.node) } + outbox.count { !direct.isLinked($0.node) }
    }

    /// Nodes for each link that are asked or wait for theirs, that one included: while one is busy the next begins to
    /// advertise.
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
        // Nodes that have not begun first, then those that are under way in the mesh.
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

    /// How many lanes are looked at for one that is worth it.
    private static let directSearchWidth = 64

    /// Whether a lane need not be looked at any more, nor those before it.
    private func isBehind(_ lane: Int, isBegun: Bool) -> Bool {
        isBegun ? schedule.isLaneFinished(lane) : startedNodes.contains(schedule.node(ofLane: lane))
    }

    /// Has the node of a lane advertise its identity, if that is worth it.
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

    /// What a node is asked for it to advertise its Node Identity, or its private one if it has that; nil if it cannot
    /// or is not to be asked. It cannot while its GATT proxy is off (Mesh Protocol 4.2.12), and one that lives on a
    /// battery is not to advertise for a minute to spare others some messages: its friend keeps those for it.
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

    /// Whether a node is done sooner over a link of its own: the mesh is busy for longer than that takes, and the
    /// node's share of it is more than a link's share of connecting.
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

    /// Lets nodes go that wait for links which others have got meanwhile, such as devices that are being provisioned:
    /// the mesh is there for them. They may be asked again.
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
            // The mesh's own link may have led to it, and be another by now: then it is one of those in the mesh again.
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
            // Nothing that is under way would make room for its link.
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
