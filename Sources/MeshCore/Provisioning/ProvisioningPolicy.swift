/// How a device is to be provisioned: what a Start PDU says, with the secrets that belong to it.
package struct ProvisioningChoice: Hashable, Sendable {
    /// How the two sides authenticate each other, with the value that is known beforehand.
    package enum Authentication: Hashable, Sendable {
        /// Not at all.
        case noOOB
        /// With a value that is known beforehand.
        case staticOOB(StaticOutOfBandValue)
        /// The device tells a value.
        case outputOOB(OutputAction, size: UInt8)
        /// The device is told a value.
        case inputOOB(InputAction, size: UInt8)

        /// How the Start PDU says it.
        package var method: AuthenticationMethod {
            switch self {
            case .noOOB: .noOOB
            case .staticOOB: .staticOOB
            case .outputOOB(let action, let size): .outputOOB(action, size: size)
            case .inputOOB(let action, let size): .inputOOB(action, size: size)
            }
        }
    }

    /// How confirmations are computed.
    package var algorithm: ProvisioningAlgorithm
    /// The device's public key where it was read out of band; nil to have the device send it.
    package var publicKey: P256PublicKey?
    /// How the two sides authenticate each other.
    package var authentication: Authentication

    package init(algorithm: ProvisioningAlgorithm, publicKey: P256PublicKey?, authentication: Authentication) {
        self.algorithm = algorithm
        self.publicKey = publicKey
        self.authentication = authentication
    }

    /// The Start PDU that says it.
    package var start: ProvisioningStart {
        ProvisioningStart(
            algorithm: algorithm,
            isPublicKeyOutOfBand: publicKey != nil,
            method: authentication.method
        )
    }

    /// Whether nobody in between can stay unnoticed: a value was carried out of band, or the device's public key was.
    package var isAuthenticated: Bool { publicKey != nil || authentication.method != .noOOB }
}

/// What is at hand for one device besides the radio.
package struct OutOfBandMaterial: Hashable, Sendable {
    /// Its static value.
    package var staticValue: StaticOutOfBandValue?
    /// Its public key.
    package var publicKey: P256PublicKey?
    /// Whether somebody, or a file, can tell the value that the device outputs.
    package var canReadOutput: Bool
    /// Whether somebody can put a value into the device.
    package var canEnterInput: Bool

    package init(
        staticValue: StaticOutOfBandValue? = nil,
        publicKey: P256PublicKey? = nil,
        canReadOutput: Bool = false,
        canEnterInput: Bool = false
    ) {
        self.staticValue = staticValue
        self.publicKey = publicKey
        self.canReadOutput = canReadOutput
        self.canEnterInput = canEnterInput
    }
}

/// Why a device cannot be provisioned under a policy.
package enum ProvisioningPolicyError: Error, Hashable, Sendable {
    /// It knows none of the algorithms that are allowed.
    case algorithm(offered: [ProvisioningAlgorithm], allowed: [ProvisioningAlgorithm])
    /// Its public key was read out of band, or must be, but the device does not offer that.
    case publicKeyNotOffered
    /// Its public key must be read out of band, but is not at hand.
    case publicKeyMissing
    /// No method is left; why each kind was passed over, in the order of preference.
    case noMethod([Refusal])

    /// Why a kind of authentication was passed over.
    package struct Refusal: Hashable, Sendable {
        /// The kind.
        package var kind: AuthenticationMethod.Kind
        /// Why.
        package var cause: Cause

        package init(_ kind: AuthenticationMethod.Kind, _ cause: Cause) {
            self.kind = kind
            self.cause = cause
        }
    }

    /// Why a kind of authentication was passed over.
    package enum Cause: Hashable, Sendable {
        /// The device does not offer it.
        case notOffered
        /// The value, or somebody to carry it, is not at hand.
        case notAtHand
        /// It does not authenticate, and the policy or the device demands that.
        case authenticationRequired
        /// The policy does not allow it.
        case notAllowed
    }
}

extension ProvisioningPolicyError: CustomStringConvertible {
    /// What is wrong, for people, a clause without a full stop.
    package var description: String {
        switch self {
        case .algorithm(let offered, let allowed):
            "the device knows \(names(offered)), but only \(names(allowed)) may be used"
        case .publicKeyNotOffered: "the device does not let its public key be read out of band"
        case .publicKeyMissing: "the public key of the device must be known beforehand and is not"
        case .noMethod(let refusals):
            "there is no way to authenticate the device: " + clauses(of: refusals).joined(separator: ", ")
        }
    }

    /// What stands in the way, what somebody can mend first. That the definition asks for another kind says nothing
    /// new where a kind that it asks for is among them.
    private func clauses(of refusals: [Refusal]) -> [String] {
        func names(_ cause: Cause) -> [String] { refusals.filter { $0.cause == cause }.map(\.kind.name) }
        let missing = refusals.filter { $0.cause == .notAtHand }.map(\.kind.missing)
        let notOffered = names(.notOffered)
        let weak = names(.authenticationRequired).map { "\($0) does not authenticate" }
        let clauses = missing + (notOffered.isEmpty ? [] : ["it does not offer \(alternatives(notOffered))"]) + weak
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
    /// The name in the specification.
    package var name: String {
        switch self {
        case .noOOB: "No OOB"
        case .staticOOB: "Static OOB"
        case .outputOOB: "Output OOB"
        case .inputOOB: "Input OOB"
        }
    }
}

extension AuthenticationMethod.Kind {
    /// That what it needs is not at hand.
    fileprivate var missing: String {
        switch self {
        case .noOOB: "No OOB cannot be used"
        case .staticOOB: "its value for Static OOB is not known"
        case .outputOOB: "nobody is there to read what it outputs (Output OOB)"
        case .inputOOB: "nobody is there to put a value into it (Input OOB)"
        }
    }
}

/// What a network demands of provisioning, and what it prefers.
package struct ProvisioningPolicy: Hashable, Sendable {
    /// The algorithms that may be used, the preferred one first.
    package var algorithms: [ProvisioningAlgorithm]
    /// The kinds of authentication that may be used, the preferred one first.
    package var kinds: [AuthenticationMethod.Kind]
    /// Whether a device that nobody vouches for is refused: no OOB is used only with a public key out of band then.
    package var requiresAuthentication: Bool
    /// Whether the public key must be read out of band.
    package var requiresPublicKeyOutOfBand: Bool
    /// The most digits of what must be counted, pushed or twisted, 1...8: two mean up to 99 blinks.
    package var countedDigits: UInt8

    /// A policy; without arguments it allows everything and prefers what is safer.
    package init(
        algorithms: [ProvisioningAlgorithm] = [.hmacSHA256, .cmacAES128],
        kinds: [AuthenticationMethod.Kind] = [.staticOOB, .outputOOB, .inputOOB, .noOOB],
        requiresAuthentication: Bool = false,
        requiresPublicKeyOutOfBand: Bool = false,
        countedDigits: UInt8 = 1
    ) {
        self.algorithms = algorithms
        self.kinds = kinds
        self.requiresAuthentication = requiresAuthentication
        self.requiresPublicKeyOutOfBand = requiresPublicKeyOutOfBand
        self.countedDigits = countedDigits
    }

    /// The best way to provision a device.
    ///
    /// A public key at hand is always used: to fall back to a key sent over the air because somebody cleared a bit in
    /// the capabilities would give away what it is there for. For the same reason a device that we have a static value
    /// for is not provisioned without authentication, unless the policy allows nothing else.
    ///
    /// - Throws: ``ProvisioningPolicyError`` if nothing fits device, policy and what is at hand.
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
            switch authentication(kind, capabilities, material) {
            case .success(let authentication):
                return ProvisioningChoice(
                    algorithm: algorithm,
                    publicKey: material.publicKey,
                    authentication: authentication
                )
            case .failure(let error): refusals.append(ProvisioningPolicyError.Refusal(kind, error.cause))
            }
        }
        for kind in AuthenticationMethod.Kind.allCases where !kinds.contains(kind) {
            refusals.append(ProvisioningPolicyError.Refusal(kind, .notAllowed))
        }
        throw .noMethod(refusals)
    }

    private struct PassedOver: Error {
        var cause: ProvisioningPolicyError.Cause
    }

    private func authentication(
        _ kind: AuthenticationMethod.Kind,
        _ capabilities: ProvisioningCapabilities,
        _ material: OutOfBandMaterial
    ) -> Result<ProvisioningChoice.Authentication, PassedOver> {
        let counted = max(1, countedDigits)
        switch kind {
        case .noOOB:
            let couldAuthenticate = material.staticValue != nil && kinds.contains(.staticOOB)
            let mustAuthenticate = (requiresAuthentication || couldAuthenticate) && material.publicKey == nil
            if capabilities.requiresAuthentication || mustAuthenticate {
                return .failure(PassedOver(cause: .authenticationRequired))
            }
            return .success(.noOOB)
        case .staticOOB:
            guard capabilities.isStaticValueAvailable else { return .failure(PassedOver(cause: .notOffered)) }
            guard let value = material.staticValue else { return .failure(PassedOver(cause: .notAtHand)) }
            return .success(.staticOOB(value))
        case .outputOOB:
            // The higher its number, the more an action can tell in one go.
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
    /// Whether somebody has to count.
    fileprivate var isCounted: Bool {
        if case .count = self { return true }
        return false
    }
}
