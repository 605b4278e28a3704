/// Divides steps without barriers into stages. Some changes of the database wait for nodes, such as the phases of a key
/// refresh. A step that depends on such a change comes after everything before the change.
struct StepStages {
    private var stages: [Int] = []
    private var waits: [Bool] = []
    private var current = 0

    /// Adds the next step. Returns whether everything before it must be over first.
    mutating func begins(with step: Step) -> Bool {
        let known = step.dependencies.filter(stages.indices.contains)
        let stage = known.reduce(0) { max($0, stages[$1]) }
        guard case .edit = step.work else {
            stages.append(stage)
            waits.append(true)
            defer { current = max(current, stage) }
            return stage > current
        }
        // This change waits for the steps of nodes that it depends on.
        let isWaiting = known.contains { waits[$0] }
        stages.append(isWaiting ? stage + 1 : stage)
        waits.append(false)
        return false
    }
}
