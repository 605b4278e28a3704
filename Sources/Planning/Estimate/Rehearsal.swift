import Basics
import MeshCore

/// A run in miniature: what the executor does with the messages of a plan, one by one, over a radio that is reduced to
/// its queues and chances.
///
/// The executor's rules are those of the executor: one outstanding message a node, a window of nodes that grows with
/// answers and shrinks with late ones, time-outs from measured round trips that double up to a deadline, links for
/// devices that are provisioned, links to proxies of the subnets that are needed, and links of their own for nodes with
/// much to do. Times are seconds.
struct Rehearsal {
    /// What is known of the bearer.
    struct Bearer {
        var profile: RadioProfile
        /// Links at once, at least 1.
        var connections: Int
        /// Nodes that are talked to at once, at most.
        var window: Int
        /// How long advertising is listened to before a proxy is chosen.
        var listening: Double
        /// How many events one rehearsal takes in at most. Beyond it, its end is reckoned.
        var mostEvents: Int
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
        /// Whether it was ended before everything was done, so that its duration is reckoned from what was.
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
    /// How much has happened, and whether the last of it may let something start.
    private var happened = 0
    var isStirred = false
    var linkBusy = 0.0

    // Links of the client.
    var links: [Link] = []
    /// Those that there are or that are being made, in the order of that.
    var openLinks: [Int] = []
    /// How many there may be.
    var clientMaximum = 1
    /// Lanes whose requests wait for a link.
    var unlinked: [Int] = []
    var search = Search.none
    var lastCandidateAt: Double?
    /// Seconds for which it was listened before.
    var listeningCredit: Double
    /// When links are looked at once more.
    var reviewAt: Double?

    // Who advertises, by station.
    /// Those whose GATT proxy is on, and those of which that is known.
    var isProxy: Set<Int>
    var forwarders: Set<Int>
    /// Those who may advertise.
    var advertisers: [Int]
    /// Who tells who it is, in which subnet, since when and until when.
    var identities: [Int: (subnet: UInt64, since: Double, until: Double)] = [:]
    var joinedAt: [Int: Double] = [:]
    var heardAt: [Int: Double] = [:]
    /// When it was scanned for nodes.
    var scans: [ClosedRange<Double>] = []
    let chances: UInt64

    // Devices.
    var heardDevices = MinimumHeap<Int>()
    var devicesLeft = 0
    var nodeCount: Int
    var provisioning = 0
    var resetting = 0

    // Links of their own.
    /// Nodes that have one, wait for one or are asked to advertise, the first one first.
    var staged: [Int] = []
    var directSearchBeganAt: Double?
    /// Seconds that the last one took from the choice of an advertiser.
    var directSetUp = 2.0
    /// PDUs of the messages that wait for the mesh.
    var openPDUs = 0
    /// Before these lanes nobody is worth asking, of those that have not begun and of those that have.
    var askedUpTo = 0
    var begunUpTo = 0
    var failures = 0
    /// The lane that was done last over such a link, and when.
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

    /// Carries the lanes out that lie between two barriers; the next ones begin when these are done.
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
        // What is on its way goes on behind the barrier.
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

    /// A link of its own stays with a node that goes on behind the barrier at once.
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

    /// Whether an event still means something; what is late only may come after everything is done.
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

    /// Whether nothing is left to be done, however much is still on the air.
    ///
    /// It is mutating for the reason of ``isTimely(_:)``.
    private mutating func isOver() -> Bool {
        inFlight == 0 && resetting == 0 && staged.isEmpty && devicesLeft == 0 && ready.isEmpty
    }

    /// What it came to.
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
        // What is on the air lets nobody start anything before it arrives.
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

    /// Starts what may start.
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
