import MeshCore
import Planning

/// Keeps the way back: what a node does for others ends only when the nodes that the plan puts in its place do it, and
/// when something was reached through them. A value without input or output.
///
/// The order of a plan lets replacements come first, but a node that does not answer stops nobody else. This stops what
/// must not happen without it. It looks at the steps alone, so it holds for whatever plan a run carries out.
struct WayBack {
    /// What the run decides about a step.
    enum Verdict {
        case free
        /// It waits; the questions decide.
        case held([RunOutput])
        /// It does not start in this run.
        case postponed(WaitingChange)
    }

    /// What is known of a node as a replacement for a proxy. Both count: a node may be near enough for a link of its
    /// own and yet out of range of the mesh, or answer there and have no proxy that is heard. So an answer over its own
    /// link is no proof of the mesh; one that it forwards, or that reaches us through another proxy, is.
    private struct Evidence {
        /// Whether it was asked to advertise its Node Identity.
        enum Question {
            case unasked
            case asked
            /// It has answered, and has been listened for since then.
            case answered(Instant)
            /// It did not answer.
            case silent
            /// It answers over its own link; the mesh carries nothing to it and nothing from it.
            case outside
        }

        /// Who was asked what shows that it is in the mesh: itself, or others over its link.
        var meshAsked: [DeviceUUID] = []
        var question = Question.unasked
        /// Whether it was heard advertising, or connected to.
        var isReached = false
    }

    /// What the run knows beside the books.
    struct Surroundings {
        /// The client; it tells where links lead to and who is being asked.
        let client: MeshClient
        let canScan: Bool
        /// The time on the bearer's clock.
        let now: Instant
    }

    /// Nil if no step of the plan takes a way away.
    private let succession: WaySuccession?
    private var evidence: [DeviceUUID: Evidence] = [:]
    /// Steps that were handed out and wait.
    private var held: [Int] = []

    /// How long to listen for a node that has answered that it advertises.
    private static let listeningTime = DirectLinks.listening
    /// How many nodes may be asked for one that can be reached.
    private static let maximumAsked = 4

    /// The way back of a plan.
    ///
    /// - Parameter network: the network before the first step.
    init(_ steps: [Step], in network: MeshNetwork) {
        succession = WaySuccession(of: steps, in: network)
    }

    /// Whether any step waits.
    var isHolding: Bool { !held.isEmpty }

    /// Whether an advertisement of a node would tell something.
    var isListening: Bool {
        !held.isEmpty && evidence.values.contains { if case .answered = $0.question { !$0.isReached } else { false } }
    }

    /// The steps that wait, to be looked at again.
    mutating func takeHeld() -> [Int] { held.drained() }

    // MARK: News

    /// A node was heard advertising itself, or is at the other end of a link.
    mutating func reached(_ node: DeviceUUID) {
        evidence[node, default: Evidence()].isReached = true
    }

    /// A node has answered the question for its identity, or has not.
    mutating func settle(_ node: DeviceUUID, isAnswered: Bool, at now: Instant) {
        guard case .asked? = evidence[node]?.question else { return }
        // Others may be silent for reasons of their own, so the next of them is asked before it counts as outside.
        let isAlive = isAnswered || evidence[node]?.meshAsked.isEmpty == false
        evidence[node]?.question = isAlive ? .answered(now) : .silent
    }

    // MARK: The verdict

    /// Whether a step may start that may take away what a node does for others.
    mutating func judge(
        _ step: Int,
        _ ledger: inout RunLedger,
        _ surroundings: Surroundings
    ) -> Verdict {
        let work = ledger.steps[step].work
        guard let succession, let (uuid, kind) = work.takenWay, let node = ledger.network.node(uuid) else {
            return .free
        }
        for way in work.waysTaken(from: node, in: ledger.network.header) {
            guard ledger.network.withNodes({ $0.hasNeed(of: way, besides: uuid) }) else { continue }
            let heirs = succession.heirs(of: way, besides: uuid)
            let missing = heirs.filter { !ledger.offers(way, $0) || isSilent($0) || isOutside($0) }
            if !missing.isEmpty {
                let isOpen = missing.contains { heir in
                    succession.givingSteps(of: heir).contains { ledger.schedule.isUndecided($0) }
                }
                if isOpen { return hold(step, []) }
                return postponed(kind, way, missing, ledger)
            }
            guard way.role == .proxy else { continue }
            let others = ledger.nodes(offering: way).filter { other in
                other != uuid && !heirs.contains(other) && !succession.loses(other, way)
            }
            let candidates = heirs + others
            // Where the plan leaves nobody, a guard was asked.
            guard !candidates.isEmpty else { continue }
            let isThere = candidates.contains {
                isInMesh($0, ledger, surroundings) && (isReached($0, ledger, surroundings) || !heirs.contains($0))
            }
            if isThere { continue }
            if let verdict = prove(step, of: node, kind, way, candidates, ledger, surroundings) { return verdict }
        }
        return .free
    }

    /// Asks one proxy after another to advertise itself, until one is heard and in the mesh.
    ///
    /// - Parameter node: the node whose way is taken away.
    /// - Returns: nil if one was, or if none can be asked.
    private mutating func prove(
        _ step: Int,
        of node: Node,
        _ kind: WaitingChange.Kind,
        _ way: Way,
        _ candidates: [DeviceUUID],
        _ ledger: RunLedger,
        _ surroundings: Surroundings
    ) -> Verdict? {
        var asked = 0
        for candidate in candidates where !ledger.unreachable.contains(candidate) {
            switch evidence[candidate]?.question ?? .unasked {
            case .silent, .outside: asked += 1
            // Also where a link leads to it meanwhile: a node gets one request at a time.
            case .asked: return hold(step, [])
            case .answered(let since):
                asked += 1
                guard isInMesh(candidate, ledger, surroundings) else {
                    guard let job = meshQuestion(about: candidate, besides: node, ledger, surroundings) else {
                        evidence[candidate]?.question = .outside
                        continue
                    }
                    guard !surroundings.client.isAsking(job.address) else { return hold(step, []) }
                    evidence[candidate]?.question = .asked
                    evidence[candidate]?.meshAsked.append(job.job.node)
                    return hold(step, [.ask(job.job)])
                }
                guard surroundings.canScan, !isReached(candidate, ledger, surroundings) else { return nil }
                if since.duration(to: surroundings.now) < Self.listeningTime { return hold(step, []) }
            case .unasked:
                guard asked < Self.maximumAsked, let address = ledger.network.node(candidate)?.unicastAddress,
                    let question = ledger.identityQuestion(candidate)
                else { continue }
                // A node gets one request at a time.
                guard !surroundings.client.isAsking(address) else { return hold(step, []) }
                evidence[candidate, default: Evidence()].question = .asked
                return hold(step, [.ask(.heir(candidate, question))])
            }
        }
        let isAnySilent = candidates.contains(where: ledger.unreachable.contains)
        return asked == 0 && !isAnySilent ? nil : postponed(kind, way, candidates, ledger)
    }

    /// What shows whether a node that has answered over its own link is in the mesh: the node itself is asked over
    /// another link; where there is none, others are asked over this one, first those that have answered in this run.
    ///
    /// - Parameter node: the node whose way is taken away. It may be gone, so it is asked last.
    /// - Returns: nil if enough were asked before.
    private func meshQuestion(
        about candidate: DeviceUUID,
        besides node: Node,
        _ ledger: RunLedger,
        _ surroundings: Surroundings
    ) -> (job: Job, address: UnicastAddress)? {
        let asked = evidence[candidate]?.meshAsked ?? []
        guard asked.count < Self.maximumAsked, !asked.contains(candidate), let heir = ledger.network.node(candidate)
        else { return nil }
        let answered = surroundings.client.arrivedTTLs
        let others = ledger.network.nodes.filter { other in
            ![candidate, node.uuid, ledger.network.header.ownProvisioner].contains(other.uuid)
                && other.deviceKey != nil && !other.isExcluded && other.features.lowPower != .enabled
                && !ledger.unreachable.contains(other.uuid)
        }
        let hasAnswered = { (other: Node) in answered[other.unicastAddress] != nil }
        let order = others.filter(hasAnswered) + others.filter { !hasAnswered($0) } + [node]
        let isAlone = surroundings.client.hasNoLink(besides: heir.unicastAddress)
        guard let next = isAlone ? order.first(where: { !asked.contains($0.uuid) }) : heir else { return nil }
        return (.meshOf(heir: candidate, asking: next.uuid, Question(ConfigDefaultTTLGet())), next.unicastAddress)
    }

    private mutating func hold(_ step: Int, _ outputs: [RunOutput]) -> Verdict {
        held.append(step)
        return .held(outputs)
    }

    private func isSilent(_ node: DeviceUUID) -> Bool {
        if case .silent? = evidence[node]?.question { true } else { false }
    }

    private func isOutside(_ node: DeviceUUID) -> Bool {
        if case .outside? = evidence[node]?.question { true } else { false }
    }

    /// Whether the mesh has carried an answer of the node past its own link, or the node one of another node.
    private func isInMesh(_ node: DeviceUUID, _ ledger: RunLedger, _ surroundings: Surroundings) -> Bool {
        guard let address = ledger.network.node(node)?.unicastAddress else { return false }
        return surroundings.client.nodesInMesh.contains(address) || surroundings.client.forwarders.contains(address)
    }

    private func isReached(_ node: DeviceUUID, _ ledger: RunLedger, _ surroundings: Surroundings) -> Bool {
        if evidence[node]?.isReached == true { return true }
        return ledger.network.node(node).map { surroundings.client.isDirect(to: $0.unicastAddress) } ?? false
    }

    private func postponed(
        _ kind: WaitingChange.Kind,
        _ way: Way,
        _ nodes: [DeviceUUID],
        _ ledger: RunLedger
    ) -> Verdict {
        let reason: WaitingChange.Reason =
            if nodes.contains(where: { ledger.network.node($0) == nil }) {
                .notNodes
            } else if nodes.contains(where: { ledger.unreachable.contains($0) || isSilent($0) }) {
                .silent
            } else if nodes.contains(where: { !ledger.offers(way, $0) }) {
                .unchanged
            } else if nodes.contains(where: isOutside) {
                .outside
            } else {
                .unheard
            }
        let names = nodes.map { ($0, ledger.network.name(of: $0)) }
        return WaitingChange(kind, for: way.role, of: names, because: reason).map { .postponed($0) } ?? .free
    }
}

extension RunLedger {
    /// Whether a node is known to do something for others, and has not been silent in this run.
    fileprivate func offers(_ way: Way, _ uuid: DeviceUUID) -> Bool {
        !unreachable.contains(uuid) && network.node(uuid)?.offers(way) ?? false
    }

    /// The nodes that are known to do something for others.
    fileprivate func nodes(offering way: Way) -> [DeviceUUID] {
        network.nodes.indices.lazy.filter { network.nodes[$0].offers(way) }.map { network.nodes[$0].uuid }
    }
}
