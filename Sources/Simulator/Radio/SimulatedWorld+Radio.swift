import MeshCore

extension SimulatedWorld {
    /// Where the actions of a node's stack come from.
    enum Origin {
        /// The node's own timers and answers.
        case itself
        /// The advertising bearer.
        case air
        /// A GATT connection.
        case link(LinkIdentifier)
    }

    /// A PDU reaches nodes over the air, one after the other.
    func hear(_ pdu: SharedNetworkPDU, at hearers: [Int]) {
        let heard = heard
        var news = HeardPDU(pdu)
        var onward = pdu
        var onwardNews = news
        for node in hearers {
            guard let passage = nodes[node].hear(pdu, &news, node, in: heard, sharesWork) else { continue }
            statistics.heard += 1
            trace(pdu.digest, at: node)
            if onHearing != nil { follow(pdu, at: node) }
            switch passage {
            case .over: break
            case .onward:
                // Nearly always the same one for all.
                guard let relayed = pdu.onward else { break }
                if relayed !== onward {
                    onward = relayed
                    onwardNews = HeardPDU(relayed)
                }
                relay(relayed, &onwardNews, to: pdu.destination, at: node, from: .air)
            case .arrival: take(sharesWork ? pdu : SharedNetworkPDU(pdu.octets), at: node)
            }
        }
    }

    private func take(_ pdu: SharedNetworkPDU, at node: Int) {
        let reception = nodes[node].stack.receive(pdu, at: now)
        carryOut(reception, at: node, from: .air)
        if nodes[node].isBridging() { bridge(pdu.octets, after: reception.actions, at: node, from: .air) }
    }

    /// Carries out what a node's stack asks for after a PDU: its actions, then what it relays.
    func carryOut(_ reception: SharedReception, at node: Int, from origin: Origin) {
        // Most PDUs are for others, or were heard before. They leave nothing to do but to relay.
        guard reception.isOfNoConsequence, !nodes[node].awaitsTransmissions() else {
            carryOut(reception.actions, relaying: reception, at: node, from: origin)
            return
        }
        if let relayed = reception.relayed { relay(relayed, to: reception.destination, at: node, from: origin) }
        scheduleWake(node)
    }

    /// Carries out the actions of a node's stack, then what it relays.
    func carryOut(
        _ actions: [StackAction],
        relaying reception: SharedReception? = nil,
        at node: Int,
        from origin: Origin
    ) {
        for action in actions {
            switch action {
            case .transmit(let pdu, let destination): transmit(SharedNetworkPDU(pdu), to: destination, from: node)
            case .relay(let pdu, _, let destination):
                relay(SharedNetworkPDU(pdu), to: destination, at: node, from: origin)
            case .deliver(let message): deliver(message, at: node)
            case .heartbeat(let heartbeat, let message): count(heartbeat, in: message, at: node)
            case .ivIndexChanged(let ivIndex):
                newestIVIndex = max(newestIVIndex, ivIndex.value)
                _ = recorder(.ivIndex(nodes[node].state.uuid, ivIndex))
                announce(node)
            case .keyRefreshPhaseChanged(let index, let phase):
                nodes[node].state.enterKeyRefreshPhase(index, phase)
                _ = recorder(.node(nodes[node].state))
                announce(node)
            case .deviceKeyActivated:
                guard activateDeviceKeyCandidate(of: node) else {
                    scheduleWake(node)
                    return
                }
            default: break
            }
        }
        if let reception, let relayed = reception.relayed {
            relay(relayed, to: reception.destination, at: node, from: origin)
        }
        finishAnswer(of: node, after: actions)
        finishRemoteProvisioning(of: node, after: actions)
        scheduleWake(node)
    }

    /// Sends a PDU that starts at a node on all its bearers. A PDU with TTL 0 to a client of the node goes only to that
    /// client, as in stock firmware (Zephyr and NimBLE do not advertise a unicast message that a client's filter took).
    private func transmit(_ pdu: SharedNetworkPDU, to destination: Address, from node: Int) {
        guard nodes[node].isAlive, !nodes[node].faults.isMute else { return }
        let reading = observer.read(pdu.octets, as: .message, current: newestIVIndex)
        if let reading { check(reading, pdu.octets, by: .node(node)) }
        remember(pdu, at: node)
        let isForNeighbour = reading?.pdu.ttl == 0 && destination.kind == .unicast
        if isForNeighbour, forward(pdu.octets, to: destination, from: node, except: nil) { return }
        advertise(pdu, nodes[node].state.networkTransmit, from: node)
        if !isForNeighbour { forward(pdu.octets, to: destination, from: node, except: nil) }
    }

    /// Forwards a PDU that a node's stack has prepared, if the node's features allow it.
    ///
    /// A node forwards in the order in which it heard, so nothing is overtaken as long as nothing is lost. The later of
    /// two PDUs of one sender would make the earlier one a replay (Mesh Protocol 3.9.8).
    private func relay(_ pdu: SharedNetworkPDU, to destination: Address, at node: Int, from origin: Origin) {
        var news = HeardPDU(pdu)
        relay(pdu, &news, to: destination, at: node, from: origin)
    }

    /// The same, for a PDU that several nodes forward.
    private func relay(
        _ pdu: SharedNetworkPDU,
        _ news: inout HeardPDU,
        to destination: Address,
        at node: Int,
        from origin: Origin
    ) {
        guard let forwarding = nodes[node].prepareRelay(at: now, advertising.turnaround, using: &generator) else {
            return
        }
        _ = news.reach(node, in: heard)
        switch origin {
        case .itself: break
        case .air:
            if forwarding.isRelay {
                queue.add(.advertise(node: node, pdu, nodes[node].state.relayRetransmit), at: forwarding.time)
            }
            if forwarding.isProxy, !links.isEmpty { forward(pdu.octets, to: destination, from: node, except: nil) }
        case .link(let link):
            guard nodes[node].isProxy, !nodes[node].faults.quirks.contains(.noForwarding) else { return }
            queue.add(.advertise(node: node, pdu, nodes[node].state.networkTransmit), at: forwarding.time)
            forward(pdu.octets, to: destination, from: node, except: link)
        }
    }

    /// A node need not hear a PDU that it sends itself.
    func remember(_ pdu: SharedNetworkPDU, at node: Int) {
        var news = HeardPDU(pdu)
        _ = news.reach(node, in: heard)
    }

    /// Advertises a PDU. Each neighbour hears the first copy that reaches it.
    func advertise(_ pdu: SharedNetworkPDU, _ transmit: TransmitParameters, from node: Int) {
        guard nodes[node].canSend() else { return }
        guard
            let sent = nodes[node].advertiser.send(transmit, at: now, advertising, using: &generator)
        else {
            statistics.dropped += 1
            return
        }
        statistics.advertised += 1
        if onAir != nil { tellStrangers(of: .message(pdu.octets), copies: sent.copies, from: node) }
        let interferes = settings.neighboursInterfere
        let count = sent.copies.count
        let airtime = Int64(count) * pdu.airtime
        nodes[node].airtime += airtime
        let audience = audience(of: node)
        let heard = heard
        var news = HeardPDU(pdu)
        // Those that hear the same copy hear it at the same instant, in this order: one event does for all of them.
        var first: [Int] = []
        var later: [[Int]] = []
        for neighbour in audience {
            let loss = copyLoss(from: node, to: neighbour)
            if interferes { nodes[neighbour.node].load.add(count, at: now) }
            nodes[neighbour.node].airtime += airtime
            var copy = 0
            while copy < count, generator.happens(loss) { copy += 1 }
            guard copy < count else {
                statistics.lost += 1
                if onHearing != nil { followLoss(of: pdu, from: node, to: neighbour.node) }
                continue
            }
            // Neighbours have already heard most of what relays send. Such a PDU needs no event.
            guard !news.isKnown(to: neighbour.node, in: heard) else { continue }
            if copy == 0 {
                if first.isEmpty { first.reserveCapacity(audience.count) }
                first.append(neighbour.node)
            } else {
                if later.isEmpty { later = [[Int]](repeating: [], count: count) }
                later[copy].append(neighbour.node)
            }
        }
        if !first.isEmpty { fly(pdu, from: node, to: first, at: sent.copies[0]) }
        for (copy, nodes) in later.enumerated() where !nodes.isEmpty {
            fly(pdu, from: node, to: nodes, at: sent.copies[copy])
        }
        // While a node sends, it is deaf for 1.8 ms. That is as bad as 2.4 events of others.
        if interferes { nodes[node].load.add(count * 12 / 5, at: now) }
    }

    private func fly(_ pdu: SharedNetworkPDU, from node: Int, to hearers: [Int], at time: Instant) {
        if onHearing != nil { note(pdu, from: node, to: hearers, at: time) }
        queue.add(.hear(nodes: hearers, pdu), at: time)
    }

    /// The share of copies lost on the way from a node to a neighbour at present.
    func copyLoss(from node: Int, to neighbour: RadioNeighbours.Neighbour) -> Double {
        var loss = neighbour.copyLoss ?? settings.copyLoss
        if isAnybodyLossy {
            if let fault = nodes[node].faults.copyLoss { loss = max(loss, fault) }
            if let fault = nodes[neighbour.node].faults.copyLoss { loss = max(loss, fault) }
        }
        var events = settings.backgroundEvents
        if settings.neighboursInterfere { events += nodes[neighbour.node].load.eventsPerSecond(at: now) }
        if events > 0 { loss = 1 - (1 - loss) * Interference.survival(eventsPerSecond: events) }
        return loss
    }

    /// Tells neighbours and clients by beacons what has changed on a node (Mesh Protocol 3.10.3, 3.10.4).
    func announce(_ node: Int) {
        guard nodes[node].isAlive, !nodes[node].faults.isMute else { return }
        let clientBeacons = beaconsForClients(of: node)
        for (link, end) in links.sorted(by: { $0.key < $1.key }) where end.node == node && end.provisioning == nil {
            for beacon in clientBeacons { notify(ProxyPDU(type: .beacon, payload: beacon), on: link) }
        }
        let beacons = beaconsOnAir(of: node)
        guard !beacons.isEmpty else { return }
        for beacon in beacons { tellStrangers(of: .beacon(beacon), copies: [now], from: node) }
        for neighbour in audience(of: node) {
            for beacon in beacons where !generator.happens(copyLoss(from: node, to: neighbour)) {
                queue.add(.hearBeacon(node: neighbour.node, beacon), at: now.advanced(by: .milliseconds(10)))
            }
        }
    }
}

extension SharedReception {
    /// Whether the stack neither delivers nor sends anything.
    fileprivate var isOfNoConsequence: Bool {
        actions.allSatisfy { if case .dropped = $0 { true } else { false } }
    }
}
