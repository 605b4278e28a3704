/// How far a provisioning session has come.
package enum ProvisioningStage: Hashable, Sendable {
    /// Nothing was sent yet.
    case notStarted
    /// Waiting for the Invite, or for the capabilities after it.
    case invitation
    /// Capabilities known: waiting for the provisioner's decision, or for its Start PDU.
    case decision
    /// Waiting for the peer's public key.
    case publicKeyExchange
    /// Waiting for a person: a value to be read from the device or put into it.
    case outOfBandValue
    /// Waiting for the peer's confirmation.
    case confirmation
    /// Waiting for the peer's random number, which proves the confirmation.
    case verification
    /// Authenticated: waiting for device key and address to be stored.
    case durability
    /// Waiting for the provisioning data, or for the device to say that it accepts it.
    case completion
    /// The device is a node.
    case completed
    /// Given up.
    case failed

    /// What was going on, for people: "failed while …".
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
        case .completion: "handing over the provisioning data"
        case .completed: "completed"
        case .failed: "given up"
        }
    }
}

/// Why a provisioning session was given up, seen from one side.
package enum ProvisioningFailureReason: Error, Hashable, Sendable {
    /// No PDU came or went for 60 seconds.
    case timedOut
    /// The link was closed, by whomever.
    case linkClosed
    /// The caller gave up.
    case cancelled
    /// The device sent Provisioning Failed.
    case reportedByDevice(ProvisioningErrorCode)
    /// The device was told to give up with that code, as a simulated one that lacks resources.
    case refused(ProvisioningErrorCode)
    /// A PDU has a wrong form.
    case malformed(DecodeError)
    /// A PDU of that type has no place now.
    case unexpected(ProvisioningPDU.MessageType)
    /// The Start PDU asks for something that the capabilities do not offer.
    case notOffered
    /// The peer's public key is not a point of the curve.
    case invalidPublicKey
    /// The peer sends our own public key, or its opposite, back.
    case reflectedPublicKey
    /// The peer sends our own confirmation back.
    case reflectedConfirmation
    /// The peer sends our own random number back.
    case reflectedRandom
    /// The peer's confirmation does not fit its random number and our authentication value.
    case confirmationMismatch
    /// The provisioning data is not authentic.
    case dataNotAuthentic
    /// The elements of the device have no room from the address on, or it is not a unicast address.
    case cannotAssignAddresses
    /// The provisioning data has an invalid value.
    case invalidData(DecodeError)

    /// What a device tells the provisioner then; nil where nothing is sent.
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
    /// What went wrong, for people, a clause without a full stop.
    package var description: String {
        switch self {
        case .timedOut: "nothing came for 60 seconds"
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

    /// What somebody can do about it, a clause without a full stop.
    package var advice: String {
        switch self {
        case .timedOut, .linkClosed, .cancelled: "see that the device has power and is near, and try again"
        case .confirmationMismatch: ProvisioningErrorCode.confirmationFailed.advice
        case .reflectedPublicKey, .reflectedConfirmation, .reflectedRandom, .invalidPublicKey, .dataNotAuthentic:
            "suspect somebody between you and the device, or a device with faulty firmware"
        default: errorCode?.advice ?? "try again"
        }
    }
}

/// The end of a session without a node that is known to be one.
package struct ProvisioningFailure: Error, Hashable, Sendable {
    /// Why.
    package var reason: ProvisioningFailureReason
    /// How far the session had come.
    package var stage: ProvisioningStage
    /// Whether provisioning data had been sent: then the device may be a node all the same, with the device key and
    /// address of the session, whatever the reason says, for nothing that comes after the data is authenticated. Its
    /// advertising tells.
    package var mayBeProvisioned: Bool { stage == .completion }

    package init(_ reason: ProvisioningFailureReason, at stage: ProvisioningStage) {
        self.reason = reason
        self.stage = stage
    }
}

/// Why a machine does not take what its caller gives it; its state is unchanged.
package enum ProvisioningInputError: Error, Hashable, Sendable {
    /// The session waits for something else.
    case notExpected(ProvisioningStage)
    /// The device does not offer what was chosen.
    case notOffered
    /// The elements of the device have no room up to 0x7FFF from the address on.
    case addressBlock(UnicastAddress, elementCount: UInt8)
    /// The value cannot be the one asked for.
    case value(OutOfBandValueError)
}

/// The 60 seconds that a session may pass without a PDU either way (Mesh Protocol 5.4.4).
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
