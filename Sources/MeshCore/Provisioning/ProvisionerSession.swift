/// What a provisioner's session asks of its caller or tells it, in order.
package enum ProvisionerAction: Hashable, Sendable {
    /// Send this PDU to the device, as the payload of a Proxy PDU of type 0x03.
    case send([UInt8])
    /// The device told its capabilities. Answer with ``ProvisionerSession/choose(_:data:at:)``.
    case capabilitiesReceived(ProvisioningCapabilities)
    /// The device outputs a value. Answer with ``ProvisionerSession/supply(_:at:)``.
    case askForOutput(OutputAction, size: UInt8)
    /// A person must enter this value into the device.
    case showInput(InputAction, size: UInt8, OutOfBandValue)
    /// The device has received the input, so the value can be hidden.
    case inputCompleted
    /// The device is authenticated, and the provisioning data are ready to be sent. Store device key and address
    /// durably, then call ``ProvisionerSession/dataIsDurable(at:)``.
    case dataIsAboutToBeSent(deviceKey: KeyMaterial, address: UnicastAddress)
    /// The device is a node. Close the link.
    case completed(ProvisionedNode)
    /// The session has failed. Close the link.
    case failed(ProvisioningFailure)
}

/// A device that has become a node.
package struct ProvisionedNode: Hashable, Sendable {
    /// The key that secures its configuration.
    package var deviceKey: KeyMaterial
    /// The address of its primary element.
    package var address: UnicastAddress
    /// The number of its elements and addresses.
    package var elementCount: UInt8
    package var authentication: NodeAuthentication
}

/// The provisioner's side of one session of the provisioning protocol (Mesh Protocol 5.4.2).
///
/// A value machine: PDUs, decisions and time go in, actions and a deadline come out. It never sends provisioning data
/// before its caller has said that device key and address are stored. On a failure it sends nothing, as the
/// specification demands, but asks its caller to close the link (5.4.4).
package struct ProvisionerSession {
    /// How long a device whose public key we know has time for the key agreement. It answers nothing to our public key,
    /// and one that is still at work (Zephyr) refuses the confirmation as unexpected.
    static let agreementTime = Duration.seconds(2)

    private var state: State
    private var timer = ProvisioningTimer()

    private enum State {
        case notStarted(Invitation)
        case invited(Invitation)
        case deciding(Decision)
        case awaitingPublicKey(Agreement)
        case awaitingOutput(Exchange, OutOfBandFormat)
        case awaitingInputComplete(Exchange, OutOfBandValue)
        case awaitingAgreement(Commitment, until: Instant)
        case awaitingConfirmation(Commitment)
        case awaitingRandom(Verification)
        case awaitingDurability(Handover)
        case awaitingComplete(ProvisionedNode)
        case completed
        case failed
    }

    /// What is known from the start.
    private struct Invitation {
        let attentionDuration: UInt8
        let secrets: ProvisioningSecrets
    }

    /// What is known once the capabilities have arrived.
    private struct Decision {
        let invitation: Invitation
        let capabilities: ProvisioningCapabilities
    }

    /// What is fixed once the Start PDU is sent.
    private struct Agreement {
        let choice: ProvisioningChoice
        let data: ProvisioningData
        let elementCount: UInt8
        let secrets: ProvisioningSecrets
        /// Inputs of the confirmations, without the device's public key.
        let inputs: [UInt8]
    }

    /// What is known once the public keys are exchanged.
    private struct Exchange {
        let agreement: Agreement
        let confirmations: ProvisioningConfirmations
        let random: [UInt8]
        /// When the device is taken to have agreed on the secret, too.
        let isAgreedAt: Instant
    }

    /// What is known once our confirmation is made.
    private struct Commitment {
        let exchange: Exchange
        let value: AuthenticationValue
        let confirmation: [UInt8]
    }

    /// What is known once the device's confirmation has arrived.
    private struct Verification {
        let exchange: Exchange
        let value: AuthenticationValue
        let deviceConfirmation: [UInt8]
    }

    /// What is known once the device is authenticated.
    private struct Handover {
        let keys: ProvisioningKeys
        let data: ProvisioningData
        let node: ProvisionedNode
    }

    /// A session with a device on a newly opened link.
    ///
    /// - Parameters:
    ///   - attentionDuration: for how many seconds the device draws attention to itself; 0 for not at all.
    ///   - secrets: the randomness of this provisioning session, which no other session may use.
    package init(attentionDuration: UInt8, secrets: ProvisioningSecrets) {
        state = .notStarted(Invitation(attentionDuration: attentionDuration, secrets: secrets))
    }

    package var stage: ProvisioningStage {
        switch state {
        case .notStarted: .notStarted
        case .invited: .invitation
        case .deciding: .decision
        case .awaitingPublicKey: .publicKeyExchange
        case .awaitingOutput, .awaitingInputComplete: .outOfBandValue
        case .awaitingAgreement, .awaitingConfirmation: .confirmation
        case .awaitingRandom: .verification
        case .awaitingDurability: .durability
        case .awaitingComplete: .completion
        case .completed: .completed
        case .failed: .failed
        }
    }

    /// When ``advance(to:)`` must be called; nil before the start and after the end.
    package var nextDeadline: Instant? {
        guard case .awaitingAgreement(_, let due) = state else { return timer.deadline }
        return due
    }

    // MARK: What the caller does

    package mutating func start(at now: Instant) -> [ProvisionerAction] {
        guard case .notStarted(let invitation) = state else { return [] }
        state = .invited(invitation)
        return [send(.invite(attentionDuration: invitation.attentionDuration), at: now)]
    }

    /// Starts provisioning after ``ProvisionerAction/capabilitiesReceived(_:)``.
    ///
    /// - Parameters:
    ///   - choice: how to provision; see ``ProvisioningPolicy``.
    ///   - data: the data for the node; its address must have room for all elements.
    /// - Throws: ``ProvisioningInputError/notExpected(_:)`` in another stage, ``ProvisioningInputError/notOffered`` if
    ///   the device does not offer the choice, ``ProvisioningInputError/addressBlock(_:elementCount:)`` if the elements
    ///   do not fit.
    package mutating func choose(
        _ choice: ProvisioningChoice,
        data: ProvisioningData,
        at now: Instant
    ) throws(ProvisioningInputError) -> [ProvisionerAction] {
        if let timeout = timeOut(at: now) { return timeout }
        guard case .deciding(let decision) = state else { throw .notExpected(stage) }
        let capabilities = decision.capabilities
        guard capabilities.offer(choice.start) else { throw .notOffered }
        guard data.hasRoom(forElements: capabilities.elementCount) else {
            throw .addressBlock(data.address, elementCount: capabilities.elementCount)
        }
        let secrets = decision.invitation.secrets
        let publicKey = secrets.keyPair.publicKey.coordinates
        let agreement = Agreement(
            choice: choice,
            data: data,
            elementCount: capabilities.elementCount,
            secrets: secrets,
            inputs: [decision.invitation.attentionDuration] + capabilities.encoded + choice.start.encoded + publicKey
        )
        state = .awaitingPublicKey(agreement)
        let sent = [send(.start(choice.start), at: now), send(.publicKey(publicKey), at: now)]
        guard let devicePublicKey = choice.publicKey else { return sent }
        let isAgreedAt = now.advanced(by: Self.agreementTime)
        return sent + exchanged(devicePublicKey, agreement, isAgreedAt: isAgreedAt, at: now)
    }

    /// Takes the value that the device outputs, after ``ProvisionerAction/askForOutput(_:size:)``. After an impossible
    /// value another one can be given; a possible but wrong value ends the session.
    ///
    /// - Throws: ``ProvisioningInputError/notExpected(_:)`` in another stage, ``ProvisioningInputError/value(_:)`` for
    ///   an impossible value.
    package mutating func supply(
        _ value: OutOfBandValue,
        at now: Instant
    ) throws(ProvisioningInputError) -> [ProvisionerAction] {
        if let timeout = timeOut(at: now) { return timeout }
        guard case .awaitingOutput(let exchange, let format) = state else { throw .notExpected(stage) }
        do throws(OutOfBandValueError) { try format.check(value) } catch { throw .value(error) }
        return commit(to: AuthenticationValue(value, exchange.agreement.choice.algorithm), exchange, at: now)
    }

    /// Sends the provisioning data. Call it after ``ProvisionerAction/dataIsAboutToBeSent(deviceKey:address:)``, once
    /// both are stored.
    ///
    /// - Throws: ``ProvisioningInputError/notExpected(_:)`` in another stage.
    package mutating func dataIsDurable(at now: Instant) throws(ProvisioningInputError) -> [ProvisionerAction] {
        if let timeout = timeOut(at: now) { return timeout }
        guard case .awaitingDurability(let handover) = state else { throw .notExpected(stage) }
        state = .awaitingComplete(handover.node)
        return [send(.data(handover.keys.seal(handover.data)), at: now)]
    }

    /// Ends the session because the caller gives it up.
    package mutating func cancel() -> [ProvisionerAction] { fail(.cancelled) }

    /// Ends the session because the link is gone.
    package mutating func linkClosed() -> [ProvisionerAction] { fail(.linkClosed) }

    /// Sends the confirmation that waits for the device, or ends the session if it has timed out.
    package mutating func advance(to now: Instant) -> [ProvisionerAction] {
        if let timeout = timeOut(at: now) { return timeout }
        guard case .awaitingAgreement(let commitment, let due) = state, due <= now else { return [] }
        return send(commitment, at: now)
    }

    // MARK: What the device sends

    /// Receives a PDU, the payload of a Proxy PDU of type 0x03.
    package mutating func receive(_ bytes: [UInt8], at now: Instant) -> [ProvisionerAction] {
        if let timeout = timeOut(at: now) { return timeout }
        switch state {
        case .notStarted, .completed, .failed: return []
        default: break
        }
        timer.restart(at: now)
        let pdu: ProvisioningPDU
        do throws(DecodeError) {
            pdu = try ProvisioningPDU(decoding: bytes)
        } catch {
            return fail(.malformed(error))
        }
        switch (state, pdu) {
        case (_, .failed(let code)): return fail(.reportedByDevice(code))
        case (.invited(let invitation), .capabilities(let capabilities)):
            state = .deciding(Decision(invitation: invitation, capabilities: capabilities))
            return [.capabilitiesReceived(capabilities)]
        case (.awaitingPublicKey(let agreement), .publicKey(let coordinates)):
            guard let publicKey = P256PublicKey(coordinates) else { return fail(.invalidPublicKey) }
            return exchanged(publicKey, agreement, isAgreedAt: now, at: now)
        case (.awaitingInputComplete(let exchange, let value), .inputComplete):
            let value = AuthenticationValue(value, exchange.agreement.choice.algorithm)
            return [.inputCompleted] + commit(to: value, exchange, at: now)
        case (.awaitingConfirmation(let commitment), .confirmation(let confirmation)):
            return confirmed(confirmation, commitment, at: now)
        case (.awaitingRandom(let verification), .random(let random)):
            return verified(random, verification)
        case (.awaitingComplete(let node), .complete):
            state = .completed
            timer.stop()
            return [.completed(node)]
        default: return fail(.unexpected(pdu.type))
        }
    }

    // MARK: Steps

    private mutating func exchanged(
        _ publicKey: P256PublicKey,
        _ agreement: Agreement,
        isAgreedAt: Instant,
        at now: Instant
    ) -> [ProvisionerAction] {
        let keyPair = agreement.secrets.keyPair
        guard publicKey.x != keyPair.publicKey.x else { return fail(.reflectedPublicKey) }
        let choice = agreement.choice
        let exchange = Exchange(
            agreement: agreement,
            confirmations: ProvisioningConfirmations(
                algorithm: choice.algorithm,
                secret: keyPair.sharedSecret(with: publicKey),
                inputs: agreement.inputs + publicKey.coordinates
            ),
            random: agreement.secrets.random(choice.algorithm),
            isAgreedAt: isAgreedAt
        )
        switch choice.authentication {
        case .noOOB: return commit(to: .none(choice.algorithm), exchange, at: now)
        case .staticOOB(let value): return commit(to: AuthenticationValue(value, choice.algorithm), exchange, at: now)
        case .outputOOB(let action, let size):
            state = .awaitingOutput(exchange, action.format(size: size))
            return [.askForOutput(action, size: size)]
        case .inputOOB(let action, let size):
            let value = action.format(size: size).value(from: agreement.secrets.valueSeed)
            state = .awaitingInputComplete(exchange, value)
            return [.showInput(action, size: size, value)]
        }
    }

    private mutating func commit(
        to value: AuthenticationValue,
        _ exchange: Exchange,
        at now: Instant
    ) -> [ProvisionerAction] {
        let confirmation = exchange.confirmations.confirmation(of: exchange.random, value)
        let commitment = Commitment(exchange: exchange, value: value, confirmation: confirmation)
        guard exchange.isAgreedAt > now else { return send(commitment, at: now) }
        state = .awaitingAgreement(commitment, until: exchange.isAgreedAt)
        return []
    }

    private mutating func send(_ commitment: Commitment, at now: Instant) -> [ProvisionerAction] {
        state = .awaitingConfirmation(commitment)
        return [send(.confirmation(commitment.confirmation), at: now)]
    }

    private mutating func confirmed(
        _ confirmation: [UInt8],
        _ commitment: Commitment,
        at now: Instant
    ) -> [ProvisionerAction] {
        guard confirmation.count == commitment.confirmation.count else {
            return fail(.malformed(.length(1 + confirmation.count)))
        }
        guard confirmation != commitment.confirmation else { return fail(.reflectedConfirmation) }
        let exchange = commitment.exchange
        state = .awaitingRandom(
            Verification(exchange: exchange, value: commitment.value, deviceConfirmation: confirmation)
        )
        return [send(.random(exchange.random), at: now)]
    }

    private mutating func verified(_ random: [UInt8], _ verification: Verification) -> [ProvisionerAction] {
        let exchange = verification.exchange
        guard random.count == exchange.random.count else { return fail(.malformed(.length(1 + random.count))) }
        guard random != exchange.random else { return fail(.reflectedRandom) }
        let expected = exchange.confirmations.confirmation(of: random, verification.value)
        guard equalInConstantTime(expected, verification.deviceConfirmation) else { return fail(.confirmationMismatch) }
        let agreement = exchange.agreement
        let keys = exchange.confirmations.keys(provisionerRandom: exchange.random, deviceRandom: random)
        let node = ProvisionedNode(
            deviceKey: keys.deviceKey,
            address: agreement.data.address,
            elementCount: agreement.elementCount,
            authentication: agreement.choice.nodeAuthentication
        )
        state = .awaitingDurability(Handover(keys: keys, data: agreement.data, node: node))
        return [.dataIsAboutToBeSent(deviceKey: node.deviceKey, address: node.address)]
    }

    private mutating func send(_ pdu: ProvisioningPDU, at now: Instant) -> ProvisionerAction {
        timer.restart(at: now)
        return .send(pdu.encoded)
    }

    private mutating func timeOut(at now: Instant) -> [ProvisionerAction]? {
        timer.isOver(at: now) ? fail(.timedOut) : nil
    }

    private mutating func fail(_ reason: ProvisioningFailureReason) -> [ProvisionerAction] {
        let failure = ProvisioningFailure(reason, at: stage)
        switch state {
        case .completed, .failed: return []
        default: break
        }
        state = .failed
        timer.stop()
        return [.failed(failure)]
    }
}

extension ProvisionerSession: CustomReflectable {
    /// Shows only the stage, and hides the secrets.
    package var customMirror: Mirror { Mirror(self, children: ["stage": stage]) }
}
