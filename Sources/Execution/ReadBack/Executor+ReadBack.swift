package import MeshCore
import Planning
import Store

extension Executor {
    /// Reads nodes back: asks each for all of its configuration and records what it tells, and that it was told.
    ///
    /// The nodes are asked side by side and become pending like those of a plan; what they do not tell stays as it was
    /// recorded. In-doubt requests of earlier runs to them are cleared up first.
    ///
    /// - Parameter nodes: in the order in which they are begun; those that the database does not have are failed steps.
    package func readBack(_ nodes: [DeviceUUID]) -> Recap {
        let steps = nodes.map { Step(change: 0, work: .readBack($0)) }
        return begin(readings: steps)
    }
}
