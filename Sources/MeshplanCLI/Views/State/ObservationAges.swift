import MeshCore

/// How much of the configuration of a network's nodes is known from the nodes themselves, and since when.
///
/// What was only recorded may have changed since. So whoever says that nothing has drifted says of how many nodes that
/// is known.
struct ObservationAges: Hashable {
    /// The number of nodes that can be read back.
    private(set) var nodes = 0
    /// The number of nodes never read back in full.
    private(set) var never = 0
    /// The number of nodes whose last read-back is recent enough to count.
    private(set) var known = 0
    /// The oldest time at which a node was last read back.
    private(set) var oldest: Timestamp?
    /// The newest time at which a node was last read back.
    private(set) var newest: Timestamp?
    /// The nodes that can be read back, but were not, or not recently enough.
    private(set) var unknown: Set<DeviceUUID> = []

    /// The ages of a network's managed nodes.
    ///
    /// - Parameters:
    ///   - selected: the nodes that matter; nil for all.
    ///   - isRecent: whether a read-back at that time still counts.
    init(
        _ network: MeshNetwork,
        among selected: Set<DeviceUUID>? = nil,
        where isRecent: (Timestamp) -> Bool = { _ in true }
    ) {
        for node in network.nodes where node.isManaged && RefreshSession.isReadable(node, in: network) {
            guard selected?.contains(node.uuid) ?? true else { continue }
            nodes += 1
            guard let time = node.readBackAt else {
                never += 1
                unknown.insert(node.uuid)
                continue
            }
            if isRecent(time) { known += 1 } else { unknown.insert(node.uuid) }
            oldest = oldest.map { min($0, time) } ?? time
            newest = newest.map { max($0, time) } ?? time
        }
    }

    /// Whether each node told its configuration recently enough. Of no nodes nothing is known.
    var isComplete: Bool { nodes > 0 && known == nodes }

    /// One line for people; nil if there are no nodes.
    ///
    /// - Parameter words: writes a time.
    func text(_ words: (Timestamp) -> String) -> String? {
        guard nodes > 0 else { return nil }
        guard let oldest, let newest else { return "No node has been read back yet; run meshplan refresh." }
        let span = words(oldest) == words(newest) ? "at \(words(oldest))" : "from \(words(oldest)) to \(words(newest))"
        return "Read back: \(nodes - never) of \(count(nodes, "node")), \(span)."
    }
}
