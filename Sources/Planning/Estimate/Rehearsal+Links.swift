import Basics

/// Links of the client: over which of them a request goes, which are made and which give way.
extension Rehearsal {
    /// A link to a node of the network.
    struct Link {
        /// The node at its other end.
        let station: Int
        /// The lane whose own link it is, so that it carries nothing else; nil if it is one to the mesh.
        var directLane: Int?
        /// Whether its node has told only who it is, and not that it forwards.
        let isByIdentity: Bool
        /// When it last took or lost a request.
        var usedAt: Double
        var isReady = false
        /// Whether it takes no more requests, to be closed when those that it carries are over.
        var isLeaving = false
        /// Requests that it carries.
        var load = 0
        /// When the connection is free, each way.
        var toProxyFreeAt = 0.0
        var toClientFreeAt = 0.0
    }

    /// Devices take what is free first, but for one link that is kept for the mesh once there is a node to talk to;
    /// what they leave is the client's.
    mutating func divideLinks() {
        let most = site.connections
        guard devicesLeft > 0 else {
            clientMaximum = most
            return
        }
        guard most > 1 else {
            // They take turns; nodes are finished rather than many begun.
            let isMeshBusy = inFlight > 0 || directCount > 0
            clientMaximum = isMeshBusy && provisioning == 0 ? 1 : 0
            guard !isMeshBusy else { return }
            for link in openLinks { close(link) }
            startProvisioning(limit: 1)
            return
        }
        startProvisioning(limit: nodeCount > 0 ? most - max(1, openLinks.count) : most)
        clientMaximum = min(max(1, most / 2), most - provisioning)
    }

    private mutating func startProvisioning(limit: Int) {
        while provisioning < limit, let lane = heardDevices.popMinimum() {
            provisioning += 1
            let time = site.profile.connecting + site.profile.provisioningSession * (0.95 + 0.1 * dice.unit())
            events.add(.provisioned, lane, at: now + time)
        }
    }

    // MARK: Review

    /// Sees to it that every request is on a link, or that one is looked for.
    mutating func reviewLinks() {
        closeSurplus()
        closeNeedless()
        placeRequests()
        searchProxies()
        connectDirectly()
        noteScanning()
    }

    /// Links beyond those that there may be end: those that are not ready first, then those to nodes for themselves
    /// alone, then those with the least to do.
    private mutating func closeSurplus() {
        var surplus = openLinks.count { !links[$0].isLeaving } - clientMaximum
        while surplus > 0 {
            let candidates = openLinks.filter { !links[$0].isLeaving }
            let unready = candidates.last { !links[$0].isReady }
            let found = unready ?? candidates.reversed().min { isLess($0, $1) }
            guard let found else { break }
            links[found].isLeaving = true
            surplus -= 1
        }
        for link in openLinks where links[link].isLeaving && links[link].load == 0 { close(link) }
    }

    private func isLess(_ left: Int, _ right: Int) -> Bool {
        let isLeftDirect = links[left].directLane != nil
        guard isLeftDirect == (links[right].directLane != nil) else { return isLeftDirect }
        return links[left].load < links[right].load
    }

    /// Links of their own end with what their nodes had to do.
    private mutating func closeNeedless() {
        for link in openLinks where links[link].load == 0 {
            guard let lane = links[link].directLane else { continue }
            if !staged.contains(lane) { close(link) }
        }
    }

    /// Puts requests that wait on links that serve them: that to the node itself, else the one that carries the fewest.
    private mutating func placeRequests() {
        guard !unlinked.isEmpty else { return }
        var rest: [Int] = []
        for lane in unlinked {
            var best: Int?
            for link in openLinks where links[link].isReady && !links[link].isLeaving && reaches(link, lane) {
                if links[link].station == lanes[lane].station {
                    best = link
                    break
                }
                if let found = best, links[found].load <= links[link].load { continue }
                best = link
            }
            if let best { carry(lane, over: best) } else { rest.append(lane) }
        }
        unlinked = rest
    }

    /// Whether a link leads to a lane's node, or to one that forwards to it as far as is known.
    func reaches(_ link: Int, _ lane: Int) -> Bool {
        let station = links[link].station
        let subnets = air.places.stations[station].subnets & air.places.stations[lanes[lane].station].subnets
        guard subnets != 0 else { return false }
        if let own = links[link].directLane { return own == lane }
        return station == lanes[lane].station || !links[link].isByIdentity || forwarders.contains(station)
            || lanes[lane].misses > 0
    }

    // MARK: The life of a link

    mutating func connect(_ station: Int, directLane: Int?, isByIdentity: Bool) {
        links.append(Link(station: station, directLane: directLane, isByIdentity: isByIdentity, usedAt: now))
        openLinks.append(links.count - 1)
        events.add(.linked(links.count - 1), 0, at: now + DirectLinkModel.setUp(site.profile))
    }

    mutating func linked(_ link: Int) {
        guard openLinks.contains(link), !links[link].isReady else { return }
        links[link].isReady = true
        links[link].usedAt = now
        air.places.setGuest(links[link].station, true)
        if outcome.lead == 0 { outcome.lead = now }
        directSetUp = DirectLinkModel.setUp(site.profile)
        if links[link].directLane != nil { failures = 0 }
    }

    mutating func close(_ link: Int) {
        openLinks.removeAll { $0 == link }
        links[link].isReady = false
        let station = links[link].station
        air.places.setGuest(station, openLinks.contains { links[$0].isReady && links[$0].station == station })
        // Who is linked to no more advertises again at once.
        heardAt[station] = now
        if let lane = links[link].directLane, lanes[lane].way == .held || lanes[lane].way == .direct,
            !lanes[lane].isDone
        {
            release(lane, hasFailed: false)
        }
    }

    /// A proxy does not serve any more: what its link carries waits for another.
    mutating func lose(_ station: Int) {
        isProxy.remove(station)
        forwarders.remove(station)
        for link in openLinks where links[link].station == station && links[link].directLane == nil {
            close(link)
            for lane in lanes.indices where lanes[lane].carrier == link {
                lanes[lane].carrier = nil
                if lanes[lane].way == .direct { release(lane, hasFailed: true) }
                if lanes[lane].isBusy { unlinked.append(lane) }
            }
            search = .waiting(until: now + Self.pause)
        }
    }

    mutating func carry(_ lane: Int, over link: Int) {
        links[link].load += 1
        links[link].usedAt = now
        lanes[lane].carrier = link
        lanes[lane].begunAt = now
        lanes[lane].timeout = firstTimeout(lane)
        send(lane)
    }

    /// A request is over, one way or the other.
    mutating func unload(_ lane: Int) {
        if let link = lanes[lane].carrier {
            links[link].load -= 1
            links[link].usedAt = now
        }
        lanes[lane].carrier = nil
        lanes[lane].isBusy = false
    }

    // MARK: Room

    /// From when on another link may take the place of one; nil while it is being made or carries requests.
    func replaceableAt(_ link: Int) -> Double? {
        links[link].isReady && links[link].load == 0 ? links[link].usedAt + Self.idle : nil
    }

    /// The link that is idle longest.
    private var longestIdle: Int? {
        openLinks.filter { replaceableAt($0) != nil }.min { links[$0].usedAt < links[$1].usedAt }
    }

    /// Whether another link may be made, if need be in place of one that is idle.
    mutating func hasRoom() -> Bool {
        guard openLinks.count >= clientMaximum else { return true }
        guard clientMaximum > 0, let time = longestIdle.flatMap(replaceableAt) else { return false }
        if time > now { review(at: time) }
        return time <= now
    }

    mutating func makeRoom() {
        if openLinks.count >= clientMaximum, let link = longestIdle { close(link) }
    }

    /// Has the links looked at again.
    mutating func review(at time: Double) {
        if let reviewAt, reviewAt > now, reviewAt <= time { return }
        reviewAt = time
        events.add(.reviewed, 0, at: time)
    }

    /// Seconds for which a link has to be idle before another takes its place.
    static let idle = 0.5
    /// Seconds after a link that was lost before another is made.
    static let pause = 0.5
}
