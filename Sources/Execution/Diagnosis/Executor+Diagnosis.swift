import Catalogue
package import MeshCore
import Planning
import Store

/// Finding out why a node does not answer.
extension Executor {
    private static let mostOthers = 12
    /// How many sequence numbers are left out to find out whether ours are too low: 0.4 percent of the space of this IV
    /// index, and of each later one.
    private static let skipped: UInt32 = 1 << 16
    /// The greatest TTL (Mesh Protocol 3.4.4.3).
    private static let greatestTTL: UInt8 = 127

    /// Finds out why a node does not answer, in this order: is a proxy in reach, does the node answer, do others of its
    /// subnets, does it answer from further away, or under an application key, and, if nobody answers, do they after
    /// sequence numbers were left out.
    ///
    /// - Parameters:
    ///   - node: a node of the database.
    ///   - duration: how long to listen.
    ///   - skips: whether it may leave 65,536 sequence numbers out if nobody answers.
    ///   - tell: receives what is known after each step.
    package func diagnose(
        _ node: Node,
        listeningFor duration: Duration,
        skippingSequenceNumbers skips: Bool,
        telling tell: (NodeDiagnosis) -> Void
    ) -> NodeDiagnosis {
        var diagnosis = NodeDiagnosis(of: node.uuid)
        diagnosis.usualTTL = options.retry.ttl
        listen(for: node, duration, &diagnosis)
        tell(diagnosis)
        do throws(ExecutionStop) {
            guard diagnosis.ending == .completed, !diagnosis.isUnprovisioned else { return diagnosis }
            let (outcomes, ending) = try ask([Self.compositionGet(node)], ttl: nil)
            diagnosis.usual = try Self.reply(outcomes, ending)
            tell(diagnosis)
            let network = try access.snapshot().network
            // A proxy that has seen higher numbers of ours does not even take our filter, so there is no link. Where
            // there is one, it only does not serve this node.
            let hasNoLink = if case .linkFailed = ending { true } else { false }
            if hasNoLink, diagnosis.proxies > 0, skips, try skipSequenceNumbers() {
                diagnosis.afterSkipping = try reply(to: [Self.ttlGet(node)], ttl: nil)
                tell(diagnosis)
            }
            guard diagnosis.usual == .silent else { return diagnosis }
            try askOthers(of: node, in: network, &diagnosis)
            tell(diagnosis)
            if diagnosis.isEverybodySilent {
                guard skips, try skipSequenceNumbers() else { return diagnosis }
                let first = network.nodes.filter { $0.uuid == diagnosis.others.first?.node }
                diagnosis.afterSkipping = try reply(to: (first + [node]).map(Self.ttlGet), ttl: nil)
                tell(diagnosis)
                return diagnosis
            }
            diagnosis.farthest = try reply(to: [Self.compositionGet(node)], ttl: Self.greatestTTL)
            tell(diagnosis)
            if diagnosis.farthest == .silent, let get = Self.applicationGet(node, in: network) {
                diagnosis.application = try reply(to: [get], ttl: nil)
                tell(diagnosis)
            }
        } catch {
            diagnosis.ending = error.ending
        }
        return diagnosis
    }

    // MARK: Steps

    private func listen(for node: Node, _ duration: Duration, _ diagnosis: inout NodeDiagnosis) {
        let report = listen(for: duration)
        switch report.ending {
        case .completed: break
        case .linkFailed(let reason, _):
            diagnosis.deafness = reason
            return
        default:
            diagnosis.ending = report.ending
            return
        }
        for sighting in report.sightings {
            switch sighting.advertisement.content {
            case .unprovisioned(let device, _):
                if device.uuid == node.uuid { diagnosis.isUnprovisioned = true }
            case .proxy:
                guard let identity = sighting.identity else { continue }
                diagnosis.proxies += 1
                guard case .node(node.unicastAddress, _) = identity else { continue }
                diagnosis.isIdentityHeard = true
                diagnosis.identitySignal = sighting.advertisement.signal
            }
        }
    }

    private func askOthers(
        of node: Node,
        in network: MeshNetwork,
        _ diagnosis: inout NodeDiagnosis
    ) throws(ExecutionStop) {
        let subnets = Set(node.netKeys.map(\.index))
        // Other provisioners are phones, which mostly do not answer.
        let provisioners = Set(network.provisioners.map(\.uuid))
        let candidates = network.nodes.filter { other in
            other.uuid != node.uuid && !provisioners.contains(other.uuid) && other.deviceKey != nil
                && !other.isExcluded && other.unprovisionedSeenAt == nil
                && other.netKeys.contains { subnets.contains($0.index) }
        }
        // Those that carry messages tell most.
        func rank(_ other: Node) -> Int {
            (other.features.relay == .enabled ? 0 : 2) + (other.features.proxy == .enabled ? 0 : 1)
        }
        let chosen = candidates.sorted { (rank($0), $0.unicastAddress) < (rank($1), $1.unicastAddress) }
            .prefix(Self.mostOthers)
        guard !chosen.isEmpty else { return }
        let outcomes = try ask(chosen.map(Self.relayGet), ttl: nil).outcomes
        diagnosis.others = zip(chosen, outcomes).map { other, outcome in
            var isRelaying: Bool?
            if case .answered(let parameters) = outcome, let state = parameters.first { isRelaying = state == 1 }
            return NodeDiagnosis.Other(
                node: other.uuid,
                reply: Self.reply(outcome),
                isRelay: other.features.relay == .enabled,
                isRelaying: isRelaying
            )
        }
    }

    /// Leaves sequence numbers of ours out; false if too few would be left.
    private func skipSequenceNumbers() throws(ExecutionStop) -> Bool {
        // A beacon may have moved the IV index meanwhile.
        let network = try access.snapshot().network
        guard let own = network.nodes.first(where: { $0.uuid == network.ownProvisioner }) else { return false }
        return try stopping { () throws(StoreError) -> Bool in
            let ivIndex = network.ivIndex.transmitValue
            let present = try database.reservation(of: own.unicastAddress)
            let used = present.map { $0.ivIndex == ivIndex ? $0.limit : 0 } ?? 0
            guard used < SequenceHealth.lowLimit else { return false }
            try database.reserve(
                upTo: used + Self.skipped,
                leavingOutLater: Self.skipped,
                for: own.unicastAddress,
                ivIndex: ivIndex,
                with: lease
            )
            return true
        }
    }

    // MARK: Asking

    /// What came of requests: an answer if any of them was answered.
    private func reply(to requests: [OperatingRequest], ttl: UInt8?) throws(ExecutionStop) -> NodeDiagnosis.Reply {
        let (outcomes, ending) = try ask(requests, ttl: ttl)
        return try Self.reply(outcomes, ending)
    }

    private static func reply(
        _ outcomes: [OperatingOutcome],
        _ ending: Recap.Ending
    ) throws(ExecutionStop) -> NodeDiagnosis.Reply {
        let replies = outcomes.map(Self.reply)
        if replies.contains(.answered) { return .answered }
        if case .linkFailed(let reason, _) = ending { return .unreachable(reason) }
        if case .completed = ending { return replies.first { $0 != .notAsked } ?? .silent }
        throw ExecutionStop(ending)
    }

    private func ask(
        _ requests: [OperatingRequest],
        ttl: UInt8?
    ) throws(ExecutionStop) -> (outcomes: [OperatingOutcome], ending: Recap.Ending) {
        var options = options
        if let ttl { options.retry.ttl = ttl }
        let access = MeshAccess(
            database: database,
            lease: lease,
            bearer: bearer,
            options: options,
            context: context,
            heardProxies: access.heardProxies
        )
        let session = OperatingSession(access, try access.client(of: try access.snapshot()))
        let outcomes = session.ask(requests)
        var changes = StoreChanges()
        changes.replay = session.end()
        try access.commit(changes)
        if case .interrupted? = session.ending { throw ExecutionStop(.interrupted) }
        return (outcomes, session.ending ?? .completed)
    }

    private static func reply(_ outcome: OperatingOutcome) -> NodeDiagnosis.Reply {
        switch outcome {
        case .answered: .answered
        case .unanswered, .silent: .silent
        case .unreachable(let reason, _): .unreachable(reason)
        case .abandoned, .notAsked: .notAsked
        }
    }

    // MARK: Questions

    private static func compositionGet(_ node: Node) -> OperatingRequest {
        request(node, ConfigCompositionDataGet(page: 0).encoded, answer: ConfigCompositionDataStatus.opcode)
    }

    private static func ttlGet(_ node: Node) -> OperatingRequest {
        request(node, ConfigDefaultTTLGet.opcode.encoded, answer: ConfigDefaultTTLStatus.opcode)
    }

    private static func relayGet(_ node: Node) -> OperatingRequest {
        request(node, ConfigRelayGet.opcode.encoded, answer: ConfigRelayStatus.opcode)
    }

    /// A question under the DeviceKey.
    private static func request(_ node: Node, _ payload: [UInt8], answer: Opcode) -> OperatingRequest {
        OperatingRequest(
            node: node.uuid,
            destination: node.unicastAddress,
            payload: payload,
            key: nil,
            subnets: node.netKeys.map(\.index).sorted(),
            answer: answer
        )
    }

    /// A question without parameters to a model of a node that has an application key; nil if there is none.
    private static func applicationGet(_ node: Node, in network: MeshNetwork) -> OperatingRequest? {
        let subnets = Set(node.netKeys.map(\.index))
        for (position, element) in node.elements.enumerated() {
            guard let address = node.unicastAddress.element(UInt8(clamping: position)) else { continue }
            for model in element.models {
                let keys = model.bindings.sorted().compactMap { index in network.appKeys.first { $0.index == index } }
                guard let key = keys.first(where: { subnets.contains($0.boundNetKey) }) else { continue }
                for message in MessageCatalogue.sig.messages(of: model.identifier) {
                    guard message.servers.contains(model.identifier), message.name.hasSuffix("-get"),
                        case .request(let answer?) = message.direction, (try? message.decode([UInt8]())) != nil
                    else { continue }
                    return OperatingRequest(
                        node: node.uuid,
                        destination: address,
                        payload: message.opcode.encoded,
                        key: key.index,
                        subnets: [key.boundNetKey],
                        answer: answer
                    )
                }
            }
        }
        return nil
    }
}
