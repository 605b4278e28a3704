package import MeshCore

/// The result of reprovisioning a node over its Node Provisioning Protocol Interface.
package enum ReprovisionOutcome: Hashable, Sendable {
    /// The node answers under its new DeviceKey, and this is durable. `authentication` tells how it proved who it
    /// is; nil if an earlier attempt did the reprovisioning and only this run found out.
    case reprovisioned(MeshNetwork.ReprovisionResult, authentication: NodeAuthentication?)
    /// The node is as before, and nothing of the attempt is left.
    case unchanged(ReprovisionProblem)
    /// The node answers neither as before nor as reprovisioned. Both DeviceKeys and both address ranges are kept until
    /// the next attempt finds out. The reason if it is more than silence.
    case unresolved(reason: String?, hint: Advice?)
    /// The node does not answer, and was told nothing.
    case unanswered
    /// There is no link to the network, so the node was told nothing.
    case unreachable(String, hint: Advice?)
    /// The run ended before anything changed.
    case stopped(Recap.Ending)
}

/// Why a node stays as before.
package enum ReprovisionProblem: Error, Hashable, Sendable {
    case provisioning(ProvisioningProblem)
    /// The node has no Composition Data page 128, or its present composition equals that page, so it cannot become
    /// anything else.
    case nothingToBecome
    /// The node would have this number of elements, and needs other addresses for that.
    case elementCount(Int, before: Int)
    /// The node has just told that it will have this number of elements, and needs other addresses for that.
    case otherElementCount(Int)
    /// An earlier, unfinished attempt has not taken effect.
    case earlierAttempt
    /// The database no longer has the node, or the plan is outdated.
    case outdated
}

extension ReprovisionProblem: CustomStringConvertible {
    /// What happened, a clause without a full stop.
    package var description: String {
        switch self {
        case .provisioning(let problem): problem.description
        case .nothingToBecome: "it has no other composition that it could become (Composition Data page 128)"
        case .elementCount(let count, let before):
            "it will have \(count) elements instead of \(before), for which it needs other addresses"
        case .otherElementCount(let count):
            "it will have \(count) element\(count == 1 ? "" : "s"), as it tells, and the addresses were for another number"
        case .earlierAttempt: "the reprovisioning that was not seen to its end has not taken effect"
        case .outdated: "the database has changed meanwhile"
        }
    }

    /// What helps, a clause without a full stop.
    package var advice: Advice {
        switch self {
        case .provisioning(.remoteLink(.refused(.linkCannotOpen), _)),
            .provisioning(.remoteLink(.refused(.invalidState), _)):
            """
            make sure that nobody else provisions through it, wait a minute and run the command again; a node also refuses \
            what it cannot do, such as to become what it is already
            """
        case .provisioning(let problem): problem.advice
        case .nothingToBecome: "update the firmware of the node first"
        case .elementCount: "use \(command: .newAddresses), which takes on the new composition as well"
        case .otherElementCount, .earlierAttempt, .outdated: "run the command again"
        }
    }
}
