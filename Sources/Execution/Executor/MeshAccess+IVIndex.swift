import MeshCore
import Planning
import Store

/// What runs know of the IV index, and how it is stored for later runs.
extension MeshAccess {
    /// When the IV index was reached and last recovered, on the bearer's clock.
    func timesOfIVIndex(in network: MeshNetwork) -> IVIndexMonitor.Times {
        IVIndexMonitor.Times(
            changedAt: instant(of: network.ivIndexChangedAt),
            recoveredAt: instant(of: network.ivIndexRecoveredAt)
        )
    }

    /// How certain the IV index of the database is. One that was stated counts as used once our address has sent a
    /// message under any: sequence numbers never go back.
    ///
    /// - Throws: ``ExecutionStop`` if the database cannot be read.
    func certaintyOfIVIndex(in snapshot: Snapshot) throws(ExecutionStop) -> IVIndexMonitor.Certainty {
        guard snapshot.isIVIndexKnown else { return .supposed }
        let network = snapshot.network
        guard network.ivIndexStatedAt != nil else { return .known }
        guard let own = network.nodes.first(where: { $0.uuid == network.ownProvisioner }) else {
            return .stated(isUsed: false)
        }
        let reserved = try stopping { () throws(StoreError) in try database.reservation(of: own.unicastAddress) }
        return .stated(isUsed: reserved != nil)
    }

    /// A time of the calendar on the bearer's clock. A time in the future, after the clock was set back, counts as now,
    /// so that the time limits still hold.
    private func instant(of time: Timestamp?) -> Instant? {
        guard let time else { return nil }
        let (age, overflow) = context.now().rawValue.subtractingReportingOverflow(time.rawValue)
        let longAgo = Int64(UInt32.max)
        return bearer.now.advanced(by: .seconds(-(overflow ? longAgo : min(max(age, 0), longAgo))))
    }

    /// Makes an IV index durable that a beacon has brought, before anything is sent under it. After a crash the run
    /// must not begin again under the previous one.
    ///
    /// - Parameter isCorrection: whether it corrects one that was only supposed or stated; nil to take this from the
    ///   database.
    /// - Returns: why that failed; nil if it succeeded.
    func store(_ ivIndex: IVIndex, isCorrection: Bool? = nil) -> Recap.Ending? {
        do throws(ExecutionStop) {
            let snapshot = try snapshot()
            let certainty = try certaintyOfIVIndex(in: snapshot)
            let isOpen = certainty == .supposed || certainty == .stated(isUsed: false)
            var network = snapshot.network
            guard isOpen || ivIndex.value >= network.ivIndex.value else { return nil }
            network.record(ivIndex, isCorrection: isCorrection ?? isOpen, at: context.now())
            guard network != snapshot.network else { return nil }
            var changes = StoreChanges()
            changes.network = network
            try commit(changes)
            return nil
        } catch {
            return error.ending
        }
    }
}
