import MeshCore
import Planning

/// The values that guards examine when a configuration is lowered during a run.
extension NetworkRecord {
    /// The surroundings that guards need, lent so that nothing is copied.
    ///
    /// - Parameter steps: the steps of the plan, whose results guards know from the beginning.
    mutating func lendSurroundings(expecting steps: some Sequence<Step>) -> GuardedSurroundings {
        guard var surroundings else {
            var surroundings = withNodes { GuardedSurroundings($0) }
            surroundings.expect(steps)
            unseenNodes = []
            return surroundings
        }
        self.surroundings = nil
        for uuid in unseenNodes.union(unsaved.nodes).union(unsaved.removedNodes).sorted() {
            if let node = node(uuid) { surroundings.set(node) } else { surroundings.remove(uuid) }
        }
        unseenNodes = []
        return surroundings
    }

    /// Takes back the surroundings that were lent.
    mutating func takeBack(_ surroundings: GuardedSurroundings) {
        self.surroundings = surroundings
    }
}
