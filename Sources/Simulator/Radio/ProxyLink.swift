import MeshCore

/// One GATT connection, seen from the node or device: the Proxy Server role (Mesh Protocol 6), or PB-GATT (5.2.2). A link
/// of PB-ADV that a node has opened to a device is one, too, as far as the device is concerned.
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
    /// The session of the provisioning protocol, on a link to a device's provisioning service.
    var provisioning: ProvisioningService?
    /// Where the link is none of a client but of a Remote Provisioning Server, what carries it.
    var remote: RemoteCarrier?
    /// Whether the end of the link is on its way to the client.
    var isEnding = false
}
