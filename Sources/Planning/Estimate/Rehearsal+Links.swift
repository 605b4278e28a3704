import Basics

/// Links of the client: which one carries a request, which ones are made and which ones give way.
extension Rehearsal {
    /// A link to a node of the network.
    struct Link {
        /// The node at its other end.
        let station: Int
        /// The lane that has this link to itself; nil if the link serves the mesh.
        var directLane: Int?
        /// Whether the node advertised only its identity, and not that it forwards.
        let isByIdentity: Bool
        /// When it last took or lost a request.
        var usedAt: Double
        var isReady = false
        /// Whether it takes no more requests and closes when its present ones are over.
        var isLeaving = false
        /// The number of requests that it carries.
        var load = 0
        /// When the connection is free in each direction.
        var toProxyFreeAt = 0.0
        var toClientFreeAt = 0.0
    }

    /// Divides the links between provisioning and the client. Devices take free links first. As soon as there is a
    /// node, one link is kept for the mesh.
    mutating func divideLinks() {
        let most = site.connections
        guard devicesLeft > 0 else {
            clientMaximum = most
            return
        }
        guard most > 1 else {
            // With one link, both take turns: nodes that have begun are finished before the next device.
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

    /// Puts every request on a link, or looks for one.
    mutating func reviewLinks() {
        closeSurplus()
        closeNeedless()
        placeRequests()
        searchProxies()
        connectDirectly()
        noteScanning()
    }

    /// Closes links beyond the maximum: first those that are not ready, then those to single nodes, then those with the
    /// least to do.
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

    /// Closes links to single nodes that have nothing more to do.
    private mutating func closeNeedless() {
        for link in openLinks where links[link].load == 0 {
            guard let lane = links[link].directLane else { continue }
            if !staged.contains(lane) { close(link) }
        }
    }

    /// Puts waiting requests on links that serve them: the link to the node itself, else the link with the least load.
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

    /// Whether a link leads to a lane's node, or to a node that is known to forward to it.
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
        // A node advertises again as soon as its link ends.
        heardAt[station] = now
        if let lane = links[link].directLane, lanes[lane].way == .held || lanes[lane].way == .direct,
            !lanes[lane].isDone
        {
            release(lane, hasFailed: false)
        }
    }

    /// Handles a proxy that no longer serves: the requests on its link wait for another link.
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

    /// Takes a request that was answered or given up off its link.
    mutating func unload(_ lane: Int) {
        if let link = lanes[lane].carrier {
            links[link].load -= 1
            links[link].usedAt = now
        }
        lanes[lane].carrier = nil
        lanes[lane].isBusy = false
    }

    // MARK: Room

    /// When another link may replace this one; nil while it is being made or carries requests.
    func replaceableAt(_ link: Int) -> Double? {
        links[link].isReady && links[link].load == 0 ? links[link].usedAt + Self.idle : nil
    }

    /// The link that has been idle for the longest time.
    private var longestIdle: Int? {
        openLinks.filter { replaceableAt($0) != nil }.min { links[$0].usedAt < links[$1].usedAt }
    }

    /// Whether another link may be made, if necessary in place of an idle one.
    mutating func hasRoom() -> Bool {
        guard openLinks.count >= clientMaximum else { return true }
        guard clientMaximum > 0, let time = longestIdle.flatMap(replaceableAt) else { return false }
        if time > now { review(at: time) }
        return time <= now
    }

    mutating func makeRoom() {
        if openLinks.count >= clientMaximum, let link = longestIdle { close(link) }
    }

    /// Schedules the next review of the links.
    mutating func review(at time: Double) {
        if let reviewAt, reviewAt > now, reviewAt <= time { return }
        reviewAt = time
        events.add(.reviewed, 0, at: time)
    }

    /// Seconds for which a link must be idle before another one replaces it.
    static let idle = 0.5
    /// Seconds between the loss of a link and the next attempt.
    static let pause = 0.5
}
