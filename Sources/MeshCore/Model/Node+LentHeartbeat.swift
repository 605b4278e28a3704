/// A node's Heartbeat Publication is lent while hops are counted, and given back afterwards.
extension Node {
    /// Records that the Heartbeat Publication will be set for a moment, before that is sent. From then on nobody knows
    /// what the node has, so plans do not take it for what it had.
    ///
    /// - Parameter own: the value that the node is to have again. If an earlier run has not given one back, that one
    ///   stays.
    package mutating func lendHeartbeat(_ own: HeartbeatPublication) {
        if heartbeatToRestore == nil { heartbeatToRestore = own }
        states.removeAll { $0.kind == .heartbeatPublication }
    }

    /// Records the value that the node is to have again as it was stored.
    package mutating func recordHeartbeatToRestore(_ own: HeartbeatPublication) {
        heartbeatToRestore = own
    }

    /// Records the value that the node has while its Heartbeat Publication is lent.
    package mutating func recordLentHeartbeat(_ heartbeat: HeartbeatPublication) {
        let own = heartbeatToRestore
        record(.heartbeatPublication(heartbeat))
        heartbeatToRestore = own
    }
}
