package import MeshCore

/// A Bluetooth adapter as the kernel describes it.
package struct BluetoothAdapter: Hashable, Sendable {
    /// Whether a switch for radios keeps the adapter from sending (rfkill).
    package enum Block: Hashable, Sendable {
        /// No.
        case none
        /// A program has switched it off.
        case soft
        /// A switch or key of the machine has.
        case hard
    }

    /// The number in its name.
    package var number: UInt16
    /// What the kernel calls it: `hci0`.
    package var name: String
    /// Its public address, all zero if it has none.
    package var address: BluetoothAddress
    /// How it is connected: USB, UART, …
    package var bus: String
    /// Whether it is switched on.
    package var isUp: Bool
    /// Whether it knows Bluetooth low energy; not known, and then true, until it was switched on once.
    package var hasLowEnergy: Bool
    /// Whether radios are switched off.
    package var block: Block

    /// An adapter with those properties.
    package init(
        number: UInt16,
        name: String,
        address: BluetoothAddress,
        bus: String = "USB",
        isUp: Bool = true,
        hasLowEnergy: Bool = true,
        block: Block = .none
    ) {
        self.number = number
        self.name = name
        self.address = address
        self.bus = bus
        self.isUp = isUp
        self.hasLowEnergy = hasLowEnergy
        self.block = block
    }

    /// What the kernel calls the bus of that number.
    static func bus(_ number: UInt8) -> String {
        let names = ["virtual", "USB", "PC card", "UART", "RS232", "PCI", "SDIO", "SPI", "I2C", "SMD", "virtio"]
        return Int(number) < names.count ? names[Int(number)] : "bus \(number)"
    }

    /// Whether features as HCIGETDEVINFO has them contain Bluetooth low energy: bit 38 (Core Vol 2 Part C 3.3). All are
    /// zero before the adapter was switched on for the first time.
    static func hasLowEnergy(features: [UInt8]) -> Bool {
        guard features.count >= 5, features.contains(where: { $0 != 0 }) else { return true }
        return features[4] & 0x40 != 0
    }
}
