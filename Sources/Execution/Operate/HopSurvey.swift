package import MeshCore
import Planning
import Store

/// How hops are counted.
package struct HopSurveyOptions: Hashable, Sendable {
    /// How long to listen at most, from the first heartbeat that is asked for.
    package var duration: Duration
    /// How many heartbeats each node sends.
    package var count: HeartbeatPublicationCountLog
    /// How often it sends them.
    package var period: HeartbeatPeriodLog

    /// The TTL of the heartbeats, the highest: whoever is farther away is not in the network.
    static let ttl: UInt8 = 127

    /// Two heartbeats of each node within the time.
    package init(duration: Duration) {
        self.duration = duration
        count = .off
        period = .off
        spread(count: 2)
    }

    /// So many heartbeats of each node, as far apart as fits well into the time, but no more than 32 seconds.
    ///
    /// - Parameter count: a power of two.
    package mutating func spread(count: UInt32) {
        self.count = HeartbeatPublicationCountLog(count: count) ?? .off
        // A quarter of the time is left for nodes that are asked late.
        let interval = UInt32(clamping: max(duration.components.seconds * 3 / 4 / Int64(max(count, 1)), 1))
        let log = UInt8(clamping: UInt32.bitWidth - interval.leadingZeroBitCount)
        period = HeartbeatPeriodLog(rawValue: min(log, 6)) ?? .off
    }
}

/// What was heard of one node.
package struct HopSighting: Hashable, Sendable {
    /// The fewest hops, the link of the proxy included.
    package var fewest: Int
    /// The most hops.
    package var most: Int
    /// How many heartbeats were heard.
    package var count: Int
    /// The features in use, as the node says.
    package var features: FeatureSet
}

/// What a survey is doing.
package enum HopSurveyEvent: Hashable, Sendable {
    /// Nodes are asked for their own heartbeats, which they get back later: how many.
    case reading(Int)
    /// Nodes are asked for heartbeats: how many.
    case declaring(Int)
    /// It listens for at most so long.
    case listening(Duration)
    /// Nodes get their own heartbeats back: how many.
    case restoring(Int)
}

/// What came of counting hops.
package struct HopSurveyResult: Hashable, Sendable {
    /// What was heard of each node.
    package var sightings: [DeviceUUID: HopSighting] = [:]
    /// The subnet of the heartbeats of each node that was asked for some.
    package var subnets: [DeviceUUID: NetKeyIndex] = [:]
    /// The nodes that did not answer when they were asked for heartbeats.
    package var silent: [DeviceUUID] = []
    /// The nodes that refuse to send heartbeats, with the status.
    package var refusals: [DeviceUUID: ConfigStatusCode] = [:]
    /// The nodes that have not got their own heartbeats back. The database knows them; the next plan or survey sets it
    /// right.
    package var unrestored: [DeviceUUID] = []
    /// The proxies that heartbeats came through.
    package var proxies: [UnicastAddress] = []
    /// How many heartbeats were heard.
    package var heartbeats = 0
    /// How long it listened, from the first heartbeat that was asked for.
    package var listened = Duration.zero
    /// How long everything took.
    package var elapsed = Duration.zero

    /// Nothing yet.
    package init() {}
}

/// Counts the hops between nodes and us: asks every node for a few heartbeats to our own address, listens, and gives
/// each node its own heartbeats back.
///
/// What a node had is durable before its heartbeats are changed. Nodes stop by themselves after a few heartbeats, so
/// that nothing goes on for ever after a crash.
struct HopSurvey {
    private let access: MeshAccess
    private let session: OperatingSession
    private let options: HopSurveyOptions
    private let own: UnicastAddress
    private let tell: (HopSurveyEvent) -> Void
    private var nodes: [Node]
    private(set) var result = HopSurveyResult()

    init(
        _ access: MeshAccess,
        _ session: OperatingSession,
        _ nodes: [Node],
        own: UnicastAddress,
        _ options: HopSurveyOptions,
        telling tell: @escaping (HopSurveyEvent) -> Void
    ) {
        self.access = access
        self.session = session
        self.options = options
        self.own = own
        self.tell = tell
        self.nodes = nodes
    }

    /// Does it all.
    mutating func run() throws(ExecutionStop) {
        let begin = session.now
        let heard = HeardHeartbeats(nodes, at: own)
        session.hear = { heard.take($0, $1) }
        session.listen(in: Set(nodes.flatMap { $0.netKeys.map(\.index) }).sorted())
        try read()
        try lend()
        let start = session.now
        declare()
        try commit()
        listen(heard, since: start)
        result.listened = start.duration(to: session.now)
        session.hear = { _, _ in }
        session.survive()
        restore()
        try commit()
        result.sightings = heard.sightings
        result.heartbeats = heard.count
        result.proxies = session.proxies
        result.elapsed = begin.duration(to: session.now)
    }

    // MARK: The stages

    /// Asks nodes for their heartbeats if they are not known.
    private mutating func read() throws(ExecutionStop) {
        let unknown = nodes.indices.filter { place in
            guard nodes[place].heartbeatToRestore == nil else { return false }
            guard case .heartbeatPublication(let known) = nodes[place].state(.heartbeatPublication) else { return true }
            return known.countLog == nil
        }
        guard !unknown.isEmpty else { return }
        tell(.reading(unknown.count))
        let requests = unknown.map { request(ConfigHeartbeatPublicationGet(), to: nodes[$0]) }
        for (place, outcome) in zip(unknown, session.ask(requests)) {
            guard let status = Self.status(outcome) else { continue }
            nodes[place].record(.heartbeatPublication(HeartbeatPublication(status.settings)))
        }
        try commit()
    }

    /// Makes it durable what each node is to have again. Nodes that did not answer are left alone.
    private mutating func lend() throws(ExecutionStop) {
        var reached: [Node] = []
        for var node in nodes {
            let known = node.state(.heartbeatPublication)
            if node.heartbeatToRestore == nil {
                guard case .heartbeatPublication(let own) = known, own.countLog != nil else {
                    result.silent.append(node.uuid)
                    continue
                }
                node.lendHeartbeat(own)
            }
            reached.append(node)
        }
        nodes = reached
        guard session.ending == nil else {
            nodes = []
            return
        }
        try commit()
    }

    private mutating func declare() {
        guard !nodes.isEmpty else { return }
        tell(.declaring(nodes.count))
        let wanted = nodes.map { node in
            HeartbeatPublicationSettings(
                destination: own.address,
                countLog: options.count,
                periodLog: options.period,
                ttl: HopSurveyOptions.ttl,
                features: [],
                netKeyIndex: node.netKeys.first?.index ?? .primary
            )
        }
        let requests = zip(nodes, wanted).map { request(ConfigHeartbeatPublicationSet(settings: $1), to: $0) }
        for (place, outcome) in session.ask(requests).prefix(nodes.count).enumerated() {
            let uuid = nodes[place].uuid
            guard let status = Self.status(outcome) else {
                result.silent.append(uuid)
                continue
            }
            guard status.status == .success else {
                result.refusals[uuid] = status.status
                if let own = nodes[place].heartbeatToRestore { nodes[place].record(.heartbeatPublication(own)) }
                continue
            }
            result.subnets[uuid] = wanted[place].netKeyIndex
            nodes[place].recordLentHeartbeat(HeartbeatPublication(wanted[place]))
        }
    }

    /// Waits until every node was heard as often as it sends, or the time is over.
    private func listen(_ heard: HeardHeartbeats, since start: Instant) {
        guard !result.subnets.isEmpty else { return }
        let end = start.advanced(by: options.duration)
        guard session.now < end else { return }
        tell(.listening(session.now.duration(to: end)))
        let expected = Int(options.count.count ?? 1)
        while session.now < end, session.ending == nil {
            if result.subnets.keys.allSatisfy({ heard.sightings[$0]?.count ?? 0 >= expected }) { return }
            session.pause(for: .seconds(1))
        }
    }

    private mutating func restore() {
        let lent = nodes.indices.filter { nodes[$0].heartbeatToRestore != nil }
        guard !lent.isEmpty else { return }
        tell(.restoring(lent.count))
        var settings: [HeartbeatPublicationSettings] = []
        for place in lent {
            var own = nodes[place].heartbeatToRestore ?? .off(netKeyIndex: .primary)
            own.countLog = own.countLog ?? .off
            // What has no destination has no meaning, but a node expects a NetKey that it has.
            if own.isOff { own = .off(netKeyIndex: nodes[place].netKeys.first?.index ?? .primary) }
            settings.append(own.settings ?? HeartbeatPublicationSettings(off: .primary))
        }
        let requests = zip(lent, settings).map { request(ConfigHeartbeatPublicationSet(settings: $1), to: nodes[$0]) }
        for ((place, wanted), outcome) in zip(zip(lent, settings), session.ask(requests)) {
            guard let status = Self.status(outcome), status.status == .success else {
                result.unrestored.append(nodes[place].uuid)
                continue
            }
            nodes[place].record(.heartbeatPublication(HeartbeatPublication(wanted)))
        }
    }

    // MARK: Parts

    private func request(_ message: some ConfigurationRequest, to node: Node) -> OperatingRequest {
        OperatingRequest(
            node: node.uuid,
            destination: node.unicastAddress,
            payload: message.encoded,
            key: nil,
            subnets: node.netKeys.map(\.index),
            answer: ConfigHeartbeatPublicationStatus.opcode
        )
    }

    private static func status(_ outcome: OperatingOutcome) -> ConfigHeartbeatPublicationStatus? {
        guard case .answered(let parameters) = outcome else { return nil }
        return try? ConfigHeartbeatPublicationStatus(parameters: parameters[...])
    }

    private func commit() throws(ExecutionStop) {
        var changes = StoreChanges()
        let snapshot = try access.snapshot()
        let known = Dictionary(snapshot.network.nodes.map { ($0.uuid, $0) }) { first, _ in first }
        changes.nodes = nodes.filter { known[$0.uuid] != $0 }
        try access.commit(changes)
    }
}

extension HeartbeatPublicationSettings {
    /// No heartbeats.
    fileprivate init(off netKeyIndex: NetKeyIndex) {
        self.init(
            destination: .unassigned,
            countLog: .off,
            periodLog: .off,
            ttl: 0,
            features: [],
            netKeyIndex: netKeyIndex
        )
    }
}

/// Counts heartbeats by the nodes that send them.
private final class HeardHeartbeats {
    private let nodes: [UnicastAddress: DeviceUUID]
    private let own: UnicastAddress
    private(set) var sightings: [DeviceUUID: HopSighting] = [:]
    private(set) var count = 0

    init(_ nodes: [Node], at own: UnicastAddress) {
        self.nodes = Dictionary(nodes.map { ($0.unicastAddress, $0.uuid) }) { first, _ in first }
        self.own = own
    }

    func take(_ heartbeat: Heartbeat, _ message: IncomingControlMessage) {
        // Heartbeats that somebody else has asked for have other destinations, or another TTL.
        guard message.destination == own.address, heartbeat.initialTTL == HopSurveyOptions.ttl,
            let uuid = nodes[message.source]
        else { return }
        let hops = heartbeat.hops(receivedTTL: message.ttl)
        let features = FeatureSet(rawValue: heartbeat.features)
        var sighting = sightings[uuid] ?? HopSighting(fewest: hops, most: hops, count: 0, features: features)
        sighting.fewest = min(sighting.fewest, hops)
        sighting.most = max(sighting.most, hops)
        sighting.count += 1
        sighting.features = features
        sightings[uuid] = sighting
        count += 1
    }
}

extension Executor {
    /// Counts the hops between us and nodes by heartbeats, and gives each node its own heartbeats back. Nodes without a
    /// DeviceKey, excluded ones, those that were reset, and provisioners are not asked.
    ///
    /// - Parameters:
    ///   - options: how long, and how many heartbeats.
    ///   - tell: receives what is being done.
    /// - Returns: what came of it, as far as it came, and why it ended.
    package func surveyHops(
        _ options: HopSurveyOptions,
        telling tell: @escaping (HopSurveyEvent) -> Void = { _ in }
    ) -> (result: HopSurveyResult, ending: Recap.Ending) {
        var result = HopSurveyResult()
        do throws(ExecutionStop) {
            let snapshot = try access.snapshot()
            let network = snapshot.network
            guard let own = network.nodes.first(where: { $0.uuid == network.ownProvisioner }) else {
                throw ExecutionStop(.refused(.noOwnNode))
            }
            let provisioners = Set(network.provisioners.map(\.uuid))
            let nodes = network.nodes.filter { node in
                node.deviceKey != nil && !node.isExcluded && node.unprovisionedSeenAt == nil && !node.netKeys.isEmpty
                    && !provisioners.contains(node.uuid)
            }
            // Heartbeats come in the subnets of their nodes, and not every proxy relays for all of them.
            var client = try access.client(of: snapshot)
            let links =
                access.options.proxy == nil ? min(access.options.maximumConnections, access.bearer.maximumLinks) : 1
            _ = client.setMaximumLinks(links, at: access.bearer.now)
            let session = OperatingSession(access, client)
            var survey = HopSurvey(access, session, nodes, own: own.unicastAddress, options, telling: tell)
            let interruptsBefore = context.interrupts()
            do throws(ExecutionStop) { try survey.run() } catch {
                result = survey.result
                _ = session.end()
                return (result, error.ending)
            }
            result = survey.result
            var changes = StoreChanges()
            changes.replay = session.end()
            try access.commit(changes)
            if context.interrupts() > interruptsBefore { return (result, .interrupted) }
            return (result, session.ending ?? .completed)
        } catch {
            return (result, error.ending)
        }
    }
}
