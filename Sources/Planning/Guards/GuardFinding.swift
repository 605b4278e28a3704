/// A guard's objection to a plan.
package struct GuardFinding: Hashable, Sendable {
    package var planGuard: PlanGuard
    /// What would happen, as a sentence without a full stop.
    package var message: String
    /// The names of the affected nodes, in the order of the plan; empty if there are none in particular.
    package var nodes: [String]
    /// The addresses of the changes that would cause it, as in ``Change/address``; empty if no single change does.
    package var resources: [String]
    /// Whether the user has allowed it. If not, the plan is refused.
    package var isAllowed: Bool

    package init(
        _ planGuard: PlanGuard,
        _ message: String,
        nodes: [String] = [],
        resources: [String] = [],
        isAllowed: Bool = false
    ) {
        self.planGuard = planGuard
        self.message = message
        self.nodes = nodes
        self.resources = resources
        self.isAllowed = isAllowed
    }
}

extension Plan {
    /// The guards that refuse the plan, sorted, each once. Such a plan can be viewed but not applied.
    package var refusals: [PlanGuard] {
        Set(findings.lazy.filter { !$0.isAllowed }.map(\.planGuard)).sorted()
    }

    /// The guards that the user has allowed the plan to pass, sorted, each once.
    package var allowances: [PlanGuard] {
        Set(findings.lazy.filter(\.isAllowed).map(\.planGuard)).sorted()
    }
}
