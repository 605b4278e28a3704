/// The error code of a Provisioning Failed PDU, one octet (Mesh Protocol 5.4.4).
///
/// 0x00 is prohibited and codes above 0x09 are reserved, so no case stands for them.
package enum ProvisioningErrorCode: UInt8, CaseIterable, Sendable {
    /// The device does not know the type of a PDU.
    case invalidPDU = 0x01
    /// A PDU has a wrong length, or a value that the device did not offer or that is invalid.
    case invalidFormat = 0x02
    /// A PDU arrived at the wrong point of the protocol.
    case unexpectedPDU = 0x03
    /// The confirmation does not match the random number and the authentication value.
    case confirmationFailed = 0x04
    /// The device does not have the resources to continue.
    case outOfResources = 0x05
    /// The provisioning data are not authentic.
    case decryptionFailed = 0x06
    /// Another error occurred in the device.
    case unexpectedError = 0x07
    /// The device cannot take the addresses for all its elements.
    case cannotAssignAddresses = 0x08
    /// The provisioning data have values that the device cannot accept (1.1).
    case invalidData = 0x09

    package var name: String {
        switch self {
        case .invalidPDU: "Invalid PDU"
        case .invalidFormat: "Invalid Format"
        case .unexpectedPDU: "Unexpected PDU"
        case .confirmationFailed: "Confirmation Failed"
        case .outOfResources: "Out of Resources"
        case .decryptionFailed: "Decryption Failed"
        case .unexpectedError: "Unexpected Error"
        case .cannotAssignAddresses: "Cannot Assign Addresses"
        case .invalidData: "Invalid Data"
        }
    }

    /// What the code means, a clause without a full stop.
    package var meaning: String {
        switch self {
        case .invalidPDU: "the device does not know the type of a message that it received"
        case .invalidFormat: "a message had a wrong length or a value that the device does not accept"
        case .unexpectedPDU: "a message came when the device waited for another one"
        case .confirmationFailed: "the two sides do not have the same authentication value"
        case .outOfResources: "the device has no memory left for provisioning"
        case .decryptionFailed: "the device could not decrypt the provisioning data"
        case .unexpectedError: "the device failed without giving a reason"
        case .cannotAssignAddresses: "the device cannot use the block of addresses that begins with the given one"
        case .invalidData: "the device cannot accept the network key, IV index or address it was given"
        }
    }

    /// What helps, a clause without a full stop.
    package var advice: String {
        switch self {
        case .invalidPDU:
            "try again; if the error persists, the device speaks another version of the protocol: update its firmware"
        case .invalidFormat:
            "try another authentication method or algorithm; if the error persists, update the firmware of the device"
        case .unexpectedPDU: "try again; power-cycle the device if it keeps an old session"
        case .confirmationFailed:
            "check the out-of-band value: read it again, and make sure that it belongs to this device"
        case .outOfResources: "power-cycle the device and try again; some must be reset to factory settings first"
        case .decryptionFailed:
            "try again; if the error persists, somebody may be interfering between you and the device"
        case .unexpectedError: "power-cycle the device and try again"
        case .cannotAssignAddresses: "choose another address, with room up to 0x7FFF for all elements"
        case .invalidData: "check the NetKey index, the IV index and the address; the device may not accept every value"
        }
    }
}
