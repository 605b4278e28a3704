import MeshCore

/// Why a server refuses a request (Core Vol 3 Part F 3.4.1.1; common profile errors: Core Specification Supplement,
/// Part B 1.2).
package struct ATTErrorCode: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt8

    /// The code with that octet; every octet is allowed.
    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// The server cannot process the request, or does not know it.
    package static let requestNotSupported = ATTErrorCode(rawValue: 0x06)
    package static let invalidPDU = ATTErrorCode(rawValue: 0x04)
    /// The range holds no attribute of the type; a search ends with this.
    package static let attributeNotFound = ATTErrorCode(rawValue: 0x0A)

    /// How to mend it; nil if nothing is known.
    package var hint: String? {
        switch rawValue {
        case 0x05, 0x08, 0x0C, 0x0F:
            "the device asks for pairing, which mesh nodes do not need, because they have keys of their own; "
                + "look for a setting or another firmware of the device"
        case 0x09, 0x11, 0x0E, 0xFE: "connect again; if that does not help, restart the device"
        case 0x12: "connect again"
        default: nil
        }
    }
}

extension ATTErrorCode: CustomStringConvertible {
    /// The code in plain words, with its number: `the attribute cannot be read (ATT error 0x02)`.
    package var description: String { "\(text) (ATT error 0x\(rawValue.hexadecimal))" }

    /// The reason alone.
    var text: String {
        switch rawValue {
        case 0x01: "the handle is not valid"
        case 0x02: "the attribute cannot be read"
        case 0x03: "the attribute cannot be written"
        case 0x04: "it considers the request malformed"
        case 0x05: "it wants an authenticated connection"
        case 0x06: "it does not support the request"
        case 0x07: "the offset is past the end of the value"
        case 0x08: "it wants an authorized connection"
        case 0x09: "too many prepared writes are queued"
        case 0x0A: "there is no such attribute"
        case 0x0B: "the attribute is not long enough for the request"
        case 0x0C: "the key of the encrypted connection is too short for it"
        case 0x0D: "the value has a length that the attribute cannot have"
        case 0x0E: "something unlikely went wrong inside the device"
        case 0x0F: "it wants an encrypted connection"
        case 0x10: "the type is not a grouping attribute"
        case 0x11: "it has run out of memory"
        case 0x12: "its services have changed in between"
        case 0x13: "the value is not allowed"
        case 0x14: "a command of another kind is due"
        case 0x80...0x9F: "the application refuses it"
        case 0xFC: "the write request is refused"
        case 0xFD: "the descriptor that turns notifications on is configured improperly"
        case 0xFE: "a procedure is in progress already"
        case 0xFF: "the value is out of range"
        case 0xE0...0xFB: "for a reason of the common profiles that is not assigned"
        default: "for a reason that is not assigned"
        }
    }
}
