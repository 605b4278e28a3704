/// A message of the access layer as a value: an opcode and the parameters that follow it (Mesh Protocol 3.7.3).
package protocol AccessMessage: Hashable, Sendable {
    static var opcode: Opcode { get }

    /// The octets after the opcode, integers least significant octet first. They contain the keys that the message
    /// carries.
    var parameters: [UInt8] { get }

    /// Reads the octets after the opcode.
    ///
    /// - Throws: ``DecodeError`` if no form of the message has this length, or a value is prohibited.
    init(parameters: ArraySlice<UInt8>) throws(DecodeError)
}

extension AccessMessage {
    /// The access payload: opcode, then parameters. It contains the keys that the message carries.
    package var encoded: [UInt8] { Self.opcode.encoded + parameters }
}

/// A message that asks for an answer (Mesh Protocol 3.7.4).
package protocol AcknowledgedMessage: AccessMessage {
    associatedtype Status: AccessMessage

    /// Whether `status` can answer this very message, rather than an earlier one about something else. The opcode alone
    /// does not tell: an answer may come late, after we gave up its request.
    func isAnswered(by status: Status) -> Bool
}

/// A message without parameters.
package protocol ParameterlessMessage: AccessMessage {
    /// Makes the message, which has only one value.
    init()
}

extension ParameterlessMessage {
    package var parameters: [UInt8] { [] }

    /// Accepts no octets.
    ///
    /// - Throws: ``DecodeError/trailing(offset:count:)`` if there is any octet.
    package init(parameters: ArraySlice<UInt8>) throws(DecodeError) {
        try ByteReader(parameters).expectEnd()
        self.init()
    }
}
