/// The opcode of a command: group (6 bits), command (10 bits) (Core Vol 4 Part E 5.4.1).
package struct HCIOpcode: RawRepresentable, Hashable, Sendable {
    /// The 16 bits; HCI sends the least significant octet first.
    package let rawValue: UInt16

    package init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// Disconnect (7.1.6).
    package static let disconnect = HCIOpcode(rawValue: 0x0406)
    /// Read Local Supported Commands (7.4.2).
    package static let readLocalSupportedCommands = HCIOpcode(rawValue: 0x1002)
    /// Read Local Supported Features (7.4.3).
    package static let readLocalSupportedFeatures = HCIOpcode(rawValue: 0x1003)
    /// LE Set Scan Parameters (7.8.10).
    package static let leSetScanParameters = HCIOpcode(rawValue: 0x200B)
    /// LE Set Scan Enable (7.8.11).
    package static let leSetScanEnable = HCIOpcode(rawValue: 0x200C)
    /// LE Connection Update (7.8.18).
    package static let leConnectionUpdate = HCIOpcode(rawValue: 0x2013)
    /// LE Set Extended Scan Parameters (7.8.64).
    package static let leSetExtendedScanParameters = HCIOpcode(rawValue: 0x2041)
    /// LE Set Extended Scan Enable (7.8.65).
    package static let leSetExtendedScanEnable = HCIOpcode(rawValue: 0x2042)
}
