import MeshCore

/// The Remote Provisioning Server model of one node: the state machine, and what the world keeps for it.
struct RemoteProvisioningModel {
    /// The state machine of the protocol.
    var server = RemoteProvisioningServer()
    var link: LinkIdentifier?
    /// The number of the current attempt to open a link. Events of an earlier attempt have no effect.
    var attempt: UInt32 = 0
    /// When the wake event for the server's timers is due; nil if none is in the queue.
    var wakeAt: Instant?
    /// Whether the next turn of its scan is in the queue.
    var isListening = false
    /// When it sends its last message. A later message is not sent earlier.
    var busyUntil = Instant.zero
    /// How many messages wait until then.
    var waiting = 0
    /// Messages that the stack is sending, and whether each reports a PDU of a device.
    var underWay: [TransmissionIdentifier: Bool] = [:]
    /// What changes on the node itself once everything is sent.
    var pendingReprovision: AcceptedReprovision?
}

/// New values that a node has accepted over its Node Provisioning Protocol Interface. They take effect when the link is
/// closed with success.
struct AcceptedReprovision {
    let procedure: NodeProvisioningProcedure
    let data: ProvisioningData
    let deviceKey: KeyMaterial
}

/// Carries a provisioning session without a GATT connection.
struct RemoteSession {
    /// The node with the Remote Provisioning Server.
    let server: Int
    /// The procedure on that node itself; nil for a device that it hears.
    let procedure: NodeProvisioningProcedure?
    /// When the last PDU to the server arrives. A later PDU does not arrive earlier.
    var busyUntil = Instant.zero
    /// The number of the current transfer to the other side. Events of an earlier transfer have no effect.
    var transfer: UInt32 = 0
    /// The last PDU that the other side has received.
    var lastPDU: [UInt8] = []
    /// The values that the node has accepted.
    var accepted: AcceptedReprovision?
}

/// Events of Remote Provisioning in a simulated world.
enum RemoteProvisioningEvent {
    /// A timer of a node's server is due.
    case wake(node: Int)
    /// A node that scans listens for beacons.
    case listen(node: Int)
    /// A message of a node's server is sent; tells whether it reports a PDU of a device.
    case post(node: Int, OutgoingMessage, isPDUReport: Bool)
    /// A node tries to open a link to a device.
    case attempt(node: Int, DeviceUUID, number: UInt32)
    /// A PDU has reached the other side. `acknowledgedAt` is when the acknowledgment arrives; nil if it is lost.
    case delivered(LinkIdentifier, transfer: UInt32, [UInt8], acknowledgedAt: Instant?)
    /// The acknowledgment of a PDU has reached the server.
    case acknowledged(LinkIdentifier, transfer: UInt32)
    /// A PDU has reached the server.
    case received(LinkIdentifier, [UInt8])
    case closed(LinkIdentifier, node: Int)
}
