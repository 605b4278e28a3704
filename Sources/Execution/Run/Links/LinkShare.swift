import MeshCore
import Planning

/// Links of their own for nodes that have much to do, as long as there are spare links.
///
/// A newly provisioned device advertises its Node Identity by itself. Other nodes are asked to through the mesh (Mesh
/// Protocol 4.3.2.44). They stop by themselves after a minute (4.2.13), so a crash leaves nothing to undo, and asking
/// needs no record. While the run waits for such a link it sends nothing else to the node. If the link fails, the run
/// reaches the node through the mesh like the others.
struct LinkShare {
    /// What the run does beside: the nodes to which links may go, and the load of the mesh.
    struct Surroundings {
        /// Every request that is open or about to be sent.
        let requests: RequestTable
        /// How many nodes the run may talk to through the mesh.
        let window: Int
        /// Nodes of which a step has begun.
        let begun: Set<DeviceUUID>
        /// Whether the node has something else to answer first.
        let isTaken: (DeviceUUID) -> Bool
    }

    /// Nodes that have links of their own or are about to get them.
    private var direct = DirectLinks()
    /// The first lane that has not begun, and the first that is not finished, as far as the search has come.
    private var directSearch = 0
    private var begunSearch = 0

    /// How many nodes for each link are asked or wait for a link, including the one that has it: while one is busy the
    /// next begins to advertise.
    private static let directLookAhead = 2
    /// How many lanes are examined to find one that benefits.
    private static let directSearchWidth = 64

    /// Whether the run waits for any link.
    var isAwaiting: Bool { direct.isAwaiting }

    func isLinked(_ node: DeviceUUID) -> Bool { direct.isLinked(node) }

    /// How many of the requests go through the mesh.
    func meshLoad(of requests: RequestTable) -> Int {
        direct.stages.isEmpty ? requests.count : requests.count(besides: direct.isLinked)
    }

    /// Records how long a link took to set up.
    mutating func measure(_ times: LinkTimes) {
        direct.measure(times)
    }

    /// Gives links of their own to as many nodes as makes sense, or begins to.
    mutating func assign(
        _ ledger: inout RunLedger,
        _ client: inout MeshClient,
        among surroundings: Surroundings,
        at now: Instant
    ) -> [RunOutput] {
        guard client.maximumDirectLinks > 0 || !direct.stages.isEmpty else { return [] }
        for node in direct.order { considerEnd(of: node, &ledger, client, at: now) }
        releaseSurplus(&ledger, client)
        let questions = askForIdentities(&ledger, client, surroundings, at: now)
        let addresses = direct.order.compactMap { uuid -> UnicastAddress? in
            direct.stages[uuid] == .asking ? nil : ledger.network.node(uuid)?.unicastAddress
        }
        return questions + [.client(client.keepDirectLinks(to: addresses, at: now))]
    }

    /// A device has become a node: it advertises its Node Identity by itself if it was provisioned over PB-GATT (Mesh
    /// Protocol 7.2.2.2.3). A device that was provisioned through a node is probably out of the bearer's reach.
    mutating func awaitLink(to uuid: DeviceUUID, _ ledger: inout RunLedger, _ client: MeshClient, at now: Instant) {
        guard let lane = ledger.schedule.lane(of: uuid), direct.isOpen(uuid), !ledger.isInterrupted,
            direct.stages.count < client.maximumDirectLinks * Self.directLookAhead, client.mayLinkDirectly,
            ledger.network.node(uuid)?.deviceKey != nil
        else { return }
        direct.set(uuid, .advertising(since: now))
        ledger.schedule.reach(lane: lane, by: .held)
    }

    /// A link for one node alone is ready.
    mutating func linkUp(to address: UnicastAddress, _ times: LinkTimes, _ ledger: inout RunLedger) {
        guard let uuid = node(at: address, ledger) else { return }
        direct.set(uuid, .linked)
        direct.measure(times)
        if let lane = ledger.schedule.lane(of: uuid) { ledger.schedule.reach(lane: lane, by: .direct) }
    }

    /// A link for one node alone is gone, or could not be made.
    mutating func linkDown(to address: UnicastAddress, hasFailed: Bool, _ ledger: inout RunLedger) {
        if let uuid = node(at: address, ledger) { end(uuid, hasFailed: hasFailed, &ledger) }
    }

    /// A node has answered whether it advertises its Node Identity, or has not answered.
    mutating func settleIdentity(_ uuid: DeviceUUID, isRunning: Bool, _ ledger: inout RunLedger, at now: Instant) {
        guard direct.stages[uuid] == .asking else { return }
        if isRunning {
            direct.set(uuid, .advertising(since: now))
        } else {
            end(uuid, hasFailed: true, &ledger)
        }
    }

    private func node(at address: UnicastAddress, _ ledger: RunLedger) -> DeviceUUID? {
        direct.order.first { ledger.network.node($0)?.unicastAddress == address }
    }

    // MARK: Asking

    private mutating func askForIdentities(
        _ ledger: inout RunLedger,
        _ client: MeshClient,
        _ surroundings: Surroundings,
        at now: Instant
    ) -> [RunOutput] {
        let slots = client.maximumDirectLinks
        guard slots > 0, direct.mayAsk, !ledger.isInterrupted, client.isIVIndexKnown, client.isLinkReady,
            client.mayLinkDirectly, direct.stages.count < slots * Self.directLookAhead
        else { return [] }
        countOpenWork(ledger, at: now)
        var room = min(
            slots * Self.directLookAhead - direct.stages.count,
            surroundings.window - meshLoad(of: surroundings.requests)
        )
        // Nodes that have not begun come first, then those that the run already reaches through the mesh.
        let begun = surroundings.begun
        while directSearch < ledger.schedule.laneCount, begun.contains(ledger.schedule.node(ofLane: directSearch)) {
            directSearch += 1
        }
        while begunSearch < ledger.schedule.laneCount, ledger.schedule.isLaneFinished(begunSearch) { begunSearch += 1 }
        var questions: [RunOutput] = []
        for isBegun in [false, true] {
            let first = isBegun ? begunSearch : directSearch
            let lanes = first..<min(first + Self.directSearchWidth, ledger.schedule.laneCount)
            for lane in lanes where room > 0 && begun.contains(ledger.schedule.node(ofLane: lane)) == isBegun {
                guard let job = askForIdentity(lane, &ledger, client, surroundings, at: now) else { continue }
                questions.append(.ask(job))
                room -= 1
            }
        }
        return questions
    }

    /// The question that makes the node of a lane advertise its identity, if that is worth it.
    private mutating func askForIdentity(
        _ lane: Int,
        _ ledger: inout RunLedger,
        _ client: MeshClient,
        _ surroundings: Surroundings,
        at now: Instant
    ) -> Job? {
        let uuid = ledger.schedule.node(ofLane: lane)
        guard direct.isOpen(uuid), ledger.schedule.isStartable(lane: lane), !surroundings.isTaken(uuid),
            let address = ledger.network.node(uuid)?.unicastAddress, !client.isAsking(address),
            let question = ledger.identityQuestion(uuid), pays(lane: lane, slots: client.maximumDirectLinks, ledger)
        else { return nil }
        ledger.schedule.reach(lane: lane, by: .held)
        if client.isDirect(to: address) {
            direct.set(uuid, .advertising(since: now))
            return nil
        }
        direct.set(uuid, .asking)
        return .identity(uuid, question)
    }

    /// Whether a node is done sooner over a link of its own: the mesh is busy for longer than connecting takes, and the
    /// node's share of the mesh's work takes longer than one link's share of connecting.
    private func pays(lane: Int, slots: Int, _ ledger: RunLedger) -> Bool {
        var cost = MessageCost.zero
        for step in ledger.schedule.openSteps(ofLane: lane) { cost += ledger.steps[step].expectedCost }
        let perPDU = RadioProfile.office.advertisingTime
        let connecting = DirectLinks.asking + direct.setUp
        let own = connecting + Double(cost.messages) * RadioProfile.office.directRoundTrip
        return Double(cost.pdus) * perPDU > connecting / Double(slots) && Double(direct.openPDUs) * perPDU > own
    }

    /// Counts the PDUs of the steps that wait, at most once a second.
    private mutating func countOpenWork(_ ledger: RunLedger, at now: Instant) {
        if let countedAt = direct.countedAt, countedAt.duration(to: now) < .seconds(1) { return }
        direct.countedAt = now
        direct.openPDUs = ledger.schedule.openSteps.reduce(0) { sum, step in
            let uuid = ledger.steps[step].node
            return uuid.map { direct.stages[$0] != nil } ?? true ? sum : sum + ledger.steps[step].expectedCost.pdus
        }
    }

    // MARK: The end

    /// Releases nodes that wait for links which others have taken meanwhile, such as devices that are being
    /// provisioned. The mesh serves these nodes, and they may be asked again.
    private mutating func releaseSurplus(_ ledger: inout RunLedger, _ client: MeshClient) {
        var surplus = direct.stages.count - client.maximumDirectLinks * Self.directLookAhead
        for uuid in direct.order.reversed() where surplus > 0 {
            guard case .advertising? = direct.stages[uuid] else { continue }
            if let address = ledger.network.node(uuid)?.unicastAddress, client.isConnecting(to: address) { continue }
            end(uuid, hasFailed: false, &ledger)
            surplus -= 1
        }
    }

    private mutating func considerEnd(
        of uuid: DeviceUUID,
        _ ledger: inout RunLedger,
        _ client: MeshClient,
        at now: Instant
    ) {
        guard let stage = direct.stages[uuid], let lane = ledger.schedule.lane(of: uuid) else { return }
        let isIdle = ledger.schedule.isLaneFinished(lane) || !ledger.schedule.isActive(lane: lane)
        switch stage {
        case .asking: break
        case .linked:
            if isIdle { return end(uuid, hasFailed: false, &ledger) }
            // The mesh's own link may have led to the node, and may lead to another one by now. Then the node is one of
            // those in the mesh again.
            let isThere = ledger.network.node(uuid).map { client.isDirect(to: $0.unicastAddress) } ?? false
            if !isThere { end(uuid, hasFailed: true, &ledger) }
        case .advertising(let since):
            guard let address = ledger.network.node(uuid)?.unicastAddress else {
                return end(uuid, hasFailed: true, &ledger)
            }
            // Composition and configuration of a new node may follow in the same turn.
            if ledger.schedule.isLaneFinished(lane) { return end(uuid, hasFailed: false, &ledger) }
            if client.isDirect(to: address) {
                direct.set(uuid, .linked)
                return ledger.schedule.reach(lane: lane, by: .direct)
            }
            // No link that is being made leaves room for this one.
            if !client.mayLinkDirectly, !client.isConnecting(to: address) {
                return end(uuid, hasFailed: false, &ledger)
            }
            let isUnheard = client.isListeningInVain(for: address, since: since, DirectLinks.listening, at: now)
            let isLate = since.advanced(by: DirectLinks.advertising) <= now && !client.isConnecting(to: address)
            if isUnheard || isLate { end(uuid, hasFailed: true, &ledger) }
        }
    }

    private mutating func end(_ uuid: DeviceUUID, hasFailed: Bool, _ ledger: inout RunLedger) {
        direct.end(uuid, hasFailed: hasFailed)
        if let lane = ledger.schedule.lane(of: uuid) { ledger.schedule.reach(lane: lane, by: .mesh) }
    }
}

extension RunLedger {
    /// The request that makes a node advertise its Node Identity, or its private one if it supports that; nil if it
    /// cannot or should not. It cannot while its GATT proxy is off (Mesh Protocol 4.2.12). A node on a battery should
    /// not advertise for a minute to spare others some messages: its friend stores those for it.
    func identityQuestion(_ uuid: DeviceUUID) -> Question<Bool>? {
        guard let node = network.node(uuid), node.deviceKey != nil, !node.isExcluded,
            !unreachable.contains(uuid),
            node.isPrivateProxy || node.features.proxy != .notSupported && node.features.proxy != .disabled,
            node.features.lowPower != .enabled, let subnet = network.subnets(of: node).first
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
}

extension Step {
    /// What the step is expected to cost; a deferred configuration becomes steps that cost something.
    fileprivate var expectedCost: MessageCost {
        if case .configureWhenKnown(let deferred) = work { deferred.expectedCost } else { cost }
    }
}
