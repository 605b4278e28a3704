package import MeshCore

/// A Bluetooth adapter as the kernel describes it.
package struct BluetoothAdapter: Hashable, Sendable {
    /// Whether a radio switch (rfkill) keeps the adapter from sending.
    package enum Block: Hashable, Sendable {
        case none
        /// A program has switched it off.
        case soft
        /// A switch or key of the machine has switched it off.
        case hard
    }

    /// The number in its name: 0 for `hci0`.
    package var number: UInt16
    /// The kernel's name for it: `hci0`.
    package var name: String
    /// Its public address, all zero if it has none.
    package var address: BluetoothAddress
    /// How it is connected: USB, UART, …
    package var bus: String
    /// Whether it is switched on.
    package var isUp: Bool
    /// Whether it supports Bluetooth Low Energy. The kernel does not know this before the adapter was first switched
    /// on; it is true until then.
    package var hasLowEnergy: Bool
    package var block: Block

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

    /// The kernel's name for the bus with that number.
    static func bus(_ number: UInt8) -> String {
        let names = ["virtual", "USB", "PC card", "UART", "RS232", "PCI", "SDIO", "SPI", "I2C", "SMD", "virtio"]
        return Int(number) < names.count ? names[Int(number)] : "bus \(number)"
    }

    /// Whether the features from HCIGETDEVINFO include Bluetooth Low Energy: bit 38 (Core Vol 2 Part C 3.3). All bits
    /// are zero before the adapter was first switched on.
    static func hasLowEnergy(features: [UInt8]) -> Bool {
        guard features.count >= 5, features.contains(where: { $0 != 0 }) else { return true }
        return features[4] & 0x40 != 0
    }
}
