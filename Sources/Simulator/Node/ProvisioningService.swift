import MeshCore

/// The Mesh Provisioning Service of a device on one link: one session of the provisioning protocol, and what a person
/// notices of it.
struct ProvisioningService {
    /// The device's state machine of the protocol.
    var device: ProvisioningDevice
    /// What the device waits for a person to do; nil if nothing.
    var awaitedInput: (action: InputAction, size: UInt8)?
    /// Whether the device shows a value.
    var isTelling = false
    /// Whether a fault keeps the device silent.
    var isSilent = false
    /// When the device sends its last PDU. A later PDU is not sent earlier.
    var busyUntil = Instant.zero
    /// When the wake event for the session's timer is due; nil if none is in the queue.
    var wakeAt: Instant?
    /// Whether the link ends once everything is sent.
    var isLast = false
}
