import MeshCore
import Planning
import Store

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
    /// The nodes that an earlier survey has not given their own heartbeats back.
    private let lentBefore: Set<DeviceUUID>
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
        lentBefore = Set(nodes.filter { $0.heartbeatToRestore != nil }.map(\.uuid))
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
        // Nodes get their own heartbeats back also where the database can no longer be written.
        var failure: ExecutionStop?
        do throws(ExecutionStop) { try commit() } catch { failure = error }
        if failure == nil { listen(heard, since: start) }
        result.listened = start.duration(to: session.now)
        session.hear = { _, _ in }
        session.survive()
        restore()
        result.messages = 2 * session.transmissions
        result.elapsed = begin.duration(to: session.now)
        if let failure { throw failure }
        try commit()
        result.sightings = heard.sightings
        result.heartbeats = heard.count
        result.proxies = session.proxies
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
            if let own = node.heartbeatToRestore {
                node.lendHeartbeat(own)
            } else {
                guard case .heartbeatPublication(let own) = node.state(.heartbeatPublication), own.countLog != nil
                else {
                    result.silent.append(node.uuid)
                    continue
                }
                node.lendHeartbeat(own)
            }
            reached.append(node)
        }
        nodes = reached
        guard session.ending == nil else {
            // Who was not asked is not silent.
            result.silent = []
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
            if outcome == .notAsked {
                keepOwn(place)
                continue
            }
            // It may send heartbeats even if its answer was lost.
            result.expectedHeartbeats += Int(options.count.count ?? 1)
            guard let status = Self.status(outcome) else {
                result.silent.append(uuid)
                continue
            }
            guard status.status == .success else {
                result.refusals[uuid] = status.status
                keepOwn(place)
                continue
            }
            // The answer to an earlier request may come late.
            guard Self.tells(status, wanted[place]) else {
                result.silent.append(uuid)
                continue
            }
            result.subnets[uuid] = wanted[place].netKeyIndex
            nodes[place].recordLentHeartbeat(HeartbeatPublication(wanted[place]))
        }
    }

    /// A node has its own heartbeats, unless an earlier survey left others.
    private mutating func keepOwn(_ place: Int) {
        guard let own = nodes[place].heartbeatToRestore, !lentBefore.contains(nodes[place].uuid) else { return }
        nodes[place].record(.heartbeatPublication(own))
    }

    /// Waits until every node was heard as often as it sends, or the time is over.
    private func listen(_ heard: HeardHeartbeats, since start: Instant) {
        guard !result.subnets.isEmpty else { return }
        // Where asking took long, the last ones are heard, too.
        let end = max(start.advanced(by: options.duration), session.now.advanced(by: Self.shortest))
        tell(.listening(session.now.duration(to: end)))
        let expected = Int(options.count.count ?? 1)
        while session.now < end, session.ending == nil {
            if result.subnets.keys.allSatisfy({ heard.sightings[$0]?.count ?? 0 >= expected }) { return }
            session.pause(for: .seconds(1))
        }
    }

    /// How long to listen at least.
    private static let shortest = Duration.seconds(10)

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
            guard let status = Self.status(outcome), status.status == .success, Self.tells(status, wanted) else {
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

    /// Whether a status is about these settings. The node may have sent some of the heartbeats already.
    private static func tells(
        _ status: ConfigHeartbeatPublicationStatus,
        _ settings: HeartbeatPublicationSettings
    ) -> Bool {
        let wish = FoundationState.heartbeatPublication(HeartbeatPublication(settings))
        return wish.allows(.heartbeatPublication(HeartbeatPublication(status.settings)))
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
