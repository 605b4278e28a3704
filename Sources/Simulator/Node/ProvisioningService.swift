import MeshCore

/// The Mesh Provisioning Service of a device on one link: one session of the provisioning protocol, and what a person
/// sees of it.
struct ProvisioningService {
    /// The protocol.
    var device: ProvisioningDevice
    /// What the device waits for a person to do, if it does.
    var awaitedInput: (action: InputAction, size: UInt8)?
    /// Whether the device tells a value.
    var isTelling = false
    /// Whether the device says nothing any more, for a fault.
    var isSilent = false
    /// When the last PDU leaves the device; a later one leaves no earlier.
    var busyUntil = Instant.zero
    /// When a wake event for the session's timer waits in the queue.
    var wakeAt: Instant?
    /// Whether the link ends once everything is sent.
    var isLast = false
}
