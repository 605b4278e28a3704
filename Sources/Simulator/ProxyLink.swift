import MeshCore

/// One GATT connection to a proxy node, seen from the node: the Proxy Server role (Mesh Protocol 6).
struct ProxyLink {
    /// The node it leads to.
    let node: Int
    /// What the client wants to hear.
    var filter = ProxyFilter()
    /// Puts packets of the client together.
    var reassembler = ProxyReassembler()
    /// When packets of the client arrive.
    var toNode: ConnectionEvents
    /// When packets of the node arrive.
    var toClient: ConnectionEvents
    /// Packets that came from the client.
    var packetsReceived = 0
    /// Whether the end of the link is on its way to the client.
    var isEnding = false
}
