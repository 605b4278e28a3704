package import MeshCore

/// Why a device has not become a node.
package enum ProvisioningProblem: Error, Hashable, Sendable {
    /// The link could not be made, or was lost at this stage.
    case link(BearerError, at: ProvisioningStage)
    /// The link through a node could not be made, or was lost at this stage.
    case remoteLink(RemoteProvisioningLinkEnd, at: ProvisioningStage)
    /// The device broke the rules of the Proxy protocol at this stage.
    case proxyProtocol(ProxyProtocolError, at: ProvisioningStage)
    /// The session ended without a node, and with it what was to prove who the device is; nil before that was
    /// chosen.
    case session(ProvisioningFailure, NodeAuthentication?)
    /// The device cannot be provisioned as the definition demands with the secrets and the person available.
    case policy(ProvisioningPolicyError)
    /// A declared static value or public key cannot be read; a sentence without a full stop.
    case secretUnavailable(String)
    /// None of the answers can be the value that the device outputs.
    case outOfBandValue(OutOfBandValueError)
    /// There are not enough addresses for all elements; a sentence without a full stop.
    case noAddress(String)
    /// The address that the definition demands is not available; a sentence without a full stop.
    case fixedAddress(String)
    /// A node that is to be reprovisioned reports another number of elements than its new addresses are for.
    case elementCount(reported: UInt8, expected: UInt8)
    case noNetKey(NetKeyIndex)
    /// The database only supposes the IV index, for example after an import, and no proxy was found that tells it.
    case ivIndexUnknown
    /// The bearer cannot scan, so it finds no devices.
    case cannotScan(BearerError)
    /// The device must be provisioned through the node with this name, and that node cannot carry the session.
    case server(ServerProblem, name: String)

    /// Why a node cannot carry the sessions of devices.
    package enum ServerProblem: Hashable, Sendable {
        /// It is not a node of the network.
        case absent
        case noKey
        case unknownComposition
        case noModel
    }
}

extension ProvisioningProblem {
    /// The stage that the device reached; ``ProvisioningStage/notStarted`` where it does not matter.
    package var stage: ProvisioningStage {
        switch self {
        case .link(_, let stage), .remoteLink(_, let stage), .proxyProtocol(_, let stage): stage
        case .session(let failure, _): failure.stage
        case .policy, .secretUnavailable, .noAddress, .fixedAddress, .elementCount, .noNetKey: .decision
        case .outOfBandValue: .outOfBandValue
        case .ivIndexUnknown, .cannotScan, .server: .notStarted
        }
    }

    /// Whether provisioning data was sent, so that the device may be a node all the same.
    package var mayBeProvisioned: Bool { stage == .completion }

    /// Whether another attempt may succeed without any change.
    package var canPass: Bool {
        switch self {
        case .link, .remoteLink, .proxyProtocol, .outOfBandValue: true
        case .policy, .secretUnavailable, .noAddress, .fixedAddress, .elementCount, .noNetKey, .ivIndexUnknown,
            .cannotScan, .server:
            false
        case .session(let failure, let authentication): failure.reason.canPass(authentication?.kind)
        }
    }
}

extension ProvisioningFailureReason {
    fileprivate func canPass(_ method: AuthenticationMethod.Kind?) -> Bool {
        switch self {
        case .timedOut, .linkClosed, .cancelled, .malformed, .unexpected: true
        // A person may have read or typed a value wrongly; a value from a file stays the same.
        case .confirmationMismatch, .reportedByDevice(.confirmationFailed):
            method == .outputOOB || method == .inputOOB
        case .reportedByDevice(let code):
            switch code {
            case .invalidPDU, .unexpectedPDU, .outOfResources, .decryptionFailed, .unexpectedError: true
            case .invalidFormat, .confirmationFailed, .cannotAssignAddresses, .invalidData: false
            }
        case .refused, .notOffered, .invalidPublicKey, .reflectedPublicKey, .reflectedConfirmation, .reflectedRandom,
            .dataNotAuthentic, .cannotAssignAddresses, .invalidData:
            false
        }
    }
}

extension ProvisioningFailureReason {
    /// What confirmations that do not match mean; nil for any other reason, and where only the value can be the cause.
    ///
    /// They are made of the secret that the public keys agree on, and of the value. So a wrong public key out of band
    /// shows nowhere else, and looks the same as a wrong value.
    fileprivate func mismatch(under authentication: NodeAuthentication?) -> (meaning: String, advice: String)? {
        guard [.confirmationMismatch, .reportedByDevice(.confirmationFailed)].contains(self), let authentication else {
            return nil
        }
        switch (authentication.isPublicKeyOutOfBand, authentication.kind) {
        case (true, .noOOB):
            return (
                "the confirmations do not match: the public key that was given is not the device's",
                "check the public key, and make sure that it belongs to this device"
            )
        case (true, _):
            return (
                "the confirmations do not match: the value or the public key that was given is not the device's",
                "check the out-of-band value and the public key, and make sure that both belong to this device"
            )
        case (false, .noOOB):
            return (
                "the confirmations do not match, although nothing but the public keys enters them",
                ProvisioningFailureReason.reflectedConfirmation.advice
            )
        case (false, _): return nil
        }
    }
}

extension ProvisioningProblem: CustomStringConvertible {
    /// What happened and at which stage: a clause without a full stop.
    package var description: String {
        switch self {
        case .link(let error, .notStarted): error.message
        case .link(let error, let stage): "\(error.message) while \(stage.activity)"
        case .remoteLink(let end, .notStarted): end.description
        case .remoteLink(let end, let stage): "\(end) while \(stage.activity)"
        case .proxyProtocol(_, let stage): "the device broke the rules of the Proxy protocol while \(stage.activity)"
        case .session(let failure, let authentication):
            "\(failure.reason.mismatch(under: authentication)?.meaning ?? failure.reason.description) while "
                + failure.stage.activity
        case .policy(let error): error.description
        case .secretUnavailable(let missing): missing
        case .outOfBandValue(let error): "what was answered cannot be the value of the device: \(error)"
        case .noAddress(let reason), .fixedAddress(let reason): reason
        case .elementCount(let reported, let expected):
            "the node says that it has \(reported) elements, and \(expected) were expected"
        case .noNetKey(let index): "the database has no network key \(index)"
        case .ivIndexUnknown: "the IV index of the network is not known, and no proxy was found that tells it"
        case .cannotScan(let error): "devices cannot be found: \(error.message)"
        case .server(.absent, let name): "\(name), through which it is to be provisioned, is no node of the network"
        case .server(.noKey, let name):
            "\(name), through which it is to be provisioned, cannot be asked: the database has no key for it"
        case .server(.unknownComposition, let name):
            "whether it can be provisioned through \(name) is not known: its composition was not read"
        case .server(.noModel, let name): "\(name) has no Remote Provisioning Server"
        }
    }

    /// What helps: a clause without a full stop.
    package var advice: Advice {
        switch self {
        case .link(let error, _):
            error.hint ?? "make sure that the device has power and is near, and that nobody else is connected to it"
        case .remoteLink(let end, _): Advice(end.advice)
        case .proxyProtocol: "try again; if the error persists, update the firmware of the device"
        case .session(let failure, let authentication):
            Advice(failure.reason.mismatch(under: authentication)?.advice ?? failure.reason.advice)
        case .policy(let error): error.advice
        case .secretUnavailable: "make the secret available, then apply again"
        case .outOfBandValue: "look at the device again and type what it shows"
        case .noAddress: "free addresses, or give the provisioner a larger range"
        case .fixedAddress: "leave the address out of the definition, or give one with room for all elements"
        case .elementCount: "run the command again, which reads its composition first"
        case .noNetKey: "plan again from the present database"
        case .ivIndexUnknown:
            """
            see that a proxy node of the network has power and is near, then apply again; whoever knows the IV index can \
            state it with \(command: .stateIVIndex)
            """
        case .cannotScan(let error): error.hint ?? "use a bearer that can scan"
        case .server(.absent, let name): "provision \(name) first, or let the device be reached otherwise"
        case .server(.noKey, _): "name another node, or let the device be reached otherwise"
        case .server(.unknownComposition, let name):
            "name \(name) in the definition, so that apply reads its composition"
        case .server(.noModel, _): "name a node that has one, or let the device be reached otherwise"
        }
    }
}

extension ProvisioningPolicyError {
    /// What helps: a clause without a full stop.
    package var advice: Advice {
        switch self {
        case .algorithm: "allow another algorithm in the definition, or update the firmware of the device"
        case .publicKeyNotOffered: "leave the public key out of the definition and the secrets, or check the UUID"
        case .publicKeyMissing: Self.givePublicKey
        case .noMethod(let refusals, let publicKeyHelps):
            ((publicKeyHelps ? [Self.givePublicKey] : []) + Self.ways(out: refusals))
                .reduce(Advice("")) { $0.isEmpty ? $1 : $0.followed(by: "; or ").followed(by: $1) }
        }
    }

    private static var givePublicKey: Advice {
        "give its public key with \(command: .secretsFile), or name its file in the definition (`public_key`)"
    }

    /// What can be done about refusals, the dearest last.
    private static func ways(out refusals: [Refusal]) -> [Advice] {
        let causes = refusals.map(\.cause)
        let missing = refusals.filter { $0.cause == .notAtHand }.map(\.kind)
        let isForgeable = causes.contains { if case .forgeable = $0 { true } else { false } }
        let isTooShort = causes.contains { if case .tooShort = $0 { true } else { false } }
        let isGuessable = causes.contains { if case .guessable = $0 { true } else { false } }
        let isUsed = causes.contains(.givenAway) || causes.contains(.usedUp)
        var ways: [Advice] = []
        if missing.contains(.staticOOB) {
            ways.append("give its static value with \(command: .secretsFile), or name where it is in the definition")
        }
        if missing.contains(.outputOOB) || missing.contains(.inputOOB) {
            ways.append("apply on a terminal, where somebody sees the device")
        }
        if isTooShort { ways.append("get a static value of 32 octets") }
        if isUsed { ways.append("get a new value") }
        if isForgeable {
            ways.append(
                """
                take a product that knows BTM_ECDH_P256_HMAC_SHA256_AES_CCM with a static value of 32 octets, or whose \
                public key can be read out of band
                """
            )
        } else if isGuessable {
            ways.append("take a product with a static value of 32 octets, or with values of six digits or four letters")
        }
        let claimed = "write `provisioning: { require: claimed }`, and"
        if isForgeable {
            ways.append("\(claimed) a device that knows nothing can pass for this one")
        } else if isTooShort || isGuessable {
            ways.append("\(claimed) whoever finds the value can pass for the device")
        } else if causes.contains(.givenAway) {
            ways.append("\(claimed) whoever has learnt the value can pass for the device")
        } else if causes.contains(.usedUp) {
            ways.append("use \(command: .applyAgain): then whoever has learnt the value can pass for the device")
        }
        return ways.isEmpty ? ["allow in the definition what the device offers, or use another device"] : ways
    }
}
