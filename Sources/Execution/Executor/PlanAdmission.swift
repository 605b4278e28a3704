import MeshCore
import Planning
import Store

/// Whether a plan may be carried out on the present database.
struct PlanAdmission {
    private let snapshot: Snapshot
    private let database: MeshDatabase

    /// The admission to a database.
    ///
    /// - Parameter snapshot: the present one.
    init(to snapshot: Snapshot, of database: MeshDatabase) {
        self.snapshot = snapshot
        self.database = database
    }

    /// The run to continue; nil for a new one.
    ///
    /// - Throws: ``ExecutionStop`` with the refusal, or if the database cannot be read.
    func runToContinue(for plan: Plan) throws(ExecutionStop) -> RunIdentifier? {
        guard plan.refusals.isEmpty else { throw ExecutionStop(.refused(.guarded(plan.refusals))) }
        guard plan.lineage == snapshot.lineage else { throw ExecutionStop(.refused(.foreign)) }
        let earlier = try stopping { () throws(StoreError) in try database.run(plan: plan.identifier) }
        let stale = ExecutionStop(.refused(.stale(planned: plan.serial, present: snapshot.serial)))
        guard let earlier else {
            guard plan.serial == snapshot.serial else { throw stale }
            return nil
        }
        guard earlier.outcome != .completed else { throw ExecutionStop(.refused(.alreadyApplied)) }
        guard earlier.serial == snapshot.serial else { throw stale }
        return earlier.identifier
    }

    /// Refuses steps whose messages need more sequence numbers than are left, even if nothing is lost.
    ///
    /// - Throws: ``ExecutionStop`` with the refusal, or if the database cannot be read.
    func checkSequenceNumbers(for steps: [Step]) throws(ExecutionStop) {
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
}
