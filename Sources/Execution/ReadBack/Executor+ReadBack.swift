package import MeshCore
import Planning
import Store

extension Executor {
    /// Reads nodes back: asks each for its whole configuration, and records what it tells and when.
    ///
    /// The nodes are asked side by side, and become pending like those of a plan. What they do not tell stays as
    /// recorded. In-doubt requests of earlier runs to them are resolved first.
    ///
    /// - Parameter nodes: the nodes in the order in which to begin; a node that the database does not have is a failed
    ///   step.
    package func readBack(_ nodes: [DeviceUUID]) -> Recap {
        let steps = nodes.map { Step(change: 0, work: .readBack($0)) }
        return begin(readings: steps)
    }
}
