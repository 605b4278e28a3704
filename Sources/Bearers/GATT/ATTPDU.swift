/// The first and the last handle of a range of attributes, 16 bits each.
package struct HandleRange: Hashable, Sendable {
    /// The first handle, at least 1.
    package let first: UInt16
    /// The last handle, not below the first.
    package let last: UInt16

    /// A range, nil if it begins at 0 or ends before it begins (Core Vol 3 Part F 3.4.3.1).
    package init?(_ first: UInt16, _ last: UInt16) {
        guard first > 0, first <= last else { return nil }
        self.first = first
        self.last = last
    }

    private init() {
        first = 1
        last = .max
    }

    package static let all = HandleRange()

    package func overlaps(_ other: HandleRange) -> Bool { first <= other.last && other.first <= last }

    package func contains(_ handle: UInt16) -> Bool { first <= handle && handle <= last }

    /// The part of the range after the handle; nil if nothing is left.
    package func after(_ handle: UInt16) -> HandleRange? {
        handle < last ? HandleRange(max(first, handle + 1), last) : nil
    }
}

/// An attribute's handle with its value or a part of it.
package struct AttributeValue: Hashable, Sendable {
    package var handle: UInt16
    /// The octets of the value, or a part of them.
    package var value: [UInt8]

    package init(_ handle: UInt16, _ value: [UInt8]) {
        self.handle = handle
        self.value = value
    }
}

/// A PDU of the attribute protocol that a client sends or receives (Core Vol 3 Part F 3.4): an opcode of one octet,
/// then parameters. Integers are sent least significant octet first.
package enum ATTPDU: Hashable, Sendable {
    /// Error Response: the request's opcode, the handle it concerns, and the reason.
    case errorResponse(request: UInt8, handle: UInt16, ATTErrorCode)
    /// Exchange MTU Request: the largest PDU that the client accepts.
    case exchangeMTURequest(UInt16)
    /// Exchange MTU Response: the largest PDU that the server accepts.
    case exchangeMTUResponse(UInt16)
    /// Find Information Request: asks for the types of the attributes.
    case findInformationRequest(HandleRange)
    /// Find Information Response: handles with types of 16 bits, or of 128 bits each; at least one.
    case findInformationResponse([AttributeValue])
    /// Find By Type Value Request: asks where an attribute of that type (16 bits) has that value.
    case findByTypeValueRequest(HandleRange, type: UInt16, value: [UInt8])
    /// Find By Type Value Response: the groups that begin with such attributes; at least one.
    case findByTypeValueResponse([HandleRange])
    /// Read By Type Request: asks for the values of the attributes of a type.
    case readByTypeRequest(HandleRange, type: BluetoothUUID)
    /// Read By Type Response: values of the same length, at least one.
    case readByTypeResponse([AttributeValue])
    case readRequest(UInt16)
    /// Read Response: the value, as much as fits.
    case readResponse([UInt8])
    /// Read Blob Request: asks for the value from an offset on.
    case readBlobRequest(UInt16, offset: UInt16)
    /// Read Blob Response: the value from that offset, as much as fits.
    case readBlobResponse([UInt8])
    /// Read By Group Type Request: asks for the values of the attributes of a type that begin groups.
    case readByGroupTypeRequest(HandleRange, type: BluetoothUUID)
    /// Read By Group Type Response: groups and values of the same length, at least one.
    case readByGroupTypeResponse([AttributeGroup])
    case writeRequest(AttributeValue)
    case writeResponse
    /// Write Command, which has no response.
    case writeCommand(AttributeValue)
    case notification(AttributeValue)
    /// Multiple Handle Value Notification: at least two values (3.4.7.4).
    case multipleNotification([AttributeValue])
    /// Handle Value Indication, which the client must confirm.
    case indication(AttributeValue)
    /// Handle Value Confirmation.
    case confirmation
}

/// A group of attributes, such as a service, with the value of its first attribute.
package struct AttributeGroup: Hashable, Sendable {
    package var handles: HandleRange
    /// The value of the first attribute.
    package var value: [UInt8]

    package init(_ handles: HandleRange, _ value: [UInt8]) {
        self.handles = handles
        self.value = value
    }
}

extension ATTPDU {
    /// The kind of PDU. The opcode shows it, even if this program does not know the PDU (3.3.1): bit 7 is set in signed
    /// commands, bit 6 in commands.
    package enum Kind: Hashable, Sendable {
        /// Sent by a client, answered by a response. Every unknown opcode counts as a request (3.3.2).
        case request
        /// Sent by a server, answers a request.
        case response
        /// Sent by a client, not answered.
        case command
        /// Sent by a server, not answered.
        case notification
        /// Sent by a server, answered by a confirmation.
        case indication
        /// Sent by a client, answers an indication.
        case confirmation
    }

    /// The kind of PDU that begins with that octet.
    package static func kind(ofOpcode opcode: UInt8) -> Kind {
        switch opcode {
        case 0x01, 0x03, 0x05, 0x07, 0x09, 0x0B, 0x0D, 0x0F, 0x11, 0x13, 0x17, 0x19, 0x21: .response
        case 0x1B, 0x23: .notification
        case 0x1D: .indication
        case 0x1E: .confirmation
        default: opcode & 0x40 != 0 ? .command : .request
        }
    }
}
