import MeshCore

/// The Remote Provisioning Server model of one node: the machine, and what the world keeps for it.
struct RemoteProvisioningModel {
    /// The protocol.
    var server = RemoteProvisioningServer()
    /// The link that it has open.
    var link: LinkIdentifier?
    /// Counts the links that it was to open, so that attempts at an earlier one end.
    var attempt: UInt32 = 0
    /// When a wake event for the server's timers waits in the queue.
    var wakeAt: Instant?
    /// Whether a turn of its scan waits in the queue.
    var isListening = false
    /// When its last message goes out; a later one goes no earlier.
    var busyUntil = Instant.zero
    /// Messages that wait for that.
    var waiting = 0
    /// Messages that the stack sends; whether each reports a PDU of a device.
    var underWay: [TransmissionIdentifier: Bool] = [:]
    /// What becomes of the node itself once everything is sent.
    var pendingRefresh: AcceptedRefresh?
}

/// New values that a node has accepted over its Node Provisioning Protocol Interface; they take effect when the link is
/// closed with success.
struct AcceptedRefresh {
    let procedure: NodeProvisioningProcedure
    let data: ProvisioningData
    let deviceKey: KeyMaterial
}

/// How a provisioning session is carried that no GATT connection carries.
struct RemoteCarrier {
    /// The node with the Remote Provisioning Server.
    let server: Int
    /// What is done to that node itself; nil for a device that it hears.
    let procedure: NodeProvisioningProcedure?
    /// When the last PDU to the server has arrived; a later one arrives no earlier.
    var busyUntil = Instant.zero
    /// Counts the transfers to the other side: what belongs to an earlier one is of no use any more.
    var transfer: UInt32 = 0
    /// The last PDU that the other side has taken.
    var lastPDU: [UInt8] = []
    /// What the node has accepted.
    var accepted: AcceptedRefresh?
}

/// What happens with Remote Provisioning in a simulated world.
enum RemoteProvisioningEvent {
    /// A timer of a node's server ends.
    case wake(node: Int)
    /// A node that scans listens.
    case listen(node: Int)
    /// A message of a node's server goes out; whether it reports a PDU of a device.
    case post(node: Int, OutgoingMessage, isPDUReport: Bool)
    /// A node tries to open a link to a device.
    case attempt(node: Int, DeviceUUID, number: UInt32)
    /// A PDU has reached the other side, which acknowledges it at that instant if the acknowledgment is heard at all.
    case delivered(LinkIdentifier, transfer: UInt32, [UInt8], acknowledgedAt: Instant?)
    /// The acknowledgment of a PDU has reached the server.
    case acknowledged(LinkIdentifier, transfer: UInt32)
    /// A PDU has reached the server.
    case received(LinkIdentifier, [UInt8])
    /// The other side has closed the link.
    case closed(LinkIdentifier, node: Int)
}
