/// Health Attention Get (Mesh Protocol 4.3.3.7). An AppKey that is bound to the Health Server secures it, as it does
/// all messages of the Health models.
package struct HealthAttentionGet: ParameterlessMessage, AcknowledgedMessage {
    package typealias Status = HealthAttentionStatus
    package static let opcode: Opcode = 0x8004

    package init() {}

    /// Every status tells the state.
    package func isAnswered(by status: HealthAttentionStatus) -> Bool { true }
}

/// Health Attention Set (Mesh Protocol 4.3.3.8).
package struct HealthAttentionSet: FoundationMessage, AcknowledgedMessage {
    package typealias Status = HealthAttentionStatus
    package static let opcode: Opcode = 0x8005
    package static let layout = Layout(Self.init, .field("attention", \.seconds, as: "attention"))
    /// For how many seconds to draw attention; 0 to stop.
    package var seconds: UInt8

    package init(seconds: UInt8) {
        self.seconds = seconds
    }

    /// Whether the timer can have this value after the request: it runs down meanwhile, but does not reach 0 at once.
    package func isAnswered(by status: HealthAttentionStatus) -> Bool {
        status.seconds <= seconds && (status.seconds == 0) == (seconds == 0)
    }
}

/// Health Attention Set Unacknowledged (Mesh Protocol 4.3.3.9).
package struct HealthAttentionSetUnacknowledged: FoundationMessage {
    package static let opcode: Opcode = 0x8006
    package static let layout = Layout(Self.init, .field("attention", \.seconds, as: "attention"))
    /// For how many seconds to draw attention; 0 to stop.
    package var seconds: UInt8

    package init(seconds: UInt8) {
        self.seconds = seconds
    }
}

/// Health Attention Status (Mesh Protocol 4.3.3.10).
package struct HealthAttentionStatus: FoundationMessage {
    package static let opcode: Opcode = 0x8007
    package static let layout = Layout(Self.init, .field("attention", \.seconds, as: "attention"))
    /// How many seconds remain; 0 if the element does not draw attention.
    package var seconds: UInt8

    package init(seconds: UInt8) {
        self.seconds = seconds
    }
}
