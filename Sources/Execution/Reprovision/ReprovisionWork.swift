import MeshCore
import Planning
import Store

/// One reprovisioning of one node, from the first question to the durable result.
struct ReprovisionWork {
    private let access: MeshAccess
    private let snapshot: Snapshot
    private let node: Node
    private let plan: ReprovisionPlan
    private let run: RunIdentifier
    /// What the node is about to become, once that is durable.
    private var pending: PendingReprovision?

    /// Work that has not begun.
    init(_ access: MeshAccess, snapshot: Snapshot, node: Node, plan: ReprovisionPlan, run: RunIdentifier) {
        self.access = access
        self.snapshot = snapshot
        self.node = node
        self.plan = plan
        self.run = run
    }

    /// Whether the node may have received its provisioning data.
    var isStored: Bool { pending != nil }

    private var subnets: [NetKeyIndex] { [plan.netKeyIndex] }

    mutating func carryOut(in conversation: inout Conversation) throws(ExecutionStop) -> ReprovisionOutcome {
        if let outcome = clearLink(in: &conversation) { return outcome }
        if plan.procedure != .deviceKeyRefresh, let outcome = try checkComposition(in: &conversation) { return outcome }
        var (ending, stored) = converse(&conversation)
        let attempts = access.options.provisioning
        for failures in 1..<max(attempts.attempts, 1) {
            guard stored == nil, case .failed(let problem, isCertain: true) = ending, problem.isOfTheLink else { break }
            let delay = attempts.delay(afterFailures: failures)
            access.context.emit(.provisioningRetried(node.uuid, problem, in: delay))
            conversation.pause(for: delay)
            if let outcome = clearLink(in: &conversation) { return outcome }
            (ending, stored) = converse(&conversation)
        }
        pending = stored
        guard let stored else {
            switch ending {
            case .completed: return .unchanged(.outdated)
            case .failed(.remoteLink(.silent, _), isCertain: _): return .unanswered
            case .failed(let problem, isCertain: _): return .unchanged(.provisioning(problem))
            case .unreachable(let reason, let hint): return .unreachable(reason, hint: hint)
            case .stopped(let ending): return .stopped(ending)
            }
        }
        var authentication: NodeAuthentication?
        switch ending {
        case .failed(let problem, isCertain: true):
            let finding = ReprovisionFinding.unchanged(nil)
            _ = try ReprovisionSettling(access).record(
                finding,
                of: node.uuid,
                authentication: nil,
                conversation: &conversation
            )
            return .unchanged(.provisioning(problem))
        case .completed(let proof): authentication = proof
        case .failed, .unreachable, .stopped: break
        }
        conversation.toleratedInterrupts = 1
        let inquiry = ReprovisionInquiry(
            node,
            stored,
            subnets: subnets,
            deadline: access.options.retry.readBackDeadline
        )
        let finding = inquiry.finding(in: &conversation)
        let outcome = try ReprovisionSettling(access).record(
            finding,
            of: node.uuid,
            authentication: authentication,
            conversation: &conversation
        )
        switch (outcome, ending) {
        case (.unchanged, .failed(let problem, _)): return .unchanged(.provisioning(problem))
        case (.unreachable(let reason, let hint), _): return .unresolved(reason: reason, hint: hint)
        case (.stopped, _): return .unresolved(reason: nil, hint: nil)
        default: return outcome
        }
    }

    /// Closes a link that an earlier run has left open: a node only tells that a link to itself is open, not since
    /// when. Returns an outcome if the work cannot continue.
    private func clearLink(in conversation: inout Conversation) -> ReprovisionOutcome? {
        switch conversation.clearRemoteLink(in: subnets, deadline: access.options.retry.deadline) {
        case .answered(true): return nil
        case .answered(false): return .unchanged(.provisioning(.remoteLink(.refused(.linkCannotOpen), at: .notStarted)))
        case .unanswered: return .unanswered
        case .unreachable(let reason, let hint): return .unreachable(reason, hint: hint)
        case .stopped(let ending): return .stopped(ending)
        }
    }

    // MARK: What the node would become

    /// Reads Composition Data page 128 if the number of elements depends on it. Returns an outcome if the work cannot
    /// continue.
    private func checkComposition(
        in conversation: inout Conversation
    ) throws(ExecutionStop) -> ReprovisionOutcome? {
        switch conversation.ask(PageReading.Part.composition(page: 128).question, in: subnets) {
        case .answered(let answer?): return try check(answer, &conversation)
        case .answered(nil): return nil
        case .unanswered: return .unanswered
        case .unreachable(let reason, let hint): return .unreachable(reason, hint: hint)
        case .stopped(let ending): return .stopped(ending)
        }
    }

    private func check(
        _ answer: PageReading.Answer,
        _ conversation: inout Conversation
    ) throws(ExecutionStop) -> ReprovisionOutcome? {
        guard answer.page == 128 else {
            if plan.procedure == .nodeCompositionRefresh { return .unchanged(.nothingToBecome) }
            return try expect(node.elements.count, knowing: nil, &conversation)
        }
        // If the page does not fit one message, the node itself must judge it.
        guard let next = try? Composition(page0: answer.data), !next.elements.isEmpty else { return nil }
        let count = next.elements.count
        guard plan.procedure == .nodeCompositionRefresh else {
            return try expect(count, knowing: answer, &conversation)
        }
        var prepared = node
        prepared.record(next)
        if prepared.isMade(as: node) { return .unchanged(.nothingToBecome) }
        return count == node.elements.count ? nil : .unchanged(.elementCount(count, before: node.elements.count))
    }

    /// Continues if the new addresses suit this number of elements; otherwise records what the node told, for the next
    /// plan.
    private func expect(
        _ count: Int,
        knowing answer: PageReading.Answer?,
        _ conversation: inout Conversation
    ) throws(ExecutionStop) -> ReprovisionOutcome? {
        guard count != Int(plan.elementCount) else { return nil }
        var told = node
        if node.compositionPages != nil || answer != nil {
            told.compositionPages = node.compositionPages ?? [:]
            told.compositionPages?[128] = answer?.data
        }
        told.observedAt = access.context.now()
        var changes = StoreChanges()
        changes.nodes = [told]
        try commit(changes, &conversation)
        return .unchanged(.otherElementCount(count))
    }

    // MARK: The session

    private func converse(_ conversation: inout Conversation) -> (ReprovisionDialogue.Ending, PendingReprovision?) {
        // The closure that stores it is the first to know it.
        let stored = StoredReprovision()
        let owner = ReprovisionDialogue.Owner(
            choose: { capabilities, ivIndex throws(ProvisioningProblem) in try choose(capabilities, ivIndex) },
            store: { candidate throws(ExecutionStop) in stored.value = try store(candidate) },
            progress: { [access, node] in access.context.emit(.provisioningStage(node.uuid, .session($0))) }
        )
        var dialogue = ReprovisionDialogue(
            plan.provisioning,
            procedure: plan.procedure,
            subnets: subnets,
            secrets: access.context.provisioningSecrets(),
            prompter: access.context.outOfBand,
            owner: owner
        )
        access.context.emit(.provisioningStage(node.uuid, .connectingThrough(node.uuid)))
        let ending = dialogue.hold(in: &conversation)
        return (ending, stored.value)
    }

    /// Holds what became durable.
    private final class StoredReprovision {
        var value: PendingReprovision?
    }

    private func choose(
        _ capabilities: ProvisioningCapabilities,
        _ ivIndex: IVIndex?
    ) throws(ProvisioningProblem) -> (ProvisioningChoice, ProvisioningData) {
        guard capabilities.elementCount == plan.elementCount else {
            throw .elementCount(reported: capabilities.elementCount, expected: plan.elementCount)
        }
        // The session is secured by the DeviceKey: whoever learns the value holds the keys of the node already.
        let choice = try plan.provisioning.choice(
            for: capabilities,
            asking: access.context.outOfBand,
            memory: snapshot.network.deviceMemories[node.uuid],
            allowsUsedValue: true
        )
        guard let subnet = snapshot.network.netKeys.first(where: { $0.index == plan.netKeyIndex }) else {
            throw .noNetKey(plan.netKeyIndex)
        }
        guard let address = plan.address else { throw .noAddress("there is no address") }
        return (
            choice, ProvisioningData(subnet: subnet, ivIndex: ivIndex ?? snapshot.network.ivIndex, address: address)
        )
    }

    /// Records what the node will be. This must be durable before the node learns it.
    private func store(
        _ candidate: ProvisioningConversation.Candidate
    ) throws(ExecutionStop) -> PendingReprovision {
        let pending = PendingReprovision(
            uuid: node.uuid,
            procedure: plan.procedure,
            deviceKey: candidate.deviceKey,
            address: candidate.address,
            elementCount: candidate.elementCount,
            attemptedAt: access.context.now()
        )
        var changes = StoreChanges()
        changes.pendingReprovisions = [pending]
        _ = try stopping { () throws(StoreError) in
            try access.database.commit(changes, with: access.lease)
        }
        return pending
    }

    // MARK: The journal

    /// Records the result and the end of the run.
    func finish(_ outcome: ReprovisionOutcome, conversation: inout Conversation) throws(ExecutionStop) {
        let result: JournalResult
        let end: RunOutcome
        switch outcome {
        case .reprovisioned: (result, end) = (.succeeded, .completed)
        case .unchanged: (result, end) = (.skipped, .failed)
        case .unresolved: (result, end) = (.unknown, .partial)
        case .unreachable, .unanswered: (result, end) = (.skipped, .partial)
        case .stopped(.interrupted): (result, end) = (.skipped, .interrupted)
        case .stopped(.storeFailed): return
        case .stopped: (result, end) = (.skipped, .failed)
        }
        let subject = JournalSubject.label("\(node.uuid.rawValue.hexadecimal)/\(plan.procedure.name)")
        var changes = StoreChanges()
        changes.run = run
        changes.outcomes = [JournalOutcome(run: run, subject: subject, result: result)]
        try commit(changes, &conversation)
        try stopping { () throws(StoreError) in
            try access.database.end(
                run,
                end,
                at: access.context.now(),
                timing: nil,
                with: access.lease
            )
        }
    }

    private func commit(_ changes: StoreChanges, _ conversation: inout Conversation) throws(ExecutionStop) {
        var changes = changes
        changes.replay = conversation.takeReplayEntries()
        _ = try stopping { () throws(StoreError) in
            try access.database.commit(changes, with: access.lease)
        }
    }
}

extension ProvisioningProblem {
    /// Whether the link was lost in progress, for example by a late message of the server about the previous link:
    /// another link may succeed.
    fileprivate var isOfTheLink: Bool {
        switch self {
        case .remoteLink(.reported, _), .remoteLink(.vanished, _), .remoteLink(.outOfStep, _),
            .remoteLink(.pduMissing, _), .remoteLink(.notOpened, _):
            true
        default: false
        }
    }
}
