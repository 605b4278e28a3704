import MeshCore
import Planning
import Store

/// Where a device was found after its node had answered that it was reset.
package enum ResetSighting: Hashable, Sendable {
    /// It advertises as a device without a network.
    case unprovisioned
    /// It answers as the node that it was, so it was not reset.
    case stillNode
    /// It was not heard as a device, and did not answer as a node. The only evidence is its own status.
    case notSeen
    /// The bearer cannot hear advertising, or the run ended before the search.
    case notLookedFor
}

/// The nodes that have answered a Node Reset and are looked for. A value without input or output.
struct ResetWatches {
    private struct Watch {
        /// When the present stage ends.
        var deadline: Instant
        /// Whether the node is being asked if it still is one.
        var isAsking = false
        /// Whether it has answered that once. Some nodes leave only a few seconds after their status.
        var hasAnswered = false
        let step: Int
        let isByReadBack: Bool
    }

    /// What to do about a node whose deadline has passed.
    enum Due: Hashable {
        /// Ask it whether it still is a node.
        case ask(DeviceUUID)
        /// Stop looking for it.
        case end(DeviceUUID)
    }

    /// How long to listen to advertising after the status. A device without a network advertises several times a
    /// second, and needs a moment to begin.
    static let listeningTime: Duration = .seconds(3)
    /// How long to wait before a node that still answers is asked again.
    static let respite: Duration = .seconds(5)
    /// How long to ask a node that was not heard as a device.
    static let askingTime: Duration = .seconds(3)
    /// How many nodes are asked at once. Others that cannot be heard are not asked at all, so that a thousand nodes do
    /// not cost minutes.
    static let maximumAsked = 4

    private var watches: [DeviceUUID: Watch] = [:]

    var isEmpty: Bool { watches.isEmpty }

    /// The nodes that are looked for, sorted.
    var nodes: [DeviceUUID] { watches.keys.sorted() }

    /// When to call ``advance(to:mayAsk:)``; nil if no node is looked for.
    var nextDeadline: Instant? { watches.values.map(\.deadline).min() }

    func isWatching(_ node: DeviceUUID) -> Bool { watches[node] != nil }

    /// Begins to look for a node.
    ///
    /// - Parameter isByReadBack: whether the reset was confirmed by a read-back.
    mutating func begin(_ node: DeviceUUID, step: Int, isByReadBack: Bool, at now: Instant) {
        let deadline = now.advanced(by: Self.listeningTime)
        watches[node] = Watch(deadline: deadline, step: step, isByReadBack: isByReadBack)
    }

    /// Time has passed: nodes that were not heard as devices are to be asked.
    ///
    /// - Parameter mayAsk: whether a node can be asked at all.
    mutating func advance(to now: Instant, mayAsk: (DeviceUUID) -> Bool) -> [Due] {
        var asked = watches.values.count(where: \.isAsking)
        var dues: [Due] = []
        for node in nodes {
            guard let watch = watches[node], watch.deadline <= now else { continue }
            guard !watch.isAsking, asked < Self.maximumAsked, mayAsk(node) else {
                if watch.isAsking { asked -= 1 }
                dues.append(.end(node))
                continue
            }
            asked += 1
            watches[node]?.isAsking = true
            // Twice as long as the question, because a link may be lost meanwhile.
            watches[node]?.deadline = now.advanced(by: Self.askingTime * 2)
            dues.append(.ask(node))
        }
        return dues
    }

    /// A node answers as a node. Returns false if it did so before, and was already given more time.
    mutating func answered(_ node: DeviceUUID, at now: Instant) -> Bool {
        guard watches[node]?.hasAnswered == false else { return false }
        watches[node]?.hasAnswered = true
        watches[node]?.isAsking = false
        watches[node]?.deadline = now.advanced(by: Self.respite)
        return true
    }

    /// Stops looking for a node. Returns its step, and whether a read-back confirmed the reset; nil if it was not
    /// looked for.
    mutating func end(_ node: DeviceUUID) -> (step: Int, isByReadBack: Bool)? {
        watches.removeValue(forKey: node).map { ($0.step, $0.isByReadBack) }
    }
}

/// How nodes leave. The status of a Node Reset, or the device that advertises as unprovisioned, confirms the reset. The
/// run checks it: it looks for the device while it talks to other nodes.
extension ResetWatches {
    /// A node says that it was reset: the run looks for it.
    ///
    /// - Parameter canScan: whether the bearer can hear the device.
    mutating func watch(
        _ request: StepRequest,
        canScan: Bool,
        _ ledger: inout RunLedger,
        at now: Instant
    ) -> [RunOutput] {
        begin(request.node, step: request.step, isByReadBack: request.phase != .request, at: now)
        return ledger.isInterrupted || !canScan ? end(request.node, .notLookedFor, &ledger) : []
    }

    /// Time has passed: devices that were not heard are asked whether they still are nodes.
    ///
    /// - Parameter isLinkReady: whether a link can carry the question.
    mutating func advance(
        to now: Instant,
        canScan: Bool,
        isLinkReady: Bool,
        _ ledger: inout RunLedger
    ) -> [RunOutput] {
        let dues = advance(to: now) { canScan && isLinkReady && ledger.network.node($0) != nil }
        return dues.flatMap { due -> [RunOutput] in
            switch due {
            // A late status of the reset would prove nothing.
            case .ask(let uuid): [.ask(.afterReset(uuid, Question(ConfigDefaultTTLGet())))]
            case .end(let uuid): end(uuid, canScan ? .notSeen : .notLookedFor, &ledger)
            }
        }
    }

    /// A node that claims to be reset answers as a node.
    mutating func answered(_ uuid: DeviceUUID, _ ledger: inout RunLedger, at now: Instant) -> [RunOutput] {
        ledger.isInterrupted || !answered(uuid, at: now) ? end(uuid, .stillNode, &ledger) : []
    }

    /// Stops looking for any device.
    mutating func endAll(_ ledger: inout RunLedger) -> [RunOutput] {
        var outputs: [RunOutput] = []
        for uuid in nodes { outputs += end(uuid, .notLookedFor, &ledger) }
        return outputs
    }

    /// The place of a device that was reset is known, or nobody will find out.
    mutating func end(_ uuid: DeviceUUID, _ sighting: ResetSighting, _ ledger: inout RunLedger) -> [RunOutput] {
        guard let watch = end(uuid) else { return [] }
        let withdrawal = RunOutput.withdraw(ledger.network.node(uuid)?.unicastAddress) { job in
            if case .afterReset(uuid, _) = job { true } else { false }
        }
        ledger.announce(.resetSeen(uuid, sighting))
        guard sighting != .stillNode else {
            ledger.settle(watch.step, .failed(status: ConfigStatusCode.unspecifiedError.rawValue))
            ledger.fail(watch.step, .stillNode)
            return [withdrawal]
        }
        let retirement = ledger.retire(uuid)
        ledger.settle(watch.step, .succeeded)
        ledger.succeed(watch.step, byReadBack: watch.isByReadBack)
        return [withdrawal] + retirement
    }
}
