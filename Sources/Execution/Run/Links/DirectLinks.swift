import MeshCore

/// Which nodes get links of their own in a run, and at which stage each of them is. A value without input or output.
///
/// Such a link costs the time to connect, but its messages are not relayed. So it leaves the air to the other nodes,
/// and several links can work at once.
struct DirectLinks {
    /// The stage of a node.
    enum Stage: Hashable {
        /// The node is being asked to advertise its Node Identity.
        case asking
        /// The node has been advertising since then; it does so for a minute.
        case advertising(since: Instant)
        case linked
    }

    private(set) var stages: [DeviceUUID: Stage] = [:]
    /// The nodes of `stages`, in the order in which they were added.
    private(set) var order: [DeviceUUID] = []
    /// Nodes that are not tried again in this run.
    private var passed: Set<DeviceUUID> = []
    /// How many nodes in a row failed since the last one that was linked.
    private var failures = 0
    /// Seconds from the choice of an advertiser to a link that carries messages, as last measured.
    private(set) var setUp = 2.0
    /// When the remaining work and its PDUs were last counted.
    var countedAt: Instant?
    var openPDUs = 0

    /// How long the run listens for a node that should advertise.
    static let listening: Duration = .seconds(5)
    /// How long the run relies on a node to advertise: less than the minute for which nodes do (Mesh Protocol 4.2.13).
    static let advertising: Duration = .seconds(45)
    /// After this many failures in a row no more nodes are asked: they are out of the bearer's reach.
    static let maximumFailures = 4
    /// Seconds to ask a node through the mesh and to hear it.
    static let asking = 1.0

    /// Whether the run waits for any link.
    var isAwaiting: Bool { stages.values.contains { $0 != .linked } }

    func isLinked(_ node: DeviceUUID) -> Bool { stages[node] == .linked }

    /// Whether a node may be tried.
    func isOpen(_ node: DeviceUUID) -> Bool { stages[node] == nil && !passed.contains(node) }

    /// Whether asking nodes makes sense.
    var mayAsk: Bool { failures < DirectLinks.maximumFailures }

    mutating func set(_ node: DeviceUUID, _ stage: Stage) {
        if stages.updateValue(stage, forKey: node) == nil { order.append(node) }
        if stage == .linked { failures = 0 }
    }

    /// Records how long a link took to set up.
    mutating func measure(_ times: LinkTimes) {
        setUp = Double(times.setUp.microseconds) / 1_000_000
    }

    /// Ends the attempt or the link of a node.
    ///
    /// - Parameter hasFailed: whether the attempt or the link failed, so that the node is not tried again in this run.
    mutating func end(_ node: DeviceUUID, hasFailed: Bool) {
        guard let stage = stages.removeValue(forKey: node) else { return }
        order.removeAll { $0 == node }
        guard hasFailed else { return }
        passed.insert(node)
        if stage != .linked { failures += 1 }
    }
}
