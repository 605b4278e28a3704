/// What a guard has to say of a plan.
package struct GuardFinding: Hashable, Sendable {
    /// Which guard.
    package var planGuard: PlanGuard
    /// What would happen, a sentence without a full stop.
    package var message: String
    /// The names of the nodes that it would happen to, in the order of the plan; empty if to none in particular.
    package var nodes: [String]
    /// The addresses of the changes that would bring it about, as in ``Change/address``; empty if no single one does.
    package var resources: [String]
    /// Whether the user has allowed it; if not, the plan is refused.
    package var isAllowed: Bool

    /// A finding that is not allowed, unless said.
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
    /// The guards that refuse the plan, sorted, each once. Such a plan can be looked at but not applied.
    package var refusals: [PlanGuard] {
        Set(findings.lazy.filter { !$0.isAllowed }.map(\.planGuard)).sorted()
    }

    /// The guards that were allowed to be passed, sorted, each once.
    package var allowances: [PlanGuard] {
        Set(findings.lazy.filter(\.isAllowed).map(\.planGuard)).sorted()
    }
}
