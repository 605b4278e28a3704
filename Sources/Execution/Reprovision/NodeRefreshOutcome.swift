package import MeshCore

/// What came of refreshing a node over its Node Provisioning Protocol Interface.
package enum NodeRefreshOutcome: Hashable, Sendable {
    /// The node answers under its new DeviceKey, which is durable. Whether nobody in between can have stayed unnoticed;
    /// nil if an earlier attempt did it, whose success was only found out now.
    case refreshed(MeshNetwork.NodeRefreshResult, isAuthenticated: Bool?)
    /// The node goes on as before, and nothing of the attempt is left.
    case unchanged(NodeRefreshProblem)
    /// The node answers neither as before nor as it would then. Both DeviceKeys and both blocks of addresses are kept until
    /// the next attempt finds out. Why it was not found out, if there is more to it than silence.
    case unresolved(reason: String?, hint: String?)
    /// The node does not answer, and was not told anything.
    case unanswered
    /// The node was not told anything, for no link to the network can be had.
    case unreachable(String, hint: String?)
    /// The run ended before anything had changed.
    case stopped(Recap.Ending)
}

/// Why a node goes on as before.
package enum NodeRefreshProblem: Error, Hashable, Sendable {
    /// The session came to nothing.
    case provisioning(ProvisioningProblem)
    /// It has no Composition Data page 128, or is what that says already, and so there is nothing that it could become.
    case nothingToBecome
    /// It would have that many elements, for which it needs other addresses.
    case elementCount(Int, before: Int)
    /// It will have that many elements, as it told just now, and other addresses must be found for those.
    case otherElementCount(Int)
    /// An earlier attempt, which was not seen to its end, has not taken effect.
    case earlierAttempt
    /// It is not in the database any more, or the plan is not about what it is now.
    case outdated
}

extension NodeRefreshProblem: CustomStringConvertible {
    /// What happened, a clause without a full stop.
    package var description: String {
        switch self {
        case .provisioning(let problem): problem.description
        case .nothingToBecome: "it has no other composition that it could become (Composition Data page 128)"
        case .elementCount(let count, let before):
            "it will have \(count) elements instead of \(before), for which it needs other addresses"
        case .otherElementCount(let count):
            "it will have \(count) element\(count == 1 ? "" : "s"), as it tells, and the addresses were for another number"
        case .earlierAttempt: "the refresh that was not seen to its end has not taken effect"
        case .outdated: "the database has changed meanwhile"
        }
    }

    /// What helps, a clause without a full stop.
    package var advice: String {
        switch self {
        case .provisioning(.remoteLink(.refused(.linkCannotOpen), _)),
            .provisioning(.remoteLink(.refused(.invalidState), _)):
            "make sure that nobody else provisions through it, wait a minute and run the command again; a node also refuses "
                + "what it cannot do, such as to become what it is already"
        case .provisioning(let problem): problem.advice
        case .nothingToBecome: "update the firmware of the node first"
        case .elementCount: "use --address, which takes on the new composition as well"
        case .otherElementCount, .earlierAttempt, .outdated: "run the command again"
        }
    }
}
