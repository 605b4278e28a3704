package import DefinitionModel
package import MeshCore
package import Planning

/// What a run came to; there is one at every exit.
package struct Recap: Hashable, Sendable {
    /// Why a run ended.
    package enum Ending: Hashable, Sendable {
        /// Every step is decided.
        case completed
        /// The user interrupted it.
        case interrupted
        /// It was not begun, and nothing was sent.
        case refused(Refusal)
        /// The database could not be written; nothing was sent after that.
        case storeFailed(String)
        /// There is no proxy link and there is no point in trying on.
        case linkFailed(String, hint: String?)
        /// The own sequence numbers are used up or could not be reserved; nothing can be sent.
        case sendingFailed(String)

        /// That of a run whose bearer can do nothing any more.
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
        /// Guards refuse the plan, and they were not allowed to be passed.
        case guarded([PlanGuard])
        /// The plan contradicts itself at a step.
        case damaged(step: Int)
        /// The database has no address or key of its own provisioner to send with.
        case noOwnNode
        /// The messages take more sequence numbers of the source than are left under the IV index.
        case sequenceNumbers(UnicastAddress, needed: Int, left: Int)
    }

    /// A node that did not answer.
    package struct PendingNode: Hashable, Sendable {
        /// Its identity.
        package var node: DeviceUUID
        /// Its name.
        package var name: String
        /// Steps of it that wait; 0 if only an in-doubt request of an earlier run does.
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
        /// The device was not heard.
        case notHeard
        /// The device was not heard; an earlier attempt may have made it a node, which does not answer either.
        case notHeardMayBeNode
    }

    /// A node that was reset.
    package struct ResetNode: Hashable, Sendable {
        /// Its identity.
        package var node: DeviceUUID
        /// The name that it had.
        package var name: String
        /// Where the device was found.
        package var sighting: ResetSighting
    }

    /// A node of which it is in doubt whether it was reset.
    package struct UncertainReset: Hashable, Sendable {
        /// Its identity.
        package var node: DeviceUUID
        /// Its name.
        package var name: String
    }

    /// Something that the definition wants of a node and that cannot be.
    package struct NodeProblem: Hashable, Sendable {
        /// The node.
        package var node: DeviceUUID
        /// Its name.
        package var name: String
        /// What is wrong.
        package var diagnostic: Diagnostic
    }

    /// A change of some nodes that waits for devices that have not become nodes.
    package struct Waiting: Hashable, Sendable {
        /// What waits, and for whom.
        package var change: WaitingChange
        /// The names of the nodes, sorted.
        package var nodes: [String]
    }

    /// A step that did not happen.
    package struct FailedStep: Hashable, Sendable {
        /// Its position in the plan.
        package var step: Int
        /// Why.
        package var failure: StepFailure
    }

    /// A removal of what was not there.
    package struct FoundGone: Hashable, Sendable {
        /// The position of the step in the plan.
        package var step: Int
        /// What the node said to it.
        package var status: ConfigStatusCode
    }

    /// A step that was not started because of another one.
    package struct BlockedStep: Hashable, Sendable {
        /// Its position in the plan.
        package var step: Int
        /// The position of the step that did not happen.
        package var by: Int
    }

    /// Why the run ended.
    package var ending = Ending.completed
    /// Steps in the plan, with those that it grew by.
    package var total = 0
    /// Steps whose effect was brought about and recorded.
    package var applied = 0
    /// Steps whose effect was recorded before.
    package var unchanged = 0
    /// Steps that did not happen and why, in plan order.
    package var failed: [FailedStep] = []
    /// Steps not started because one they depend on did not happen, in plan order, with that one's position.
    package var blocked: [BlockedStep] = []
    /// Removals that have reached their aim because there was nothing to take away, in plan order.
    package var foundGone: [FoundGone] = []
    /// Values of nodes that were read back and could not be read, because the answer was odd or never came.
    package var unread = 0
    /// Nodes that do not answer, by name.
    package var pending: [PendingNode] = []
    /// What cannot be, as compositions that were read tell, in the order of finding out.
    package var problems: [NodeProblem] = []
    /// What waits for devices that have not become nodes; its steps are among the blocked ones.
    package var changesWaiting: [Waiting] = []
    /// Devices that have become nodes.
    package var provisioned = 0
    /// Those of them whose provisioning was not authenticated, so that somebody else may have been in between.
    package var notAuthenticated = 0
    /// Steps not started, those of pending nodes included.
    package var notStarted = 0
    /// Requests whose outcome is unknown at the end; the next run reads them back first.
    package var inDoubt = 0
    /// Steps that neither were decided nor wait for a pending node, and were not begun.
    package var waiting = 0
    /// In-doubt requests of earlier runs that were cleared up.
    package var doubtsResolved = 0
    /// In-doubt requests of earlier runs of which nobody will know what became of them; a plan sends them again.
    package var doubtsAbandoned = 0
    /// Nodes that were reset and where the devices were found, by name.
    package var resets: [ResetNode] = []
    /// Nodes of which it is in doubt whether they were reset, by name.
    package var uncertainResets: [UncertainReset] = []
    /// Messages sent, retries and read-backs included.
    package var messagesSent = 0
    /// How many of them repeated a request that was not answered in time.
    package var retries = 0
    /// Links that were made to nodes for themselves alone.
    package var directLinks = 0
    /// How long the run took.
    package var duration = Duration.zero

    /// Devices of which the next event says that they are pending.
    private var notHeard: [DeviceUUID: Silence] = [:]

    private struct Silence: Hashable {
        var reason: PendingReason
        var listener: DeviceListener
    }

    /// A run that did nothing.
    package init() {}

    /// Whether everything in the plan is as it should be.
    package var isComplete: Bool {
        ending == .completed && failed.isEmpty && blocked.isEmpty && pending.isEmpty && notStarted == 0 && inDoubt == 0
            && problems.isEmpty && unread == 0
    }

    /// Whether the user interrupted the run.
    package var isInterrupted: Bool { ending == .interrupted }
}

extension Recap {
    /// Takes an event in that is durable.
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
        case .provisioned(_, _, _, let isAuthenticated):
            provisioned += 1
            if isAuthenticated == false { notAuthenticated += 1 }
        case .problem(let node, let diagnostic):
            problems.append(NodeProblem(node: node, name: names.name(of: node), diagnostic: diagnostic))
        case .changeWaits(let node, let change):
            let place =
                changesWaiting.firstIndex { $0.change == change } ?? changesWaiting.count
            if place == changesWaiting.count { changesWaiting.append(Waiting(change: change, nodes: [])) }
            changesWaiting[place].nodes.append(names.name(of: node))
        case .doubtResolved: doubtsResolved += 1
        case .doubtAbandoned: doubtsAbandoned += 1
        case .resetSeen(let node, let sighting):
            resets.append(ResetNode(node: node, name: names.name(of: node), sighting: sighting))
        case .removalFoundNothing(let step, let status): foundGone.append(FoundGone(step: step, status: status))
        case .nodeReadBack(_, let outcome): unread += outcome.unread.count
        default: break
        }
    }

    /// Puts the lists into their order.
    mutating func sort() {
        failed.sort { $0.step < $1.step }
        blocked.sort { $0.step < $1.step }
        for place in changesWaiting.indices { changesWaiting[place].nodes.sort() }
        foundGone.sort { $0.step < $1.step }
        pending.sort { ($0.name, $0.node) < ($1.name, $1.node) }
        resets.sort { ($0.name, $0.node) < ($1.name, $1.node) }
        uncertainResets.sort { ($0.name, $0.node) < ($1.name, $1.node) }
    }

    /// Takes in what reading back before the plan has cost, and what came of it.
    package mutating func include(readBack: Recap) {
        messagesSent += readBack.messagesSent
        retries += readBack.retries
        duration += readBack.duration
        doubtsResolved += readBack.doubtsResolved
        doubtsAbandoned += readBack.doubtsAbandoned
        provisioned += readBack.provisioned
        notAuthenticated += readBack.notAuthenticated
        resets += readBack.resets
    }
}
