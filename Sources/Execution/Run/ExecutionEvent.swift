package import DefinitionModel
package import MeshCore
package import Planning

/// What happens during a run, for views. Steps are positions in the plan; the steps by which the plan grew follow.
package enum ExecutionEvent: Hashable, Sendable {
    /// The run begins: the number of steps, and of in-doubt requests of earlier runs that are read back first.
    case runStarted(steps: Int, inDoubt: Int)
    /// There is no link, and the run listens for a proxy of the network. The flag tells whether nothing can be sent
    /// before a proxy has told the IV index.
    case seekingProxy(forIVIndex: Bool)
    /// There is no link, and the run connects to a proxy: the address of the node that it is expected to be, and the
    /// strength of its signal, if known.
    case connecting(UnicastAddress?, signal: Int8?)
    /// A link is ready: the address of the proxy node if it has told it, whether the link is for this node alone, and
    /// how long it took.
    case linkUp(proxy: UnicastAddress?, isDirect: Bool, LinkTimes)
    /// The proxy link is gone or could not be opened. It is opened again after the delay; nil if never.
    case linkDown(reason: String, retryIn: Duration?)
    /// The first step of a node begins.
    case nodeStarted(DeviceUUID)
    /// A step's request was handed to the link; its intent is durable.
    case stepSent(step: Int)
    /// A request was sent again because no answer came in time: the number of transmissions, at least 2.
    case stepRetried(step: Int, transmissions: Int)
    /// No answer came within the deadline, so the outcome is unknown. The node is asked for the value.
    case stepUnknown(step: Int)
    /// The answer to a step's request cannot be one. The node is asked for the value.
    case stepAnsweredOddly(step: Int, OddAnswer)
    /// The node has refused a removal because there was nothing to remove. The step has reached its aim; the next event
    /// says so.
    case removalFoundNothing(step: Int, ConfigStatusCode)
    /// A node departs from the specification in a known way that the run copes with. Sent once for each node and way.
    case quirkMet(DeviceUUID, KnownQuirk)
    /// A step's effect is durable in the database. It was confirmed by a status, or by a read-back after an unknown
    /// outcome.
    case stepSucceeded(step: Int, byReadBack: Bool)
    /// The database already has a step's effect; nothing was sent.
    case stepSkipped(step: Int)
    case stepFailed(step: Int, StepFailure)
    /// A step will not start because a step that it depends on failed.
    case stepBlocked(step: Int, by: Int)
    case nodeFinished(DeviceUUID)
    /// A node does not answer; this many of its steps, without edits of the database, wait for another run.
    case nodePending(DeviceUUID, steps: Int)
    /// There is no proxy that serves the subnets of a node; the node becomes pending. The reason is a sentence without
    /// a full stop.
    case nodeUnreachable(DeviceUUID, reason: String)
    /// An in-doubt request of an earlier run was read back: whether it took effect.
    case doubtResolved(DeviceUUID, ConfigurationAction, tookEffect: Bool)
    /// The outcome of a request of an earlier run is unknown, and the run stops asking about it. The request is nil
    /// where nobody can tell what it was.
    case doubtAbandoned(DeviceUUID, ConfigurationAction?, DoubtEnd)
    /// A node has answered a Node Reset, or was heard as a device: where the device was found.
    case resetSeen(DeviceUUID, ResetSighting)
    /// The run found out whether a reprovisioning of a node that an earlier run did not finish has taken effect, and
    /// this is durable. Nil if it could not find out; then it does not talk to the node.
    case reprovisionSettled(DeviceUUID, NodeProvisioningProcedure, tookEffect: Bool?)
    case provisioningStage(DeviceUUID, ProvisioningProgress)
    /// A device is a node, and this is durable. `authentication` tells how it proved who it is; nil if an earlier
    /// attempt provisioned the device and only this run found out.
    case provisioned(DeviceUUID, address: UnicastAddress, elementCount: UInt8, authentication: NodeAuthentication?)
    /// A device does not know HMAC-SHA256, although it knew it earlier or others of its product know it, and is
    /// provisioned all the same.
    case offersLess(DeviceUUID, HMACEvidence)
    /// The static value of a device was given away in a session that did not prove who has it now, and this is durable.
    case valueGivenAway(DeviceUUID)
    /// An attempt to provision a device failed; the next one follows after the delay.
    case provisioningRetried(DeviceUUID, ProvisioningProblem, in: Duration)
    /// A device that is to be provisioned was not heard, and becomes pending: whether an earlier attempt may have made
    /// it a node, which does not answer either, and who listened for it.
    case deviceNotHeard(DeviceUUID, mayBeNode: Bool, by: DeviceListener)
    /// A node's composition is known, and what was deferred became these changes and steps. They follow those of the
    /// plan and of earlier growth, and the steps refer to changes and steps by these positions.
    case planGrown(changes: [Change], steps: [Step])
    /// A change of a node waits for others that are to do what it does now, and do not yet. Without them nodes would be
    /// out of reach.
    case changeWaits(DeviceUUID, WaitingChange)
    /// The composition of a node shows that it cannot have something that the definition asks for.
    case problem(DeviceUUID, Diagnostic)
    /// A node was read back, or has told a part of itself before it fell silent. What it told is durable.
    case nodeReadBack(DeviceUUID, ReadBackOutcome)
    /// How many of all steps have ended.
    case progress(decided: Int, total: Int)
    /// How far the run is by its own clock; about once a second.
    case figures(RunFigures)
    /// The run noticed an interrupt: the first lets what is in flight finish, the second ends the run at once.
    case interrupted(immediately: Bool)
    case runFinished(Recap)
}
