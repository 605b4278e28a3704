/// The radio of a rehearsal: one queue of advertisements for the proxy and one for the relays of each hop, and the chance
/// that a PDU makes its way.
///
/// Everybody who relays repeats every PDU once, requests and answers alike, so that all relays of a hop have the same to
/// do, and what they all send collides. Nodes stand at all distances up to the profile's hops.
struct RehearsedAir {
    /// How PDUs are sent: by the proxy what clients write, by relays what they repeat, by nodes what they answer.
    struct Sending: Hashable {
        var proxy: Repetition
        var relays: Repetition
        var nodes: Repetition
    }

    private let profile: RadioProfile
    private let sending: Sending
    private let hops: Int
    /// Relays at each distance, the proxy itself at 0: 1 if it relays, else 0.
    private(set) var relays: [Double]
    /// When the proxy, and the relays of each distance, have an advertising set free; seconds.
    private var freeAt: [[Double]]
    private var toProxyFreeAt = 0.0
    private var toClientFreeAt = 0.0
    private var load = Load()
    private var chances: Chances
    /// Seconds for which the proxy's queue was busy.
    private(set) var proxyBusy = 0.0
    /// Seconds for which the GATT connection was.
    private(set) var linkBusy = 0.0

    /// From the host to the controller, in seconds.
    private static let hostDelay = 0.002

    init(_ profile: RadioProfile, sending: Sending, relays: Double, isProxyRelay: Bool) {
        self.profile = profile
        self.sending = sending
        hops = max(Int(profile.hops.rounded()), 1)
        self.relays = [isProxyRelay ? 1 : 0] + Array(repeating: max(relays, 0) / Double(hops), count: hops)
        let sets = max(Int(profile.advertisingSets.rounded()), 1)
        freeAt = Array(repeating: Array(repeating: 0, count: sets), count: hops + 1)
        chances = Chances(hops: hops)
        updateChances()
    }

    /// How far a node is from the proxy that comes at some place in a plan.
    func distance(of place: Int) -> Int { 1 + place % hops }

    /// A node begins to relay, or ceases to; `weight` below 0 is less.
    mutating func addRelay(_ weight: Double, at distance: Int) {
        relays[distance] = max(relays[distance] + weight, 0)
    }

    // MARK: PDUs

    /// The client writes a PDU to the proxy.
    ///
    /// - Returns: when it reaches a node at that distance; nil if it is lost.
    mutating func send(toDistance distance: Int, at now: Double, _ dice: inout RehearsalDice) -> Double? {
        let each = profile.connectionInterval / profile.pdusPerConnectionEvent
        toProxyFreeAt = max(toProxyFreeAt, now) + each
        linkBusy += each
        let written = max(now + dice.unit() * profile.connectionInterval, toProxyFreeAt)
        guard let start = enqueue(at: 0, sending.proxy, written) else { return nil }
        load.note(start)
        updateChances()
        var arrival = start + Self.hostDelay
        var reached = arrival
        for hop in 1..<max(hops, 2) where hop < hops && relays[hop] > 0 {
            guard let repeated = enqueue(at: hop, sending.relays, arrival + dice.around(profile.relayTurnaround)) else {
                break
            }
            arrival = repeated + Self.hostDelay
            if hop < distance { reached = arrival }
        }
        guard dice.happens(chances.toNode[distance]) else { return nil }
        // Who is alone with the first hop may hear a later copy only.
        if distance == 1, dice.happens(chances.laterCopy) { reached += sending.proxy.spacing }
        return reached
    }

    /// A node at that distance sends a PDU to the client.
    ///
    /// - Returns: when the client has it; nil if it is lost.
    mutating func send(fromDistance distance: Int, at now: Double, _ dice: inout RehearsalDice) -> Double? {
        load.note(now)
        updateChances()
        var arrival = now + Self.hostDelay
        for hop in (1..<max(hops, 2)).reversed() where hop < hops && relays[hop] > 0 {
            let repeated = enqueue(at: hop, sending.relays, arrival + dice.around(profile.relayTurnaround))
            if hop < distance { if let repeated { arrival = repeated + Self.hostDelay } else { return nil } }
        }
        guard dice.happens(chances.toClient[distance]) else { return nil }
        if distance == 1, dice.happens(chances.laterCopy) { arrival += sending.nodes.spacing }
        // The client has it before the proxy repeats it, which keeps the next request waiting.
        if relays[0] > 0 { _ = enqueue(at: 0, sending.relays, arrival + dice.around(profile.relayTurnaround)) }
        let each = profile.connectionInterval / profile.pdusPerConnectionEvent
        toClientFreeAt = max(toClientFreeAt, arrival) + each
        return max(arrival + dice.unit() * profile.connectionInterval, toClientFreeAt)
    }

    /// Puts a PDU into the queue of the proxy or of the relays of a hop.
    ///
    /// - Returns: when it is sent; nil if the queue is full.
    private mutating func enqueue(at hop: Int, _ repetition: Repetition, _ now: Double) -> Double? {
        let service = repetition.time(profile)
        var set = 0
        for index in freeAt[hop].indices where freeAt[hop][index] < freeAt[hop][set] { set = index }
        let start = max(now, freeAt[hop][set])
        let waiting = (start - now) / service * Double(freeAt[hop].count)
        guard waiting <= profile.advertisingQueue else { return nil }
        freeAt[hop][set] = start + service
        if hop == 0 { proxyBusy += service / Double(freeAt[hop].count) }
        return start
    }

    // MARK: Chances

    /// The chance that a PDU arrives, by distance.
    private struct Chances {
        var toNode: [Double]
        var toClient: [Double]
        /// That of what arrives over the first hop the first copy did not.
        var laterCopy = 0.0

        init(hops: Int) {
            toNode = Array(repeating: 1, count: hops + 1)
            toClient = toNode
        }
    }

    /// A PDU is lost on a hop if all of its copies are. A copy of 0.376 ms collides with whatever starts so long before it or
    /// while it lasts; who relays is deaf for 1.8 ms with each copy of its own, as long as 2.4 of others are in the way.
    private mutating func updateChances() {
        let rate = load.rate * sending.relays.count
        func lost(hearing others: Double, relaying: Double, _ extraHops: Int = 0) -> Double {
            // Where nothing gets lost, nothing collides either.
            guard profile.copyLoss > 0 else { return 1 - power(Self.beyondOneHop, Double(extraHops)) }
            let survival = power(max(0, 1 - Self.collisionTime * rate * (others + 2.4 * relaying) / 1_024), 1_024)
            return 1 - (1 - profile.copyLoss) * survival * power(Self.beyondOneHop, Double(extraHops))
        }
        func heard(at distance: Int) -> Double {
            let inward = distance == 1 ? 1 : min(relays[distance - 1], Self.mostInward)
            return inward + min(relays[distance], Self.mostAlongside)
        }
        // The proxy hears all that are one hop away.
        func lostAtProxy(_ extraHops: Int) -> Double { lost(hearing: relays[1], relaying: relays[0], extraHops) }
        // What a relay hears: also those whose way leads over it.
        func heardByRelay(at distance: Int) -> Double {
            let outward = distance < hops ? min(relays[distance + 1], Self.mostInward) : 0
            return heard(at: distance) + min(relays[distance], Self.mostAlongside) + outward
        }
        chances.laterCopy = lost(hearing: heard(at: 1), relaying: 0)
        for distance in 1...hops {
            var inner = distance - 1
            while inner > 0, relays[inner] < 0.5 { inner -= 1 }
            let missing = distance - 1 - inner
            let ways = inner == 0 ? 1 : min(relays[inner], Self.mostInward)
            let alongside = min(relays[distance], Self.mostAlongside)
            let copies = inner == 0 ? sending.proxy.count : sending.relays.count
            // Outward: over any of those relays further in that have it, or one beside it.
            let hears = 1 - power(lost(hearing: heard(at: distance), relaying: 0, missing), copies)
            let reached = inner == 0 ? 1 : chances.toNode[inner]
            let straight = 1 - power(1 - reached * hears, ways)
            let beside = 1 - power(lost(hearing: heard(at: distance), relaying: 0), sending.relays.count)
            chances.toNode[distance] = 1 - (1 - straight) * power(1 - straight * beside, alongside)
            // Inward: any of them takes it further.
            let taken =
                inner == 0
                ? 1 - power(lostAtProxy(missing), sending.nodes.count)
                : 1 - power(lost(hearing: heardByRelay(at: inner), relaying: 1, missing), sending.nodes.count)
            let further = inner == 0 ? 1 : chances.toClient[inner]
            let direct = 1 - power(1 - taken * further, ways)
            let besideIn = 1 - power(lost(hearing: heardByRelay(at: distance), relaying: 1), sending.nodes.count)
            chances.toClient[distance] = 1 - (1 - direct) * power(1 - direct * besideIn, alongside)
        }
    }

    /// Relays one hop further in that a node hears at the most, and relays at its own distance.
    private static let mostInward = 6.0
    private static let mostAlongside = 3.0
    /// The share of copies that are heard for each hop that a sender is too far away.
    private static let beyondOneHop = 0.6
    /// Seconds in which the beginning of another event hits a copy.
    private static let collisionTime = 0.000_752

    /// PDUs that are on their way, counted in windows of half a second.
    private struct Load {
        private var start = 0.0
        private var current = 0.0
        private var previous = 0.0
        private var latest = 0.0

        mutating func note(_ now: Double) {
            latest = max(latest, now)
            let elapsed = latest - start
            if elapsed >= 0.5 {
                previous = elapsed < 1 ? current : 0
                current = 0
                start = latest
            }
            current += 1
        }

        /// PDUs a second.
        var rate: Double { (previous + current) / (0.5 + latest - start) }
    }
}

/// How often and how fast somebody sends a PDU.
struct Repetition: Hashable, Sendable {
    /// Transmissions, the first one included: a mean of at least 1.
    var count: Double
    /// Seconds between two of them.
    var interval: Double

    /// What stock firmware comes with: three transmissions, 20 ms apart.
    static let stock = Repetition(count: 3, interval: 0.020)

    /// From one copy to the next, with the mean advertising delay.
    var spacing: Double { interval + 0.005 }

    /// Seconds for which an advertising set is busy with a PDU.
    func time(_ profile: RadioProfile) -> Double { profile.advertisingTime(count: count, interval: interval) }
}

/// A power of a number of 0...1, by squaring; between two whole exponents it is interpolated. The same on every platform.
func power(_ base: Double, _ exponent: Double) -> Double {
    let base = max(base, 0)
    let limited = min(max(exponent, 0), 10_000)
    var rest = Int(limited)
    var (result, square) = (1.0, base)
    while rest > 0 {
        if rest & 1 == 1 { result *= square }
        square *= square
        rest >>= 1
    }
    return result * (1 - (1 - base) * (limited - limited.rounded(.down)))
}
