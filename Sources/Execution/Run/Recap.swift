package import DefinitionModel
package import MeshCore
package import Planning
import Store

/// The result of a run; every exit of a run has one.
package struct Recap: Hashable, Sendable {
    /// Why a run ended.
    package enum Ending: Hashable, Sendable {
        case completed
        case interrupted
        /// The run did not begin, and nothing was sent.
        case refused(Refusal)
        /// The database could not be written; nothing was sent after that.
        case storeFailed(String)
        /// There is no proxy link, and trying again makes no sense.
        case linkFailed(String, hint: Advice?)
        /// Our own sequence numbers are used up or could not be reserved; nothing can be sent.
        case sendingFailed(String)

        /// The ending of a run whose bearer has failed.
        init(_ error: BearerError) {
            self = error.isInterruption ? .interrupted : .linkFailed(error.message, hint: error.hint)
        }
    }

    /// Why a plan is not begun.
    package enum Refusal: Hashable, Sendable {
        /// The plan was made for another database.
        case foreign
        /// The database has changed since the plan was made.
        case stale(planned: UInt64, present: UInt64)
        /// The plan was applied before.
        case alreadyApplied
        /// Guards refuse the plan, and their override was not allowed.
        case guarded([PlanGuard])
        /// The plan contradicts itself at a step.
        case damaged(step: Int)
        /// The database has no address or key of its own provisioner to send with.
        case noOwnNode
        /// The messages need more sequence numbers of the source than are left under the IV index.
        case sequenceNumbers(UnicastAddress, needed: Int, left: Int)
    }

    /// A node that did not answer.
    package struct PendingNode: Hashable, Sendable {
        package var node: DeviceUUID
        package var name: String
        /// The number of its steps that wait and would do something to it; 0 if only an in-doubt request of an earlier
        /// run does.
        package var steps: Int
        /// Why they wait.
        package var reason = PendingReason.unanswered
        /// Who listened for it, if it is a device that was not heard.
        package var listener: DeviceListener?
    }

    /// Why a node or device is pending.
    package enum PendingReason: Hashable, Sendable {
        /// The node does not answer.
        case unanswered
        case notHeard
        /// The device was not heard; an earlier attempt may have made it a node, which does not answer either.
        case notHeardMayBeNode
    }

    /// A node that was reset.
    package struct ResetNode: Hashable, Sendable {
        package var node: DeviceUUID
        package var name: String
        package var sighting: ResetSighting
    }

    /// A node that may or may not have been reset.
    package struct UncertainReset: Hashable, Sendable {
        package var node: DeviceUUID
        package var name: String
    }

    /// Something that the definition asks of a node although the node cannot have it.
    package struct NodeProblem: Hashable, Sendable {
        package var node: DeviceUUID
        package var name: String
        package var diagnostic: Diagnostic
    }

    /// A change of some nodes that waits for others.
    package struct Waiting: Hashable, Sendable {
        /// The change, and whom it waits for.
        package var change: WaitingChange
        /// The names of the nodes, sorted.
        package var nodes: [String]
    }

    /// A step that failed.
    package struct FailedStep: Hashable, Sendable {
        /// Its position in the plan.
        package var step: Int
        package var failure: StepFailure
    }

    /// A removal that found nothing to remove.
    package struct FoundGone: Hashable, Sendable {
        /// The position of the step in the plan.
        package var step: Int
        /// The status with which the node refused it.
        package var status: ConfigStatusCode
    }

    /// A step that was not started because another one failed.
    package struct BlockedStep: Hashable, Sendable {
        /// Its position in the plan.
        package var step: Int
        /// The position of the step that failed.
        package var by: Int
    }

    package var ending = Ending.completed
    /// The number of steps in the plan, including those by which it grew.
    package var total = 0
    /// How many steps took effect and were recorded.
    package var applied = 0
    /// How many steps had their effect recorded before.
    package var unchanged = 0
    /// Steps that failed and why, in plan order.
    package var failed: [FailedStep] = []
    /// Steps that were not started because one that they depend on failed, in plan order, with the position of that
    /// one.
    package var blocked: [BlockedStep] = []
    /// Removals that reached their aim because there was nothing to remove, in plan order.
    package var foundGone: [FoundGone] = []
    /// How many values could not be read during read-backs, because the answer was odd or never came.
    package var unread = 0
    /// Nodes that do not answer, by name.
    package var pending: [PendingNode] = []
    /// What nodes cannot have, according to their compositions, in the order of discovery.
    package var problems: [NodeProblem] = []
    /// Changes that wait for others; their steps are among the blocked ones or those that were not started.
    package var changesWaiting: [Waiting] = []
    /// How many devices have become nodes.
    package var provisioned = 0
    /// How many of these were provisioned without authentication, so that a man in the middle is possible.
    package var notAuthenticated = 0
    /// How many of these only claimed to be who they are.
    package var onlyClaimed = 0
    /// The devices whose static values were given away, by name.
    package var valuesGivenAway: [String] = []
    /// How many steps were not started, including those of pending nodes.
    package var notStarted = 0
    /// How many of these would have done something to a node.
    package var notStartedOfNodes = 0
    /// How many requests have an unknown outcome at the end; the next run reads them back first.
    package var inDoubt = 0
    /// How many steps that do something to a node were not begun, have not ended otherwise, and do not wait for a
    /// pending node.
    package var waiting = 0
    /// How many in-doubt requests of earlier runs were resolved.
    package var doubtsResolved = 0
    /// How many in-doubt requests of earlier runs will never be resolved; a plan sends them again.
    package var doubtsAbandoned = 0
    /// Nodes that were reset, and where the devices were found, by name.
    package var resets: [ResetNode] = []
    /// Nodes that may or may not have been reset, by name.
    package var uncertainResets: [UncertainReset] = []
    /// How many messages were sent, including retries and read-backs.
    package var messagesSent = 0
    /// How many of these repeated a request that was not answered in time.
    package var retries = 0
    /// How many links were made for one node alone.
    package var directLinks = 0
    /// How long the run took.
    package var duration = Duration.zero

    /// Devices that the next event reports as pending.
    private var notHeard: [DeviceUUID: Silence] = [:]

    private struct Silence: Hashable {
        var reason: PendingReason
        var listener: DeviceListener
    }

    package init() {}

    /// Whether the run achieved everything in the plan.
    package var isComplete: Bool {
        ending == .completed && failed.isEmpty && blocked.isEmpty && pending.isEmpty && notStarted == 0 && inDoubt == 0
            && problems.isEmpty && unread == 0
    }

    package var isInterrupted: Bool { ending == .interrupted }
}

extension Recap {
    mutating func count(_ event: ExecutionEvent, names: NetworkRecord) {
        switch event {
        case .stepSucceeded: applied += 1
        case .stepSkipped: unchanged += 1
        case .stepFailed(let step, let failure): failed.append(FailedStep(step: step, failure: failure))
        case .stepBlocked(let step, by: let cause): blocked.append(BlockedStep(step: step, by: cause))
        case .nodePending(let node, let steps):
            let silence = notHeard.removeValue(forKey: node)
            pending.append(
                PendingNode(
                    node: node,
                    name: names.name(of: node),
                    steps: steps,
                    reason: silence?.reason ?? .unanswered,
                    listener: silence?.listener
                )
            )
        case .deviceNotHeard(let node, let mayBeNode, let listener):
            notHeard[node] = Silence(reason: mayBeNode ? .notHeardMayBeNode : .notHeard, listener: listener)
        case .provisioned(_, _, _, let authentication):
            provisioned += 1
            switch authentication?.assurance {
            case .nothing: notAuthenticated += 1
            case .claimed: onlyClaimed += 1
            case .authenticated, nil: break
            }
        case .valueGivenAway(let device): valuesGivenAway.append(names.name(of: device))
        case .problem(let node, let diagnostic):
            problems.append(NodeProblem(node: node, name: names.name(of: node), diagnostic: diagnostic))
        case .changeWaits(let node, let change):
            let index =
                changesWaiting.firstIndex { $0.change == change } ?? changesWaiting.count
            if index == changesWaiting.count { changesWaiting.append(Waiting(change: change, nodes: [])) }
            changesWaiting[index].nodes.append(names.name(of: node))
        case .doubtResolved: doubtsResolved += 1
        case .doubtAbandoned: doubtsAbandoned += 1
        case .resetSeen(let node, let sighting):
            resets.append(ResetNode(node: node, name: names.name(of: node), sighting: sighting))
        case .removalFoundNothing(let step, let status): foundGone.append(FoundGone(step: step, status: status))
        case .nodeReadBack(_, let outcome): unread += outcome.unread.count
        default: break
        }
    }

    mutating func sort() {
        failed.sort { $0.step < $1.step }
        blocked.sort { $0.step < $1.step }
        for index in changesWaiting.indices { changesWaiting[index].nodes.sort() }
        foundGone.sort { $0.step < $1.step }
        valuesGivenAway.sort()
        pending.sort { ($0.name, $0.node) < ($1.name, $1.node) }
        resets.sort { ($0.name, $0.node) < ($1.name, $1.node) }
        uncertainResets.sort { ($0.name, $0.node) < ($1.name, $1.node) }
    }

    /// Adds the costs and results of reading back before the plan.
    package mutating func include(readBack: Recap) {
        messagesSent += readBack.messagesSent
        retries += readBack.retries
        duration += readBack.duration
        doubtsResolved += readBack.doubtsResolved
        doubtsAbandoned += readBack.doubtsAbandoned
        provisioned += readBack.provisioned
        notAuthenticated += readBack.notAuthenticated
        onlyClaimed += readBack.onlyClaimed
        valuesGivenAway += readBack.valuesGivenAway
        resets += readBack.resets
    }
}

extension Recap {
    /// Counts what is left when a run is over.
    ///
    /// - Parameter doubts: requests of earlier runs that are still in doubt.
    mutating func conclude(_ ledger: RunLedger, doubts: [JournalIntent]) {
        let open = ledger.journal.open
        total = ledger.steps.count
        inDoubt = open.count + doubts.count
        let decided = applied + unchanged + failed.count + blocked.count
        notStarted = max(total - decided - open.count, 0)
        // What was handed out but not sent waits like what was not begun.
        let steps = ledger.steps.indices.filter { ledger.steps[$0].concernsNode && open[ledger.subject(of: $0)] == nil }
        let states = steps.map { ledger.schedule.states[$0] }
        waiting = states.count { $0 == .waiting || $0 == .started }
        notStartedOfNodes = waiting + states.count { $0 == .pending }
        // Nobody knows of these nodes whether they were reset.
        let resets = (open.values.map(\.self) + doubts).filter { intent in
            (try? ConfigurationAction(decoding: intent.action)) == .resetNode
        }
        uncertainResets = Set(resets.map(\.node)).map { uuid in
            UncertainReset(node: uuid, name: ledger.network.name(of: uuid))
        }
        sort()
    }

    /// How the journal names the end of the run.
    var outcome: RunOutcome {
        switch ending {
        case .completed: isComplete ? .completed : .partial
        case .interrupted: .interrupted
        case .refused, .storeFailed, .linkFailed, .sendingFailed: .failed
        }
    }
}
