import MeshCore
import Planning

/// The provisioning of one device over one open link: the session, its packets, and the questions to a person (Mesh
/// Protocol 5.2.2, 5.2.3, 5.4.2, 6.3).
///
/// A value machine: packets, decisions, answers and time in, actions and a deadline out.
struct ProvisioningConversation {
    /// What the owner must do or know, in order.
    enum Action: Hashable, Sendable {
        /// Write a packet to the link.
        case send([UInt8])
        case stage(ProvisioningStage)
        /// The device tells its capabilities: answer with ``choose(_:data:at:)``, or ``cancel()``.
        case capabilities(ProvisioningCapabilities)
        /// Show a question, or show it again because the answer was unusable.
        case ask(OutOfBandQuestion)
        /// The question no longer needs an answer.
        case withdraw
        /// Make this durable, then call ``dataIsDurable(at:)``.
        case store(Candidate)
        /// The device is a node. Close the link.
        case completed(ProvisionedNode)
        /// The session has failed. Close the link.
        case failed(ProvisioningProblem)
    }

    /// The future node, as it will be once the device has accepted the provisioning data.
    struct Candidate: Hashable, Sendable {
        let deviceKey: KeyMaterial
        let address: UnicastAddress
        let elementCount: UInt8
        let netKeyIndex: NetKeyIndex
        let authentication: NodeAuthentication
    }

    /// The default ATT_MTU of 23 octets less the 3 of a write's header; no link carries less.
    static let minimumPacketSize = 20
    /// How often a person is asked for a value before the session fails.
    static let maximumAnswers = 3

    private let device: String
    private let carriage: ProvisioningCarriage
    private var session: ProvisionerSession
    private var reassembler = ProxyReassembler()
    private var elementCount: UInt8 = 1
    private var choice: ProvisioningChoice?
    private var netKeyIndex = NetKeyIndex.primary
    private var format: OutOfBandFormat?
    private var question: OutOfBandQuestion?
    private var answers = 0
    private var reportedStage = ProvisioningStage.notStarted

    /// A conversation on a link that has just been opened.
    ///
    /// - Parameters:
    ///   - order: how to provision the device; its name appears in questions.
    ///   - secrets: random values for this provisioning session alone.
    ///   - carriage: what the link carries.
    init(_ order: ProvisioningOrder, secrets: ProvisioningSecrets, carriage: ProvisioningCarriage) {
        device = order.name
        self.carriage = carriage
        session = ProvisionerSession(attentionDuration: order.attention, secrets: secrets)
    }

    var stage: ProvisioningStage { session.stage }

    /// Whether a question is open that ``answer(_:at:)`` answers.
    var awaitsAnswer: Bool { format != nil }

    /// What is to prove who the device is; nil before that is chosen.
    var authentication: NodeAuthentication? { choice?.nodeAuthentication }

    /// When to call ``advance(to:)``.
    var nextDeadline: Instant? {
        guard let first = session.nextDeadline, let second = reassembler.nextDeadline else {
            return session.nextDeadline ?? reassembler.nextDeadline
        }
        return min(first, second)
    }

    // MARK: What the owner does

    mutating func start(at now: Instant) -> [Action] {
        if case .proxy(let size) = carriage, size < ProvisioningConversation.minimumPacketSize {
            return end(.link(BearerError("the link carries only \(size) octets at once"), at: .notStarted))
        }
        return translate(session.start(at: now))
    }

    /// Starts provisioning after ``Action/capabilities(_:)``.
    mutating func choose(_ choice: ProvisioningChoice, data: ProvisioningData, at now: Instant) -> [Action] {
        self.choice = choice
        netKeyIndex = data.netKeyIndex
        do throws(ProvisioningInputError) {
            return translate(try session.choose(choice, data: data, at: now))
        } catch {
            switch error {
            case .addressBlock(let address, let count):
                return end(.noAddress("\(count) elements have no room from \(address) on"))
            case .notOffered, .notExpected, .value:
                return end(.session(ProvisioningFailure(.notOffered, at: session.stage), authentication))
            }
        }
    }

    /// Processes a person's answer.
    mutating func answer(_ text: String, at now: Instant) -> [Action] {
        guard let format, let question else { return [] }
        answers += 1
        do throws(OutOfBandValueError) {
            let value = try format.parse(text)
            guard let actions = try? session.supply(value, at: now) else { return [] }
            return translate(actions)
        } catch {
            return answers < ProvisioningConversation.maximumAnswers ? [.ask(question)] : end(.outOfBandValue(error))
        }
    }

    /// The candidate is durable: sends the provisioning data.
    mutating func dataIsDurable(at now: Instant) -> [Action] {
        guard let actions = try? session.dataIsDurable(at: now) else { return [] }
        return translate(actions)
    }

    /// Ends the session without telling the device, which notices that the link is closed (Mesh Protocol 5.4.4).
    mutating func cancel() -> [Action] {
        defer { _ = session.cancel() }
        return withdrawal()
    }

    // MARK: What comes from the link

    mutating func receive(_ packet: [UInt8], at now: Instant) -> [Action] {
        if carriage == .whole { return translate(session.receive(packet, at: now)) }
        do throws(ProxyProtocolError) {
            guard let pdu = try reassembler.receive(packet, at: now), pdu.type == .provisioning else { return [] }
            return translate(session.receive(pdu.payload, at: now))
        } catch {
            return end(.proxyProtocol(error, at: session.stage))
        }
    }

    mutating func linkClosed(_ loss: ProvisioningLinkLoss) -> [Action] {
        end(loss.problem(at: session.stage))
    }

    /// Time has passed.
    mutating func advance(to now: Instant) -> [Action] {
        do throws(ProxyProtocolError) {
            try reassembler.advance(to: now)
        } catch {
            return end(.proxyProtocol(error, at: session.stage))
        }
        return translate(session.advance(to: now))
    }

    // MARK: Translation

    /// Translates the session's actions into packets, questions and stages.
    private mutating func translate(_ actions: [ProvisionerAction]) -> [Action] {
        var translated: [Action] = []
        for action in actions {
            switch action {
            case .send(let bytes):
                translated += packets(of: bytes).map { .send($0) }
            case .capabilitiesReceived(let capabilities):
                elementCount = capabilities.elementCount
                translated.append(.capabilities(capabilities))
            case .askForOutput(let action, let size):
                format = action.format(size: size)
                translated.append(ask(.output(device: device, action, size: size)))
            case .showInput(let action, size: _, let value):
                translated.append(ask(.input(device: device, action, value)))
            case .inputCompleted: translated += withdrawal()
            case .dataIsAboutToBeSent(let deviceKey, let address):
                guard let choice else { continue }
                let candidate = Candidate(
                    deviceKey: deviceKey,
                    address: address,
                    elementCount: elementCount,
                    netKeyIndex: netKeyIndex,
                    authentication: choice.nodeAuthentication
                )
                translated.append(.store(candidate))
            case .completed(let node): translated.append(.completed(node))
            case .failed(let failure):
                translated += withdrawal()
                translated.append(.failed(.session(failure, authentication)))
            }
        }
        // If the session now waits for something else, the requested value is known.
        if question != nil, session.stage != .outOfBandValue { translated = withdrawal() + translated }
        if session.stage != reportedStage, session.stage != .failed, session.stage != .completed {
            reportedStage = session.stage
            translated.append(.stage(session.stage))
        }
        return translated
    }

    private func packets(of bytes: [UInt8]) -> [[UInt8]] {
        guard case .proxy(let size) = carriage else { return [bytes] }
        return ProxySegmenter.packets(of: ProxyPDU(type: .provisioning, payload: bytes), maximumSize: size)
    }

    private mutating func ask(_ question: OutOfBandQuestion) -> Action {
        self.question = question
        return .ask(question)
    }

    private mutating func withdrawal() -> [Action] {
        guard question != nil else { return [] }
        question = nil
        format = nil
        return [.withdraw]
    }

    private mutating func end(_ problem: ProvisioningProblem) -> [Action] {
        switch session.stage {
        case .completed, .failed: return []
        default: break
        }
        return cancel() + [.failed(problem)]
    }
}
