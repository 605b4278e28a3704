/// What a provisioning has proved about the device that became a node, the least first.
package enum ProvisioningAssurance: String, CaseIterable, Comparable, Sendable {
    /// Nothing: whoever answered first may have got the keys.
    case nothing = "none"
    /// The device answered as if it knew its value, but an answer of that kind can be made up. Under AES-CMAC whoever
    /// holds the ConfirmationKey can do so, and after the key agreement every device holds it (CVE-2020-26556,
    /// CVE-2020-26559).
    case claimed
    /// The device knows what only it can know.
    case authenticated

    package static func < (left: ProvisioningAssurance, right: ProvisioningAssurance) -> Bool {
        left.place < right.place
    }

    private var place: Int {
        switch self {
        case .nothing: 0
        case .claimed: 1
        case .authenticated: 2
        }
    }
}

extension ProvisioningAssurance {
    /// The octet in plan files and databases. 1 stood for all that was ever demanded before there was a claim.
    package var code: UInt8 {
        switch self {
        case .nothing: 0
        case .authenticated: 1
        case .claimed: 2
        }
    }
}

/// How a device proved in its provisioning who it is.
package struct NodeAuthentication: Hashable, Sendable {
    package var algorithm: ProvisioningAlgorithm
    /// Which value both sides knew.
    package var kind: AuthenticationMethod.Kind
    /// Whether the device's public key was read out of band.
    package var isPublicKeyOutOfBand: Bool
    package var assurance: ProvisioningAssurance

    package init(
        algorithm: ProvisioningAlgorithm,
        kind: AuthenticationMethod.Kind,
        isPublicKeyOutOfBand: Bool,
        assurance: ProvisioningAssurance
    ) {
        self.algorithm = algorithm
        self.kind = kind
        self.isPublicKeyOutOfBand = isPublicKeyOutOfBand
        self.assurance = assurance
    }
}

extension ProvisioningChoice {
    /// How the device will have proved who it is.
    package var nodeAuthentication: NodeAuthentication {
        NodeAuthentication(
            algorithm: algorithm,
            kind: authentication.method.kind,
            isPublicKeyOutOfBand: publicKey != nil,
            assurance: assurance
        )
    }

    /// What it proves if the device answers rightly.
    ///
    /// Without the private key of a public key that travelled out of band nobody computes the shared secret, so nobody
    /// else can read the keys. Without one, all depends on the confirmations. Those of AES-CMAC can be made up after
    /// the fact. Those of HMAC-SHA256 bind the other side to one guess before it learns anything, so the value has to
    /// be one that is not guessed.
    package var assurance: ProvisioningAssurance {
        if publicKey != nil { return .authenticated }
        switch (authentication, algorithm) {
        case (.noOOB, _): return .nothing
        case (_, .cmacAES128): return .claimed
        case (.staticOOB(let value), .hmacSHA256): return value.isOfFullSize && !isValueUsed ? .authenticated : .claimed
        case (.outputOOB(let action, let size), .hmacSHA256):
            return action.format(size: size).isHardToGuess ? .authenticated : .claimed
        case (.inputOOB(let action, let size), .hmacSHA256):
            return action.format(size: size).isHardToGuess ? .authenticated : .claimed
        }
    }
}

extension ProvisioningChoice {
    /// Why it proves no more than a claim.
    var weakness: ProvisioningPolicyError.Cause {
        guard algorithm == .hmacSHA256 else { return .forgeable(algorithm) }
        switch authentication {
        case .noOOB: return .authenticationRequired
        case .staticOOB(let value): return isValueUsed ? .givenAway : .tooShort(octets: value.octetsOfSubstance)
        case .outputOOB(let action, let size): return .guessable(values: action.format(size: size).valueCount)
        case .inputOOB(let action, let size): return .guessable(values: action.format(size: size).valueCount)
        }
    }

    /// The static value that a session gives away to the other side, whoever that is; nil if it does not.
    ///
    /// Under AES-CMAC the other side computes it from our Confirmation and Random. Under HMAC-SHA256 it can try, with
    /// both, the values that people choose, unless the value fills all 32 octets: nobody tries 2^256. With a public key
    /// that travelled out of band only the device itself can follow the session.
    package var valueGivenAway: StaticOutOfBandValue? {
        guard publicKey == nil, case .staticOOB(let value) = authentication else { return nil }
        return algorithm == .hmacSHA256 && value.isOfFullSize ? nil : value
    }
}

extension StaticOutOfBandValue {
    /// Whether it fills the 32 octets that HMAC-SHA256 takes. Who hears a failed session can try all values of a
    /// shorter or padded one at leisure (CVE-2020-26557). Four octets may be zero by chance at the ends.
    package var isOfFullSize: Bool {
        octets.count == 32 && octetsOfSubstance >= 28
    }

    /// How many octets it has without the zeros at both ends.
    var octetsOfSubstance: Int {
        guard let start = octets.firstIndex(where: { $0 != 0 }), let end = octets.lastIndex(where: { $0 != 0 }) else {
            return 0
        }
        return end - start + 1
    }
}

extension OutOfBandFormat {
    /// Whether one guess hits with a chance of at most one in a million: six digits, four letters. A value lives for
    /// one session, and each session allows one guess. A million is what Bluetooth's pairing by six digits settles for.
    package var isHardToGuess: Bool {
        switch self {
        case .count(let digits), .number(let digits): digits >= 6
        case .text(let characters): characters >= 4
        }
    }
}
