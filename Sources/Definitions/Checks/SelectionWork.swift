import DefinitionModel
import MeshCore

/// Bounds how often selectors look at nodes: rules times nodes grow faster than a file.
struct SelectionWork {
    private let limit: Int

    init(_ limits: ReadingLimits) { limit = limits.selectionWork }

    /// Whether there is no more work than is allowed; otherwise that is reported, where it becomes too much.
    func allows(
        _ selectors: [NodeSelector],
        _ network: NetworkFragments,
        _ diagnostics: inout DiagnosticCollector
    ) -> Bool {
        let nodes = network.definition.nodes
        // Most definitions are far from the limit, and need no index for that.
        guard selectors.reduce(0, { $0 + $1.cost }) > limit / max(nodes.count, 1) else { return true }
        let index = NodeSelectorIndex(nodes)
        var work = 0
        for selector in selectors {
            work += index.work(selector)
            guard work > limit else { continue }
            diagnostics.report(
                "the selectors up to this one look at nodes more than \(limit) times",
                at: selector.location,
                hint: "select by whole names or by tags with whole values, and put entries for the same nodes together"
            )
            return false
        }
        return true
    }
}
