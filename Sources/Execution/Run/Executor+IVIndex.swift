import MeshCore
import Planning
import Store

/// What runs know of the IV index, and how it outlives them.
extension Executor {
    /// When the IV index was reached and last recovered, on the bearer's clock.
    func ivIndexTimes(of network: MeshNetwork) -> IVIndexMonitor.Times {
        IVIndexMonitor.Times(
            changedAt: instant(of: network.ivIndexChangedAt),
            recoveredAt: instant(of: network.ivIndexRecoveredAt)
        )
    }

    /// How sure the IV index of the database is. One that was stated counts as used once a message was sent from our
    /// address under any: sequence numbers never go back.
    func ivIndexCertainty(of snapshot: Snapshot) throws(ExecutionStop) -> IVIndexMonitor.Certainty {
        guard snapshot.isIVIndexKnown else { return .supposed }
        let network = snapshot.network
        guard network.ivIndexStatedAt != nil else { return .known }
        guard let own = network.nodes.first(where: { $0.uuid == network.ownProvisioner }) else {
            return .stated(isUsed: false)
        }
        let reserved = try stopping { () throws(StoreError) in try database.reservation(of: own.unicastAddress) }
        return .stated(isUsed: reserved != nil)
    }

    /// A time of the calendar on the bearer's clock. What is said to lie ahead, because a clock was put back, counts as
    /// now, so that the limits hold rather than not.
    private func instant(of time: Timestamp?) -> Instant? {
        guard let time else { return nil }
        let (age, overflow) = context.now().rawValue.subtractingReportingOverflow(time.rawValue)
        let longAgo = Int64(UInt32.max)
        return bearer.now.advanced(by: .seconds(-(overflow ? longAgo : min(max(age, 0), longAgo))))
    }

    /// Refuses steps for whose messages there are not enough sequence numbers, even if nothing is lost.
    func checkSequenceNumbers(for steps: [Step], in snapshot: Snapshot) throws(ExecutionStop) {
        guard let own = snapshot.network.nodes.first(where: { $0.uuid == snapshot.network.ownProvisioner }) else {
            return
        }
        let source = own.unicastAddress
        let reserved = try stopping { () throws(StoreError) in try database.reservation(of: source) }
        guard let reserved, reserved.ivIndex >= snapshot.network.ivIndex.transmitValue else { return }
        let left = Int(SequenceHealth.capacity - min(reserved.limit, SequenceHealth.capacity))
        let needed = steps.reduce(0) { $0 + $1.cost.pdusToNode }
        guard needed > left else { return }
        throw ExecutionStop(.refused(.sequenceNumbers(source, needed: needed, left: left)))
    }

    /// Makes an IV index durable that a beacon has brought, before anything is sent under it: what comes back from a
    /// crash must not begin again under the one before.
    ///
    /// - Parameter isCorrection: whether it corrects one that was only supposed or stated; nil for what the database says
    ///   of that.
    /// - Returns: why that failed; nil if it did not.
    func store(_ ivIndex: IVIndex, isCorrection: Bool? = nil) -> Recap.Ending? {
        do throws(ExecutionStop) {
            let snapshot = try stopping { () throws(StoreError) in try database.snapshot() }
            let certainty = try ivIndexCertainty(of: snapshot)
            let isOpen = certainty == .supposed || certainty == .stated(isUsed: false)
            var network = snapshot.network
            guard isOpen || ivIndex.value >= network.ivIndex.value else { return nil }
            network.record(ivIndex, isCorrection: isCorrection ?? isOpen, at: context.now())
            guard network != snapshot.network else { return nil }
            var changes = StoreChanges()
            changes.network = network
            _ = try stopping { () throws(StoreError) in try database.commit(changes, with: lease) }
            return nil
        } catch {
            return error.ending
        }
    }
}
