/// The limits of a plan, and what they leave out.
package struct PlanScope: Hashable, Sendable {
    /// The limits, in the form in which the user gave them. Empty until whoever asked for the plan words them.
    package var options: [String]
    /// How many nodes have changes that are left out.
    package var nodesLeftOut: Int
    /// How many changes of subnets, application keys and groups are left out because no change in the plan needs them.
    package var changesLeftOut: Int

    package init(options: [String], nodesLeftOut: Int = 0, changesLeftOut: Int = 0) {
        self.options = options
        self.nodesLeftOut = nodesLeftOut
        self.changesLeftOut = changesLeftOut
    }
}
