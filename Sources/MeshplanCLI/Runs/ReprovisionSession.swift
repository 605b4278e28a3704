import Execution
import MeshCore
import Planning
import Simulator
import Store

/// One `reprovision`: resolves what an earlier one left open, then plans, asks for approval, carries out the session,
/// and reports the result.
struct ReprovisionSession {
    /// The route to the mesh, and what is known about it.
    var conversation: NodeConversation
    /// The out-of-band data of devices.
    var secrets: SecretsReader
    /// Whether the plan counts as approved, so that nobody is asked.
    var isApproved: Bool

    private var context: Context { conversation.context }

    /// Reprovisions the node.
    ///
    /// - Parameter address: the new address; nil for the one in the definition, or else a free one.
    func reprovision(
        _ text: String,
        by procedure: NodeProvisioningProcedure,
        to address: UnicastAddress?
    ) throws -> ExitStatus {
        let node = try conversation.node(text, for: .changing)
        let uuid = node.uuid
        guard let (database, _, name) = conversation.knowledge.database else {
            throw Failure(.failure, "there is no database here")
        }
        let lease = try Workspace(context: context).lock(database, for: "reprovision")
        var snapshot = try database.snapshot(with: lease)
        let reporter = ApplyReporter(context, network: snapshot.network, isFull: false)
        let view = ReprovisionView(context: context, name: node, reporter: reporter)
        var mesh: MeshConnection?
        if let pending = snapshot.network.pendingReprovisions[uuid] {
            // The outcome of the last attempt must be known before the next one.
            let connection = try connect(database, lease, snapshot, named: name, reporter)
            guard let outcome = connection.executor.resolveReprovision(of: uuid) else { return .failure }
            view.settled(outcome, pending.procedure)
            switch outcome {
            case .reprovisioned where pending.procedure == procedure && (address ?? pending.address) == pending.address:
                return finish(.success, connection, view)
            case .reprovisioned, .unchanged: break
            default: return finish(view.status(of: outcome), connection, view)
            }
            mesh = connection
            snapshot = try database.snapshot(with: lease)
        }
        let plan = try self.plan(ReprovisionRequest(node: uuid, procedure: procedure, address: address), snapshot)
        view.show(plan, in: snapshot.network)
        if !isApproved {
            try Prompt(context: context).confirm(
                "Do you want to reprovision \(view.name)?",
                explanation: view.explanation(of: plan)
            )
        }
        let connection = try mesh ?? connect(database, lease, snapshot, named: name, reporter)
        var generator = context.randomNumbers
        let identifier = Octets16(high: generator.next(), low: generator.next())
        let outcome = connection.executor.reprovision(plan, identifier: identifier)
        view.show(outcome, of: plan, in: try database.snapshot(with: lease).network)
        return finish(view.status(of: outcome), connection, view)
    }

    private func finish(_ status: ExitStatus, _ mesh: MeshConnection, _ view: ReprovisionView) -> ExitStatus {
        let report = mesh.simulation?.report(context) ?? .success
        let status = report == .success ? status : report
        view.finish(status)
        return status
    }

    private func plan(_ request: ReprovisionRequest, _ snapshot: Snapshot) throws(Failure) -> ReprovisionPlan {
        let planner = ReprovisionPlanner(
            snapshot.network,
            definition: conversation.knowledge.definition,
            heard: snapshot.replay.map(\.source)
        )
        do throws(ReprovisionRefusal) {
            return try planner.plan(request)
        } catch {
            throw Failure(error.isUsage ? .usage : .failure, error.message, hint: error.hint?.worded)
        }
    }

    private func connect(
        _ database: MeshDatabase,
        _ lease: WriteLease,
        _ snapshot: Snapshot,
        named name: String,
        _ reporter: ApplyReporter
    ) throws -> MeshConnection {
        try MeshConnection(
            over: conversation.route,
            in: context,
            database,
            lease,
            snapshot,
            named: name,
            vendorModels: conversation.knowledge.vendorModels,
            secrets: secrets,
            reporter
        )
    }
}
