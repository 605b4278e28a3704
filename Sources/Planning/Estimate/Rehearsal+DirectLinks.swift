import Basics

/// Devices that become nodes, and links to single nodes.
extension Rehearsal {
    /// The most links to single nodes: all but one.
    var mostDirectLinks: Int { max(clientMaximum - 1, 0) }

    /// The number of nodes that the client talks to over links of their own.
    var directCount: Int { staged.count { lanes[$0].way == .direct } }

    mutating func becomeNode(_ lane: Int) {
        provisioning -= 1
        devicesLeft -= 1
        nodeCount += 1
        outcome.provisionedAt = now
        let station = lanes[lane].station
        air.places.join(station, lanes[lane].subnets)
        air.places.setRelay(station, dice.happens(lanes[lane].relaysFirst))
        joinedAt[station] = now
        // Stock firmware starts with its GATT proxy on.
        if lanes[lane].isProxyFirst {
            isProxy.insert(station)
            identify(station)
        }
        lanes[lane].way = .mesh
        guard !lanes[lane].isDone else { return }
        if lanes[lane].mayBeDirect, staged.count < mostDirectLinks * DirectLinkModel.lookAhead, mayLinkDirectly {
            openPDUs -= lanes[lane].openPDUs
            staged.append(lane)
            hold(lane)
        } else {
            ready.insert(lane)
        }
    }

    /// Makes a node wait for a link of its own.
    mutating func hold(_ lane: Int) {
        lanes[lane].way = .held
        lanes[lane].heldAt = now
    }

    /// Returns a node to the mesh.
    mutating func release(_ lane: Int, hasFailed: Bool) {
        staged.removeAll { $0 == lane }
        if hasFailed {
            if lanes[lane].way != .direct { failures += 1 }
            lanes[lane].isPassed = true
        }
        openPDUs += lanes[lane].openPDUs
        let wasOnTheWay = lanes[lane].way == .direct && lanes[lane].isBusy
        lanes[lane].way = .mesh
        if wasOnTheWay { inFlight += 1 } else if !lanes[lane].isDone { ready.insert(lane) }
    }

    /// Goes through the nodes that wait for links of their own: each has its link now, waits on, or gives up.
    mutating func considerHeld() {
        guard !staged.isEmpty else { return }
        for lane in staged where lanes[lane].way == .held {
            if let link = openLinks.first(where: { links[$0].station == lanes[lane].station && links[$0].isReady }),
                !links[link].isLeaving
            {
                lanes[lane].way = .direct
                sendDirectly(lane)
                continue
            }
            guard !isConnecting(lane) else { continue }
            if !mayLinkDirectly {
                release(lane, hasFailed: false)
            } else if let began = directSearchBeganAt, max(began, lanes[lane].heldAt) + DirectLinkModel.listening <= now
            {
                release(lane, hasFailed: true)
            } else if lanes[lane].heldAt + DirectLinkModel.patience <= now {
                release(lane, hasFailed: true)
            }
        }
        var surplus = staged.count - mostDirectLinks * DirectLinkModel.lookAhead
        for lane in staged.reversed() where surplus > 0 && lanes[lane].way == .held && !isConnecting(lane) {
            release(lane, hasFailed: false)
            surplus -= 1
        }
    }

    private func isConnecting(_ lane: Int) -> Bool { openLinks.contains { links[$0].directLane == lane } }

    /// Whether a link to a single node may be made, if necessary in place of an idle link to the mesh.
    private var hasRoomForDirectLink: Bool {
        guard openLinks.count(where: { links[$0].directLane != nil }) < mostDirectLinks else { return false }
        return openLinks.count < clientMaximum || openLinks.count == clientMaximum && idleMeshLink != nil
    }

    private var mayLinkDirectly: Bool {
        mostDirectLinks > 0
            && (hasRoomForDirectLink || openLinks.contains { links[$0].directLane != nil && !links[$0].isLeaving })
    }

    /// The link to the mesh that has been idle for the longest time, if there is more than one.
    private var idleMeshLink: Int? {
        let there = openLinks.filter { links[$0].directLane == nil && links[$0].isReady && !links[$0].isLeaving }
        guard there.count > 1 else { return nil }
        return there.filter { replaceableAt($0) != nil }.min { links[$0].usedAt < links[$1].usedAt }
    }

    /// Connects to waiting nodes that are heard, while there is room.
    mutating func connectDirectly() {
        var isSearching = false
        for lane in staged where lanes[lane].way == .held && hasRoomForDirectLink {
            let station = lanes[lane].station
            guard !openLinks.contains(where: { links[$0].station == station }) else { continue }
            isSearching = true
            guard let told = identities[station], isHeard(station, since: told.since) else { continue }
            if openLinks.count >= clientMaximum {
                guard let idle = idleMeshLink, let time = replaceableAt(idle) else { continue }
                if time > now {
                    review(at: time)
                    continue
                }
                close(idle)
            }
            connect(station, directLane: lane, isByIdentity: true)
            isSearching = false
        }
        isSearching =
            hasRoomForDirectLink
            && staged.contains { lane in
                lanes[lane].way == .held && !openLinks.contains { links[$0].station == lanes[lane].station }
            }
        if isSearching { review(at: now + Self.step) }
        directSearchBeganAt = isSearching ? directSearchBeganAt ?? now : nil
    }

    // MARK: Asking

    /// Asks nodes to advertise where a link of their own pays: first nodes that have not begun, then the others.
    mutating func ask(_ part: Range<Int>) {
        let most = mostDirectLinks * DirectLinkModel.lookAhead
        guard staged.count < most, failures < DirectLinkModel.mostFailures, mayLinkDirectly,
            openLinks.contains(where: { links[$0].isReady && links[$0].directLane == nil })
        else { return }
        while askedUpTo < part.upperBound, lanes[askedUpTo].isBegun { askedUpTo += 1 }
        while begunUpTo < part.upperBound, lanes[begunUpTo].isDone, lanes[begunUpTo].way != .device { begunUpTo += 1 }
        for isBegun in [false, true] {
            let first = isBegun ? begunUpTo : askedUpTo
            for lane in first..<min(first + Self.searchWidth, part.upperBound) {
                guard inFlight < Int(window), staged.count < most else { return }
                if lanes[lane].isBegun == isBegun { ask(lane) }
            }
        }
    }

    private mutating func ask(_ lane: Int) {
        guard lanes[lane].way == .mesh, lanes[lane].mayBeDirect, !lanes[lane].isPassed, !lanes[lane].isBusy,
            !lanes[lane].isDone, isProxy.contains(lanes[lane].station) || !lanes[lane].isBegun
        else { return }
        let (messages, pdus) = (lanes[lane].messages.count - lanes[lane].next, lanes[lane].openPDUs)
        let pays = DirectLinkModel.pays(
            messages,
            pdus,
            links: mostDirectLinks,
            openPDUs: openPDUs,
            setUp: directSetUp
        )
        guard pays else { return }
        staged.append(lane)
        openPDUs -= pdus
        if openLinks.contains(where: { links[$0].isReady && links[$0].station == lanes[lane].station }) {
            hold(lane)
        } else {
            lanes[lane].way = .asking
            begin(lane)
        }
    }

    // MARK: Messages over a link of their own

    mutating func sendDirectly(_ lane: Int) {
        let found = openLinks.first {
            links[$0].isReady && links[$0].station == lanes[lane].station && !links[$0].isLeaving
        }
        guard let found else { return release(lane, hasFailed: false) }
        lanes[lane].isBegun = true
        lanes[lane].isBusy = true
        lanes[lane].carrier = found
        links[found].load += 1
        links[found].usedAt = now
        awaitDirectAnswer(lane)
    }

    /// Schedules the answer of the node at the other end of a link.
    mutating func awaitDirectAnswer(_ lane: Int) {
        let (request, status) = lanes[lane].message.segments
        let segments = Double(request + status - 2) * Self.segmentInterval
        let time = dice.around(site.profile.directRoundTrip) + segments
        events.add(.answered(lanes[lane].next), lane, at: now + time)
    }

    mutating func advanceDirectly(_ lane: Int) {
        unload(lane)
        advance(lane)
        outcome.directAt = now
        guard lanes[lane].isDone else { return sendDirectly(lane) }
        staged.removeAll { $0 == lane }
        lastDirect = (lane, now)
    }

    /// How many lanes are examined for one that pays.
    private static let searchWidth = 64
}
