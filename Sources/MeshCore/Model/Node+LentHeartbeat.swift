/// A node's Heartbeat Publication is lent while hops are counted, and given back afterwards.
extension Node {
    /// Records that the Heartbeat Publication will be set for a moment, before that is sent.
    ///
    /// - Parameter own: the value that the node is to have again. If an earlier run has not given one back, that one
    ///   stays.
    package mutating func lendHeartbeat(_ own: HeartbeatPublication) {
        if heartbeatToRestore == nil { heartbeatToRestore = own }
    }

    /// Records the value that the node has while its Heartbeat Publication is lent.
    package mutating func recordLentHeartbeat(_ heartbeat: HeartbeatPublication) {
        let own = heartbeatToRestore
        record(.heartbeatPublication(heartbeat))
        heartbeatToRestore = own
    }
}
