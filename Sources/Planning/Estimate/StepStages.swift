/// The stages of a plan that no barrier divides: what depends on a change of the database that waits for nodes, as the
/// phases of a key refresh do, comes after all that is before that change.
struct StepStages {
    /// The stage of each step so far.
    private var stages: [Int] = []
    private var waits: [Bool] = []
    private var current = 0

    /// Takes in the next step; whether everything before has to be over for it.
    mutating func begins(with step: Step) -> Bool {
        let known = step.dependencies.filter(stages.indices.contains)
        let stage = known.reduce(0) { max($0, stages[$1]) }
        guard case .edit = step.work else {
            stages.append(stage)
            waits.append(true)
            defer { current = max(current, stage) }
            return stage > current
        }
        // Steps of nodes before it are waited for.
        let isWaiting = known.contains { waits[$0] }
        stages.append(isWaiting ? stage + 1 : stage)
        waits.append(false)
        return false
    }
}
