import MeshCore

extension LinkFailure {
    /// The proxy speaks under an IV index that ours was not brought to, so that neither understands the other.
    ///
    /// - Parameters:
    ///   - verdict: what the rules make of its beacon.
    ///   - recovery: the command that takes it over with approval.
    static func unusableIVIndex(
        _ announced: IVIndex,
        known: IVIndex,
        _ verdict: IVIndexMonitor.Verdict,
        recovery: String
    ) -> LinkFailure {
        let network = "the network is at IV index \(announced.value), the database at \(known.value)"
        let approve = "approve it with: \(recovery)"
        guard case .ignored(let refusal) = verdict else {
            return LinkFailure(reason: network, hint: "wait until the messages under way are through")
        }
        switch refusal {
        case .tooFarAhead:
            let limit = IVIndexMonitor.recoveryLimit
            return LinkFailure(reason: "\(network); more than \(limit) ahead is not followed unasked", hint: approve)
        case .recoveredLately:
            return LinkFailure(
                reason: "\(network), which was recovered within the last 192 hours and is not again unasked",
                hint: approve
            )
        case .tooSoon: return LinkFailure(reason: "\(network), which changed within the last 96 hours", hint: approve)
        case .secondarySubnet:
            return LinkFailure(
                reason: "\(network); a proxy of a secondary subnet does not raise it",
                hint: "move closer to a proxy of the primary subnet"
            )
        case .older:
            return LinkFailure(
                reason: "\(network), and an IV index never goes back",
                hint: "check that the database belongs to this network; nodes that were restored to an old state catch "
                    + "up once they hear the others"
            )
        }
    }
}
