import MeshCore

/// Where a device was found after a node has answered that it was reset.
package enum ResetSighting: Hashable, Sendable {
    /// It advertises as a device without a network.
    case unprovisioned
    /// It answers as the node that it was: it was not reset.
    case stillNode
    /// It was neither heard as a device nor did it answer as a node; all that is known is its own status.
    case notSeen
    /// The bearer cannot hear advertising, or the run ended before.
    case notLookedFor
}

/// The nodes that have answered a Node Reset and are looked for: a value without input or output.
struct ResetWatches {
    private struct Watch {
        /// When the present stage is over.
        var deadline: Instant
        /// Whether the node is being asked if it is one still.
        var isAsking = false
        /// Whether it has answered that once: some nodes leave only a few seconds after their status.
        var hasAnswered = false
        let step: Int
        let isByReadBack: Bool
    }

    /// What is to be done about a node whose time has come.
    enum Due: Hashable {
        /// Ask it whether it is one still.
        case ask(DeviceUUID)
        /// Look for it no more.
        case end(DeviceUUID)
    }

    /// How long advertising is listened to after the status: a device without a network advertises several times a
    /// second, and needs a moment to begin.
    static let listeningTime: Duration = .seconds(3)
    /// How long a node is given that still answers, before it is asked again.
    static let respite: Duration = .seconds(5)
    /// How long a node is asked that was not heard as a device.
    static let askingTime: Duration = .seconds(3)
    /// Nodes asked at once; of more that are out of hearing nobody finds out, so that a thousand cost no minutes.
    static let maximumAsked = 4

    private var watches: [DeviceUUID: Watch] = [:]

    /// Whether nobody is looked for.
    var isEmpty: Bool { watches.isEmpty }

    /// Those who are looked for, sorted.
    var nodes: [DeviceUUID] { watches.keys.sorted() }

    /// When ``advance(to:mayAsk:)`` wants to be called; nil if nobody is looked for.
    var nextDeadline: Instant? { watches.values.map(\.deadline).min() }

    /// Whether a node is looked for.
    func isWatching(_ node: DeviceUUID) -> Bool { watches[node] != nil }

    /// Begins to look for a node.
    ///
    /// - Parameter isByReadBack: whether the reset was confirmed by a read-back.
    mutating func begin(_ node: DeviceUUID, step: Int, isByReadBack: Bool, at now: Instant) {
        let deadline = now.advanced(by: Self.listeningTime)
        watches[node] = Watch(deadline: deadline, step: step, isByReadBack: isByReadBack)
    }

    /// Time has passed: who was not heard as a device is to be asked whether it is a node.
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
            // Longer than the question by what a link takes that is lost meanwhile.
            watches[node]?.deadline = now.advanced(by: Self.askingTime * 2)
            dues.append(.ask(node))
        }
        return dues
    }

    /// A node answers as one; false if it did so before, after which it was given time.
    mutating func answered(_ node: DeviceUUID, at now: Instant) -> Bool {
        guard watches[node]?.hasAnswered == false else { return false }
        watches[node]?.hasAnswered = true
        watches[node]?.isAsking = false
        watches[node]?.deadline = now.advanced(by: Self.respite)
        return true
    }

    /// Looks for a node no more: its step, and whether the reset was confirmed by a read-back; nil if it was not looked for.
    mutating func end(_ node: DeviceUUID) -> (step: Int, isByReadBack: Bool)? {
        watches.removeValue(forKey: node).map { ($0.step, $0.isByReadBack) }
    }
}
