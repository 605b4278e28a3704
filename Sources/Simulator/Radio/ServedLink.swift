import MeshCore

/// One GATT connection, seen from the node or device: the Proxy Server role (Mesh Protocol 6), or PB-GATT (5.2.2). For
/// the device, a PB-ADV link that a node has opened to it counts as one too.
struct ServedLink {
    let node: Int
    /// Selects what the client wants to hear.
    var filter = ProxyFilter()
    /// Reassembles packets from the client.
    var reassembler = ProxyReassembler()
    /// Decides when packets from the client arrive.
    var toNode: ConnectionEvents
    /// Decides when packets from the node arrive.
    var toClient: ConnectionEvents
    /// How many packets came from the client.
    var packetsReceived = 0
    /// The provisioning session, on a link to a device's provisioning service.
    var provisioning: ProvisioningService?
    /// What carries the link, if it belongs to a Remote Provisioning Server and not to a client.
    var remote: RemoteSession?
    /// Whether the end of the link is on its way to the client.
    var isEnding = false
}
