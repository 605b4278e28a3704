import MeshCore

/// The messages between two barriers that go through the mesh over one proxy: what limits them, and how late the last
/// answers come.
///
/// A lane is what the client asks one node, one message after the other. Several things limit the lanes together: the
/// longest lane, the window of nodes that the client talks to at once, the air around the proxy, and the GATT
/// connection. The slowest one counts. Then come the time-outs of whatever gets lost at the end.
struct MeshPart {
    /// One node's messages.
    private struct Lane {
        /// Seconds of its exchanges, and of the mean time-outs in between.
        var seconds = 0.0
        var waiting = 0.0
        /// Its exchanges that may get lost as a whole, by the chance that they do.
        var chances: [(loss: Double, count: Int)] = []
        /// Whether the client waits to hear it as a device.
        var leaves = false
        /// Seconds after which it is given up.
        var deadline = 0.0
    }

    /// What limits it, and the seconds that this takes.
    private(set) var bound = PlanEstimate.Bound.roundTrips
    private(set) var seconds = 0.0
    /// Seconds of mean time-outs within, where these and not the air or the connection set the pace.
    private(set) var waiting = 0.0
    private var lanes: [Lane] = []
    /// The share of copies that one receiver does not hear, collisions included.
    private var copyLoss = 0.0
    private let profile: RadioProfile
    private let window: Int

    /// Seconds between two segments of the client and of stock firmware.
    static let segmentInterval = 0.060
    /// Seconds after which segments without an acknowledgment are sent again, at the usual TTL.
    private static let acknowledgment = 0.4
    /// From the host to the controller, in seconds.
    private static let hostDelay = 0.002
    /// A copy collides with another event that begins within so many seconds.
    private static let collisionTime = 0.000_752
    /// A station is deaf for the 1.8 ms in which it sends. That costs it as much as so many events of others.
    private static let deafness = 2.4
    /// The most of something that is taken to get lost: at more, nothing would ever arrive.
    private static let mostLoss = 0.9

    init(_ part: ArraySlice<PlanParts.Lane>, _ profile: RadioProfile, _ hops: HopModel, window: Int) {
        self.profile = profile
        self.window = window
        let busy = part.filter { !$0.messages.isEmpty }
        guard !busy.isEmpty else { return }
        let sets = max(profile.advertisingSets, 1)
        // What nodes publish by themselves takes its share of the air.
        let free = (1 - hops.published) * sets
        let toAir = (hops.root?.transmit ?? .stock).time(profile) / free
        // Where relays flood the mesh, the proxy repeats what nodes send, too.
        let fromAir = hops.isFlooded ? (hops.root?.retransmit ?? .stock).time(profile) / free : 0
        let cost = busy.reduce(MessageCost.zero) { $0 + $1.cost }
        let (exchanges, to, from) = (Double(cost.messages), Double(cost.pdusToNode), Double(cost.pdusFromNode))
        let gatt = max(to, from) * profile.connectionInterval / profile.pdusPerConnectionEvent
        // How busy the air is decides how much collides, and that decides how much is sent again. Some rounds, each
        // half of the way, settle it.
        var load = 0.0
        var (air, open, sum) = (0.0, 1.0, 0.0)
        for _ in 0..<8 {
            copyLoss = Self.copyLoss(profile, hops, events: load / max(toAir, fromAir))
            var again = (to: 0.0, from: 0.0)
            lanes = busy.map { measured($0, hops, &again) }
            air = (to + again.to) * toAir + (from + again.from) * fromAir
            sum = lanes.reduce(0) { $0 + $1.seconds + $1.waiting }
            let lost = lanes.reduce(0) { $0 + $1.chances.reduce(0) { $0 + $1.loss * Double($1.count) } } / exchanges
            open = Self.meanWindow(min(window, busy.count), loss: lost)
            let longest = lanes.reduce(0) { max($0, $1.seconds + $1.waiting) }
            load = (load + air / max(air, sum / open, longest, gatt)) / 2
        }
        // The wait in the proxy's queue: for the exchanges of the whole window, but no more than the queue holds.
        let queued = min(open * air / exchanges - sum / exchanges, profile.advertisingQueue * max(toAir, fromAir))
        let twice = min(max(queued, 0) / Self.acknowledgment, 1)
        air += twice * Self.sentTwice(busy, each: (toAir + fromAir) / 2)
        let longest = lanes.max { $0.seconds + $0.waiting < $1.seconds + $1.waiting } ?? Lane()
        let (lane, shared) = (longest.seconds + longest.waiting, sum / open)
        let slowest = max(lane, shared, air, gatt)
        seconds = slowest
        if slowest == air {
            bound = hops.isFlooded ? .flood : .advertising
        } else if slowest == gatt {
            bound = .gatt
        } else if slowest == lane {
            waiting = longest.waiting
            // Its own time-outs are in the chances below.
            seconds = longest.seconds
        } else {
            waiting = lanes.reduce(0) { $0 + $1.waiting } / open
        }
        isLaneSlowest = slowest == lane
        if !isLaneSlowest { seconds += lanes.reduce(0) { $0 + $1.seconds } / exchanges }
    }

    /// Whether the longest lane takes longer than everything else.
    private var isLaneSlowest = false

    /// The share of copies that get lost on the way, or collide with those of relays.
    ///
    /// - Parameter events: PDUs a second that the air around the proxy carries.
    private static func copyLoss(_ profile: RadioProfile, _ hops: HopModel, events: Double) -> Double {
        // A radio without losses has no collisions either.
        guard profile.copyLoss > 0 else { return 0 }
        let copies = (hops.root?.transmit ?? .stock).count
        let collisions = collisionTime * events * copies * (hops.heard + deafness)
        return 1 - (1 - profile.copyLoss) * power(max(0, 1 - collisions / 1_024), 1_024)
    }

    /// How many nodes the client talks to at once. The window grows by one with each round of answers and shrinks with
    /// each loss, which gives the mean of every such window: the root of (1 + d) / (2 (1 - d) loss).
    private static func meanWindow(_ most: Int, loss: Double) -> Double {
        let decrease = WindowPolicy.decrease
        guard loss > 0 else { return Double(most) }
        return max(min(((1 + decrease) / (2 * (1 - decrease) * loss)).squareRoot(), Double(most)), 1)
    }

    /// The air of everything that a full queue has sent twice: segments, and their acknowledgments, whose round trip
    /// takes longer than the sender waits. More than that is not sent, because the window shrinks first.
    private static func sentTwice(_ part: [PlanParts.Lane], each: Double) -> Double {
        var pdus = 0
        for message in part.lazy.flatMap(\.messages) {
            let (request, status) = message.segments
            pdus += (request > 1 ? request + 1 : 0) + (status > 1 ? status + 1 : 0)
        }
        return Double(pdus) * each
    }

    /// - Parameter again: counts the PDUs that are sent again.
    private func measured(
        _ planned: PlanParts.Lane,
        _ hops: HopModel,
        _ again: inout (to: Double, from: Double)
    ) -> Lane {
        let policy = RetryPolicy()
        var lane = Lane()
        lane.leaves = planned.leaves
        // The executor reads back a request that may have taken effect before it gives its node up.
        lane.deadline =
            (planned.onlyReads ? policy.readBackDeadline : policy.deadline + policy.readBackDeadline).seconds
        let (down, up) = hops.losses(of: planned.node, copyLoss: copyLoss)
        // On each hop, a PDU waits behind what others publish: a queue with one server, whose service always takes as
        // long, has a mean wait of load / (2 (1 - load)) services.
        let behind = hops.published / (2 * (1 - hops.published)) * profile.advertisingTime
        let hop = Self.hostDelay + profile.relayTurnaround + behind
        let way = profile.directRoundTrip + 2 * hops.hops(to: planned.node) * hop
        // The chance that a request, its status or both are lost; segments have their acknowledgments instead.
        let losses = [1 - (1 - down) * (1 - up), up, down].map { min($0, Self.mostLoss) }
        var counts = [0, 0, 0]
        for message in planned.messages {
            let (request, status) = message.segments
            lane.seconds += way + Double(request + status - 2) * Self.segmentInterval
            if request > 1 {
                let lost = min(1 - power(1 - down, request) * (1 - up), Self.mostLoss)
                lane.seconds += lost / (1 - lost) * Self.acknowledgment
                again.to += Double(request) * lost
            }
            if status > 1 {
                let lost = min(1 - power(1 - up, status) * (1 - down), Self.mostLoss)
                lane.seconds += lost / (1 - lost) * Self.acknowledgment
                again.from += Double(status) * lost
            }
            guard request == 1 || status == 1 else { continue }
            let kind = request > 1 ? 1 : status > 1 ? 2 : 0
            counts[kind] += 1
            let repeated = losses[kind] / (1 - losses[kind])
            again.to += Double(message.pdusToNode) * repeated
            // Of what is asked again, only a part was answered before.
            again.from += Double(message.pdusFromNode) * repeated / 2
        }
        for (loss, count) in zip(losses, counts) where count > 0 && loss > 0 {
            lane.chances.append((loss, count))
            lane.waiting += Double(count) * TimeOuts.mean(loss: loss, deadline: lane.deadline)
        }
        return lane
    }

    /// The seconds within which everything is done with that probability, 0..<1.
    func quantile(_ probability: Double) -> Double {
        guard !lanes.isEmpty else { return 0 }
        var (low, high) = (0.0, seconds + 1)
        while done(within: high) < probability, high < Self.longest { high *= 2 }
        for _ in 0..<30 {
            let middle = (low + high) / 2
            if done(within: middle) < probability { low = middle } else { high = middle }
        }
        return high
    }

    /// Nothing is estimated to take longer than a month.
    private static let longest = 2.6e6

    /// The probability that everything is done by then.
    private func done(within time: Double) -> Double {
        var probability = 1.0
        let count = Double(lanes.count)
        for (place, lane) in lanes.enumerated() {
            // Where the lanes share something, they end one after the other, the last ones with it.
            let end =
                isLaneSlowest ? lane.seconds : lanes.count > window ? seconds * Double(place + 1) / count : seconds
            let late = time - end
            guard late >= 0 else { return 0 }
            if let failures = TimeOuts.failures(toLast: late, deadline: lane.deadline) {
                for (loss, count) in lane.chances { probability *= power(1 - power(loss, failures), count) }
            }
            if lane.leaves { probability *= 1 - unseen(for: late) }
        }
        return probability
    }

    /// The probability that a device that advertises once a second is not heard for so many seconds.
    private func unseen(for time: Double) -> Double {
        let turns = Int(min(time / (2 * RadioProfile.hearing), 1_000))
        let rest = time / (2 * RadioProfile.hearing) - Double(turns)
        return power(profile.copyLoss, turns) * (1 - (1 - profile.copyLoss) * min(rest, 1))
    }
}

/// The time-outs of a request that gets lost again and again, by the executor's policy. The first one is that of a
/// client which has measured no round trip yet.
private enum TimeOuts {
    /// Seconds until a request has been given up so many times, and the last time-out.
    private static let ends: [Double] = {
        let policy = RetryPolicy()
        var timeout = policy.initialTimeout.seconds + policy.timeoutPerHop.seconds * Double(policy.ttl)
        var ends: [Double] = []
        while (ends.last ?? 0) < (policy.deadline + policy.readBackDeadline).seconds {
            ends.append((ends.last ?? 0) + timeout)
            timeout = min(2 * timeout, policy.maximumTimeout.seconds)
        }
        return ends
    }()

    static func mean(loss: Double, deadline: Double) -> Double {
        var (mean, before, chance) = (0.0, 0.0, 1.0)
        for end in ends {
            chance *= loss
            mean += chance * (min(end, deadline) - before)
            guard end < deadline else { break }
            before = end
        }
        return mean
    }

    /// How many failures in a row last longer than that; nil if the node is given up before.
    static func failures(toLast time: Double, deadline: Double) -> Int? {
        guard time < deadline else { return nil }
        return (ends.firstIndex { $0 > time } ?? ends.count) + 1
    }
}

extension Duration {
    /// In seconds.
    var seconds: Double { Double(microseconds) / 1_000_000 }
}
