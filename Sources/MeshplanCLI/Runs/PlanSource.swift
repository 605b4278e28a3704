internal import MeshCore
internal import Planning
internal import Store

/// What plans are made of, one after another as the database changes: a definition, or an order such as a key refresh.
protocol PlanSource {
    /// The name of the network.
    var network: String { get }
    /// The definition that it plans for; nil if it is not made from one.
    var declared: Definition? { get }
    /// What the network matches where there is nothing to do: “the definition”.
    var goal: String { get }
    /// The text of that definition, for the history; nil if there is none.
    var text: DefinitionText? { get }
    /// Nodes by the names under which files of simulated devices know them.
    ///
    /// - Parameter network: what the database knows.
    func nodeNames(in network: MeshNetwork) -> [String: DeviceUUID]
    /// Plans against a snapshot and shows what is worth knowing of the source.
    ///
    /// - Parameter options: what the planner is allowed.
    /// - Throws: ``InvalidDefinition`` or ``Failure`` if there can be no plan.
    func plan(_ snapshot: Snapshot, options: PlannerOptions) throws -> PlannedJob
    /// Whether what became of a request to a node still matters.
    func interest(in network: MeshNetwork) -> (DeviceUUID, ConfigurationAction) -> Bool
    /// Shows a plan.
    ///
    /// - Parameters:
    ///   - unresolved: requests of earlier runs of which nobody knows whether they arrived.
    ///   - estimator: tells how long it will take.
    func show(_ plan: Plan, unresolved: Int, estimator: PlanEstimator, isFull: Bool)
    /// Records what there is to record once there is nothing left to do, or all that could be done was.
    ///
    /// - Parameter isComplete: whether everything was done.
    func settle(_ database: MeshDatabase, _ lease: WriteLease, isComplete: Bool) throws(StoreError)
}

extension PlanSource {
    var declared: Definition? { nil }
    var goal: String { "the definition" }
    var text: DefinitionText? { nil }

    /// What is not declared matters to nobody; without a definition everything does.
    func interest(in network: MeshNetwork) -> (DeviceUUID, ConfigurationAction) -> Bool {
        guard let declared else { return { _, _ in true } }
        let parts = DeclaredParts(declared, in: network)
        return { parts.declares($1, on: $0) }
    }

    /// What the definition has adopted of what nodes told is no drift any more.
    func settle(_ database: MeshDatabase, _ lease: WriteLease, isComplete: Bool) throws(StoreError) {
        guard let declared else { return }
        let snapshot = try database.snapshot()
        guard !snapshot.network.drifts.isEmpty else { return }
        try DriftSettlement.settleAdopted(declared, in: snapshot, database, lease)
    }

    /// Shows a plan in the form that a context asks for.
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
                    ? "1 request of an earlier run may have arrived or not; apply reads it back first."
                    : "\(unresolved) requests of an earlier run may have arrived or not; apply reads them back first."
            )
        }
        if let lines = context.json {
            PlanJSON(plan: shown, estimate: estimate, digest: plan.digest).write(to: lines)
        } else {
            context.output.write(
                PlanView(plan: shown, estimate: estimate, style: context.style, isFull: isFull, goal: goal).render()
            )
            plan.showDigest(in: context)
        }
    }
}

extension PlanningJob.Prepared: PlanSource {
    var declared: Definition? { definition }
    var text: DefinitionText? { files.definitionText }

    /// The nodes of the definition.
    func nodeNames(in network: MeshNetwork) -> [String: DeviceUUID] {
        Dictionary(definition.nodes.map { ($0.name.value, $0.uuid.value) }, uniquingKeysWith: { first, _ in first })
    }
}

extension SourceFiles {
    /// The files as the history keeps them.
    var definitionText: DefinitionText {
        DefinitionText(files: files.map { DefinitionText.File(path: $0.path, bytes: $0.bytes) })
    }

    /// The files of a definition that was applied before.
    init(_ text: DefinitionText) {
        self.init(files: text.files.map { File(path: $0.path, bytes: $0.bytes) })
    }
}
