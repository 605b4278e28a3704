/// What an unprovisioned device asks of its caller or tells it, in order.
package enum ProvisioningDeviceAction: Hashable, Sendable {
    /// Send this PDU to the provisioner, as the payload of a Proxy PDU of type 0x03.
    case send([UInt8])
    /// Draw attention for that many seconds, at least one.
    case drawAttention(seconds: UInt8)
    /// Output this value until ``outputCompleted``.
    case output(OutputAction, size: UInt8, OutOfBandValue)
    case outputCompleted
    /// A person must enter a value. Answer with ``ProvisioningDevice/supply(_:at:)``.
    case askForInput(InputAction, size: UInt8)
    /// The device is a node with these values. Store them before sending the PDU that follows.
    case provisioned(ProvisioningData, deviceKey: KeyMaterial)
    /// The session has failed. The device answers everything that still arrives on the link with an error.
    case failed(ProvisioningFailure)
}

/// The device's side of one session of the provisioning protocol (Mesh Protocol 5.4.2); each link has its own.
package struct ProvisioningDevice {
    private let capabilities: ProvisioningCapabilities
    private let staticValue: StaticOutOfBandValue?
    private let secrets: ProvisioningSecrets
    private let reprovision: ReprovisionRules?
    private var state = State.awaitingInvite
    private var timer = ProvisioningTimer()

    private enum State {
        case awaitingInvite
        case awaitingStart(attentionDuration: UInt8)
        case awaitingPublicKey(Agreement)
        case awaitingInput(Exchange, OutOfBandFormat)
        case awaitingConfirmation(Authentication)
        case awaitingRandom(Commitment)
        case awaitingData(ProvisioningKeys)
        case provisioned
        case failed
    }

    /// What is fixed once the Start PDU has arrived.
    private struct Agreement {
        let start: ProvisioningStart
        /// Inputs of the confirmations, without the public keys.
        let inputs: [UInt8]
    }

    /// What is known once the public keys are exchanged.
    private struct Exchange {
        let start: ProvisioningStart
        let confirmations: ProvisioningConfirmations
        let random: [UInt8]
    }

    /// What is known once the authentication value is known.
    private struct Authentication {
        let exchange: Exchange
        let value: AuthenticationValue
    }

    /// What is known once both confirmations are known.
    private struct Commitment {
        let exchange: Exchange
        let value: AuthenticationValue
        let provisionerConfirmation: [UInt8]
    }

    /// A device on a newly opened link.
    ///
    /// - Parameters:
    ///   - capabilities: what it offers. It must have a static value or public key that it offers.
    ///   - staticValue: its static value.
    ///   - secrets: the randomness of this provisioning session. If the device's public key is known out of band, it
    ///     contains that key pair.
    ///   - reprovision: the node, if one is reprovisioned over its Node Provisioning Protocol Interface; nil for a
    ///     device without a network.
    ///   - now: when the link was opened. After 60 seconds without a PDU the device gives up.
    package init(
        capabilities: ProvisioningCapabilities,
        staticValue: StaticOutOfBandValue? = nil,
        secrets: ProvisioningSecrets,
        reprovision: ReprovisionRules? = nil,
        at now: Instant
    ) {
        self.capabilities = capabilities
        self.staticValue = staticValue
        self.secrets = secrets
        self.reprovision = reprovision
        timer.restart(at: now)
    }

    /// How far the session has come.
    package var stage: ProvisioningStage {
        switch state {
        case .awaitingInvite: .invitation
        case .awaitingStart: .decision
        case .awaitingPublicKey: .publicKeyExchange
        case .awaitingInput: .outOfBandValue
        case .awaitingConfirmation: .confirmation
        case .awaitingRandom: .verification
        case .awaitingData: .completion
        case .provisioned: .completed
        case .failed: .failed
        }
    }

    /// When ``advance(to:)`` must be called; nil after the end.
    package var nextDeadline: Instant? { timer.deadline }

    // MARK: What the caller does

    /// Takes the value that somebody entered, after ``ProvisioningDeviceAction/askForInput(_:size:)``.
    ///
    /// - Throws: ``ProvisioningInputError/notExpected(_:)`` in another stage, ``ProvisioningInputError/value(_:)`` for
    ///   an impossible value.
    package mutating func supply(
        _ value: OutOfBandValue,
        at now: Instant
    ) throws(ProvisioningInputError) -> [ProvisioningDeviceAction] {
        if let timeout = timeOut(at: now) { return timeout }
        guard case .awaitingInput(let exchange, let format) = state else { throw .notExpected(stage) }
        do throws(OutOfBandValueError) { try format.check(value) } catch { throw .value(error) }
        let value = AuthenticationValue(value, exchange.start.algorithm)
        state = .awaitingConfirmation(Authentication(exchange: exchange, value: value))
        return [send(.inputComplete, at: now)]
    }

    /// Ends the session with an error code, as a device does that has run out of resources.
    package mutating func refuse(with code: ProvisioningErrorCode, at now: Instant) -> [ProvisioningDeviceAction] {
        fail(.refused(code), at: now)
    }

    /// Ends the session because the link is gone.
    package mutating func linkClosed(at now: Instant) -> [ProvisioningDeviceAction] { fail(.linkClosed, at: now) }

    /// Ends the session if it has timed out.
    package mutating func advance(to now: Instant) -> [ProvisioningDeviceAction] { timeOut(at: now) ?? [] }

    // MARK: What the provisioner sends

    /// Receives a PDU, the payload of a Proxy PDU of type 0x03.
    package mutating func receive(_ bytes: [UInt8], at now: Instant) -> [ProvisioningDeviceAction] {
        if let timeout = timeOut(at: now) { return timeout }
        switch state {
        // No PDU is valid any longer until the link is opened again (5.4.4).
        case .failed: return [.send(ProvisioningPDU.failed(.unexpectedPDU).encoded)]
        case .provisioned: return []
        default: timer.restart(at: now)
        }
        let pdu: ProvisioningPDU
        do throws(DecodeError) {
            pdu = try ProvisioningPDU(decoding: bytes)
        } catch {
            return fail(.malformed(error), at: now)
        }
        switch (state, pdu) {
        case (.awaitingInvite, .invite(let duration)):
            state = .awaitingStart(attentionDuration: duration)
            let attention: [ProvisioningDeviceAction] = duration == 0 ? [] : [.drawAttention(seconds: duration)]
            return attention + [send(.capabilities(capabilities), at: now)]
        case (.awaitingStart(let attentionDuration), .start(let start)):
            guard capabilities.offer(start), start.method != .staticOOB || staticValue != nil else {
                return fail(.notOffered, at: now)
            }
            let inputs = [attentionDuration] + capabilities.encoded + start.encoded
            state = .awaitingPublicKey(Agreement(start: start, inputs: inputs))
            return []
        case (.awaitingPublicKey(let agreement), .publicKey(let coordinates)):
            return exchanged(coordinates, agreement, at: now)
        case (.awaitingConfirmation(let authentication), .confirmation(let confirmation)):
            return confirmed(confirmation, authentication, at: now)
        case (.awaitingRandom(let commitment), .random(let random)): return verified(random, commitment, at: now)
        case (.awaitingData(let keys), .data(let sealed)): return provisioned(sealed, keys, at: now)
        default: return fail(.unexpected(pdu.type), at: now)
        }
    }

    // MARK: Steps

    private mutating func exchanged(
        _ coordinates: [UInt8],
        _ agreement: Agreement,
        at now: Instant
    ) -> [ProvisioningDeviceAction] {
        let own = secrets.keyPair.publicKey
        guard let publicKey = P256PublicKey(coordinates) else { return fail(.invalidPublicKey, at: now) }
        guard publicKey.x != own.x else { return fail(.reflectedPublicKey, at: now) }
        let start = agreement.start
        let exchange = Exchange(
            start: start,
            confirmations: ProvisioningConfirmations(
                algorithm: start.algorithm,
                secret: secrets.keyPair.sharedSecret(with: publicKey),
                inputs: agreement.inputs + coordinates + own.coordinates
            ),
            random: secrets.random(start.algorithm)
        )
        let sent = start.isPublicKeyOutOfBand ? [] : [send(.publicKey(own.coordinates), at: now)]
        return sent + authenticate(exchange)
    }

    private mutating func authenticate(_ exchange: Exchange) -> [ProvisioningDeviceAction] {
        let algorithm = exchange.start.algorithm
        let value: AuthenticationValue
        var actions: [ProvisioningDeviceAction] = []
        switch exchange.start.method {
        case .noOOB: value = .none(algorithm)
        // The Start PDU was refused if the device has no static value.
        case .staticOOB: value = staticValue.map { AuthenticationValue($0, algorithm) } ?? .none(algorithm)
        case .outputOOB(let action, let size):
            let chosen = action.format(size: size).value(from: secrets.valueSeed)
            value = AuthenticationValue(chosen, algorithm)
            actions = [.output(action, size: size, chosen)]
        case .inputOOB(let action, let size):
            state = .awaitingInput(exchange, action.format(size: size))
            return [.askForInput(action, size: size)]
        }
        state = .awaitingConfirmation(Authentication(exchange: exchange, value: value))
        return actions
    }

    private mutating func confirmed(
        _ confirmation: [UInt8],
        _ authentication: Authentication,
        at now: Instant
    ) -> [ProvisioningDeviceAction] {
        let exchange = authentication.exchange
        guard confirmation.count == exchange.random.count else {
            return fail(.malformed(.length(1 + confirmation.count)), at: now)
        }
        let own = exchange.confirmations.confirmation(of: exchange.random, authentication.value)
        guard confirmation != own else { return fail(.reflectedConfirmation, at: now) }
        state = .awaitingRandom(
            Commitment(exchange: exchange, value: authentication.value, provisionerConfirmation: confirmation)
        )
        let ended: [ProvisioningDeviceAction] = exchange.start.method.kind == .outputOOB ? [.outputCompleted] : []
        return ended + [send(.confirmation(own), at: now)]
    }

    private mutating func verified(
        _ random: [UInt8],
        _ commitment: Commitment,
        at now: Instant
    ) -> [ProvisioningDeviceAction] {
        let exchange = commitment.exchange
        guard random.count == exchange.random.count else {
            return fail(.malformed(.length(1 + random.count)), at: now)
        }
        guard random != exchange.random else { return fail(.reflectedRandom, at: now) }
        let expected = exchange.confirmations.confirmation(of: random, commitment.value)
        guard equalInConstantTime(expected, commitment.provisionerConfirmation) else {
            return fail(.confirmationMismatch, at: now)
        }
        state = .awaitingData(exchange.confirmations.keys(provisionerRandom: random, deviceRandom: exchange.random))
        return [send(.random(exchange.random), at: now)]
    }

    private mutating func provisioned(
        _ sealed: [UInt8],
        _ keys: ProvisioningKeys,
        at now: Instant
    ) -> [ProvisioningDeviceAction] {
        guard let opened = keys.open(sealed) else { return fail(.dataNotAuthentic, at: now) }
        let data: ProvisioningData
        do throws(DecodeError) {
            data = try ProvisioningData(decoding: opened)
        } catch {
            if case .prohibited(ProvisioningData.addressField, _) = error {
                return fail(.cannotAssignAddresses, at: now)
            }
            return fail(.invalidData(error), at: now)
        }
        guard data.hasRoom(forElements: capabilities.elementCount) else { return fail(.cannotAssignAddresses, at: now) }
        if let reprovision, let field = reprovision.mismatch(of: data, elementCount: capabilities.elementCount) {
            return fail(.invalidData(field), at: now)
        }
        state = .provisioned
        timer.stop()
        return [.provisioned(data, deviceKey: keys.deviceKey), .send(ProvisioningPDU.complete.encoded)]
    }

    private mutating func send(_ pdu: ProvisioningPDU, at now: Instant) -> ProvisioningDeviceAction {
        timer.restart(at: now)
        return .send(pdu.encoded)
    }

    private mutating func timeOut(at now: Instant) -> [ProvisioningDeviceAction]? {
        timer.isOver(at: now) ? fail(.timedOut, at: now) : nil
    }

    private mutating func fail(_ reason: ProvisioningFailureReason, at now: Instant) -> [ProvisioningDeviceAction] {
        let failure = ProvisioningFailure(reason, at: stage)
        switch state {
        case .provisioned, .failed: return []
        default: break
        }
        state = .failed
        timer.stop()
        guard let code = reason.errorCode else { return [.failed(failure)] }
        return [.send(ProvisioningPDU.failed(code).encoded), .failed(failure)]
    }
}

extension ProvisioningDevice: CustomReflectable {
    /// Shows only the stage, and hides the secrets.
    package var customMirror: Mirror { Mirror(self, children: ["stage": stage]) }
}
