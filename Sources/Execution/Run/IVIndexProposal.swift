package import MeshCore

/// What is to be done about the IV index after listening to beacons.
package enum IVIndexProposal: Hashable, Sendable {
    /// Nobody of the network was heard.
    case silence
    /// The network is where the database has it.
    case unchanged
    /// The network is a step of the IV Update procedure ahead, which is followed at that time; until then all understand
    /// each other.
    case soon(IVIndex, at: Instant)
    /// The rules allow to follow the network.
    case follow(IVIndex)
    /// The network is further ahead, or it is too early to recover again: somebody has to approve that.
    case approve(IVIndex, IVIndexMonitor.Refusal)
    /// All that was heard is behind what the database has.
    case behind(IVIndex)
    /// Only beacons of secondary subnets are ahead, which do not count.
    case secondaryOnly(IVIndex)

    /// What follows from beacons: the furthest state that counts does, for a node that is behind can catch up, and an
    /// index never goes back.
    ///
    /// - Parameter known: what the database has.
    package init(_ statements: [BeaconReport.Statement], known: IVIndex) {
        func order(_ statement: BeaconReport.Statement) -> (UInt32, Int) {
            (statement.ivIndex.value, statement.ivIndex.isUpdateInProgress ? 0 : 1)
        }
        let counting = statements.filter { $0.verdict != .ignored(.secondarySubnet) }
        guard let furthest = counting.max(by: { order($0) < order($1) }) else {
            let ahead = statements.max { order($0) < order($1) }
            self = ahead.map { .secondaryOnly($0.ivIndex) } ?? .silence
            return
        }
        let ivIndex = furthest.ivIndex
        self =
            switch furthest.verdict {
            case .unchanged: .unchanged
            case .changed(let next): .follow(next)
            case .ignored(.older): .behind(ivIndex)
            case .ignored(.tooSoon(let end)): .soon(ivIndex, at: end)
            case .ignored(.secondarySubnet): .secondaryOnly(ivIndex)
            case .ignored(let refusal): .approve(ivIndex, refusal)
            }
    }
}
