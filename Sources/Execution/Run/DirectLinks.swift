import MeshCore

/// Which nodes get links of their own in a run, and how far that has come: value without input or output.
///
/// Such a link costs the time of connecting, but what goes over it is not relayed: it leaves the air to the others, and
/// there can be several at once.
struct DirectLinks {
    /// How far it has come with a node.
    enum Stage: Hashable {
        /// It is being asked to advertise its Node Identity.
        case asking
        /// It advertises since then, for a minute.
        case advertising(since: Instant)
        /// There is a link.
        case linked
    }

    private(set) var stages: [DeviceUUID: Stage] = [:]
    /// The nodes of `stages`, the first one first.
    private(set) var order: [DeviceUUID] = []
    /// Nodes that are not tried again in this run.
    private var passed: Set<DeviceUUID> = []
    /// Nodes that came to nothing since the last one that was linked.
    private var failures = 0
    /// Seconds from the choice of an advertiser to a link that carries messages, as measured last.
    private(set) var setUp = 2.0
    /// When the work that is left was last counted, and its PDUs.
    var countedAt: Instant?
    var openPDUs = 0

    /// How long is listened to a node that ought to advertise.
    static let listening: Duration = .seconds(5)
    /// How long a node can be counted on to advertise: less than the minute that it does (Mesh Protocol 4.2.13).
    static let advertising: Duration = .seconds(45)
    /// After so many nodes in a row that came to nothing no more are asked: they are out of the bearer's reach.
    static let maximumFailures = 4
    /// Seconds of asking a node through the mesh and of hearing it.
    static let asking = 1.0

    /// Whether the run waits for any link.
    var isAwaiting: Bool { stages.values.contains { $0 != .linked } }

    /// Whether there is a link to a node.
    func isLinked(_ node: DeviceUUID) -> Bool { stages[node] == .linked }

    /// Whether a node may be tried.
    func isOpen(_ node: DeviceUUID) -> Bool { stages[node] == nil && !passed.contains(node) }

    /// Whether asking nodes makes sense.
    var mayAsk: Bool { failures < DirectLinks.maximumFailures }

    /// A node is at a stage.
    mutating func set(_ node: DeviceUUID, _ stage: Stage) {
        if stages.updateValue(stage, forKey: node) == nil { order.append(node) }
        if stage == .linked { failures = 0 }
    }

    /// A link took so long to be set up.
    mutating func measure(_ times: LinkTimes) {
        setUp = Double(times.setUp.microseconds) / 1_000_000
    }

    /// It is over with a node.
    ///
    /// - Parameter hasFailed: whether it came to nothing.
    mutating func end(_ node: DeviceUUID, hasFailed: Bool) {
        guard let stage = stages.removeValue(forKey: node) else { return }
        order.removeAll { $0 == node }
        guard hasFailed else { return }
        passed.insert(node)
        if stage != .linked { failures += 1 }
    }
}
