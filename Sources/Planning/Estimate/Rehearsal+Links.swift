internal import Basics

/// Which links there are: to devices, to the mesh, and to nodes for themselves alone.
extension Rehearsal {
    /// One link is kept for the mesh once there is a node to talk to, the others provision; those that nobody provisions
    /// over may lead to nodes for themselves alone.
    mutating func divideLinks() {
        let most = site.connections
        clientMaximum = devicesLeft == 0 ? most : min(max(most / 2, 1), most - provisioning)
        startProvisioning()
        listenForNodes()
    }

    var clientLinks: Int { (meshLink == .none ? 0 : 1) + directLinks }
    var mostDirectLinks: Int { max(clientMaximum - 1, 0) }

    mutating func startProvisioning() {
        let isMeshThere = meshLink != .none || lanes.contains { $0.way != .device }
        var room = site.connections - provisioning - (isMeshThere ? max(clientLinks, 1) : 0)
        // With one link, devices and mesh take turns.
        if site.connections == 1 {
            room = provisioning == 0 && inFlight == 0 && ready.isEmpty && directLinks == 0 ? 1 : 0
        }
        while room > 0, let lane = heardDevices.popMinimum() {
            if site.connections == 1 { meshLink = .none }
            provisioning += 1
            room -= 1
            let time = site.profile.connecting + dice.around(site.profile.provisioningSession)
            events.add(.provisioned, lane, at: now + time)
        }
    }

    mutating func becomeNode(_ lane: Int) {
        provisioning -= 1
        devicesLeft -= 1
        outcome.provisionedAt = now
        air.addRelay(lanes[lane].relaysFirst, at: lanes[lane].distance)
        lanes[lane].way = .mesh
        guard !lanes[lane].isDone else { return }
        if site.connections == 1 {
            // The only link is now made to the new node.
            directLinks += 1
            staged += 1
            openPDUs -= lanes[lane].openPDUs
            let listening = max(site.listening, dice.unit() * 2 * RadioProfile.hearing)
            events.add(.directlyLinked, lane, at: now + listening + DirectLinkModel.setUp(site.profile))
        } else if mostDirectLinks > 0, lanes[lane].mayBeDirect, staged < DirectLinkModel.lookAhead * mostDirectLinks {
            hold(lane)
        } else {
            ready.insert(lane)
        }
    }

    var mayLinkMesh: Bool { site.connections > 1 || provisioning == 0 }

    mutating func linkMesh() {
        meshLink = .coming
        // A device that has just become a node is as good as it gets, once it is heard.
        let isNew = outcome.provisionedAt > 0
        if let lane = ready.minimum, let subnet = lanes[lane].subnet { served.insert(subnet) }
        let listening = isNew ? dice.unit() * 2 * RadioProfile.hearing : site.listening
        events.add(.linked, 0, at: now + listening + DirectLinkModel.setUp(site.profile))
    }

    /// The link moves to a proxy of a subnet that has none yet, once the one it has is idle; after that the first nodes are
    /// configured that carry several subnets.
    mutating func serve(_ lane: Int) {
        if let subnet = lanes[lane].subnet { served.insert(subnet) }
        ready.insert(lane)
        while let other = unserved.popMinimum() { ready.insert(other) }
        meshLink = .coming
        let delay = Self.idle + site.listening + DirectLinkModel.setUp(site.profile)
        events.add(.linked, lane, at: now + delay)
    }

    /// A node waits for a link of its own, but not for ever.
    mutating func hold(_ lane: Int) {
        lanes[lane].way = .held
        staged += 1
        openPDUs -= lanes[lane].openPDUs
        waiting.append(lane)
        events.add(.tired, lane, at: now + DirectLinkModel.patience)
    }

    var isRoomForDirectLink: Bool { directLinks < mostDirectLinks && clientLinks < clientMaximum }

    /// Nodes that wait for links of their own are listened for only while there is room, which devices take first.
    mutating func listenForNodes() {
        guard isRoomForDirectLink, !waiting.isEmpty else { return }
        for lane in waiting where !lanes[lane].isListenedFor {
            lanes[lane].isListenedFor = true
            events.add(.advertises, lane, at: now + dice.unit() * 2 * RadioProfile.hearing)
        }
    }

    /// A node that waits is heard.
    mutating func linkDirectly(_ lane: Int) {
        lanes[lane].isListenedFor = false
        guard lanes[lane].way == .held, isRoomForDirectLink, let place = waiting.firstIndex(of: lane) else { return }
        waiting.remove(at: place)
        directLinks += 1
        events.add(.directlyLinked, lane, at: now + DirectLinkModel.setUp(site.profile))
    }

    /// A node has waited long enough.
    mutating func tire(_ lane: Int) {
        guard lanes[lane].way == .held, let place = waiting.firstIndex(of: lane) else { return }
        waiting.remove(at: place)
        staged -= 1
        failures += 1
        openPDUs += lanes[lane].openPDUs
        lanes[lane].way = .mesh
        lanes[lane].mayBeDirect = false
        ready.insert(lane)
    }

    /// Has nodes advertise for links of their own, where that is worth it.
    mutating func ask(_ part: Range<Int>) {
        let links = mostDirectLinks
        guard links > 0, failures < DirectLinkModel.mostFailures, staged < links * DirectLinkModel.lookAhead else {
            return
        }
        while inFlight < Int(window), staged < links * DirectLinkModel.lookAhead, askedUpTo < part.upperBound {
            let lane = askedUpTo
            askedUpTo += 1
            guard lanes[lane].way == .mesh, lanes[lane].mayBeDirect, lanes[lane].next == 0, lanes[lane].attempts == 0,
                DirectLinkModel.pays(
                    lanes[lane].messages.count,
                    lanes[lane].openPDUs,
                    links: links,
                    openPDUs: openPDUs,
                    site.profile
                )
            else { continue }
            staged += 1
            openPDUs -= lanes[lane].openPDUs
            lanes[lane].way = .asking
            begin(lane)
        }
    }

    // MARK: Messages over a link of their own

    mutating func sendDirectly(_ lane: Int) {
        let (request, status) = lanes[lane].message.segments
        let segments = Double(request + status - 2) * Self.segmentInterval
        let time = dice.around(site.profile.directRoundTrip) + segments
        events.add(.answered(lanes[lane].next), lane, at: now + time)
    }

    mutating func advanceDirectly(_ lane: Int) {
        lanes[lane].next += 1
        outcome.directAt = now
        guard lanes[lane].isDone else { return sendDirectly(lane) }
        air.addRelay(-lanes[lane].relaysNoMore, at: lanes[lane].distance)
        directLinks -= 1
        staged -= 1
    }
}
