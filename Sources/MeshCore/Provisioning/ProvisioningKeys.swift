/// The confirmations of one session, and the keys that follow from it (Mesh Protocol 5.4.2.4, 5.4.2.5).
struct ProvisioningConfirmations {
    private enum Derivation {
        case cmac(salt: Octets16, confirmation: CMAC)
        case hmac(salt: [UInt8])
    }

    private let secret: [UInt8]
    private let derivation: Derivation

    /// - Parameters:
    ///   - secret: the result of the key agreement, 32 octets.
    ///   - inputs: the parameters of Invite, Capabilities and Start, then the public keys of provisioner and device.
    init(algorithm: ProvisioningAlgorithm, secret: [UInt8], inputs: [UInt8]) {
        self.secret = secret
        switch algorithm {
        case .cmacAES128:
            let salt = KeyDerivation.s1(inputs)
            let key = KeyDerivation.k1(secret, salt: salt, purpose: Array("prck".utf8))
            derivation = .cmac(salt: salt, confirmation: CMAC(key: key))
        case .hmacSHA256: derivation = .hmac(salt: KeyDerivation.s2(inputs))
        }
    }

    /// The confirmation of a random number under an authentication value.
    func confirmation(of random: [UInt8], _ value: AuthenticationValue) -> [UInt8] {
        switch derivation {
        case .cmac(_, let confirmation): return confirmation.code(of: random + value.octets).bytes
        case .hmac(let salt):
            let key = KeyDerivation.k5(secret + value.octets, salt: salt, purpose: Array("prck256".utf8))
            return HMACSHA256.code(of: random, key: key)
        }
    }

    /// The keys, once both random numbers are known.
    func keys(provisionerRandom: [UInt8], deviceRandom: [UInt8]) -> ProvisioningKeys {
        let confirmationSalt =
            switch derivation {
            case .cmac(let salt, _): salt.bytes
            case .hmac(let salt): salt
            }
        let salt = KeyDerivation.s1(confirmationSalt + provisionerRandom + deviceRandom)
        let derived = KeyDerivation.k1(secret, salt: salt)
        return ProvisioningKeys(
            session: derived.code(of: Array("prsk".utf8)),
            nonce: derived.code(of: Array("prsn".utf8)),
            deviceKey: KeyMaterial(derived.code(of: Array("prdk".utf8)))
        )
    }
}

extension ProvisioningConfirmations: CustomReflectable {
    /// Hides the shared secret.
    var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// The keys that encrypt the provisioning data, and the DeviceKey of the new node (Mesh Protocol 5.4.2.5).
struct ProvisioningKeys {
    private let cipher: AuthenticatedCipher
    private let nonce: Nonce
    let deviceKey: KeyMaterial

    init(session: Octets16, nonce: Octets16, deviceKey: KeyMaterial) {
        cipher = AuthenticatedCipher(key: session)
        self.nonce = Nonce(lastOctetsOf: nonce)
        self.deviceKey = deviceKey
    }

    /// The parameters of the Data PDU.
    func seal(_ data: ProvisioningData) -> [UInt8] { seal(octets: data.encoded) }

    /// The encrypted octets and their MIC.
    func seal(octets: [UInt8]) -> [UInt8] { cipher.seal(octets, nonce: nonce, mic: .bits64) }

    /// The 25 octets of provisioning data; nil if they are not authentic.
    func open(_ sealed: [UInt8]) -> [UInt8]? {
        cipher.open(sealed[...], nonce: nonce, mic: .bits64)
    }
}

extension ProvisioningKeys: CustomReflectable {
    /// Hides the keys.
    var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// Compares two octet strings in a time that does not reveal where they differ.
func equalInConstantTime(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    guard left.count == right.count else { return false }
    return zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
}

/// The randomness of one session, drawn beforehand so that the machines need no generator. Use it only once.
package struct ProvisioningSecrets: Sendable {
    /// The key pair. A device with a public key known out of band keeps its pair; all others make a new one.
    let keyPair: P256KeyPair
    /// 32 octets; the shorter algorithm uses the first 16.
    let random: [UInt8]
    /// Determines the value that the device outputs or a person enters.
    let valueSeed: UInt64

    /// Given randomness, for tests against known sessions.
    ///
    /// - Parameter random: 16 octets suffice for CMAC; missing ones are zero.
    package init(keyPair: P256KeyPair, random: [UInt8], valueSeed: UInt64) {
        self.keyPair = keyPair
        self.random = random.prefix(32) + [UInt8](repeating: 0, count: max(0, 32 - random.count))
        self.valueSeed = valueSeed
    }

    /// New randomness from `generator`, which must be cryptographically secure outside tests.
    ///
    /// - Parameter keyPair: a pair to keep; nil to make one.
    package static func random(
        using generator: inout some RandomNumberGenerator,
        keyPair: P256KeyPair? = nil
    ) -> ProvisioningSecrets {
        var writer = ByteWriter(capacity: 32)
        for _ in 0..<4 { writer.write(generator.next()) }
        let seed = generator.next()
        return ProvisioningSecrets(
            keyPair: keyPair ?? P256KeyPair.random(using: &generator),
            random: writer.bytes,
            valueSeed: seed
        )
    }

    /// A random key for another purpose than a session, which must not use these secrets then.
    package var memoryKey: KeyMaterial {
        KeyMaterial(CMAC(key: Octets16(high: 0, low: 0)).code(of: random))
    }

    package var publicKey: P256PublicKey { keyPair.publicKey }

    /// The random number of the session.
    func random(_ algorithm: ProvisioningAlgorithm) -> [UInt8] { Array(random.prefix(algorithm.confirmationSize)) }
}

extension ProvisioningSecrets: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Hides the secrets.
    package var description: String { "(secret)" }
    /// Hides the secrets.
    package var debugDescription: String { "(secret)" }
    /// Hides the secrets.
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
