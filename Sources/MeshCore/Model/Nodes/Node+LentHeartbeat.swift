/// An earlier way to count hops lent a node's Heartbeat Publication. Plans give it back where that was interrupted.
extension Node {
    /// Records the value that the node is to have again as it was stored.
    package mutating func recordHeartbeatToRestore(_ own: HeartbeatPublication) {
        heartbeatToRestore = own
    }
}
