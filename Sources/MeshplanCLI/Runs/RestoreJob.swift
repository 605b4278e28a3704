import DefinitionModel
import Definitions
import MeshCore
import Planning
import Store

/// Plans for a return to a former state of the database.
struct RestoreJob: PlanSource {
    var context: Context
    var network: String
    var serial: UInt64
    /// The network at that serial.
    var former: MeshNetwork
    /// The definition in force at that serial, which becomes so again; nil if its text is not known.
    var text: DefinitionText?
    /// What the history calls the goal: the state, unless unconfirmed changes are taken back.
    var returnGoal: ReturnGoal?

    /// A return to a serial.
    ///
    /// - Throws: ``StoreError`` if the database does not have that state any more.
    init(_ context: Context, network: String, serial: UInt64, in database: MeshDatabase) throws(StoreError) {
        self.context = context
        self.network = network
        self.serial = serial
        returnGoal = .state(serial)
        former = try database.snapshot(at: serial).network
        if let digest = try database.history().definitionEntry(at: serial)?.definition {
            text = try database.definition(digest)
        }
    }

    /// A return to a given state, without its definition.
    init(_ context: Context, network: String, serial: UInt64, former: MeshNetwork) {
        self.context = context
        self.network = network
        self.serial = serial
        self.former = former
    }

    var goal: String { "its state at serial \(serial)" }

    func nodeNames(in network: MeshNetwork) -> [String: DeviceUUID] {
        Dictionary(firstOf: network.nodes.map { ($0.name, $0.uuid) })
    }

    func plan(_ snapshot: Snapshot, options: PlannerOptions) throws -> PlannedJob {
        var generator = context.randomNumbers
        var restoration = Restoration(to: former, from: snapshot.network, named: network)
        // Reading it like any other definition gives diagnostics a place to point at.
        let text = DefinitionWriter.text(
            of: restoration.definition,
            header: ["Network \(network) as it was at serial \(serial)."]
        )
        let files = SourceFiles(files: [SourceFiles.File(path: "serial-\(serial).yaml", bytes: Array(text.utf8))])
        let (definitions, diagnostics) = DefinitionReader.read(files: files)
        guard let definition = definitions.first, !diagnostics.contains(where: { $0.severity == .error }) else {
            throw InvalidDefinition(diagnostics: diagnostics, files: files)
        }
        let result = Planner.plan(
            definition: restoration.takingKeys(of: serial, missingIn: snapshot.network, for: definition),
            network: restoration.present,
            base: (snapshot.lineage, snapshot.serial),
            identifier: Octets16(high: generator.next(), low: generator.next()),
            options: options
        )
        guard var plan = result.plan else { throw InvalidDefinition(diagnostics: result.diagnostics, files: files) }
        // The managed set must be the former one, not everything that the definition had to name.
        plan.claims = Claims()
        restoration.noteRest(of: plan, for: former)
        plan.notes += restoration.notes.map { Advice($0) }
        return PlannedJob(plan: plan, refusals: result.diagnostics.filter { $0.severity == .error }, files: files)
    }

    func show(_ plan: Plan, unresolved: Int, estimator: PlanEstimator, isFull: Bool) {
        show(plan, unresolved: unresolved, estimator: estimator, isFull: isFull, in: context)
    }

    func settle(
        _ network: MeshNetwork,
        _ database: MeshDatabase,
        _ lease: WriteLease,
        isComplete: Bool
    ) throws(StoreError) {
        let managed = network.managed(asIn: former)
        var changes = StoreChanges()
        changes.nodes = managed.nodes
        changes.network = managed.network
        if !changes.isEmpty { try database.commit(changes, with: lease) }
    }

    /// What this job could not take back after a plan is carried out.
    ///
    /// - Parameter snapshot: the database before the plan, to which the job would return.
    static func irreversible(
        _ plan: Plan,
        in snapshot: Snapshot,
        named network: String,
        _ context: Context
    ) throws -> [Irreversible] {
        let found = plan.irreversible(in: snapshot.network)
        guard found.isEmpty else { return found }
        let job = RestoreJob(context, network: network, serial: snapshot.serial, former: snapshot.network)
        var after = snapshot
        after.network = plan.outcome(on: snapshot.network)
        let back = try job.plan(after, options: PlannerOptions(allowed: Set(PlanGuard.allCases)))
        return Restoration.leftOtherwise(snapshot.network, back.plan.outcome(on: after.network))
    }
}
