import TestSupport
import Testing

@testable import MeshCore

/// The attacks on a provisioner that have a name.
enum ProvisioningAttack: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case forgedStatic, forgedOutput, forgedInput
    case reflectedPublicKey, reflectedConfirmation, invalidPoint
    case bruteForce
    case downgradedAlgorithm, downgradedMethod, downgradedPublicKey
    case sameUUID, reopenedLink

    var testDescription: String { rawValue }

    /// What the attacker says that it can do.
    var capabilities: ProvisioningCapabilities {
        switch self {
        case .forgedStatic, .downgradedAlgorithm, .reopenedLink:
            ProvisioningCapabilities(elementCount: 1, algorithms: [.cmacAES128], isStaticValueAvailable: true)
        case .forgedOutput:
            ProvisioningCapabilities(
                elementCount: 1,
                algorithms: [.cmacAES128],
                outputSize: 8,
                outputActions: [.alphanumeric]
            )
        case .forgedInput:
            ProvisioningCapabilities(
                elementCount: 1,
                algorithms: [.cmacAES128],
                inputSize: 8,
                inputActions: [.alphanumeric]
            )
        case .reflectedPublicKey, .reflectedConfirmation, .invalidPoint, .bruteForce, .sameUUID, .downgradedPublicKey:
            ProvisioningCapabilities(elementCount: 1, isStaticValueAvailable: true)
        case .downgradedMethod: ProvisioningCapabilities(elementCount: 1)
        }
    }

    /// What the building knows of the real device.
    var material: OutOfBandMaterial {
        var generator = SplitMix64(seed: 77)
        var material = OutOfBandMaterial(staticValue: value)
        switch self {
        case .forgedOutput: material = OutOfBandMaterial(canReadOutput: true)
        case .forgedInput: material = OutOfBandMaterial(canEnterInput: true)
        case .downgradedPublicKey: material.publicKey = P256KeyPair.random(using: &generator).publicKey
        default: break
        }
        return material
    }

    /// The static value of the real device, which the attacker does not know.
    private var value: StaticOutOfBandValue {
        if self == .bruteForce { return ProvisioningFixture.staticValue([0x1B, 0x2C]) }
        var generator = SplitMix64(seed: 99)
        return ProvisioningFixture.staticValue((0..<32).map { _ in UInt8(truncatingIfNeeded: generator.next() >> 8) })
    }
}

/// A device that knows no secret and tries to get the network's key all the same.
final class AttackDevice {
    let attack: ProvisioningAttack
    /// What it says in this session.
    var capabilities: ProvisioningCapabilities
    /// What it has learnt of AuthValue, in this session or an earlier one.
    private(set) var learnt: [UInt8]?
    /// The data that it could read.
    private(set) var obtained: ProvisioningData?
    /// The types of the PDUs that it got.
    private(set) var received: [UInt8] = []
    private(set) var isClosed = false

    private var keyPair: P256KeyPair
    private var generator: SplitMix64
    private var inputs: [UInt8] = []
    private var algorithm = ProvisioningAlgorithm.cmacAES128
    private var isInput = false
    private var secret: [UInt8] = []
    private var (theirConfirmation, ownConfirmation): ([UInt8], [UInt8]) = ([], [])
    private var (theirRandom, ownRandom): ([UInt8], [UInt8]) = ([], [])

    init(_ attack: ProvisioningAttack) {
        self.attack = attack
        capabilities = attack.capabilities
        generator = SplitMix64(seed: 5)
        keyPair = P256KeyPair.random(using: &generator)
    }

    /// Forgets the session, but not what it has learnt, and comes back with another key.
    func reopen(with capabilities: ProvisioningCapabilities) {
        self.capabilities = capabilities
        keyPair = P256KeyPair.random(using: &generator)
        (inputs, isClosed) = ([], false)
    }

    /// What it answers to a PDU.
    func answers(to pdu: [UInt8]) -> [[UInt8]] {
        received.append(pdu[0])
        let body = Array(pdu.dropFirst())
        switch pdu[0] {
        case 0x00:
            inputs = body + capabilities.encoded
            return [[0x01] + capabilities.encoded]
        case 0x02:
            inputs += body
            algorithm = body[0] == 1 ? .hmacSHA256 : .cmacAES128
            isInput = body[2] == 3
            return []
        case 0x03: return exchange(body)
        case 0x05:
            theirConfirmation = body
            ownConfirmation = commitment()
            return [[0x05] + ownConfirmation]
        case 0x06:
            theirRandom = body
            learn()
            guard !isClosed else { return [] }
            ownRandom = random()
            return [[0x06] + ownRandom]
        case 0x07:
            let keys = confirmations.keys(provisionerRandom: theirRandom, deviceRandom: ownRandom)
            obtained = keys.open(body).flatMap { try? ProvisioningData(decoding: $0) }
            return [[0x08]]
        default: return []
        }
    }

    private func exchange(_ key: [UInt8]) -> [[UInt8]] {
        let own: [UInt8] =
            switch attack {
            case .reflectedPublicKey: key
            case .invalidPoint: [UInt8](repeating: 1, count: 64)
            default: keyPair.publicKey.coordinates
            }
        inputs += key + own
        if let theirs = P256PublicKey(key) { secret = keyPair.sharedSecret(with: theirs) }
        return [[0x03] + own] + (isInput ? [[0x04]] : [])
    }

    private var confirmations: ProvisioningConfirmations {
        ProvisioningConfirmations(algorithm: algorithm, secret: secret, inputs: inputs)
    }

    /// A confirmation that fits anything under AES-CMAC, and a guess otherwise.
    private func commitment() -> [UInt8] {
        if attack == .reflectedConfirmation { return theirConfirmation }
        if algorithm == .cmacAES128 { return [UInt8](repeating: 0x5A, count: 16) }
        ownRandom = (0..<32).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
        let guess = ProvisioningFixture.staticValue(learnt.map { $0.isEmpty ? [0] : $0 } ?? [0xEE])
        return confirmations.confirmation(of: ownRandom, AuthenticationValue(guess, algorithm))
    }

    /// What the provisioner's Confirmation and Random tell together.
    private func learn() {
        if algorithm == .cmacAES128 {
            let cipher = ConfirmationCipher(key)
            learnt = cipher.inverse(theirConfirmation) ^ cipher.forward(theirRandom) ^ cipher.subkey
            isClosed = attack == .reopenedLink
        } else if attack == .bruteForce, learnt == nil {
            learnt = (0...UInt16.max).lazy.map { [UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)] }.first { octets in
                let value = AuthenticationValue(ProvisioningFixture.staticValue(octets), .hmacSHA256)
                return self.confirmations.confirmation(of: self.theirRandom, value) == self.theirConfirmation
            }
            isClosed = true
        }
    }

    /// The number under which the commitment comes out, once AuthValue is known.
    private func random() -> [UInt8] {
        if attack == .reflectedConfirmation { return theirRandom }
        guard algorithm == .cmacAES128, let learnt else { return ownRandom }
        let cipher = ConfirmationCipher(key)
        return cipher.inverse(cipher.inverse(ownConfirmation) ^ learnt ^ cipher.subkey)
    }

    /// The ConfirmationKey, which every device computes after the key agreement.
    private var key: [UInt8] {
        KeyDerivation.k1(secret, salt: KeyDerivation.s1(inputs), purpose: Array("prck".utf8)).bytes
    }
}

/// AES-128 in both directions (FIPS 197), and the subkey of AES-CMAC for whole blocks (RFC 4493): what it takes to undo
/// a code of two blocks.
private struct ConfirmationCipher {
    private static let (box, inverseBox): ([UInt8], [UInt8]) = {
        var (box, inverse) = ([UInt8](repeating: 0, count: 256), [UInt8](repeating: 0, count: 256))
        for value in 0...255 as ClosedRange<UInt8> {
            let reciprocal = value == 0 ? 0 : (1...255 as ClosedRange<UInt8>).first { product(value, $0) == 1 } ?? 0
            let turned = (1...4).reduce(reciprocal) { $0 ^ (reciprocal << $1 | reciprocal >> (8 - $1)) } ^ 0x63
            (box[Int(value)], inverse[Int(turned)]) = (turned, value)
        }
        return (box, inverse)
    }()

    private let roundKeys: [[UInt8]]

    init(_ key: [UInt8]) {
        var words = stride(from: 0, to: 16, by: 4).map { Array(key[$0..<$0 + 4]) }
        var constant: UInt8 = 1
        for place in 4..<44 {
            var word = words[place - 1]
            if place % 4 == 0 {
                word = [word[1], word[2], word[3], word[0]].map { Self.box[Int($0)] }
                word[0] ^= constant
                constant = Self.product(constant, 2)
            }
            words.append(words[place - 4] ^ word)
        }
        roundKeys = (0..<11).map { Array(words[4 * $0..<4 * $0 + 4].joined()) }
    }

    var subkey: [UInt8] {
        let block = forward([UInt8](repeating: 0, count: 16))
        var doubled = block.indices.map { block[$0] << 1 | ($0 < 15 ? block[$0 + 1] >> 7 : 0) }
        if block[0] & 0x80 != 0 { doubled[15] ^= 0x87 }
        return doubled
    }

    func forward(_ block: [UInt8]) -> [UInt8] {
        var state = block ^ roundKeys[0]
        for round in 1...10 {
            let boxed = state.map { Self.box[Int($0)] }
            state = (0..<16).map { boxed[($0 + 4 * ($0 % 4)) % 16] }
            if round < 10 { state = Self.mixed(state, [2, 3, 1, 1]) }
            state = state ^ roundKeys[round]
        }
        return state
    }

    func inverse(_ block: [UInt8]) -> [UInt8] {
        var state = block
        for round in (1...10).reversed() {
            state = state ^ roundKeys[round]
            if round < 10 { state = Self.mixed(state, [14, 11, 13, 9]) }
            state = (0..<16).map { Self.inverseBox[Int(state[($0 + 12 * ($0 % 4)) % 16])] }
        }
        return state ^ roundKeys[0]
    }

    private static func mixed(_ state: [UInt8], _ row: [UInt8]) -> [UInt8] {
        (0..<16).map { place in
            (0..<4).reduce(0) { $0 ^ product(row[($1 + 4 - place % 4) % 4], state[place / 4 * 4 + $1]) }
        }
    }

    /// The product in the field of 256 elements.
    private static func product(_ left: UInt8, _ right: UInt8) -> UInt8 {
        var (result, factor): (UInt8, UInt8) = (0, left)
        for bit in 0..<8 {
            if right >> bit & 1 == 1 { result ^= factor }
            factor = factor << 1 ^ (factor & 0x80 == 0 ? 0 : 0x1B)
        }
        return result
    }
}

private func ^ (left: [UInt8], right: [UInt8]) -> [UInt8] { zip(left, right).map { $0 ^ $1 } }
