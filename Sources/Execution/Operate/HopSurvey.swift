import MeshCore
import Planning
import Store

/// Counts the hops between us and nodes: asks each for its Default TTL, over as few hops as it takes. Nothing is
/// configured.
struct HopSurvey {
    /// How long to wait for a link that is lost before its nodes are left out.
    private static let patience = Duration.seconds(60)
    /// So many groups at most are listened to for heartbeats that nodes send anyway.
    private static let mostGroups = 8

    private let session: OperatingSession
    private let air: HopAirtime
    private let nodes: [Node]
    private let tell: (HopSurveyEvent) -> Void
    private let begin: Instant
    private var pace: HopPace
    private(set) var result = HopSurveyResult()

    init(
        _ session: OperatingSession,
        _ nodes: [Node],
        _ air: HopAirtime,
        _ budget: HopBudget,
        telling tell: @escaping (HopSurveyEvent) -> Void
    ) {
        self.session = session
        self.nodes = nodes
        self.air = air
        self.tell = tell
        begin = session.now
        pace = HopPace(budget, at: session.now)
        result.nodes = nodes.map(\.uuid)
    }

    mutating func run() {
        session.listen(wish)
        while !session.isListening, !session.isInterrupted, !pace.isOver(at: session.now) {
            session.wait(until: session.now.advanced(by: .seconds(1)))
        }
        var rest = nodes
        // One proxy does not always relay for the subnets of all nodes.
        while let first = rest.first, !session.isInterrupted, !pace.isOver(at: session.now) {
            guard session.connect(to: first, until: pace.end) else {
                guard !session.isInterrupted, !pace.isOver(at: session.now) else { break }
                let lost = rest.filter { $0.netKeys.map(\.index) == first.netKeys.map(\.index) }
                tell(.unreachable(lost.count))
                result.unreachable.formUnion(lost.map(\.uuid))
                rest.removeAll { result.unreachable.contains($0.uuid) }
                continue
            }
            let reached = rest.filter { session.canPost(to: $0) }
            ask(reached)
            let asked = Set(reached.map(\.uuid))
            rest.removeAll { asked.contains($0.uuid) }
        }
        if !rest.isEmpty, pace.isOver(at: session.now) { result.isCutShort = true }
        result.airtime = pace.used
        result.proxies = session.proxies
        result.elapsed = begin.duration(to: session.now)
    }

    /// Asks nodes that a link reaches.
    private mutating func ask(_ nodes: [Node]) {
        for node in nodes { result.subnets[node.uuid] = node.netKeys.first?.index }
        let search = HopSearch(nodes, air, pace) { [tell] count, ttl in
            tell(.asking(count, ttl: UInt8(clamping: ttl)))
        }
        let ear = HopEar(nodes, search)
        session.hear = { [session] message in
            // The proxy that is known gets TTL 0, so that no other node can be as near.
            ear.take(message, least: session.proxies.isEmpty ? 1 : 2, at: session.now)
        }
        defer { session.hear = { _ in } }
        var linkless: Instant?
        search: while !session.isInterrupted {
            if ear.search.usage.isOver(at: session.now) {
                result.isCutShort = true
                break
            }
            ear.take(session.takeHeartbeats())
            switch ear.search.next(at: session.now) {
            case .done: break search
            case .wait(let instant): session.wait(until: min(instant, pace.end, session.now.advanced(by: .seconds(1))))
            case .ask(let place, let ttl):
                if session.post(ConfigDefaultTTLGet().encoded, to: nodes[place], ttl: ttl) {
                    ear.search.sent(at: session.now)
                    linkless = nil
                } else if let since = linkless, since.duration(to: session.now) > Self.patience {
                    ear.search.leave()
                } else {
                    linkless = linkless ?? session.now
                    session.wait(until: session.now.advanced(by: .seconds(1)))
                }
            }
        }
        ear.take(session.takeHeartbeats())
        pace = ear.search.usage
        result.questions += ear.search.questions
        result.sightings.merge(ear.search.sightings) { first, _ in first }
    }

    /// Answers and heartbeats that nodes send anyway.
    private var wish: WatchWish {
        var groups: Set<Address> = []
        for node in nodes {
            guard case .heartbeatPublication(let heartbeat) = node.state(.heartbeatPublication),
                case .group = heartbeat.destination.kind, groups.count < Self.mostGroups
            else { continue }
            groups.insert(heartbeat.destination)
        }
        return WatchWish(
            addresses: groups.sorted { $0.rawValue < $1.rawValue },
            subnets: Set(nodes.flatMap { $0.netKeys.map(\.index) }).sorted()
        )
    }
}

/// Passes what is heard of nodes on to a search.
private final class HopEar {
    var search: HopSearch
    private let places: [UnicastAddress: Int]

    init(_ nodes: [Node], _ search: HopSearch) {
        self.search = search
        places = Dictionary(nodes.enumerated().map { ($1.unicastAddress, $0) }) { first, _ in first }
    }

    func take(_ message: IncomingMessage, least: Int, at now: Instant) {
        guard let place = places[message.source], message.security == .device(node: message.source),
            message.payload.starts(with: ConfigDefaultTTLStatus.opcode.encoded),
            let status = try? ConfigDefaultTTLStatus(
                parameters: message.payload.dropFirst(ConfigDefaultTTLStatus.opcode.encoded.count)
            )
        else { return }
        search.answered(place, defaultTTL: status.ttl, ttl: message.ttl, least: least, at: now)
    }

    func take(_ heartbeats: [ArrivedHeartbeat]) {
        for heartbeat in heartbeats {
            if let place = places[heartbeat.source] { search.heard(place, over: heartbeat.hops) }
        }
    }
}

extension Executor {
    /// Counts the hops between us and nodes. Nodes without a DeviceKey, excluded ones, those that were reset, and
    /// provisioners are not asked.
    ///
    /// - Parameters:
    ///   - budget: what to keep.
    ///   - tell: receives what is being done.
    /// - Returns: what came of it, as far as it came, and why it ended.
    package func surveyHops(
        _ budget: HopBudget,
        telling tell: @escaping (HopSurveyEvent) -> Void = { _ in }
    ) -> (result: HopSurveyResult, ending: Recap.Ending) {
        var result = HopSurveyResult()
        do throws(ExecutionStop) {
            let snapshot = try access.snapshot()
            let network = snapshot.network
            let provisioners = Set(network.provisioners.map(\.uuid))
            let nodes = network.nodes.filter { node in
                node.deviceKey != nil && !node.isExcluded && node.unprovisionedSeenAt == nil && !node.netKeys.isEmpty
                    && !provisioners.contains(node.uuid)
            }
            var client = try access.client(of: snapshot)
            // Not every proxy relays for the subnets of all nodes, and the link that listens stays.
            let links =
                access.options.proxy == nil ? min(access.options.maximumConnections, access.bearer.maximumLinks) : 1
            _ = client.setMaximumLinks(links, at: access.bearer.now)
            let session = OperatingSession(access, client)
            var survey = HopSurvey(session, nodes, HopAirtime(network), budget, telling: tell)
            survey.run()
            result = survey.result
            var changes = StoreChanges()
            changes.replay = session.end()
            changes.confirmedNodes = nodes.compactMap { node in
                guard let fewest = result.sightings[node.uuid]?.fewest, let hops = UInt8(exactly: fewest) else {
                    return nil
                }
                var node = node
                node.hops = hops
                return node
            }
            try access.commit(changes)
            return (result, session.ending ?? .completed)
        } catch {
            return (result, error.ending)
        }
    }
}
