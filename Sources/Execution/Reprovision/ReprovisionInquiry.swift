import MeshCore
import Planning
import Store

/// The answer of a node whose reprovisioning was not finished.
enum ReprovisionFinding: Hashable {
    /// The reprovisioning has taken effect: the composition that the node tells, if it makes sense, and how it relays,
    /// if it has restarted.
    case reprovisioned(Composition?, relay: ConfigRelayStatus?)
    /// The reprovisioning has not taken effect, and will not: the node answers as before, and its server has no link
    /// that could still complete it. The composition that the node tells, if it was asked.
    case unchanged(Composition?)
    /// The node answers neither as before nor as reprovisioned.
    case unanswered
    case unreachable(String, hint: Advice?)
    /// The inquiry ended early.
    case stopped(Recap.Ending)
}

/// Finds out whether a pending reprovisioning of a node has taken effect. It asks the node as what it may have become,
/// then as what it was, and then once more as what it may have become, in case only the question was lost.
///
/// The order matters. The first message under a candidate makes it the DeviceKey (Mesh Protocol 1.1, 3.9.6.1), so its
/// answer decides. An answer as before decides only once the node's server has no link: a message on its way could
/// still close an open link with success. So an open link is first closed as failed.
struct ReprovisionInquiry {
    private let former: Node
    private let reprovisioned: Node
    private let pending: PendingReprovision
    private let subnets: [NetKeyIndex]
    private let deadline: Duration

    /// An inquiry about a node.
    ///
    /// - Parameters:
    ///   - subnets: the subnets in which the node takes messages, sorted, at least one.
    ///   - deadline: how long an answer may take.
    init(_ node: Node, _ pending: PendingReprovision, subnets: [NetKeyIndex], deadline: Duration) {
        former = node
        reprovisioned = node.reprovisioned(by: pending)
        self.pending = pending
        self.subnets = subnets
        self.deadline = deadline
    }

    private enum Doubt: Error {
        case decided(ReprovisionFinding)
    }

    /// Asks until the result is known, or the node has answered nothing. Afterwards the conversation talks to the node
    /// as it turned out to be.
    func finding(in conversation: inout Conversation) -> ReprovisionFinding {
        let finding: ReprovisionFinding
        do throws(Doubt) {
            finding = try findOut(in: &conversation)
        } catch {
            switch error {
            case .decided(let decided): finding = decided
            }
        }
        if case .reprovisioned = finding { return finding }
        conversation.turn(to: former)
        return finding
    }

    private func findOut(in conversation: inout Conversation) throws(Doubt) -> ReprovisionFinding {
        for _ in 0..<2 {
            conversation.turn(to: reprovisioned)
            switch try composition(in: &conversation) {
            case .some(let composition):
                return .reprovisioned(composition, relay: relay(of: composition, in: &conversation))
            case nil: break
            }
            conversation.turn(to: former)
            guard try hasNoLink(in: &conversation) else { return .unanswered }
        }
        // It may already have the other composition, and wait for the first message under the other key.
        guard pending.procedure == .nodeCompositionRefresh else { return .unchanged(nil) }
        return .unchanged(try composition(in: &conversation) ?? nil)
    }

    /// The composition that the node tells; nil if it does not answer, and a contained nil if it makes no sense.
    private func composition(in conversation: inout Conversation) throws(Doubt) -> Composition?? {
        let question = Question(ConfigCompositionDataGet(page: 0), answerSize: 100) {
            try? Composition(page0: $0.data)
        }
        return try answer(conversation.ask(question, in: subnets, deadline: deadline)).map { $0.flatMap { $0 } }
    }

    /// Whether the server has no link; one that it had was closed as failed first.
    private func hasNoLink(in conversation: inout Conversation) throws(Doubt) -> Bool {
        try answer(conversation.clearRemoteLink(in: subnets, deadline: deadline)) ?? false
    }

    /// How the node relays after its restart, which plans must know; nil if it does not say.
    private func relay(
        of composition: Composition?,
        in conversation: inout Conversation
    ) -> ConfigRelayStatus? {
        guard pending.procedure == .nodeAddressRefresh, composition?.features.contains(.relay) == true else {
            return nil
        }
        let question = Question(ConfigRelayGet()) { $0 }
        guard case .answered(let status) = conversation.ask(question, in: subnets, deadline: deadline) else {
            return nil
        }
        return status
    }

    private func answer<Value>(_ answer: NodeAnswer<Value>) throws(Doubt) -> Value? {
        switch answer {
        case .answered(let value): return value
        case .unanswered: return nil
        case .unreachable(let reason, let hint): throw .decided(.unreachable(reason, hint: hint))
        case .stopped(let ending): throw .decided(.stopped(ending))
        }
    }
}

extension Conversation {
    private static let closingAttempts = 4
    private static let closingPause = Duration.seconds(1)

    /// Makes sure that the node's Remote Provisioning Server has no link: an existing one is closed as failed.
    ///
    /// - Parameter deadline: how long an answer may take.
    /// - Returns: whether there is none.
    mutating func clearRemoteLink(in subnets: [NetKeyIndex], deadline: Duration) -> NodeAnswer<Bool> {
        for _ in 0..<Self.closingAttempts {
            let question = Question(RemoteProvisioningLinkGet()) { $0.state }
            switch ask(question, in: subnets, deadline: deadline) {
            case .answered(.idle): return .answered(true)
            case .answered(.closing): break
            case .answered:
                let close = Question(RemoteProvisioningLinkClose(reason: .fail)) { $0.state }
                switch ask(close, in: subnets, deadline: deadline) {
                case .answered, .unanswered: break
                case .unreachable(let reason, let hint): return .unreachable(reason, hint: hint)
                case .stopped(let ending): return .stopped(ending)
                }
            case .unanswered: return .unanswered
            case .unreachable(let reason, let hint): return .unreachable(reason, hint: hint)
            case .stopped(let ending): return .stopped(ending)
            }
            pause(for: Self.closingPause)
        }
        return .answered(false)
    }
}
