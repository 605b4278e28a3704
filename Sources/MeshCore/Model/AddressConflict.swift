/// Why a block of unicast addresses cannot be given to a device.
package struct AddressConflict: Error, Hashable, Sendable {
    /// What stands in the way.
    package enum Reason: Hashable, Sendable {
        /// The address is unassigned or no unicast address, or the block reaches beyond 0x7FFF.
        case notUnicast
        /// A node of the network has it.
        case node(DeviceUUID, name: String)
        /// A device that may have become a node holds it.
        case pending(DeviceUUID, name: String)
        /// It was set aside for another device in this pool.
        case reserved(DeviceUUID)
        /// A node that was removed had it: it is free again once the IV index is at least this.
        case excluded(until: UInt32)
        /// Another provisioner, of that name, gives it out.
        case otherProvisioner(name: String)
        /// It lies in no unicast range of our provisioner.
        case outsideOurRanges
    }

    /// The lowest address of the block that cannot be had.
    package var address: Address
    /// What stands in the way.
    package var reason: Reason

    package init(address: Address, reason: Reason) {
        self.address = address
        self.reason = reason
    }
}
