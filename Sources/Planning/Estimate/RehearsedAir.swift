import MeshCore

/// The radio of a rehearsal. Stations that are near hear what a station sends, with losses. Relays repeat it. Each
/// station has one queue for everything that it sends.
struct RehearsedAir {
    /// A PDU under way.
    struct PDU {
        /// What it is about.
        let content: Content
        /// The lane that it comes from or goes to.
        let lane: Int
        /// The station of that lane.
        let station: Int
        /// Whether it goes to the client; otherwise to the lane's node.
        let isToClient: Bool
        /// The subnet that it is sent in.
        let subnet: UInt64
        /// Which of the stations that may relay have it, a bit for each slot.
        var heard: UInt64 = 0
        /// Whether it has arrived.
        var isThere = false
    }

    /// What a PDU carries.
    enum Content: Hashable {
        /// A segment of a request or of its status, or the only one.
        case request(message: Int, attempt: Int, segment: Int)
        case status(message: Int, attempt: Int, segment: Int)
        /// Which segments of the request, or of the status, have arrived, a bit each.
        case acknowledgment(message: Int, attempt: Int, ofStatus: Bool, heard: UInt64)
    }

    /// The result of an advertisement.
    enum Arrival {
        /// A station that may relay hears a PDU.
        case heard(Int)
        /// The PDU has reached its node.
        case delivered
    }

    let profile: RadioProfile
    private(set) var pdus: [PDU] = []
    /// Which stations hear the last advertisement, and when.
    private(set) var arrivals: [(Arrival, Double)] = []
    var places: RehearsedPlaces
    /// When each advertising set of each station is free, station by station.
    private var freeAt: [Double]
    private let sets: Int
    /// The events that each station that may relay has heard, by slot, and those that it has sent.
    private var loads: [Load]
    private var sent: [Load]
    /// Seconds for which the first station's sets were busy, divided by their number.
    private(set) var proxyBusy = 0.0

    /// From the host to the controller, in seconds.
    private static let hostDelay = 0.002
    /// A copy collides with another event that begins within so many seconds.
    private static let collisionTime = 0.000_752
    /// A station is deaf for the 1.8 ms in which it sends. That costs it as much as so many events of others.
    private static let deafness = 2.4

    init(_ profile: RadioProfile, _ places: RehearsedPlaces) {
        self.profile = profile
        self.places = places
        sets = max(Int(profile.advertisingSets.rounded()), 1)
        freeAt = Array(repeating: 0, count: places.stations.count * sets)
        loads = Array(repeating: Load(), count: places.slots.count)
        sent = loads
    }

    // MARK: PDUs

    /// Makes a PDU.
    mutating func make(_ content: Content, lane: Int, station: Int, isToClient: Bool, subnet: UInt64) -> Int {
        pdus.append(PDU(content: content, lane: lane, station: station, isToClient: isToClient, subnet: subnet))
        return pdus.count - 1
    }

    /// Notes that a station that may relay has a PDU.
    ///
    /// - Returns: false if it had it before.
    mutating func note(_ pdu: Int, at station: Int) -> Bool {
        guard let slot = places.stations[station].slot else { return true }
        guard pdus[pdu].heard & 1 << UInt64(slot) == 0 else { return false }
        pdus[pdu].heard |= 1 << UInt64(slot)
        return true
    }

    /// Notes that a PDU has arrived.
    ///
    /// - Returns: false if it had before.
    mutating func arrive(_ pdu: Int) -> Bool {
        defer { pdus[pdu].isThere = true }
        return !pdus[pdu].isThere
    }

    /// A station advertises a PDU; ``arrivals`` says who hears it.
    mutating func advertise(
        _ pdu: Int,
        from station: Int,
        _ repetition: Repetition,
        at now: Double,
        _ dice: inout RehearsalDice
    ) {
        arrivals.removeAll(keepingCapacity: true)
        guard let start = enqueue(at: station, repetition, now) else { return }
        let copies = Int(repetition.count + dice.unit())
        let (target, isToClient) = (pdus[pdu].station, pdus[pdu].isToClient)
        let isNode = !isToClient && places.stations[target].slot == nil
        for neighbour in places.neighbours(of: station) {
            let other = neighbour.station
            guard let slot = places.stations[other].slot else { continue }
            loads[slot].add(Double(copies), now)
            guard pdus[pdu].heard & 1 << UInt64(slot) == 0 else { continue }
            let kept = kept(neighbour.reach, loads[slot].rate(now))
            if let arrival = heard(repetition, copies, kept, start, &dice) {
                arrivals.append((.heard(other), arrival))
            }
        }
        if let slot = places.stations[station].slot {
            loads[slot].add(Double(copies) * Self.deafness, now)
            sent[slot].add(Double(copies), now)
            if isNode { deliver(pdu, to: target, from: station, repetition, copies, start, now, &dice) }
        }
    }

    /// Delivers a PDU to its node, which does not relay.
    private mutating func deliver(
        _ pdu: Int,
        to target: Int,
        from station: Int,
        _ repetition: Repetition,
        _ copies: Int,
        _ start: Double,
        _ now: Double,
        _ dice: inout RehearsalDice
    ) {
        guard !pdus[pdu].isThere else { return }
        let neighbours = places.neighbours(of: target)
        guard let way = neighbours.first(where: { $0.station == station }) else { return }
        var rate = 0.0
        for neighbour in neighbours {
            if let slot = places.stations[neighbour.station].slot { rate += sent[slot].rate(now) }
        }
        if let arrival = heard(repetition, copies, kept(way.reach, rate), start, &dice) {
            arrivals.append((.delivered, arrival))
        }
    }

    /// The share of copies that is heard. The others get lost on the way, or collide with events that begin shortly
    /// before them or during them.
    private func kept(_ reach: Double, _ rate: Double) -> Double {
        // A radio without losses has no collisions either.
        guard profile.copyLoss > 0 else { return reach }
        let survival = power(max(0, 1 - Self.collisionTime * rate / 1_024), 1_024)
        return reach * (1 - profile.copyLoss) * survival
    }

    /// When the first copy arrives; nil if none does.
    private func heard(
        _ repetition: Repetition,
        _ copies: Int,
        _ kept: Double,
        _ start: Double,
        _ dice: inout RehearsalDice
    ) -> Double? {
        for copy in 0..<max(copies, 1) where dice.happens(kept) {
            return start + Self.hostDelay + Double(copy) * repetition.spacing(profile)
        }
        return nil
    }

    /// Puts a PDU into the queue of a station.
    ///
    /// - Returns: when it is sent; nil if the queue is full.
    private mutating func enqueue(at station: Int, _ repetition: Repetition, _ now: Double) -> Double? {
        let service = repetition.time(profile)
        var set = station * sets
        for place in set..<set + sets where freeAt[place] < freeAt[set] { set = place }
        let start = max(now, freeAt[set])
        guard (start - now) / service * Double(sets) <= profile.advertisingQueue else { return nil }
        freeAt[set] = start + service
        if station == 0 { proxyBusy += service / Double(sets) }
        return start
    }

    /// Events, counted in windows of half a second.
    private struct Load {
        private var start = 0.0
        private var current = 0.0
        private var previous = 0.0

        mutating func add(_ events: Double, _ now: Double) {
            let elapsed = now - start
            if elapsed >= 0.5 {
                previous = elapsed < 1 ? current : 0
                current = 0
                start = now
            }
            current += events
        }

        /// Events a second.
        func rate(_ now: Double) -> Double {
            let elapsed = now - start
            return elapsed < 1 ? (previous + current) / (0.5 + elapsed) : 0
        }
    }
}

/// How often and how fast a node sends a PDU.
struct Repetition: Hashable, Sendable {
    /// Transmissions, the first one included: a mean of at least 1.
    var count: Double
    /// Seconds between two of them.
    var interval: Double

    /// Stock firmware: three transmissions, 20 ms apart.
    static let stock = Repetition(count: 3, interval: 0.020)

    init(count: Double, interval: Double) {
        self.count = count
        self.interval = interval
    }

    /// The known parameters of a node; those of stock firmware if they are not known.
    init(_ transmit: TransmitParameters?) {
        self = .stock
        guard let transmit else { return }
        count = Double(transmit.transmissions)
        interval = Double(transmit.intervalMilliseconds) / 1_000
    }

    /// Seconds from one copy to the next, with the mean advertising delay.
    func spacing(_ profile: RadioProfile) -> Double { interval + (profile.isAdvertisingLegacy ? 0.010 : 0.005) }

    /// Seconds for which an advertising set is busy with a PDU.
    func time(_ profile: RadioProfile) -> Double { profile.advertisingTime(count: count, interval: interval) }
}

/// A power of a number of 0...1, by squaring. It is the same on every platform.
func power(_ base: Double, _ exponent: Int) -> Double {
    var (result, square, rest) = (1.0, base, exponent)
    while rest > 0 {
        if rest & 1 == 1 { result *= square }
        square *= square
        rest >>= 1
    }
    return result
}
