/// The algorithms of provisioning (Mesh Protocol 5.4.1.3).
package enum ProvisioningAlgorithm: UInt8, CaseIterable, Sendable {
    /// BTM_ECDH_P256_CMAC_AES128_AES_CCM: 128-bit confirmations. An eavesdropper can try all short values afterwards.
    case cmacAES128 = 0x00
    /// BTM_ECDH_P256_HMAC_SHA256_AES_CCM of 1.1: 256-bit confirmations.
    case hmacSHA256 = 0x01

    package var name: String {
        switch self {
        case .cmacAES128: "BTM_ECDH_P256_CMAC_AES128_AES_CCM"
        case .hmacSHA256: "BTM_ECDH_P256_HMAC_SHA256_AES_CCM"
        }
    }

    /// The number of octets of confirmations, random numbers and authentication values.
    package var confirmationSize: Int {
        switch self {
        case .cmacAES128: 16
        case .hmacSHA256: 32
        }
    }
}

/// How a device tells a value to a person (Mesh Protocol 5.4.1.2, 5.4.1.3).
package enum OutputAction: UInt8, CaseIterable, Sendable {
    /// It blinks as often as the number says.
    case blink = 0
    /// It beeps as often as the number says.
    case beep = 1
    /// It vibrates as often as the number says.
    case vibrate = 2
    /// It displays a number.
    case numeric = 3
    /// It displays digits and capital letters.
    case alphanumeric = 4

    package func format(size: UInt8) -> OutOfBandFormat {
        switch self {
        case .blink, .beep, .vibrate: .count(digits: size)
        case .numeric: .number(digits: size)
        case .alphanumeric: .text(characters: size)
        }
    }
}

/// How a person tells a value to a device (Mesh Protocol 5.4.1.2, 5.4.1.3).
package enum InputAction: UInt8, CaseIterable, Sendable {
    /// They push a button as often as the number says.
    case push = 0
    /// They twist a knob as often as the number says.
    case twist = 1
    /// They type a number.
    case numeric = 2
    /// They type digits and capital letters.
    case alphanumeric = 3

    package func format(size: UInt8) -> OutOfBandFormat {
        switch self {
        case .push, .twist: .count(digits: size)
        case .numeric: .number(digits: size)
        case .alphanumeric: .text(characters: size)
        }
    }
}

/// How the two sides authenticate each other: the last three octets of the Start PDU (Mesh Protocol 5.4.1.3).
package enum AuthenticationMethod: Hashable, Sendable {
    /// Not at all: a man in the middle goes unnoticed.
    case noOOB
    /// By a value that both sides know beforehand.
    case staticOOB
    /// By a value of `size` digits or characters, 1...8, that the device outputs.
    case outputOOB(OutputAction, size: UInt8)
    /// By a value of `size` digits or characters, 1...8, that a person enters into the device.
    case inputOOB(InputAction, size: UInt8)

    /// The methods without their details.
    package enum Kind: UInt8, CaseIterable, Sendable {
        case noOOB = 0
        case staticOOB = 1
        case outputOOB = 2
        case inputOOB = 3
    }

    package var kind: Kind {
        switch self {
        case .noOOB: .noOOB
        case .staticOOB: .staticOOB
        case .outputOOB: .outputOOB
        case .inputOOB: .inputOOB
        }
    }

    /// The possible sizes of a value.
    package static let sizes: ClosedRange<UInt8> = 1...8

    init(decoding reader: inout ByteReader) throws(DecodeError) {
        let method = try reader.readUInt8()
        let action = try reader.readUInt8()
        let size = try reader.readUInt8()
        guard let kind = Kind(rawValue: method) else {
            throw .prohibited(field: "AuthenticationMethod", value: UInt64(method))
        }
        switch kind {
        case .noOOB, .staticOOB:
            guard action == 0 else { throw .prohibited(field: "AuthenticationAction", value: UInt64(action)) }
            guard size == 0 else { throw .prohibited(field: "AuthenticationSize", value: UInt64(size)) }
            self = kind == .noOOB ? .noOOB : .staticOOB
            return
        case .outputOOB, .inputOOB:
            guard AuthenticationMethod.sizes.contains(size) else {
                throw .prohibited(field: "AuthenticationSize", value: UInt64(size))
            }
        }
        if kind == .outputOOB, let action = OutputAction(rawValue: action) {
            self = .outputOOB(action, size: size)
        } else if kind == .inputOOB, let action = InputAction(rawValue: action) {
            self = .inputOOB(action, size: size)
        } else {
            throw .prohibited(field: "AuthenticationAction", value: UInt64(action))
        }
    }

    /// Method (1), action (1), size (1).
    var encoded: [UInt8] {
        switch self {
        case .noOOB, .staticOOB: [kind.rawValue, 0, 0]
        case .outputOOB(let action, let size): [kind.rawValue, action.rawValue, size]
        case .inputOOB(let action, let size): [kind.rawValue, action.rawValue, size]
        }
    }
}

/// The parameters of the Start PDU, 5 octets (Mesh Protocol 5.4.1.3): algorithm (1), public key (1), authentication
/// method (1), action (1), size (1).
package struct ProvisioningStart: Hashable, Sendable {
    package var algorithm: ProvisioningAlgorithm
    /// Whether the provisioner has read the device's public key out of band, so that the device does not send it.
    package var isPublicKeyOutOfBand: Bool
    package var method: AuthenticationMethod

    package init(algorithm: ProvisioningAlgorithm, isPublicKeyOutOfBand: Bool, method: AuthenticationMethod) {
        self.algorithm = algorithm
        self.isPublicKeyOutOfBand = isPublicKeyOutOfBand
        self.method = method
    }

    init(decoding reader: inout ByteReader) throws(DecodeError) {
        let algorithm = try reader.readUInt8()
        guard let known = ProvisioningAlgorithm(rawValue: algorithm) else {
            throw .prohibited(field: "Algorithm", value: UInt64(algorithm))
        }
        let publicKey = try reader.readUInt8()
        guard publicKey <= 1 else { throw .prohibited(field: "PublicKey", value: UInt64(publicKey)) }
        self.algorithm = known
        isPublicKeyOutOfBand = publicKey == 1
        method = try AuthenticationMethod(decoding: &reader)
    }

    /// The 5 octets.
    var encoded: [UInt8] { [algorithm.rawValue, isPublicKeyOutOfBand ? 1 : 0] + method.encoded }
}
