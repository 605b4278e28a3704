import MeshCore
import Planning

/// One provisioning session with a node, over the link that its own Remote Provisioning Server opens to its Node
/// Provisioning Protocol Interface (Mesh Protocol 1.1, 3.11.8, 5.2.3).
struct ReprovisionDialogue {
    /// How the dialogue ended.
    enum Ending {
        /// The node has taken the provisioning data, and the link was closed with success.
        case completed(NodeAuthentication)
        /// The dialogue failed: whether it is certain that the node is as before.
        case failed(ProvisioningProblem, isCertain: Bool)
        case unreachable(String, hint: Advice?)
        case stopped(Recap.Ending)
    }

    /// What the dialogue needs from its owner.
    struct Owner {
        /// Decides how to continue, and with which data, once a node has told its capabilities.
        let choose:
            (ProvisioningCapabilities, IVIndex?) throws(ProvisioningProblem) -> (ProvisioningChoice, ProvisioningData)
        /// Makes durable what the node is about to become.
        let store: (ProvisioningConversation.Candidate) throws(ExecutionStop) -> Void
        let progress: (ProvisioningStage) -> Void
    }

    private let order: ProvisioningOrder
    private let subnets: [NetKeyIndex]
    private let prompter: OutOfBandPrompter
    private let owner: Owner
    private let secrets: ProvisioningSecrets
    private var link: RemoteProvisioningLink
    private var session: ProvisioningConversation?
    /// A message of the link that could not be sent because there was no proxy.
    private var unsent: [UInt8]?
    private(set) var isStored = false
    private var authentication: NodeAuthentication?
    private var problem: ProvisioningProblem?
    private var stop: Recap.Ending?
    private var ending: Ending?

    /// A dialogue that has not begun.
    init(
        _ order: ProvisioningOrder,
        procedure: NodeProvisioningProcedure,
        subnets: [NetKeyIndex],
        secrets: ProvisioningSecrets,
        prompter: OutOfBandPrompter,
        owner: Owner
    ) {
        self.order = order
        self.subnets = subnets
        self.prompter = prompter
        self.owner = owner
        self.secrets = secrets
        link = RemoteProvisioningLink(target: .node(procedure))
    }

    /// Carries out the dialogue, from opening the link to closing it.
    mutating func hold(in conversation: inout Conversation) -> Ending {
        conversation.listen(true)
        defer {
            prompter.withdraw()
            conversation.cancel()
            conversation.listen(false)
            conversation.toleratedInterrupts = 0
        }
        carry(link.open(at: conversation.now), &conversation)
        while true {
            if let ending { return ending }
            if conversation.isInterrupted { interrupt(&conversation) }
            if let ending { return ending }
            switch conversation.failure {
            case .unreachable(let reason, let hint): return .unreachable(reason, hint: hint)
            case .stopped(let ending): return .stopped(ending)
            case .answered, .unanswered, nil: break
            }
            if let payload = unsent { post(payload, &conversation) }
            conversation.wait(until: nextTime(conversation.now))
            takeEvents(&conversation)
        }
    }

    private func nextTime(_ now: Instant) -> Instant {
        var time = now.advanced(by: .milliseconds(session?.awaitsAnswer == true ? 50 : 500))
        if let due = link.nextDeadline { time = min(time, due) }
        if let due = session?.nextDeadline { time = min(time, due) }
        return time
    }

    private mutating func takeEvents(_ conversation: inout Conversation) {
        for payload in conversation.takeHeard() {
            carry(link.receive(payload, at: conversation.now), &conversation)
        }
        let now = conversation.now
        if let due = link.nextDeadline, due <= now { carry(link.advance(to: now), &conversation) }
        if let due = session?.nextDeadline, due <= now { carryOut(session?.advance(to: now), &conversation) }
        if session?.awaitsAnswer == true, let text = prompter.answer() {
            carryOut(session?.answer(text, at: now), &conversation)
        }
    }

    /// An interrupt ends the dialogue unless it has gone too far: a node that has its provisioning data is finished,
    /// unless there is a second interrupt.
    private mutating func interrupt(_ conversation: inout Conversation) {
        if isStored, conversation.toleratedInterrupts == 0 {
            conversation.toleratedInterrupts = 1
            if !conversation.isInterrupted { return }
        }
        if conversation.toleratedInterrupts > 0 {
            ending = .stopped(.interrupted)
            return
        }
        conversation.toleratedInterrupts = 1
        stop = .interrupted
        _ = session?.cancel()
        carry(link.close(.fail, at: conversation.now), &conversation)
    }

    // MARK: The link

    private mutating func carry(_ actions: [RemoteProvisioningLink.Action], _ conversation: inout Conversation) {
        for action in actions {
            switch action {
            case .send(let payload): post(payload, &conversation)
            case .opened:
                session = ProvisioningConversation(order, secrets: secrets, carriage: .whole)
                carryOut(session?.start(at: conversation.now), &conversation)
            case .received(let pdu): carryOut(session?.receive(pdu, at: conversation.now), &conversation)
            case .closed(let end): finish(end, &conversation)
            }
        }
    }

    private mutating func post(_ payload: [UInt8], _ conversation: inout Conversation) {
        unsent = conversation.post(payload, in: subnets) ? nil : payload
    }

    private mutating func finish(_ end: RemoteProvisioningLinkEnd, _ conversation: inout Conversation) {
        if let stop {
            ending = .stopped(stop)
            return
        }
        if let authentication {
            ending = .completed(authentication)
            return
        }
        // A node that refused to open the link, or confirmed that it closed it as failed, has not changed.
        let isCertain = !isStored || end == .closedByClient(isConfirmed: true)
        if problem == nil {
            problem =
                session.map { ProvisioningLinkLoss.remote(end).problem(at: $0.stage) }
                ?? .remoteLink(end, at: .notStarted)
        }
        if let problem { ending = .failed(problem, isCertain: isCertain) }
    }

    // MARK: The session

    private mutating func carryOut(_ actions: [ProvisioningConversation.Action]?, _ conversation: inout Conversation) {
        // The beginning of the next stage comes after everything of this one.
        var decisions: [ProvisioningConversation.Action] = []
        for action in actions ?? [] {
            let now = conversation.now
            switch action {
            case .send(let pdu): carry(link.send(pdu, at: now), &conversation)
            case .stage(let stage): owner.progress(stage)
            case .ask(let question): prompter.ask(question)
            case .withdraw: prompter.withdraw()
            case .capabilities, .store: decisions.append(action)
            case .completed(let node):
                authentication = node.authentication
                carry(link.close(.success, at: now), &conversation)
            case .failed(let problem): fail(problem, &conversation)
            }
        }
        for decision in decisions {
            switch decision {
            case .capabilities(let capabilities): choose(capabilities, &conversation)
            case .store(let candidate): store(candidate, &conversation)
            default: break
            }
        }
    }

    private mutating func choose(_ capabilities: ProvisioningCapabilities, _ conversation: inout Conversation) {
        do throws(ProvisioningProblem) {
            let (choice, data) = try owner.choose(capabilities, conversation.ivIndex)
            carryOut(session?.choose(choice, data: data, at: conversation.now), &conversation)
        } catch {
            _ = session?.cancel()
            fail(error, &conversation)
        }
    }

    private mutating func store(_ candidate: ProvisioningConversation.Candidate, _ conversation: inout Conversation) {
        do throws(ExecutionStop) {
            try owner.store(candidate)
            isStored = true
            carryOut(session?.dataIsDurable(at: conversation.now), &conversation)
        } catch {
            stop = error.ending
            _ = session?.cancel()
            carry(link.close(.fail, at: conversation.now), &conversation)
        }
    }

    private mutating func fail(_ problem: ProvisioningProblem, _ conversation: inout Conversation) {
        if self.problem == nil, authentication == nil { self.problem = problem }
        carry(link.close(.fail, at: conversation.now), &conversation)
    }
}
