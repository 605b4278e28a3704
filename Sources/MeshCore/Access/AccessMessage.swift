/// A message of the access layer as a value: an opcode and the parameters that follow it (Mesh Protocol 3.7.3).
package protocol AccessMessage: Hashable, Sendable {
    /// What stands in front of the parameters.
    static var opcode: Opcode { get }

    /// The octets after the opcode, integers least significant octet first. Contains keys if the message does.
    var parameters: [UInt8] { get }

    /// From the octets after the opcode.
    ///
    /// - Throws: ``DecodeError`` if the length is none that the message has, or a value is prohibited.
    init(parameters: ArraySlice<UInt8>) throws(DecodeError)
}

extension AccessMessage {
    /// The access payload: opcode, then parameters. Contains keys if the message does.
    package var encoded: [UInt8] { Self.opcode.encoded + parameters }
}

/// A message that asks for an answer (Mesh Protocol 3.7.4).
package protocol AcknowledgedMessage: AccessMessage {
    /// The message that answers it.
    associatedtype Status: AccessMessage

    /// Whether `status` can be the answer to this very message, rather than to an earlier one that was about
    /// something else. The opcode alone does not tell: an answer may come late, after its request was given up.
    func isAnswered(by status: Status) -> Bool
}

/// A message without parameters.
package protocol ParameterlessMessage: AccessMessage {
    /// The message.
    init()
}

extension ParameterlessMessage {
    /// None.
    package var parameters: [UInt8] { [] }

    /// From nothing.
    ///
    /// - Throws: ``DecodeError/trailing(offset:count:)`` if there is any octet.
    package init(parameters: ArraySlice<UInt8>) throws(DecodeError) {
        try ByteReader(parameters).expectEnd()
        self.init()
    }
}

/// A message that is read and written field by field.
package protocol FieldMessage: AccessMessage {
    /// Reads the fields in their order; what is left in `reader` afterwards is refused.
    init(reading reader: inout ByteReader) throws(DecodeError)

    /// Writes the fields in their order.
    func write(to writer: inout ByteWriter)
}

extension FieldMessage {
    package var parameters: [UInt8] {
        var writer = ByteWriter(capacity: 32)
        write(to: &writer)
        return writer.bytes
    }

    /// From the fields in their order.
    ///
    /// - Throws: ``DecodeError`` if a field is missing or prohibited, or octets are left over.
    package init(parameters: ArraySlice<UInt8>) throws(DecodeError) {
        var reader = ByteReader(parameters)
        try self.init(reading: &reader)
        try reader.expectEnd()
    }
}
