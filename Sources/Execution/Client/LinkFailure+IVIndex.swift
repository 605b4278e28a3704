import MeshCore

extension LinkFailure {
    /// The proxy uses an IV index that ours could not follow, so neither understands the other.
    ///
    /// - Parameters:
    ///   - verdict: what the rules say about its beacon.
    ///   - recovery: the command that adopts the IV index with approval.
    static func unusableIVIndex(
        _ announced: IVIndex,
        known: IVIndex,
        _ verdict: IVIndexMonitor.Verdict,
        recovery: String
    ) -> LinkFailure {
        let network = "the network is at IV index \(announced.value), the database at \(known.value)"
        let approve: Advice = "approve it with: \(recovery)"
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
                hint: """
                    check that the database belongs to this network; nodes that were restored to an old state catch up \
                    once they hear the others
                    """
            )
        }
    }

    /// What a proxy sent that did not answer the setting of its filter type.
    enum Evidence: Hashable, Sendable {
        /// A beacon of this network.
        case beacon
        /// Beacons of another network only.
        case foreignBeacon
        /// An answer under the IV index after ours.
        case laterIVIndex
        /// Nothing.
        case nothing
    }

    /// The proxy sent no beacon, and without one nothing can be sent.
    static func noBeacon(_ policy: LinkPolicy, heardForeign: Bool) -> LinkFailure {
        let reason = "the proxy sent no beacon of this network within \(policy.beaconTimeout.components.seconds) s"
        guard !heardForeign else {
            return LinkFailure(
                reason: reason,
                hint: "it sent beacons of another network: check that the database holds the network's present keys"
            )
        }
        return LinkFailure(
            reason: "\(reason), and the IV index of the network is not known, so that nothing can be sent",
            hint: """
                move closer to a proxy that sends beacons; whoever knows the IV index can state it with: \
                \(policy.ivIndexStatement) INDEX
                """
        )
    }

    /// The proxy does not answer the setting of its filter type.
    ///
    /// - Parameter ivIndex: the IV index of the request; nil if it is unknown.
    static func silentFilter(_ policy: LinkPolicy, ivIndex: IVIndex?, _ evidence: Evidence) -> LinkFailure {
        let value = ivIndex?.value ?? 0
        let next = value < .max ? value + 1 : value
        return switch evidence {
        case .beacon:
            LinkFailure(
                reason: "the proxy sends beacons but does not answer to its filter being set",
                hint: "another device may use our address with higher sequence numbers"
            )
        case .foreignBeacon:
            LinkFailure(
                reason: "the proxy sends beacons of another network and does not answer to its filter being set",
                hint: "check that the database holds the network's present keys"
            )
        case .laterIVIndex:
            LinkFailure(
                reason:
                    "the network is at IV index \(next), the database at \(value), and the proxy sends no beacon that "
                    + "could be followed",
                hint: "take it over with: \(policy.ivIndexStatement) \(next)"
            )
        case .nothing:
            LinkFailure(
                reason: "the proxy sends no beacon of this network and does not answer under IV index \(value)",
                hint: """
                    the network may be at a later IV index, which whoever knows it can state with: \
                    \(policy.ivIndexStatement) INDEX; or the node has other keys, or another device uses our address \
                    with higher sequence numbers
                    """
            )
        }
    }

    /// The proxy has answered the setting of its filter type, but neither confirms our address in the filter nor
    /// forwards anything.
    static let deafFilter = LinkFailure(
        reason: "the proxy sets its filter, but neither takes our address into it nor answers a message",
        hint: "use another proxy, or update the firmware of that one"
    )
}
