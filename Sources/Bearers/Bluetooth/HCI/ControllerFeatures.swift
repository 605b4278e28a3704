/// The features of a controller that matter here.
package struct ControllerFeatures: Hashable, Sendable {
    /// Whether it supports the commands of extended scanning. If so, the kernel uses them, and the controller refuses a
    /// mix of them with the legacy commands (Core Vol 4 Part E 3.1.1).
    package var hasExtendedScanning = false

    /// Reads what Read Local Supported Commands returns: status (1), then one bit for each command (64 octets) (Core
    /// Vol 4 Part E 6.27). In octet 37, bit 5 is LE Set Extended Scan Parameters and bit 6 is LE Set Extended Scan
    /// Enable.
    package init(supportedCommands parameters: [UInt8]) {
        guard parameters.first == 0, parameters.count > 38 else { return }
        hasExtendedScanning = parameters[1 + 37] & 0x60 == 0x60
    }

    /// A controller that supports legacy scanning only.
    package init() {}
}
