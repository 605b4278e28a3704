package import MeshCore

/// The addresses that a plan sets aside for a device that is not a node yet, or for a place that has no device yet. So
/// devices get their addresses in the order of the definition, whichever is heard first.
package struct AddressReservation: Hashable, Sendable {
    /// The device, or the stand-in of the place.
    package var device: DeviceUUID
    /// What it is made as: devices of one kind have as many elements. Empty if nothing is known about that.
    package var kind: String
    /// How many elements it has; 0 if nobody knows before a device of its kind was asked.
    package var elementCount: UInt8
    /// The address of its primary element if the definition fixes it.
    package var address: UnicastAddress?
}

extension Plan {
    /// The number of elements that a device was expected to have, if it has another one: then it is made otherwise than
    /// its product, or than the first device of its kind. Nil if nothing was expected.
    package func expectedElementCount(of device: DeviceUUID, otherThan count: UInt8) -> UInt8? {
        let reservation = reservations.first { $0.device == device }
        return reservation.flatMap { $0.elementCount == 0 || $0.elementCount == count ? nil : $0.elementCount }
    }
}
