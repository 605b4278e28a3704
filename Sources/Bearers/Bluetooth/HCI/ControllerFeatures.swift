/// What a controller can do, as far as it matters here.
package struct ControllerFeatures: Hashable, Sendable {
    /// Whether it knows the commands of extended scanning. The kernel uses those then, and a controller refuses to have
    /// them mixed with the legacy ones (Core Vol 4 Part E 3.1.1).
    package var hasExtendedScanning = false

    /// Reads what Read Local Supported Commands returns: status (1), a bit for each command (64) (Core Vol 4 Part E
    /// 6.27). Octet 37 has LE Set Extended Scan Parameters as bit 5 and LE Set Extended Scan Enable as bit 6.
    package init(supportedCommands parameters: [UInt8]) {
        guard parameters.first == 0, parameters.count > 38 else { return }
        hasExtendedScanning = parameters[1 + 37] & 0x60 == 0x60
    }

    /// Legacy scanning alone.
    package init() {}
}
