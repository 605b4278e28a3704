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

/// Questions to nodes outside plans.
extension Executor {
    /// Makes the Health Server of a node attract attention (Health Attention Set, Mesh Protocol 4.3.3).
    ///
    /// - Parameters:
    ///   - node: a node of the database.
    ///   - seconds: for how long; 0 ends it.
    ///   - key: an AppKey that is bound to the Health Server of its primary element.
    /// - Returns: for how many seconds the node attracts attention.
    package func drawAttention(to node: Node, seconds: UInt8, under key: AppKey) -> NodeAnswer<UInt8> {
        let question = Question(HealthAttentionSet(seconds: seconds), under: key.index) { $0.seconds }
        return NodeQuestioning(access).ask(node, question, in: [key.boundNetKey])
    }

    /// Makes a node forget the sources of Solicitation PDUs, so that it accepts their sequence numbers from the start
    /// again (Solicitation PDU RPL Items Clear, Mesh Protocol 1.1).
    ///
    /// - Parameters:
    ///   - addresses: the sources.
    ///   - node: a node of the database.
    ///   - key: an AppKey that is bound to the Solicitation PDU RPL Configuration Server of its primary element.
    /// - Returns: the sources that the node has forgotten.
    package func clearSolicitations(
        of addresses: UnicastAddressRange,
        at node: Node,
        under key: AppKey
    ) -> NodeAnswer<UnicastAddressRange> {
        let question = Question(SolicitationPDURPLItemsClear(addresses: addresses), under: key.index) { $0.addresses }
        return NodeQuestioning(access).ask(node, question, in: [key.boundNetKey])
    }

    /// Asks a Friend after how long without a poll it gives up a Low Power node (Config Low Power Node PollTimeout Get,
    /// Mesh Protocol 4.3.2.67).
    ///
    /// - Returns: steps of 100 ms; 0 if it is not that node's Friend.
    package func pollTimeout(of lowPowerNode: UnicastAddress, at friend: Node) -> NodeAnswer<UInt32> {
        let question = Question(ConfigLowPowerNodePollTimeoutGet(lowPowerNodeAddress: lowPowerNode)) { $0.pollTimeout }
        return NodeQuestioning(access).ask(friend, question, in: friend.netKeys.map(\.index))
    }

    /// Reads the Composition Data pages beside page 0 and the Models Metadata of a node and records them.
    ///
    /// - Parameter node: a node of the database whose composition is known.
    /// - Returns: the node with its pages.
    package func readPages(of node: Node) -> NodeAnswer<Node> { NodeQuestioning(access).readPages(of: node) }
}

/// An advertiser that was heard while listening.
package struct Sighting: Hashable, Sendable {
    /// The last advertisement, with the strength of its signal.
    package var advertisement: Advertisement
    /// The node that advertises; nil for devices without a network and for strangers.
    package var identity: AdvertisedIdentity?
}

/// The result of listening.
package struct ListeningReport: Hashable, Sendable {
    /// The advertisers that were heard, each once, in the order of their identifiers.
    package var sightings: [Sighting] = []
    /// Nodes of the database that were heard as devices without a network for the first time: they were reset.
    package var foundUnprovisioned: [DeviceUUID] = []
    /// Nodes that were recorded as reset and were heard as nodes.
    package var foundAlive: [DeviceUUID] = []
    /// Why it ended early; ``Recap/Ending/completed`` if it did not.
    package var ending = Recap.Ending.completed
}

extension Executor {
    /// Listens to advertising, and records which nodes of the database advertise as devices without a network, so that
    /// the next plan provisions them again. It also remembers which proxies it heard, so that the run that follows need
    /// not listen for them again.
    ///
    /// What it records is durable when it returns. If the bearer cannot scan, it ends at once with
    /// ``Recap/Ending/linkFailed(_:hint:)`` and records nothing.
    ///
    /// - Parameter enough: after this time it ends as soon as a proxy of the network has been heard; nil to listen for
    ///   the whole `duration`. Devices advertise about once a second, so most devices that were reset are heard by
    ///   then. One that is not heard does not answer in the run, and the next run notices it.
    package func listen(for duration: Duration, enough: Duration? = nil) -> ListeningReport {
        var report = ListeningReport()
        do throws(ExecutionStop) {
            let network = try access.snapshot().network
            var listener = AdvertisingListener(network, policy: options.link)
            try listener.listen(over: bearer, for: duration, enough: enough) { context.interrupts() > 0 }
            access.heardProxies = listener.heardProxies
            report.sightings = listener.sightings
            if context.interrupts() > 0 { report.ending = .interrupted }
            var changes = StoreChanges()
            for var node in network.nodes where node.uuid != network.ownProvisioner {
                guard let isUnprovisioned = listener.news(of: node) else { continue }
                node.unprovisionedSeenAt = isUnprovisioned ? context.now() : nil
                changes.nodes.append(node)
                if isUnprovisioned {
                    report.foundUnprovisioned.append(node.uuid)
                } else {
                    report.foundAlive.append(node.uuid)
                }
            }
            try access.commit(changes)
        } catch {
            report.ending = error.ending
        }
        return report
    }
}

extension Executor {
    /// The present time of the bearer, which measures pauses.
    package var now: Instant { bearer.now }

    /// Lets time pass between two runs.
    ///
    /// - Returns: false if the user has interrupted, or the bearer is broken.
    package func pause(for duration: Duration) -> Bool {
        let end = bearer.now.advanced(by: duration)
        while bearer.now < end {
            guard context.interrupts() == 0 else { return false }
            do throws(BearerError) {
                // Short enough to notice an interrupt that came just before.
                _ = try bearer.next(until: min(end, bearer.now.advanced(by: .milliseconds(500))))
            } catch { return false }
        }
        return context.interrupts() == 0
    }
}
