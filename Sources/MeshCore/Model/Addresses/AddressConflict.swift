/// Why a device cannot get a block of unicast addresses.
package struct AddressConflict: Error, Hashable, Sendable {
    /// What prevents it.
    package enum Reason: Hashable, Sendable {
        /// The address is not a unicast address, or the block reaches past 0x7FFF.
        case notUnicast
        case node(DeviceUUID, name: String)
        /// A device that may have become a node has it.
        case pending(DeviceUUID, name: String)
        /// This pool has reserved it for another device.
        case reserved(DeviceUUID)
        /// A removed node had it. It is free once the IV index is at least this.
        case excluded(until: UInt32)
        /// Another provisioner, with that name, assigns it.
        case otherProvisioner(name: String)
        /// No unicast range of our provisioner contains it.
        case outsideOurRanges
    }

    /// The lowest unavailable address of the block.
    package var address: Address
    package var reason: Reason

    package init(address: Address, reason: Reason) {
        self.address = address
        self.reason = reason
    }
}
