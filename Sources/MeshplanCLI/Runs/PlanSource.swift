import Catalogue
import DefinitionModel
import MeshCore
import Planning
import Store

/// The source of plans, which are made one after another as the database changes: a definition, or an order such as a
/// key refresh.
protocol PlanSource {
    var network: String { get }
    var declared: Definition? { get }
    /// The files that the locations of ``declared`` point into; nil if there are none.
    var declaringFiles: SourceFiles? { get }
    /// The vendor models that its definition describes, for simulated nodes.
    var vendorModels: [VendorModel] { get }
    /// What the network matches if there is nothing to do: “the definition”.
    var goal: String { get }
    /// The text of the definition, for the history; nil if there is none.
    var text: DefinitionText? { get }
    /// What a return leads back to; nil if it leads forward.
    var returnGoal: ReturnGoal? { get }
    /// The nodes by the names that files of simulated devices use.
    ///
    /// - Parameter network: the network as the database knows it.
    func nodeNames(in network: MeshNetwork) -> [String: DeviceUUID]
    /// The nodes that may be required as a proxy, by names that the database does not have.
    ///
    /// - Parameter network: the network as the database knows it.
    func namesOfProxies(in network: MeshNetwork) -> [String: DeviceUUID]
    /// Checks the names that the command line gives. This needs no radio, so it happens before one is used.
    ///
    /// - Parameters:
    ///   - network: the network as the database knows it.
    ///   - options: the limits of the plan.
    /// - Throws: ``InvalidDefinition`` or ``Failure`` for a name that nothing, or more than one node, has.
    func checkNames(in network: MeshNetwork, options: PlannerOptions) throws
    /// Plans against a snapshot, and shows diagnostics about the source.
    ///
    /// - Parameter options: the guards to pass and the limits of the plan.
    /// - Throws: ``InvalidDefinition`` or ``Failure`` if no plan is possible.
    func plan(_ snapshot: Snapshot, options: PlannerOptions) throws -> PlannedJob
    /// Whether the outcome of an earlier request to a node still matters.
    func interest(in network: MeshNetwork) -> (DeviceUUID, ConfigurationAction) -> Bool
    /// Shows a plan.
    ///
    /// - Parameters:
    ///   - unresolved: the number of earlier requests of which nobody knows whether they arrived.
    ///   - estimator: estimates the time.
    func show(_ plan: Plan, unresolved: Int, estimator: PlanEstimator, isFull: Bool)
    /// Updates the records after everything was done, or as much as possible.
    ///
    /// - Parameters:
    ///   - network: the network as the database knows it.
    ///   - isComplete: whether everything was done.
    func settle(
        _ network: MeshNetwork,
        _ database: MeshDatabase,
        _ lease: WriteLease,
        isComplete: Bool
    ) throws(StoreError)
}

extension PlanSource {
    var declared: Definition? { nil }
    var declaringFiles: SourceFiles? { nil }
    var vendorModels: [VendorModel] { [] }
    var goal: String { "the definition" }
    var text: DefinitionText? { nil }
    var returnGoal: ReturnGoal? { nil }

    func namesOfProxies(in network: MeshNetwork) -> [String: DeviceUUID] { nodeNames(in: network) }

    func checkNames(in network: MeshNetwork, options: PlannerOptions) throws {}

    /// Undeclared values do not matter; without a definition, all values do.
    func interest(in network: MeshNetwork) -> (DeviceUUID, ConfigurationAction) -> Bool {
        guard let declared else { return { _, _ in true } }
        let parts = DeclaredParts(declared, in: network)
        return { parts.declares($1, on: $0) }
    }

    /// Observed values that the definition has adopted no longer count as drift.
    func settle(
        _ network: MeshNetwork,
        _ database: MeshDatabase,
        _ lease: WriteLease,
        isComplete: Bool
    ) throws(StoreError) {
        guard let declared else { return }
        try DriftSettlement.settleAdopted(declared, in: network, database, lease)
    }

    /// Shows a plan as text or JSON, whichever the context asks for.
    func show(
        _ plan: Plan,
        unresolved: Int,
        estimator: PlanEstimator,
        isFull: Bool,
        in context: Context
    ) {
        let estimate = estimator.estimate(plan)
        var shown = plan
        if unresolved > 0 {
            shown.notes.append(
                unresolved == 1
                    ? "1 request of an earlier run may or may not have arrived; apply reads it back first."
                    : "\(unresolved) requests of an earlier run may or may not have arrived; apply reads them back first."
            )
        }
        var json = PlanJSON(plan: shown, estimate: estimate, digest: plan.digest)
        if let lines = context.json {
            if let declared, let declaringFiles { json.origins = PlanOrigins(declared, declaringFiles) }
            json.write(to: lines)
        } else {
            // Whoever shows the text to somebody looks at the figures itself.
            context.report?.summary = .object(json.summary)
            context.output.write(
                PlanView(plan: shown, estimate: estimate, style: context.style, isFull: isFull, goal: goal).render()
            )
            plan.showDigest(in: context)
        }
    }
}

extension PlanningJob.Prepared: PlanSource {
    var declared: Definition? { definition }
    var declaringFiles: SourceFiles? { files }
    var text: DefinitionText? { files.definitionText }

    func nodeNames(in network: MeshNetwork) -> [String: DeviceUUID] {
        Dictionary(firstOf: definition.nodes.map { ($0.name.value, $0.uuid.value) })
    }
}

extension SourceFiles {
    /// The files in the form that the history keeps.
    var definitionText: DefinitionText {
        DefinitionText(files: files.map { DefinitionText.File(path: $0.path, bytes: $0.bytes) })
    }

    init(_ text: DefinitionText) {
        self.init(files: text.files.map { File(path: $0.path, bytes: $0.bytes) })
    }
}
