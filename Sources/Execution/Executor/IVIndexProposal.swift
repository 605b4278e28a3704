package import MeshCore

/// What to do about the IV index after listening to beacons.
package enum IVIndexProposal: Hashable, Sendable {
    /// No proxy of the network was heard.
    case silence
    /// The network has the same IV index as the database.
    case unchanged
    /// The network is one step of the IV Update procedure ahead. The database follows at that time; until then all
    /// understand each other.
    case soon(IVIndex, at: Instant)
    /// The rules allow following the network.
    case follow(IVIndex)
    /// The network is further ahead, or it is too early to recover again: a person must approve the change.
    case approve(IVIndex, IVIndexMonitor.Refusal)
    /// All IV indexes that were heard are behind that of the database.
    case behind(IVIndex)
    /// Only beacons of secondary subnets are ahead, and these do not count.
    case secondaryOnly(IVIndex)

    /// Derives the proposal from beacons. The furthest statement that counts decides: a node that is behind can catch
    /// up, and an index never goes back.
    ///
    /// - Parameter known: the IV index of the database.
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
