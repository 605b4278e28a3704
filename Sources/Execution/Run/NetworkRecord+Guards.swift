import MeshCore
import Planning

/// What guards look at when a configuration is lowered while the plan is carried out.
extension NetworkRecord {
    /// What guards know of the network, lent so that nothing of it is copied.
    ///
    /// - Parameter steps: the steps of the plan, whose ends guards know from the beginning.
    mutating func lendSurroundings(expecting steps: some Sequence<Step>) -> GuardedSurroundings {
        guard var surroundings else {
            var surroundings = withNodes { GuardedSurroundings($0) }
            surroundings.expect(steps)
            unseenNodes = []
            return surroundings
        }
        self.surroundings = nil
        for uuid in unseenNodes.union(dirtyNodes).union(removedNodes).sorted() {
            if let node = node(uuid) { surroundings.set(node) } else { surroundings.remove(uuid) }
        }
        unseenNodes = []
        return surroundings
    }

    /// Takes back what was lent.
    mutating func takeBack(_ surroundings: GuardedSurroundings) {
        self.surroundings = surroundings
    }
}
