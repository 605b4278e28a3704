internal import Basics
internal import MeshCore

/// A run in miniature: what the executor does with the messages of a plan, one by one, over a radio that is reduced to its
/// queues and chances.
///
/// The executor's rules are those of the executor: one outstanding message a node, a window of nodes that grows with answers
/// and shrinks with late ones, time-outs from measured round trips that double up to a deadline, links for devices that are
/// provisioned, and links of their own for nodes with much to do. Times are seconds.
struct Rehearsal {
    /// What is known of site and bearer.
    struct Site {
        var profile: RadioProfile
        var sending: RehearsedAir.Sending
        /// Links at once, at least 1.
        var connections: Int
        /// Nodes that are talked to at once, at most.
        var window: Int
        /// How long advertising is listened to before a proxy is chosen.
        var listening: Double
    }

    /// What a run took, and with what.
    struct Outcome {
        /// Seconds from its beginning to its end.
        var duration = 0.0
        /// Of them, those before the first message.
        var lead = 0.0
        /// When the last device was a node.
        var provisionedAt = 0.0
        /// When the last message over a link of its own was answered.
        var directAt = 0.0
        /// Shares of the time after the lead for which the proxy's advertising queue and its GATT connection were busy.
        var proxyLoad = 0.0
        var linkLoad = 0.0
        /// Seconds for which lost or late answers were waited for, all nodes together.
        var waiting = 0.0
        /// Seconds for which nodes were talked to through the mesh, all together.
        var talking = 0.0
    }

    let site: Site
    let policy = RetryPolicy()
    var dice: RehearsalDice
    var air: RehearsedAir
    var lanes: [RehearsedLane]
    var events = RehearsalEvents()
    var ready = MinimumHeap<Int>()
    /// Subnets that the link to the mesh serves, and lanes of others.
    var served: Set<UInt16> = []
    var unserved = MinimumHeap<Int>()
    var now = 0.0
    var window: Double
    var answersSinceDecrease = Int.max
    var inFlight = 0
    var everybody: (smoothed: Double, variation: Double)?
    var outcome = Outcome()

    // Links.
    enum MeshLink { case none, coming, there }
    var meshLink = MeshLink.none
    /// Links of the client that there may be, that to the mesh included, as they were divided last.
    var clientMaximum = 1
    var heardDevices = MinimumHeap<Int>()
    var devicesLeft = 0
    var provisioning = 0
    var waiting: [Int] = []
    var directLinks = 0
    var staged = 0
    var openPDUs = 0
    var askedUpTo = 0
    var failures = 0

    /// - Parameter relays: nodes that relay before the plan.
    init(_ lanes: [RehearsedLane], relays: Double, isProxyRelay: Bool, _ site: Site, seed: UInt64) {
        self.site = site
        self.lanes = lanes
        dice = RehearsalDice(seed: seed)
        air = RehearsedAir(site.profile, sending: site.sending, relays: relays, isProxyRelay: isProxyRelay)
        window = Double(min(WindowPolicy().initial, max(site.window, 1)))
        for lane in self.lanes.indices { self.lanes[lane].distance = air.distance(of: lane) }
    }

    /// Carries the lanes out that lie between two barriers; the next ones begin when these are done.
    ///
    /// - Returns: when they are done.
    mutating func run(_ part: Range<Int>) {
        ready = MinimumHeap<Int>()
        askedUpTo = part.lowerBound
        openPDUs = 0
        for lane in part {
            if lanes[lane].way == .device {
                devicesLeft += 1
                events.add(.heard, lane, at: now + dice.unit() * 2 * RadioProfile.hearing)
            } else {
                ready.insert(lane)
            }
            openPDUs += lanes[lane].openPDUs
        }
        fill(part)
        while let event = events.next() {
            // What is late only may come after everything is done.
            if case .unacknowledged(let message, _, _) = event.kind, lanes[event.lane].next != message { continue }
            if event.kind == .tired, lanes[event.lane].way != .held { continue }
            if case .late(let message, let attempts) = event.kind {
                let lane = lanes[event.lane]
                guard lane.next == message, lane.attempts == attempts, lane.way == .mesh || lane.way == .asking else {
                    continue
                }
            }
            now = max(now, event.time)
            handle(event)
            fill(part)
        }
    }

    /// What it came to.
    mutating func finish() -> Outcome {
        outcome.duration = now
        let active = max(now - outcome.lead, 1e-9)
        outcome.proxyLoad = air.proxyBusy / active
        outcome.linkLoad = air.linkBusy / active
        return outcome
    }

    mutating func handle(_ event: RehearsalEvents.Event) {
        let lane = event.lane
        switch event.kind {
        case .heard: heardDevices.insert(lane)
        case .provisioned: becomeNode(lane)
        case .linked:
            meshLink = .there
            if outcome.lead == 0 { outcome.lead = now }
        case .answers(let message): answer(lane, message)
        case .answered(let message): answered(lane, message)
        case .late: late(lane)
        case .unacknowledged(let message, let isStatus, let rounds):
            sendAgain(lane, message, ofStatus: isStatus, rounds)
        case .advertises: linkDirectly(lane)
        case .tired: tire(lane)
        case .directlyLinked:
            failures = 0
            if outcome.lead == 0 { outcome.lead = now }
            lanes[lane].way = .direct
            sendDirectly(lane)
        }
    }

    /// Starts what may start.
    mutating func fill(_ part: Range<Int>) {
        if meshLink == .there { ask(part) }
        divideLinks()
        guard meshLink == .there else {
            if meshLink == .none, !ready.isEmpty, mayLinkMesh { linkMesh() }
            return
        }
        while inFlight < Int(window), let lane = ready.popMinimum() {
            guard lanes[lane].way == .mesh, !lanes[lane].isDone else { continue }
            if let subnet = lanes[lane].subnet, !served.contains(subnet) {
                unserved.insert(lane)
            } else {
                begin(lane)
            }
        }
        if inFlight == 0, let lane = unserved.popMinimum() { serve(lane) }
    }
}

extension Duration {
    /// In seconds.
    var seconds: Double { Double(microseconds) / 1_000_000 }
}
