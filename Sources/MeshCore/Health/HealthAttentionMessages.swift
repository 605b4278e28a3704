/// The layout of the Health messages that carry the Attention Timer state (Mesh Protocol 4.2.10): one octet.
package protocol HealthAttentionMessage: FieldMessage {
    /// For how many seconds more the element draws attention, 0 for not at all.
    var seconds: UInt8 { get }

    /// The message for that time.
    init(seconds: UInt8)
}

extension HealthAttentionMessage {
    /// Reads one octet.
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        self.init(seconds: try reader.readUInt8())
    }

    package func write(to writer: inout ByteWriter) {
        writer.write(seconds)
    }
}

/// Health Attention Get (Mesh Protocol 4.3.3.7). As all messages of the Health models it is secured with an AppKey that
/// is bound to the Health Server.
package struct HealthAttentionGet: ParameterlessMessage, AcknowledgedMessage {
    package typealias Status = HealthAttentionStatus
    package static let opcode: Opcode = 0x8004

    package init() {}

    /// Any status tells the state.
    package func isAnswered(by status: HealthAttentionStatus) -> Bool { true }
}

/// Health Attention Set (Mesh Protocol 4.3.3.8).
package struct HealthAttentionSet: HealthAttentionMessage, AcknowledgedMessage {
    package typealias Status = HealthAttentionStatus
    package static let opcode: Opcode = 0x8005
    /// For how long, 0 to end it.
    package var seconds: UInt8

    package init(seconds: UInt8) {
        self.seconds = seconds
    }

    /// Whether the timer can stand there after this request: it runs down meanwhile, but not to an end at once.
    package func isAnswered(by status: HealthAttentionStatus) -> Bool {
        status.seconds <= seconds && (status.seconds == 0) == (seconds == 0)
    }
}

/// Health Attention Set Unacknowledged (Mesh Protocol 4.3.3.9).
package struct HealthAttentionSetUnacknowledged: HealthAttentionMessage {
    package static let opcode: Opcode = 0x8006
    /// For how long, 0 to end it.
    package var seconds: UInt8

    package init(seconds: UInt8) {
        self.seconds = seconds
    }
}

/// Health Attention Status (Mesh Protocol 4.3.3.10).
package struct HealthAttentionStatus: HealthAttentionMessage {
    package static let opcode: Opcode = 0x8007
    /// For how long still, 0 if not at all.
    package var seconds: UInt8

    package init(seconds: UInt8) {
        self.seconds = seconds
    }
}
