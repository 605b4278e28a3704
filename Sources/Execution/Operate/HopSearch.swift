import MeshCore
import Planning

/// Finds out how many hops nodes are away, by questions that go no farther than it takes. A value without input or
/// output; whoever has it sends what it hands out and tells it what came back.
///
/// A message reaches the nodes that are as many hops away as its TTL says, the link of the proxy included, and no
/// others. So the smallest TTL at which a node answers is its number of hops. Everybody is asked with TTL 2 first,
/// which nobody repeats; who is silent is asked with the next TTL, as long as relays are found that can carry it.
/// Answers go out with the Default TTL of their nodes (Mesh Protocol 3.7.2), which they tell. So their TTL on arrival
/// tells over how many hops they came: a second measurement, which needs no message of its own.
struct HopSearch {
    /// What to do next.
    enum Step: Hashable {
        /// Ask the node at this place with a TTL.
        case ask(Int, ttl: UInt8)
        /// Nothing before an instant, unless something is heard.
        case wait(until: Instant)
        /// Everything is known, or cannot be found out.
        case done
    }

    /// The smallest TTL that leads farther than to the proxy, and the highest that there is.
    private static let nearest = 2
    private static let farthest = 127
    /// How often nodes are asked with the highest TTL that have answered nothing.
    private static let lastCalls = 2
    /// How long to wait for answers after the last question of a round; of the last calls longer, because Friends of
    /// sleeping nodes may keep those for a while.
    private static let patience = Duration.milliseconds(1_500)
    private static let lastPatience = Duration.seconds(8)
    /// How much longer for each hop that the TTL allows, up to as many as usual networks are deep.
    private static let patiencePerHop = Duration.milliseconds(50)
    private static let usualDepth = 20

    /// What is known of a node.
    private struct Subject {
        let uuid: DeviceUUID
        let mayRelay: Bool
        /// Whether it sleeps, so that its silence says nothing.
        let isSlow: Bool
        /// The TTLs with which it was asked in vain.
        var vain: [Int] = []
        /// The smallest TTL at which it answered.
        var reachedAt: Int?
        /// The fewest and the most hops over which it was heard.
        var heardOver: ClosedRange<Int>?
        /// The TTL of the last question, while its answer is awaited.
        var asked: Int?
        /// Whether it cannot be asked any more.
        var isLeft = false
        var answers = 0
        var heartbeats = 0

        /// Whether it is still to answer something.
        var isOpen: Bool { reachedAt == nil && !isLeft }

        /// The fewest hops over which it was heard, unless it was silent twice when it was asked over as many: then its
        /// answers go out with another TTL than it says.
        var credible: Int? {
            guard let fewest = heardOver?.lowerBound else { return nil }
            return reachedAt == nil || isSlow || vain.count { $0 >= fewest } < 2 ? fewest : nil
        }

        /// Its hops as far as they are known.
        var hops: Int? {
            guard let reachedAt else { return credible }
            return min(reachedAt, credible ?? reachedAt)
        }

        /// The TTL with which to ask again although it has answered; nil if its hops are known.
        var doubt: Int? {
            guard let reachedAt, let hops, !isLeft, !isSlow else { return nil }
            if hops < reachedAt, vain.contains(where: { $0 >= hops }) { return max(hops, HopSearch.nearest) }
            return hops > (vain.max() ?? 1) + 1 ? hops - 1 : nil
        }
    }

    private var subjects: [Subject]
    private let air: HopAirtime
    private var pace: HopPace
    /// The questions of this round that were not asked.
    private var waiting: ArraySlice<(place: Int, ttl: Int)> = []
    /// The TTL of the last round for nodes that have answered nothing.
    private var ring = 1
    private var lastCallsLeft = Self.lastCalls
    /// Whether the last round has found a node that may carry messages farther.
    private var foundRelay = true
    /// How many nodes are still to answer something.
    private var openCount: Int
    /// Until when answers of this round are awaited.
    private var roundEnd = Instant.zero
    /// How often relays repeat a message, by their hops.
    private var repetitions: [Int: Int] = [:]
    private var proxy: DeviceUUID?
    private(set) var questions = 0
    /// Receives the number of the questions of each round, and the highest TTL of them.
    private let tell: (Int, Int) -> Void

    /// - Parameter nodes: the nodes in the order in which to ask them.
    init(_ nodes: [Node], _ air: HopAirtime, _ pace: HopPace, telling tell: @escaping (Int, Int) -> Void) {
        subjects = nodes.map { node in
            // What is not known to be off may be on.
            let mayRelay = node.features.relay != .disabled && node.features.relay != .notSupported
            return Subject(uuid: node.uuid, mayRelay: mayRelay, isSlow: node.features.lowPower == .enabled)
        }
        self.air = air
        self.pace = pace
        self.tell = tell
        openCount = nodes.count
    }

    /// What was heard of each node.
    var sightings: [DeviceUUID: HopSighting] {
        var sightings: [DeviceUUID: HopSighting] = [:]
        for subject in subjects {
            guard let hops = subject.hops else { continue }
            var sighting = HopSighting(fewest: hops, most: max(hops, subject.heardOver?.upperBound ?? hops))
            sighting.answers = subject.answers
            sighting.heartbeats = subject.heartbeats
            sightings[subject.uuid] = sighting
        }
        return sightings
    }

    /// How long the air was busy where every relay is heard, and when the next question may go out.
    var usage: HopPace { pace }

    // MARK: Questions

    mutating func next(at now: Instant) -> Step {
        while true {
            while let question = waiting.first {
                // An answer that came late may have made it useless.
                if let reachedAt = subjects[question.place].reachedAt, reachedAt <= question.ttl {
                    waiting.removeFirst()
                    continue
                }
                if pace.isFree(at: now) { return .ask(question.place, ttl: UInt8(clamping: question.ttl)) }
                return .wait(until: pace.freeAt)
            }
            if now < roundEnd, subjects.contains(where: { $0.asked != nil }) { return .wait(until: roundEnd) }
            guard !beginRound() else { continue }
            return now >= pace.settledAt ? .done : .wait(until: pace.settledAt)
        }
    }

    /// The question that ``next(at:)`` handed out was sent.
    mutating func sent(at now: Instant) {
        guard let question = waiting.popFirst() else { return }
        subjects[question.place].asked = question.ttl
        questions += 1
        pace.take(cost(ofTTL: question.ttl), of: rest, at: now)
        let patience = question.ttl == Self.farthest ? Self.lastPatience : Self.patience
        roundEnd = now.advanced(by: patience + Self.patiencePerHop * min(question.ttl, Self.usualDepth))
    }

    /// The question that ``next(at:)`` handed out cannot be sent, nor can others to its node.
    mutating func leave() {
        guard let question = waiting.popFirst() else { return }
        if subjects[question.place].isOpen { openCount -= 1 }
        subjects[question.place].isLeft = true
    }

    private mutating func beginRound() -> Bool {
        endRound()
        var round: [(place: Int, ttl: Int)] = []
        while openCount > 0, round.isEmpty, let ttl = nextRing() {
            ring = ttl
            foundRelay = false
            let isLast = ttl == Self.farthest
            round = subjects.indices.filter { subjects[$0].isOpen && (isLast || !subjects[$0].isSlow) }
                .map { ($0, ttl) }
        }
        for index in subjects.indices {
            if let ttl = subjects[index].doubt { round.append((index, ttl)) }
        }
        waiting = round[...]
        if let farthest = round.map(\.ttl).max() { tell(round.count, farthest) }
        return !round.isEmpty
    }

    /// Who has not answered by now is farther away, or the question or its answer was lost.
    private mutating func endRound() {
        repetitions = [:]
        for index in subjects.indices {
            if let asked = subjects[index].asked { subjects[index].vain.append(asked) }
            subjects[index].asked = nil
            guard let hops = subjects[index].hops else { continue }
            repetitions[hops, default: 0] += air.repetitions(by: subjects[index].uuid)
        }
    }

    /// The TTL for nodes that have answered nothing; nil if it is of no use to ask them again.
    private mutating func nextRing() -> Int? {
        if foundRelay, ring < Self.farthest {
            // Far out a step skips some numbers of hops. Who answers is then asked for those, too.
            return min(ring + max(1, ring / 3), Self.farthest)
        }
        guard lastCallsLeft > 0 else { return nil }
        lastCallsLeft -= 1
        return Self.farthest
    }

    // MARK: Answers

    /// The node at this place has answered.
    ///
    /// - Parameters:
    ///   - defaultTTL: its Default TTL, as it says.
    ///   - ttl: the TTL of the answer on arrival.
    ///   - least: how many hops it is away at least if it is not asked, and does not answer, with TTL 0, as proxies at
    ///     the other end of a link are.
    mutating func answered(_ index: Int, defaultTTL: UInt8, ttl: UInt8, least: Int, at now: Instant) {
        // An answer that comes after its round is one to the question of that.
        let asked = subjects[index].asked ?? subjects[index].vain.last ?? Self.farthest
        let isNew = subjects[index].reachedAt == nil && subjects[index].mayRelay
        if subjects[index].isOpen { openCount -= 1 }
        let reachedAt = min(subjects[index].reachedAt ?? asked, asked)
        subjects[index].reachedAt = reachedAt
        subjects[index].vain.removeAll { $0 >= reachedAt }
        subjects[index].asked = nil
        subjects[index].answers += 1
        let hops = ttl == 0 ? 1 : Int(defaultTTL) - Int(ttl) + 1
        if ttl == 0 || hops >= least { hear(index, over: hops) }
        if subjects[index].hops == 1 { proxy = subjects[index].uuid } else if isNew { foundRelay = true }
        if ttl > 0 { pace.take(air.answer(of: subjects[index].uuid), of: rest, at: now) }
    }

    /// A heartbeat of the node at this place has come over so many hops.
    mutating func heard(_ index: Int, over hops: Int) {
        subjects[index].heartbeats += 1
        hear(index, over: min(hops, Self.farthest))
    }

    private mutating func hear(_ index: Int, over hops: Int) {
        let before = subjects[index].heardOver ?? hops...hops
        subjects[index].heardOver = min(before.lowerBound, hops)...max(before.upperBound, hops)
    }

    // MARK: The air

    /// How long a question takes: the proxy sends it, and relays repeat it that are nearer than its TTL.
    private func cost(ofTTL ttl: Int) -> Duration {
        if ttl == Self.farthest { return air.request(over: proxy, repetitions: nil) }
        let copies = repetitions.reduce(0) { $0 + ($1.key > 1 && $1.key < ttl ? $1.value : 0) }
        return air.request(over: proxy, repetitions: copies)
    }

    /// What is left to do takes about so long of the air.
    private var rest: Duration {
        let flood = air.request(over: proxy, repetitions: nil)
        return cost(ofTTL: ring) * waiting.count + flood * (2 * openCount + 1)
    }
}
