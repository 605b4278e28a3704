package import DefinitionModel
import MeshCore

/// The result of planning.
package struct PlanningResult: Hashable, Sendable {
    /// The plan, even if guards refuse it, so that it can be viewed; nil if the definition is wrong.
    package var plan: Plan?
    /// What is wrong or worth knowing, in reading order. With errors, there is no plan or it is refused.
    package var diagnostics: [Diagnostic]

    /// The guards that refuse the plan, sorted.
    package var refusals: [PlanGuard] { plan?.refusals ?? [] }
}
