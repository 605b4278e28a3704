/// How far a provisioning session has come.
package enum ProvisioningStage: Hashable, Sendable {
    case notStarted
    /// Waiting for the Invite, or for the capabilities after it.
    case invitation
    /// The capabilities are known: waiting for the provisioner's decision, or for its Start PDU.
    case decision
    /// Waiting for the peer's public key.
    case publicKeyExchange
    /// Waiting for a person to read a value from the device or enter one.
    case outOfBandValue
    /// Waiting for the peer's confirmation.
    case confirmation
    /// Waiting for the peer's random number, which proves the confirmation.
    case verification
    /// The device is authenticated: waiting until device key and address are stored.
    case durability
    /// Waiting for the provisioning data, or for the device to accept them.
    case completion
    /// The device is a node.
    case completed
    case failed

    /// What was under way, for people: "failed while …".
    package var activity: String {
        switch self {
        case .notStarted: "opening the session"
        case .invitation: "asking for its capabilities"
        case .decision: "choosing how to authenticate"
        case .publicKeyExchange: "exchanging public keys"
        case .outOfBandValue: "waiting for the out-of-band value"
        case .confirmation: "exchanging confirmations"
        case .verification: "verifying the confirmation"
        case .durability: "storing the device key"
        case .completion: "sending the provisioning data"
        case .completed: "completed"
        case .failed: "given up"
        }
    }
}

/// Why one side gave up a provisioning session.
package enum ProvisioningFailureReason: Error, Hashable, Sendable {
    /// No PDU was sent or received for 60 seconds.
    case timedOut
    case linkClosed
    /// The caller gave up.
    case cancelled
    case reportedByDevice(ProvisioningErrorCode)
    /// The device was told to give up with that code, such as a simulated one without resources.
    case refused(ProvisioningErrorCode)
    case malformed(DecodeError)
    /// A PDU of that type is not expected now.
    case unexpected(ProvisioningPDU.MessageType)
    /// The Start PDU asks for something that the capabilities do not offer.
    case notOffered
    /// The peer's public key is not a point of the curve.
    case invalidPublicKey
    /// The peer sent our own public key, or its opposite.
    case reflectedPublicKey
    /// The peer sent our own confirmation.
    case reflectedConfirmation
    /// The peer sent our own random number.
    case reflectedRandom
    /// The peer's confirmation does not match its random number and our authentication value.
    case confirmationMismatch
    case dataNotAuthentic
    /// The address is not unicast, or the elements do not fit from it on.
    case cannotAssignAddresses
    case invalidData(DecodeError)

    /// The code that a device sends to the provisioner; nil if it sends none.
    package var errorCode: ProvisioningErrorCode? {
        switch self {
        case .timedOut, .linkClosed, .cancelled: nil
        case .reportedByDevice(let code), .refused(let code): code
        case .malformed(.unknownType): .invalidPDU
        case .malformed, .notOffered, .invalidPublicKey, .reflectedPublicKey: .invalidFormat
        case .unexpected: .unexpectedPDU
        case .reflectedConfirmation, .reflectedRandom, .confirmationMismatch: .confirmationFailed
        case .dataNotAuthentic: .decryptionFailed
        case .cannotAssignAddresses: .cannotAssignAddresses
        case .invalidData: .invalidData
        }
    }
}

extension ProvisioningFailureReason: CustomStringConvertible {
    /// What went wrong, for people; a clause without a full stop.
    package var description: String {
        switch self {
        case .timedOut: "no message arrived for 60 seconds"
        case .linkClosed: "the link was closed"
        case .cancelled: "it was cancelled"
        case .reportedByDevice(let code): "the device answered \(code.name): \(code.meaning)"
        case .refused(let code): "refused with \(code.name)"
        case .malformed(let error): "a message is malformed: \(error)"
        case .unexpected(let type): "a message of type 0x\(type.rawValue.hexadecimal) came out of order"
        case .notOffered: "the provisioner asked for something that was not offered"
        case .invalidPublicKey: "the public key of the other side is not valid"
        case .reflectedPublicKey: "the other side sent our own public key back"
        case .reflectedConfirmation: "the other side sent our own confirmation back"
        case .reflectedRandom: "the other side sent our own random number back"
        case .confirmationMismatch: "the two sides do not have the same authentication value"
        case .dataNotAuthentic: "the provisioning data is not authentic"
        case .cannotAssignAddresses: "there is no room for all elements from the address on"
        case .invalidData(let error): "the provisioning data is not valid: \(error)"
        }
    }

    /// What helps, a clause without a full stop.
    package var advice: String {
        switch self {
        case .timedOut, .linkClosed, .cancelled: "make sure that the device has power and is near, and try again"
        case .confirmationMismatch: ProvisioningErrorCode.confirmationFailed.advice
        case .reflectedPublicKey, .reflectedConfirmation, .reflectedRandom, .invalidPublicKey, .dataNotAuthentic:
            "somebody may be interfering between you and the device, or its firmware is faulty"
        default: errorCode?.advice ?? "try again"
        }
    }
}

/// The end of a session whose device is not known to be a node.
package struct ProvisioningFailure: Error, Hashable, Sendable {
    package var reason: ProvisioningFailureReason
    package var stage: ProvisioningStage
    /// Whether the provisioning data were sent. The device may then be a node with the device key and address of the
    /// session, whatever the reason is, because nothing after the data is authenticated. Its advertising tells.
    package var mayBeProvisioned: Bool { stage == .completion }

    package init(_ reason: ProvisioningFailureReason, at stage: ProvisioningStage) {
        self.reason = reason
        self.stage = stage
    }
}

/// Why a machine refuses its caller's input; its state is unchanged.
package enum ProvisioningInputError: Error, Hashable, Sendable {
    /// The session waits for something else.
    case notExpected(ProvisioningStage)
    /// The device does not offer the choice.
    case notOffered
    /// The elements of the device do not fit below 0x8000 from the address on.
    case addressBlock(UnicastAddress, elementCount: UInt8)
    /// The value cannot be the requested one.
    case value(OutOfBandValueError)
}

/// The 60 seconds that a session may last without a PDU in either direction (Mesh Protocol 5.4.4).
struct ProvisioningTimer {
    static let timeout = Duration.seconds(60)

    private(set) var deadline: Instant?

    mutating func restart(at now: Instant) {
        deadline = now.advanced(by: ProvisioningTimer.timeout)
    }

    mutating func stop() {
        deadline = nil
    }

    func isOver(at now: Instant) -> Bool {
        deadline.map { $0 <= now } ?? false
    }
}
