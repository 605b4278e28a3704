package import MeshCore
package import Planning

/// What happens during a run, for views; steps are positions in the plan.
package enum ExecutionEvent: Hashable, Sendable {
    /// The run begins: so many steps, and so many in-doubt requests of earlier runs to read back first.
    case runStarted(steps: Int, inDoubt: Int)
    /// The proxy link is ready; the address is the proxy node's, as far as it told.
    case linkUp(proxy: UnicastAddress?)
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
    /// So many steps of all are decided.
    case progress(decided: Int, total: Int)
    /// An interrupt was noticed: the first lets what is in flight finish, the second ends at once.
    case interrupted(immediately: Bool)
    /// The run is over.
    case runFinished(Recap)
}
