import MeshCore

/// Why a controller does not connect, ends a connection or refuses a command (Core Vol 1 Part F 1.3).
package struct HCIErrorCode: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt8

    /// The code with that octet; every octet is allowed.
    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    package static let success = HCIErrorCode(rawValue: 0x00)
    package static let unknownConnection = HCIErrorCode(rawValue: 0x02)
    /// Nothing was heard of the other side for the supervision timeout.
    package static let connectionTimeout = HCIErrorCode(rawValue: 0x08)
    /// The controller has no room for another connection.
    package static let connectionLimitExceeded = HCIErrorCode(rawValue: 0x09)
    package static let connectionExists = HCIErrorCode(rawValue: 0x0B)
    /// The controller is in a state that does not allow the command.
    package static let commandDisallowed = HCIErrorCode(rawValue: 0x0C)
    /// The device has ended the connection.
    package static let remoteUserTerminated = HCIErrorCode(rawValue: 0x13)
    /// This side has ended the connection.
    package static let localHostTerminated = HCIErrorCode(rawValue: 0x16)
    /// The device was heard, but it did not answer the request to connect.
    package static let notEstablished = HCIErrorCode(rawValue: 0x3E)

    /// How to mend it; nil if nothing is known.
    package var hint: String? {
        switch rawValue {
        case 0x03: "unplug the adapter and plug it in again, or restart the computer"
        case 0x04, 0x08, 0x10, 0x22, 0x3C, 0x3E: "move closer to the device and check that it has power"
        case 0x05, 0x06, 0x0E, 0x18, 0x25, 0x26, 0x29, 0x2F, 0x37:
            "mesh nodes need no pairing; remove the device from the system's Bluetooth settings"
        case 0x07, 0x09: "open fewer connections at once, or use another adapter"
        case 0x0B: "disconnect the device in the system's Bluetooth settings, or end the program that uses it"
        case 0x0C, 0x3A: "end other programs that use the adapter, or try again"
        case 0x0D, 0x14: "the device serves another client; try again, or choose another proxy"
        case 0x13, 0x15, 0x1F, 0x3D: "connect again"
        case 0x01, 0x11, 0x12, 0x1A, 0x20: "the adapter is too old or too limited; use another one"
        default: nil
        }
    }
}

extension HCIErrorCode: CustomStringConvertible {
    /// The code in plain words, with its number: `the device has ended the connection (Bluetooth error 0x13)`.
    package var description: String {
        let text = HCIErrorCode.texts[rawValue] ?? "an unknown error occurred"
        return "\(text) (Bluetooth error 0x\(rawValue.hexadecimal))"
    }

    private static let texts: [UInt8: String] = [
        0x00: "all is well",
        0x01: "the adapter does not know the command",
        0x02: "there is no such connection",
        0x03: "the adapter's hardware has failed",
        0x04: "the device does not answer",
        0x05: "authentication has failed",
        0x06: "a PIN or a key is missing",
        0x07: "the adapter has run out of memory",
        0x08: "the device is no longer heard",
        0x09: "the adapter has no room for another connection",
        0x0A: "the adapter has no room for another audio connection to the device",
        0x0B: "there is a connection to the device already",
        0x0C: "the adapter cannot do that now",
        0x0D: "the device has no room for the connection",
        0x0E: "the device refuses the connection for security",
        0x0F: "the device refuses this adapter's address",
        0x10: "the connection was not accepted in time",
        0x11: "a feature or a parameter is not supported",
        0x12: "the adapter considers the command's parameters invalid",
        0x13: "the device has ended the connection",
        0x14: "the device has ended the connection for lack of resources",
        0x15: "the device has ended the connection because it is switched off",
        0x16: "the connection was ended from this side",
        0x17: "authentication was tried again too soon",
        0x18: "the device does not allow pairing now",
        0x19: "an unknown message of the link manager has come",
        0x1A: "the device does not support the feature",
        0x1B: "the offset of the audio connection was rejected",
        0x1C: "the interval of the audio connection was rejected",
        0x1D: "the air mode of the audio connection was rejected",
        0x1E: "the link layer got invalid parameters",
        0x1F: "an unspecified error occurred",
        0x20: "the link layer does not support a parameter's value",
        0x21: "the roles cannot be changed",
        0x22: "the device's link layer has not answered in time",
        0x23: "two procedures of the link manager collided",
        0x24: "the link manager got a message that is not allowed now",
        0x25: "the mode of encryption is not acceptable",
        0x26: "the link key cannot be changed",
        0x27: "the quality of service that was asked for is not supported",
        0x28: "the moment for a change of the connection had passed",
        0x29: "pairing with a unit key is not supported",
        0x2A: "two procedures of the link layer collided",
        0x2C: "a parameter for the quality of service is not acceptable",
        0x2D: "the quality of service was rejected",
        0x2E: "the assessment of channels is not supported",
        0x2F: "the security of the connection is insufficient",
        0x30: "a parameter is out of its mandatory range",
        0x32: "a switch of roles is pending",
        0x34: "a reserved slot was violated",
        0x35: "the switch of roles has failed",
        0x36: "the extended inquiry response is too large",
        0x37: "the device does not support secure simple pairing",
        0x38: "the device is busy with another pairing",
        0x39: "no suitable channel was found for the connection",
        0x3A: "the adapter is busy",
        0x3B: "the connection's parameters are not acceptable",
        0x3C: "the device was not reached while it advertised",
        0x3D: "a packet of the encrypted connection was not authentic",
        0x3E: "the device was heard, but the connection could not be established",
        0x40: "the clock cannot be adjusted at once",
        0x41: "a map of slots is not defined",
        0x42: "there is no such advertising set or synchronization",
        0x43: "a limit of the controller was reached",
        0x44: "the operation was cancelled from this side",
        0x45: "the packet is too long",
        0x46: "it is too late for that",
        0x47: "it is too early for that",
        0x48: "too few channels are usable",
    ]
}
