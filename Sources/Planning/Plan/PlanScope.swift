/// What of the differences a plan was limited to.
package struct PlanScope: Hashable, Sendable {
    /// How it was limited, as on the command line, such as `--node kitchen-*`.
    package var options: [String]
    /// How many nodes have changes that are left out.
    package var nodesLeftOut: Int
    /// How many changes of subnets, application keys and groups are left out, since no change in the plan needs them.
    package var changesLeftOut: Int

    /// A limit that leaves out nothing, unless said.
    package init(options: [String], nodesLeftOut: Int = 0, changesLeftOut: Int = 0) {
        self.options = options
        self.nodesLeftOut = nodesLeftOut
        self.changesLeftOut = changesLeftOut
    }

    /// Whether something differs that the plan does not mend.
    package var leavesOutAnything: Bool { nodesLeftOut > 0 || changesLeftOut > 0 }
}
