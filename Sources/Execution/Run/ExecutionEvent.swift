package import DefinitionModel
package import MeshCore
package import Planning

/// What happens during a run, for views; steps are positions in the plan, and beyond
/// it where the plan grew.
package enum ExecutionEvent: Hashable, Sendable {
    /// The run begins: so many steps, and so many in-doubt requests of earlier runs to read back first.
    case runStarted(steps: Int, inDoubt: Int)
    /// There is no link, and it is listened for a proxy of the network; whether nothing can be sent before one has told
    /// the IV index.
    case seekingProxy(forIVIndex: Bool)
    /// There is no link, and a proxy is being connected to: the address of the node that it is supposed to be and the
    /// strength of its signal, as far as they are known.
    case connecting(UnicastAddress?, signal: Int8?)
    /// A link is ready, after so much time; the address is the proxy node's, as far as it told. Whether it is there for
    /// that node alone.
    case linkUp(proxy: UnicastAddress?, isDirect: Bool, LinkTimes)
    /// The proxy link is gone or could not be opened; it will be opened again after the delay, nil if never.
    case linkDown(reason: String, retryIn: Duration?)
    /// The first step of a node begins.
    case nodeStarted(DeviceUUID)
    /// A step's request was handed to the link; its intent is durable.
    case stepSent(step: Int)
    /// A request was sent again because no answer came in time; counts transmissions, so at least 2.
    case stepRetried(step: Int, transmissions: Int)
    /// No answer came within the deadline, the outcome is unknown; the node is asked for the value.
    case stepUnknown(step: Int)
    /// The answer to a step's request cannot be one; the node is asked for the value.
    case stepAnsweredOddly(step: Int, OddAnswer)
    /// The node has refused a removal because what was to be taken away is not there: the step has reached its aim, and the
    /// next event says so.
    case removalFoundNothing(step: Int, ConfigStatusCode)
    /// A node departs from the specification in a known way, which is coped with; once for each node and way.
    case habitMet(DeviceUUID, KnownHabit)
    /// A step's effect is durable in the database; by a status, or by a read-back after an unknown outcome.
    case stepSucceeded(step: Int, byReadBack: Bool)
    /// The database already has a step's effect; nothing was sent.
    case stepSkipped(step: Int)
    /// A step did not happen.
    case stepFailed(step: Int, StepFailure)
    /// A step will not be started because another one, on which it depends, did not happen.
    case stepBlocked(step: Int, by: Int)
    /// All steps of a node are decided.
    case nodeFinished(DeviceUUID)
    /// A node does not answer; so many steps of it wait for another run.
    case nodePending(DeviceUUID, steps: Int)
    /// No proxy can be had that serves the subnets of a node; it becomes pending. The reason is a sentence without a full
    /// stop.
    case nodeUnreachable(DeviceUUID, reason: String)
    /// An in-doubt request of an earlier run was read back: whether it had taken effect.
    case doubtResolved(DeviceUUID, ConfigurationAction, tookEffect: Bool)
    /// What became of a request of an earlier run is not known and is not asked about any more; the request is nil where
    /// nobody can tell what it was.
    case doubtAbandoned(DeviceUUID, ConfigurationAction?, DoubtEnd)
    /// A node has answered a Node Reset, or was heard as a device meanwhile: where the device was found.
    case resetSeen(DeviceUUID, ResetSighting)
    /// It was found out whether a refresh of a node, which an earlier run has not seen to its end, has taken effect, which
    /// is durable; nil if it could not be found out, and then the node is not spoken to.
    case refreshSettled(DeviceUUID, NodeProvisioningProcedure, tookEffect: Bool?)
    /// Where a device stands that is to be provisioned.
    case provisioningStage(DeviceUUID, ProvisioningProgress)
    /// A device is a node, which is durable. Whether nobody in between can have stayed unnoticed; nil if it was
    /// provisioned by an earlier attempt, whose success was only found out now.
    case provisioned(DeviceUUID, address: UnicastAddress, elementCount: UInt8, isAuthenticated: Bool?)
    /// An attempt to provision a device failed; there is another after the delay.
    case provisioningRetried(DeviceUUID, ProvisioningProblem, in: Duration)
    /// A device that is to be provisioned was not heard; it becomes pending. Whether an earlier attempt may have made
    /// it a node, which does not answer either, and who listened for it.
    case deviceNotHeard(DeviceUUID, mayBeNode: Bool, by: DeviceListener)
    /// What was deferred until a node's composition is known became these changes and steps; they follow those of the
    /// plan and of earlier growth, and the steps name changes and steps by those positions.
    case planGrown(changes: [Change], steps: [Step])
    /// A change of a node waits for devices that are to become nodes and have not: without them nobody would carry the
    /// messages of others.
    case changeWaits(DeviceUUID, WaitingChange)
    /// Something that the definition wants of a node cannot be, as its composition tells.
    case problem(DeviceUUID, Diagnostic)
    /// A node was read back, or has told a part of itself before it fell silent; what it told is durable.
    case nodeReadBack(DeviceUUID, ReadBackOutcome)
    /// So many steps of all are decided.
    case progress(decided: Int, total: Int)
    /// An interrupt was noticed: the first lets what is in flight finish, the second ends at once.
    case interrupted(immediately: Bool)
    /// The run is over.
    case runFinished(Recap)
}
