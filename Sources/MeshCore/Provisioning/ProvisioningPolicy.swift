/// How to provision a device: the contents of a Start PDU and the secrets that belong to it.
package struct ProvisioningChoice: Hashable, Sendable {
    /// How the two sides authenticate each other, with a value that is known beforehand.
    package enum Authentication: Hashable, Sendable {
        case noOOB
        /// By a value that is known beforehand.
        case staticOOB(StaticOutOfBandValue)
        /// By a value that the device outputs.
        case outputOOB(OutputAction, size: UInt8)
        /// By a value that a person enters into the device.
        case inputOOB(InputAction, size: UInt8)

        /// The method for the Start PDU.
        package var method: AuthenticationMethod {
            switch self {
            case .noOOB: .noOOB
            case .staticOOB: .staticOOB
            case .outputOOB(let action, let size): .outputOOB(action, size: size)
            case .inputOOB(let action, let size): .inputOOB(action, size: size)
            }
        }
    }

    package var algorithm: ProvisioningAlgorithm
    /// The device's public key, if it was read out of band; nil if the device has to send it.
    package var publicKey: P256PublicKey?
    package var authentication: Authentication
    /// Whether others may know the static value by now.
    package var isValueUsed: Bool

    package init(
        algorithm: ProvisioningAlgorithm,
        publicKey: P256PublicKey?,
        authentication: Authentication,
        isValueUsed: Bool = false
    ) {
        self.algorithm = algorithm
        self.isValueUsed = isValueUsed
        self.publicKey = publicKey
        self.authentication = authentication
    }

    package var start: ProvisioningStart {
        ProvisioningStart(
            algorithm: algorithm,
            isPublicKeyOutOfBand: publicKey != nil,
            method: authentication.method
        )
    }
}

/// The out-of-band data and help available for one device.
package struct OutOfBandMaterial: Hashable, Sendable {
    package var staticValue: StaticOutOfBandValue?
    /// Whether others may know the static value by now.
    package var isStaticValueUsed: Bool
    package var publicKey: P256PublicKey?
    /// Whether a person or a file can tell the value that the device outputs.
    package var canReadOutput: Bool
    /// Whether a person can enter a value into the device.
    package var canEnterInput: Bool

    package init(
        staticValue: StaticOutOfBandValue? = nil,
        isStaticValueUsed: Bool = false,
        publicKey: P256PublicKey? = nil,
        canReadOutput: Bool = false,
        canEnterInput: Bool = false
    ) {
        self.staticValue = staticValue
        self.isStaticValueUsed = isStaticValueUsed
        self.publicKey = publicKey
        self.canReadOutput = canReadOutput
        self.canEnterInput = canEnterInput
    }
}

/// Why a policy does not allow a device to be provisioned.
package enum ProvisioningPolicyError: Error, Hashable, Sendable {
    /// The device knows none of the allowed algorithms.
    case algorithm(offered: [ProvisioningAlgorithm], allowed: [ProvisioningAlgorithm])
    /// Its public key was read out of band, or has to be, but the device does not offer that.
    case publicKeyNotOffered
    /// Its public key has to be read out of band, but is not available.
    case publicKeyMissing
    /// No method is left. The refusals tell why, in the order of preference.
    ///
    /// `publicKeyHelps`: the device offers its public key out of band, which is not at hand, and would not be refused
    /// for the same reasons with it.
    case noMethod([Refusal], publicKeyHelps: Bool = false)

    /// Why one kind of authentication was not possible.
    package struct Refusal: Hashable, Sendable {
        package var kind: AuthenticationMethod.Kind
        package var cause: Cause

        package init(_ kind: AuthenticationMethod.Kind, _ cause: Cause) {
            self.kind = kind
            self.cause = cause
        }
    }

    /// Why one kind of authentication was not possible.
    package enum Cause: Hashable, Sendable {
        /// The device does not offer it.
        case notOffered
        /// The value, or a person to carry it, is not available.
        case notAtHand
        /// It does not authenticate, but the policy or the device demands that.
        case authenticationRequired
        /// The policy demands more than a claim, and under this algorithm an answer can be made up.
        case forgeable(ProvisioningAlgorithm)
        /// The policy demands more than a claim, and the static value fills only so many of 32 octets.
        case tooShort(octets: Int)
        /// The policy demands more than a claim, and a person carries one of only so many values.
        case guessable(values: Int)
        /// Its value was given away before, to whom is not known. It may be offered once more.
        case usedUp
        /// The policy demands more than a claim, and the value was given away before, to whom is not known.
        case givenAway
        case notAllowed
    }
}

extension ProvisioningPolicyError.Cause {
    /// Whether the device was refused because nothing that it can do proves enough.
    package var isTooWeak: Bool {
        switch self {
        case .forgeable, .tooShort, .guessable: true
        case .notOffered, .notAtHand, .authenticationRequired, .usedUp, .givenAway, .notAllowed: false
        }
    }
}

extension ProvisioningPolicyError: CustomStringConvertible {
    /// What is wrong, for people; a clause without a full stop.
    package var description: String {
        switch self {
        case .algorithm(let offered, let allowed):
            "the device knows \(names(offered)), but only \(names(allowed)) may be used"
        case .publicKeyNotOffered: "the device does not let its public key be read out of band"
        case .publicKeyMissing: "the device's public key is required, but it is unknown"
        case .noMethod(let refusals, _):
            "there is no way to authenticate the device: " + clauses(of: refusals).joined(separator: ", ")
        }
    }

    /// The causes, those first that a person can remove. Kinds that the policy does not allow are named only if there
    /// is no other cause.
    private func clauses(of refusals: [Refusal]) -> [String] {
        func names(_ cause: Cause) -> [String] { refusals.filter { $0.cause == cause }.map(\.kind.name) }
        let missing = refusals.filter { $0.cause == .notAtHand }.map(\.kind.missing)
        let notOffered = names(.notOffered)
        let weak = names(.authenticationRequired).map { "\($0) does not authenticate" }
        let forgeable = ProvisioningAlgorithm.allCases.flatMap { algorithm in
            names(.forgeable(algorithm)).map { "its answer to \($0) under \(algorithm.name) can be made up" }
        }
        let used = (names(.usedUp) + names(.givenAway)).map {
            "its value for \($0) was given away before, perhaps to another device"
        }
        let short = refusals.compactMap(\.shortness)
        let clauses =
            used + forgeable + short + missing
            + (notOffered.isEmpty ? [] : ["it does not offer \(alternatives(notOffered))"]) + weak
        return clauses.isEmpty ? names(.notAllowed).map { "\($0) is not allowed" } : clauses
    }

    private func alternatives(_ names: [String]) -> String {
        names.count < 2
            ? names.joined() : names.dropLast().joined(separator: ", ") + " or " + names.suffix(1).joined()
    }

    private func names(_ algorithms: [ProvisioningAlgorithm]) -> String {
        algorithms.isEmpty ? "no known algorithm" : algorithms.map(\.name).joined(separator: " and ")
    }
}

extension AuthenticationMethod.Kind {
    package var name: String {
        switch self {
        case .noOOB: "No OOB"
        case .staticOOB: "Static OOB"
        case .outputOOB: "Output OOB"
        case .inputOOB: "Input OOB"
        }
    }
}

extension ProvisioningPolicyError.Refusal {
    /// How little it takes to find the value; nil if that is not the cause.
    fileprivate var shortness: String? {
        switch cause {
        // Up to 2^64 values are a matter of machines and days. Longer ones are found if somebody thought them up.
        case .tooShort(let octets) where octets <= 8:
            "its value for \(kind.name) can be found by trying, one of 2^\(8 * octets) values"
        case .tooShort(let octets):
            "its value for \(kind.name) fills only \(octets) of 32 octets, and can be found by trying if it is not random"
        case .guessable(let values): "its value for \(kind.name) can be guessed, one of \(values) values"
        case .notOffered, .notAtHand, .authenticationRequired, .forgeable, .usedUp, .givenAway, .notAllowed: nil
        }
    }
}

extension AuthenticationMethod.Kind {
    fileprivate var missing: String {
        switch self {
        case .noOOB: "No OOB cannot be used"
        case .staticOOB: "its value for Static OOB is not known"
        case .outputOOB: "nobody can read the value that it outputs (Output OOB)"
        case .inputOOB: "nobody can enter a value into it (Input OOB)"
        }
    }
}

/// What a network demands of provisioning, and what it prefers.
package struct ProvisioningPolicy: Hashable, Sendable {
    /// The allowed algorithms, the preferred one first.
    package var algorithms: [ProvisioningAlgorithm]
    /// The allowed kinds of authentication, the preferred one first.
    package var kinds: [AuthenticationMethod.Kind]
    /// What has to be proved about a device. No OOB is then allowed only with a public key read out of band.
    package var assurance: ProvisioningAssurance
    /// Whether a static value may be used that others may know by now. It then proves no more than a claim.
    package var allowsUsedValue: Bool
    package var requiresPublicKeyOutOfBand: Bool
    /// The most digits of a number that is counted, pushed or twisted, 1...8; two digits mean up to 99 blinks.
    package var countedDigits: UInt8

    /// A policy. Without arguments it allows everything and prefers the safest.
    package init(
        algorithms: [ProvisioningAlgorithm] = [.hmacSHA256, .cmacAES128],
        kinds: [AuthenticationMethod.Kind] = [.staticOOB, .outputOOB, .inputOOB, .noOOB],
        assurance: ProvisioningAssurance = .nothing,
        allowsUsedValue: Bool = false,
        requiresPublicKeyOutOfBand: Bool = false,
        countedDigits: UInt8 = 1
    ) {
        self.algorithms = algorithms
        self.kinds = kinds
        self.assurance = assurance
        self.allowsUsedValue = allowsUsedValue
        self.requiresPublicKeyOutOfBand = requiresPublicKeyOutOfBand
        self.countedDigits = countedDigits
    }

    /// The best way to provision a device.
    ///
    /// An available public key is always used. Otherwise an attacker could clear a bit in the capabilities and so
    /// replace it by a key sent over the air, which defeats its purpose. For the same reason a device for which we have
    /// a static value is not provisioned without authentication, unless the policy allows nothing else.
    ///
    /// - Throws: ``ProvisioningPolicyError`` if no way suits the device, the policy and the available material.
    package func choice(
        for capabilities: ProvisioningCapabilities,
        with material: OutOfBandMaterial
    ) throws(ProvisioningPolicyError) -> ProvisioningChoice {
        guard let algorithm = algorithms.first(where: capabilities.algorithms.contains) else {
            throw .algorithm(offered: capabilities.algorithms, allowed: algorithms)
        }
        if requiresPublicKeyOutOfBand, material.publicKey == nil {
            throw capabilities.isPublicKeyAvailable ? .publicKeyMissing : .publicKeyNotOffered
        }
        guard material.publicKey == nil || capabilities.isPublicKeyAvailable else { throw .publicKeyNotOffered }
        var refusals: [ProvisioningPolicyError.Refusal] = []
        for kind in kinds {
            switch authentication(kind, capabilities, material, hasPublicKey: material.publicKey != nil) {
            case .success(let authentication):
                let choice = ProvisioningChoice(
                    algorithm: algorithm,
                    publicKey: material.publicKey,
                    authentication: authentication,
                    isValueUsed: kind == .staticOOB && material.isStaticValueUsed
                )
                if choice.assurance >= assurance { return choice }
                refusals.append(ProvisioningPolicyError.Refusal(kind, choice.weakness))
            case .failure(let error):
                // A value that would prove too little need not be brought.
                let isVain = error.cause == .notAtHand && assurance > .claimed && material.publicKey == nil
                let cause = isVain && algorithm != .hmacSHA256 ? .forgeable(algorithm) : error.cause
                refusals.append(ProvisioningPolicyError.Refusal(kind, cause))
            }
        }
        for kind in AuthenticationMethod.Kind.allCases where !kinds.contains(kind) {
            refusals.append(ProvisioningPolicyError.Refusal(kind, .notAllowed))
        }
        throw .noMethod(refusals, publicKeyHelps: publicKeyHelps(capabilities, material))
    }

    /// Whether the device would be accepted with its public key, if perhaps with the value or person of a method, too.
    private func publicKeyHelps(_ capabilities: ProvisioningCapabilities, _ material: OutOfBandMaterial) -> Bool {
        guard capabilities.isPublicKeyAvailable, material.publicKey == nil else { return false }
        return kinds.contains { kind in
            switch authentication(kind, capabilities, material, hasPublicKey: true) {
            case .success: true
            case .failure(let error): error.cause == .notAtHand
            }
        }
    }

    private struct PassedOver: Error {
        var cause: ProvisioningPolicyError.Cause
    }

    private func authentication(
        _ kind: AuthenticationMethod.Kind,
        _ capabilities: ProvisioningCapabilities,
        _ material: OutOfBandMaterial,
        hasPublicKey: Bool
    ) -> Result<ProvisioningChoice.Authentication, PassedOver> {
        let counted = max(1, countedDigits)
        switch kind {
        case .noOOB:
            let couldAuthenticate = material.staticValue != nil && kinds.contains(.staticOOB)
            let mustAuthenticate = (assurance > .nothing || couldAuthenticate) && !hasPublicKey
            if capabilities.requiresAuthentication || mustAuthenticate {
                return .failure(PassedOver(cause: .authenticationRequired))
            }
            return .success(.noOOB)
        case .staticOOB:
            guard capabilities.isStaticValueAvailable else { return .failure(PassedOver(cause: .notOffered)) }
            guard let value = material.staticValue else { return .failure(PassedOver(cause: .notAtHand)) }
            // Only who has the private key could learn the value once more, and that is the device.
            // Where a claim is not enough, offering it again would not help, which the caller finds out.
            if material.isStaticValueUsed, !allowsUsedValue, assurance <= .claimed, !hasPublicKey {
                return .failure(PassedOver(cause: .usedUp))
            }
            return .success(.staticOOB(value))
        case .outputOOB:
            // The higher the number of an action, the more it can tell at once.
            guard let action = capabilities.outputActions.last else { return .failure(PassedOver(cause: .notOffered)) }
            guard material.canReadOutput else { return .failure(PassedOver(cause: .notAtHand)) }
            let isCounted = action.format(size: 1).isCounted
            return .success(
                .outputOOB(action, size: isCounted ? min(counted, capabilities.outputSize) : capabilities.outputSize)
            )
        case .inputOOB:
            guard let action = capabilities.inputActions.last else { return .failure(PassedOver(cause: .notOffered)) }
            guard material.canEnterInput else { return .failure(PassedOver(cause: .notAtHand)) }
            let isCounted = action.format(size: 1).isCounted
            return .success(
                .inputOOB(action, size: isCounted ? min(counted, capabilities.inputSize) : capabilities.inputSize)
            )
        }
    }
}

extension OutOfBandFormat {
    fileprivate var isCounted: Bool {
        if case .count = self { return true }
        return false
    }
}
