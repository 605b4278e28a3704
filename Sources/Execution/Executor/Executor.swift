package import MeshCore
package import Planning
package import Store

/// Carries out plans over a bearer and records their outcomes.
///
/// It uses one thread: it waits in the bearer, and everything else happens between two waits. It always ends with a
/// ``Recap``. The same executor does not try a node again that did not answer.
package final class Executor {
    /// The database and the bearer, and which proxies the last activity heard.
    var access: MeshAccess
    private var unreachable: Set<DeviceUUID> = []
    /// Whether to leave doubts alone, because an earlier attempt at them found no link.
    private var leavesDoubts = false
    /// The network as the last run left it in the database; nil if there was none, or if its end could not be stored.
    package private(set) var network: MeshNetwork?

    /// An executor for one database and one bearer.
    package init(
        database: MeshDatabase,
        lease: WriteLease,
        bearer: any Bearer,
        options: ExecutionOptions = ExecutionOptions(),
        context: ExecutionContext
    ) {
        access = MeshAccess(database: database, lease: lease, bearer: bearer, options: options, context: context)
    }

    var database: MeshDatabase { access.database }
    var lease: WriteLease { access.lease }
    var bearer: any Bearer { access.bearer }
    var options: ExecutionOptions { access.options }
    var context: ExecutionContext { access.context }

    /// Whether a node did not answer before, and is not to be asked again.
    func isSilent(_ node: DeviceUUID) -> Bool { unreachable.contains(node) }

    /// Marks a node that is not to be asked again.
    func leaveSilent(_ node: DeviceUUID) { unreachable.insert(node) }

    /// Allows asking nodes again that did not answer.
    package func forgetUnreachable() {
        unreachable = []
        leavesDoubts = false
    }

    /// Carries out a plan, or continues it.
    ///
    /// The plan must have been made from the present database. The only exception is an unfinished run of this very
    /// plan as the only change since: then the plan continues, and what that run achieved is not sent again. In-doubt
    /// requests of earlier runs are read back before anything else is sent to their nodes.
    package func apply(_ plan: Plan) -> Recap {
        begin(plan.steps) { snapshot throws(ExecutionStop) in
            guard !plan.isEmpty else { return try recordOnly(plan, snapshot) }
            let admission = PlanAdmission(to: snapshot, of: database)
            let resumed = try admission.runToContinue(for: plan)
            try admission.checkSequenceNumbers(for: plan.steps)
            let schedule: StepSchedule
            do throws(PlanDefect) {
                schedule = try StepSchedule(steps: plan.steps, barriers: plan.barriers)
            } catch {
                throw ExecutionStop(.refused(.damaged(step: error.step)))
            }
            let run = try stopping { () throws(StoreError) in
                if let resumed {
                    try database.resume(resumed, digest: plan.digest, with: lease)
                    return resumed
                }
                return try database.begin(
                    plan: plan.identifier,
                    digest: plan.digest,
                    user: context.user,
                    host: context.host,
                    at: context.now(),
                    with: lease
                )
            }
            return Preparation(
                schedule: schedule,
                steps: plan.steps,
                changeCount: plan.changes.count,
                run: run,
                claims: plan.claims,
                reservations: plan.reservations
            )
        }
    }

    /// Resolves what earlier runs left in doubt and records what is true, so that the next plan knows. It reads
    /// requests back, finds out which DeviceKey a node has whose reprovisioning was not finished, and whether devices
    /// have become nodes whose provisioning was not finished.
    ///
    /// Requests to nodes that do not answer stay in doubt, and the recap counts such nodes as pending. If no proxy is
    /// in reach, all stay in doubt; then only the asking ends. Devices that are neither heard nor answer stay pending
    /// in the database.
    ///
    /// - Parameters:
    ///   - duration: how long to look for devices; questions that are open then are still awaited.
    ///   - matters: whether the outcome of a request to a node still matters. If not, it is not asked for, and the
    ///     value becomes unknown.
    package func resolveInDoubt(
        lookingFor duration: Duration = .seconds(15),
        matters: @escaping (DeviceUUID, ConfigurationAction) -> Bool = { _, _ in true }
    ) -> Recap {
        begin([], searchingFor: duration, matters: matters) { snapshot throws(ExecutionStop) in
            Executor.doubtsOnly(snapshot, withDevices: true)
        }
    }

    /// A run without steps; nil if there is no doubt either.
    private static func doubtsOnly(_ snapshot: Snapshot, withDevices: Bool = false) -> Preparation? {
        if snapshot.unresolved.isEmpty, !withDevices || snapshot.network.pendingProvisionings.isEmpty { return nil }
        return Preparation(schedule: StepSchedule(), steps: [], changeCount: 0, run: nil)
    }

    /// A plan that only records what is managed, so that it needs no radio; nil if there is no doubt either.
    private func recordOnly(_ plan: Plan, _ snapshot: Snapshot) throws(ExecutionStop) -> Preparation? {
        guard !plan.claims.isEmpty else { return Executor.doubtsOnly(snapshot) }
        _ = try PlanAdmission(to: snapshot, of: database).runToContinue(for: plan)
        guard var preparation = Executor.doubtsOnly(snapshot) else {
            try stopping { () throws(StoreError) in
                try Executor.record(plan.claims, on: snapshot, in: database, with: lease)
            }
            return nil
        }
        preparation.claims = plan.claims
        return preparation
    }

    /// Records what is managed from now on; sends nothing.
    ///
    /// - Parameter snapshot: the present database.
    /// - Throws: `StoreError` if the database cannot be written.
    package static func record(
        _ claims: Claims,
        on snapshot: Snapshot,
        in database: MeshDatabase,
        with lease: WriteLease
    ) throws(StoreError) {
        guard !claims.isEmpty else { return }
        var network = snapshot.network
        network.apply(claims)
        var changes = StoreChanges()
        changes.nodes = zip(network.nodes, snapshot.network.nodes).filter { $0 != $1 }.map(\.0)
        if !claims.resources.isEmpty { changes.network = network }
        _ = try database.commit(changes, with: lease)
    }

    /// Carries out steps that read nodes back.
    func begin(readings steps: [Step]) -> Recap {
        begin(steps) { _ throws(ExecutionStop) in
            guard !steps.isEmpty else { return nil }
            do throws(PlanDefect) {
                let schedule = try StepSchedule(steps: steps, barriers: [])
                return Preparation(schedule: schedule, steps: steps, changeCount: 0, run: nil)
            } catch {
                throw ExecutionStop(.refused(.damaged(step: error.step)))
            }
        }
    }

    private struct Preparation {
        let schedule: StepSchedule
        let steps: [Step]
        let changeCount: Int
        let run: RunIdentifier?
        var claims = Claims()
        var reservations: [AddressReservation] = []
    }

    /// Prepares a run and performs it; every way out gives a recap.
    private func begin(
        _ steps: [Step],
        searchingFor duration: Duration? = nil,
        matters: @escaping (DeviceUUID, ConfigurationAction) -> Bool = { _, _ in true },
        _ prepare: (Snapshot) throws(ExecutionStop) -> Preparation?
    ) -> Recap {
        var recap = Recap()
        recap.total = steps.count
        recap.notStarted = steps.count
        recap.notStartedOfNodes = steps.count(where: \.concernsNode)
        network = nil
        do throws(ExecutionStop) {
            try resolveReprovisions()
            let snapshot = try access.snapshot()
            guard let prepared = try prepare(snapshot) else {
                context.emit(.runFinished(recap))
                return recap
            }
            let client = try access.client(of: snapshot)
            let run = ExecutionRun(
                journal: RunJournal(database: database, lease: lease, run: prepared.run),
                bearer: bearer,
                options: options,
                context: context,
                client: client,
                network: snapshot.network,
                steps: prepared.steps,
                changeCount: prepared.changeCount,
                schedule: prepared.schedule,
                claims: prepared.claims,
                reservations: prepared.reservations,
                doubts: snapshot.unresolved,
                unreachable: unreachable,
                leavesDoubts: leavesDoubts,
                isDoubtOfInterest: matters,
                searchingFor: duration
            )
            recap = run.perform()
            unreachable = run.unreachable
            leavesDoubts = run.leavesDoubts
            access.heardProxies = run.driver.client.heardProxies
            if case .storeFailed = recap.ending {} else { network = run.board.ledger.network.withNodes { $0 } }
            return recap
        } catch {
            recap.ending = error.ending
            context.emit(.runFinished(recap))
            return recap
        }
    }
}
