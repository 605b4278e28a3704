import MeshCore
import Planning

/// Requests that go out side by side: one at a time to a node, as many nodes at once as the window allows. A value
/// without input or output; whoever has it sends what it hands out.
///
/// A node that did not answer in time is asked again by the client, ever more rarely. It leaves its place in the window
/// to the next node, because otherwise a few nodes without power would keep all others waiting.
struct OperatingWork {
    /// The requests; those that were added later stand at the end.
    private(set) var requests: [OperatingRequest]
    /// How many nodes are talked to at once.
    private(set) var window: SendWindow
    /// The positions of the requests of each node that were not handed out, in reverse order.
    private var waiting: [DeviceUUID: [Int]] = [:]
    /// The nodes that wait for their turn, from the last to the first.
    private var turns: [DeviceUUID] = []
    private var asked: Set<DeviceUUID> = []
    /// The nodes among them that let others go first.
    private var late: Set<DeviceUUID> = []
    private var answering: Set<DeviceUUID> = []
    /// What became of the requests; nil for those that are open.
    private(set) var outcomes: [OperatingOutcome?]
    private(set) var openCount: Int

    /// Requests in the order in which to begin.
    ///
    /// - Parameter window: how many nodes are talked to at once.
    init(_ requests: [OperatingRequest], window: SendWindow) {
        self.requests = requests
        self.window = window
        outcomes = Array(repeating: nil, count: requests.count)
        openCount = requests.count
        for position in requests.indices.reversed() { waiting[requests[position].node, default: []].append(position) }
        // Each node once, at the place of its first request.
        var seen: Set<DeviceUUID> = []
        turns = requests.map(\.node).filter { seen.insert($0).inserted }.reversed()
    }

    var isDone: Bool { openCount == 0 }

    /// The position of the next request that may be sent now; nil if none may.
    mutating func next() -> Int? {
        guard asked.count - min(late.count, Self.mostLate) < window.size else { return nil }
        while let node = turns.popLast() {
            guard let position = waiting[node]?.popLast() else { continue }
            asked.insert(node)
            return position
        }
        return nil
    }

    /// How many late nodes at most let others go first. Their repetitions take air time, too.
    private static let mostLate = 32

    /// A request was sent again, because its answer did not come in time.
    mutating func isLate(_ position: Int) {
        let node = requests[position].node
        if outcomes[position] == nil, asked.contains(node) { late.insert(node) }
    }

    /// Adds a request that follows from the answer to another one; its node is asked as soon as it is free.
    ///
    /// - Returns: the position of the request.
    mutating func add(_ request: OperatingRequest) -> Int {
        requests.append(request)
        outcomes.append(nil)
        openCount += 1
        let position = requests.count - 1
        if waiting[request.node, default: []].isEmpty, !asked.contains(request.node) { turns.append(request.node) }
        waiting[request.node, default: []].append(position)
        return position
    }

    /// A request was answered after so many transmissions.
    mutating func answered(_ position: Int, _ parameters: [UInt8], transmissions: Int) {
        window.answered(attempts: transmissions)
        answering.insert(requests[position].node)
        end(position, .answered(parameters))
    }

    /// A request was given up. If the node has answered nothing so far, it is not asked for more.
    mutating func gaveUp(_ position: Int, _ outcome: OperatingOutcome) {
        let node = requests[position].node
        let left = answering.contains(node) ? [] : waiting.removeValue(forKey: node) ?? []
        end(position, outcome)
        for other in left { end(other, outcome == .unanswered ? .silent : outcome) }
    }

    /// Everything has ended: what was sent and is open is abandoned.
    mutating func abandon() {
        for position in waiting.values.joined() { outcomes[position] = outcomes[position] ?? .notAsked }
        for position in requests.indices where outcomes[position] == nil { outcomes[position] = .abandoned }
        openCount = 0
        turns = []
        waiting = [:]
        asked = []
        late = []
    }

    private mutating func end(_ position: Int, _ outcome: OperatingOutcome) {
        guard outcomes[position] == nil else { return }
        outcomes[position] = outcome
        openCount -= 1
        let node = requests[position].node
        late.remove(node)
        guard asked.remove(node) != nil, waiting[node]?.isEmpty == false else { return }
        turns.append(node)
    }
}
