import Basics
import MeshCore

/// A run in miniature: it sends the messages of a plan one by one, over a radio that consists of queues and chances.
///
/// It follows the rules of the executor. Each node has one outstanding message. The window of nodes grows with answers
/// and shrinks with late ones. Time-outs come from measured round trips and double up to a deadline. There are links to
/// devices that are provisioned, to proxies of the subnets that are needed, and to single nodes with much to do. Times
/// are seconds.
struct Rehearsal {
    /// What is known of the bearer.
    struct Bearer {
        var profile: RadioProfile
        /// Links at once, at least 1.
        var connections: Int
        /// The most nodes that the client talks to at once.
        var window: Int
        /// How long the client listens before it chooses a proxy.
        var listening: Double
        /// The most events of one rehearsal. Beyond them, its end is extrapolated.
        var mostEvents: Int
    }

    /// How long a run took, and what took the time.
    struct Outcome {
        /// Seconds from its beginning to its end.
        var duration = 0.0
        /// The seconds before the first message.
        var lead = 0.0
        /// When the last device became a node.
        var provisionedAt = 0.0
        /// When a node last answered over a link of its own.
        var directAt = 0.0
        /// The shares of the time after the lead in which the proxy's advertising queue and its GATT connection were
        /// busy.
        var proxyLoad = 0.0
        var linkLoad = 0.0
        /// Seconds of waiting for lost or late answers, summed over all nodes.
        var waiting = 0.0
        /// Seconds of exchanges through the mesh, summed over all nodes.
        var talking = 0.0
        /// Whether it ended before everything was done, so that its duration is extrapolated.
        var isCutShort = false
    }

    let site: Bearer
    let policy = RetryPolicy()
    var dice: RehearsalDice
    var air: RehearsedAir
    var lanes: [RehearsedLane]
    var events = RehearsalEvents()
    var ready = MinimumHeap<Int>()
    var now = 0.0
    var window: Double
    var answersSinceDecrease = Int.max
    var inFlight = 0
    var everybody: (smoothed: Double, variation: Double)?
    var outcome = Outcome()
    /// The number of events so far, and whether the last one may let something start.
    private var happened = 0
    var isStirred = false
    var linkBusy = 0.0

    // Links of the client.
    var links: [Link] = []
    /// Links that exist or are being made, the oldest first.
    var openLinks: [Int] = []
    /// The most links that there may be.
    var clientMaximum = 1
    /// Lanes whose requests wait for a link.
    var unlinked: [Int] = []
    var search = Search.none
    var lastCandidateAt: Double?
    /// Seconds for which the client has listened already.
    var listeningCredit: Double
    /// When the links are reviewed next.
    var reviewAt: Double?

    // Who advertises, by station.
    /// Stations whose GATT proxy is on, and those of which the client knows it.
    var isProxy: Set<Int>
    var forwarders: Set<Int>
    /// Stations that may advertise.
    var advertisers: [Int]
    /// Stations that advertise their Node Identity: in which subnet, since when and until when.
    var identities: [Int: (subnet: UInt64, since: Double, until: Double)] = [:]
    var joinedAt: [Int: Double] = [:]
    var heardAt: [Int: Double] = [:]
    /// When the client scanned for nodes.
    var scans: [ClosedRange<Double>] = []
    let chances: UInt64

    // Devices.
    var heardDevices = MinimumHeap<Int>()
    var devicesLeft = 0
    var nodeCount: Int
    var provisioning = 0
    var resetting = 0

    // Links of their own.
    /// Lanes whose nodes have one, wait for one or are asked to advertise, in the order in which that began.
    var staged: [Int] = []
    var directSearchBeganAt: Double?
    /// Seconds from the choice of an advertiser to the last such link.
    var directSetUp = 2.0
    /// PDUs of the messages that wait for the mesh.
    var openPDUs = 0
    /// The first lanes to consider for asking: of those that have not begun, and of those that have.
    var askedUpTo = 0
    var begunUpTo = 0
    var failures = 0
    /// The lane that such a link finished last, and when.
    var lastDirect: (lane: Int, at: Double)?

    init(_ stage: RehearsedSite.Stage, _ bearer: Bearer, dice: RehearsalDice) {
        site = bearer
        lanes = stage.lanes
        self.dice = dice
        air = RehearsedAir(site.profile, stage.places)
        window = Double(min(WindowPolicy().initial, max(site.window, 1)))
        isProxy = Set(stage.proxies)
        forwarders = isProxy
        advertisers = stage.proxies
        listeningCredit = max(RadioProfile.listening - site.listening, 0)
        chances = UInt64(self.dice.unit() * 4_294_967_296)
        nodeCount = stage.places.stations.count { $0.subnets != 0 }
    }

    /// Carries out the lanes between two barriers. The next part begins when they are done.
    mutating func run(_ part: Range<Int>) {
        ready = MinimumHeap()
        askedUpTo = part.lowerBound
        begunUpTo = part.lowerBound
        openPDUs = 0
        for lane in part where !lanes[lane].isDone || lanes[lane].way == .device {
            if lanes[lane].way == .device {
                devicesLeft += 1
                events.add(.heard, lane, at: now + dice.unit() * 2 * RadioProfile.hearing)
            } else {
                ready.insert(lane)
            }
            openPDUs += lanes[lane].openPDUs
        }
        keepLastDirectLink(part)
        fill(part)
        // PDUs that are still on their way go on after the barrier.
        while !isOver(), let event = events.next() {
            guard isTimely(event) else { continue }
            now = max(now, event.time)
            happened += 1
            guard happened <= site.mostEvents else { break }
            handle(event)
            if isStirred { fill(part) }
        }
        if !isOver() { outcome.isCutShort = true }
    }

    /// Lets a node keep its own link if it goes on at once after the barrier.
    private mutating func keepLastDirectLink(_ part: Range<Int>) {
        guard let last = lastDirect, last.at >= now,
            let lane = part.first(where: { lanes[$0].station == lanes[last.lane].station && !lanes[$0].isDone })
        else { return }
        for link in openLinks where links[link].directLane == last.lane { links[link].directLane = lane }
        openPDUs -= lanes[lane].openPDUs
        staged.append(lane)
        lanes[lane].way = .direct
        sendDirectly(lane)
    }

    /// Whether an event still means something. A time-out, for one, may come after its message is done.
    ///
    /// It is mutating only because a build without optimization would copy the whole rehearsal for each event.
    private mutating func isTimely(_ event: RehearsalEvent) -> Bool {
        let lane = event.lane
        return switch event.kind {
        case .late(let message, let attempt):
            lanes[lane].next == message && lanes[lane].attempts == attempt
                && (lanes[lane].way == .mesh || lanes[lane].way == .asking)
        case .request(let message, let attempt, _): lanes[lane].next == message && lanes[lane].attempts == attempt
        case .unacknowledged(let message, let attempt, let isStatus, let rounds):
            isUnacknowledged(lane, message, attempt, ofStatus: isStatus, rounds)
        default: true
        }
    }

    /// Whether nothing is left to do. PDUs may still be on the air.
    ///
    /// It is mutating for the same reason as ``isTimely(_:)``.
    private mutating func isOver() -> Bool {
        inFlight == 0 && resetting == 0 && staged.isEmpty && devicesLeft == 0 && ready.isEmpty
    }

    /// The outcome of the whole rehearsal.
    mutating func finish() -> Outcome {
        outcome.duration = now
        if outcome.isCutShort {
            let all = lanes.reduce(0) { $0 + $1.messages.count }
            let done = lanes.reduce(0) { $0 + $1.next }
            outcome.duration = outcome.lead + (now - outcome.lead) * Double(all) / Double(max(done, 1))
        }
        let active = max(now - outcome.lead, 1e-9)
        outcome.proxyLoad = air.proxyBusy / active
        outcome.linkLoad = linkBusy / active
        return outcome
    }

    private mutating func handle(_ event: RehearsalEvent) {
        let lane = event.lane
        isStirred = true
        switch event.kind {
        case .heard: heardDevices.insert(lane)
        case .provisioned: becomeNode(lane)
        case .linked(let link): linked(link)
        case .reviewed: reviewAt = nil
        case .request(let message, let attempt, let segment): sendRequest(lane, message, attempt, segment)
        case .delivered(let pdu): deliver(pdu)
        // A PDU on the air lets nothing start before it arrives.
        case .status(let message, let attempt, let segment):
            isStirred = false
            sendStatus(lane, message, attempt, segment)
        case .advertises(let pdu, let isRelayed):
            isStirred = false
            advertise(pdu, from: lane, isRelayed: isRelayed)
        case .hears(let pdu):
            isStirred = false
            hear(pdu, at: lane)
        case .answered(let message): answered(lane, message)
        case .late: late(lane)
        case .unacknowledged(_, _, let isStatus, _): sendAgain(lane, ofStatus: isStatus)
        case .owed(let message, let attempt, let isStatus): tellMissing(lane, message, attempt, ofStatus: isStatus)
        case .seen: see(lane)
        }
    }

    /// Starts everything that may start now.
    private mutating func fill(_ part: Range<Int>) {
        considerHeld()
        ask(part)
        while inFlight < Int(window), let lane = ready.popMinimum() {
            if lanes[lane].way == .mesh, !lanes[lane].isDone, !lanes[lane].isBusy { begin(lane) }
        }
        divideLinks()
        reviewLinks()
    }
}

extension Duration {
    /// In seconds.
    var seconds: Double { Double(microseconds) / 1_000_000 }
}
