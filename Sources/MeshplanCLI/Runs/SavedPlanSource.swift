import Catalogue
import DefinitionModel
import Definitions
import MeshCore
import Planning
import Store

/// A plan in a file as the source of an apply: it is carried out as it is.
struct SavedPlanSource: PlanSource {
    var context: Context
    var network: String
    /// The file, as the user knows it.
    var path: String
    var plan: Plan
    /// The definition that it was made from; nil if there is none.
    var text: DefinitionText?
    /// What the plan goes back to; nil if it does not.
    var returnGoal: ReturnGoal?

    var vendorModels: [VendorModel] {
        // Invalid text was reported when the plan was made.
        text.flatMap { try? DefinitionFiles.load(SourceFiles($0), toleratesEmptySelectors: true).vendorModels } ?? []
    }

    func nodeNames(in network: MeshNetwork) -> [String: DeviceUUID] {
        Dictionary(firstOf: plan.nodes.map { ($0.name, $0.uuid) })
    }

    /// A proxy must be a node already: the plan's devices are not.
    func namesOfProxies(in network: MeshNetwork) -> [String: DeviceUUID] { [:] }

    func plan(_ snapshot: Snapshot, options: PlannerOptions) -> PlannedJob {
        PlannedJob(plan: plan, refusals: [], files: SourceFiles())
    }

    /// Whoever saved the plan has seen it, so the figures are enough, unless all details are asked for.
    func show(_ plan: Plan, unresolved: Int, estimator: PlanEstimator, isFull: Bool) {
        let estimate = estimator.estimate(plan)
        if let lines = context.json {
            let json = PlanJSON(plan: plan, estimate: estimate, digest: plan.digest)
            if isFull { json.write(to: lines) } else { json.writeSummary(to: lines) }
        } else if isFull {
            let view = PlanView(plan: plan, estimate: estimate, style: context.style, isFull: true)
            context.output.write(view.render())
            plan.showDigest(in: context)
            context.output.line()
        } else {
            let file = context.style(.bold, path.printable)
            let network = context.style(.bold, plan.network.printable)
            context.output.line("Applying \(file) to network \(network): \(PlanSummary(plan).figures).")
            context.output.line((estimate.text.map { $0 + "\n" } ?? ""))
        }
    }

    /// The records of a definition are not this plan's business.
    func settle(_ network: MeshNetwork, _ database: MeshDatabase, _ lease: WriteLease, isComplete: Bool) {}
}
