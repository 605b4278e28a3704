/// What the planner may do although it would refuse it, and what it is limited to.
package struct PlannerOptions: Hashable, Sendable {
    package var allowed: Set<PlanGuard>
    /// The nodes that the plan is limited to. Changes of the network that they do not need are left out, too.
    package var selection: PlanSelection
    /// The purpose of the plan. A plan to destroy resets all managed nodes, whatever the definition says about them.
    package var purpose: Plan.Purpose

    /// The part of the definition to plan without; nil for none.
    package var removal: PlanRemoval?
    /// Whether devices get their addresses as they are heard, and not in the order of the definition.
    package var givesAddressesAsHeard: Bool

    package init(
        allowed: Set<PlanGuard> = [],
        selection: PlanSelection = PlanSelection(),
        purpose: Plan.Purpose = .converge,
        removal: PlanRemoval? = nil,
        givesAddressesAsHeard: Bool = false
    ) {
        self.allowed = allowed
        self.selection = selection
        self.purpose = purpose
        self.removal = removal
        self.givesAddressesAsHeard = givesAddressesAsHeard
    }
}
