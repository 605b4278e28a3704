import DefinitionModel
import Execution
import Planning

/// The steps of a run as people count them: requests to nodes, devices that are provisioned, and nodes that are read
/// back. Edits of the database take no time and go nowhere, so they are counted apart, and so is what grows into steps
/// when a composition is known. The bar, the recap, the lines of nodes and JSON all count with this.
struct StepTally {
    /// How a step ended.
    private enum End {
        case succeeded, unchanged, failed, blocked
    }

    private var plan: Plan?
    private var ends: [Int: End] = [:]
    /// What is not done, because a node cannot do it or a guard refuses it.
    private var refused: Set<String> = []
    /// The steps of the plan, with those by which it grew.
    private(set) var total = 0
    /// How many of them have ended, in whatever way.
    private(set) var decided = 0
    /// How many of them took effect.
    private(set) var applied = 0
    /// How many of them were done before.
    private(set) var unchanged = 0
    /// How many edits of the database were made.
    private(set) var edits = 0

    /// No steps.
    init() {}

    /// The steps of a plan.
    init(_ plan: Plan) {
        self.plan = plan
        total = plan.steps.count(where: \.isOfNode)
    }

    /// Counts an event.
    mutating func count(_ event: ExecutionEvent) {
        switch event {
        case .planGrown(let changes, let steps):
            plan?.changes += changes
            plan?.steps += steps
            total += steps.count(where: \.isOfNode)
        case .stepSucceeded(let step, _): end(step, .succeeded)
        case .stepSkipped(let step): end(step, .unchanged)
        case .stepFailed(let step, _): end(step, .failed)
        case .stepBlocked(let step, _): end(step, .blocked)
        case .problem(_, let diagnostic): if let resource = diagnostic.resource { refused.insert(resource) }
        case .nodePending(_, let steps): decided = min(decided + steps, total)
        default: break
        }
    }

    private mutating func end(_ step: Int, _ end: End) {
        guard let plan, plan.steps.indices.contains(step), ends.updateValue(end, forKey: step) == nil else { return }
        guard plan.steps[step].isOfNode else {
            if case .edit = plan.steps[step].work, end == .succeeded { edits += 1 }
            return
        }
        decided = min(decided + 1, total)
        switch end {
        case .succeeded: applied += 1
        case .unchanged: unchanged += 1
        case .failed, .blocked: break
        }
    }

    /// The changes all of whose steps took effect, in the words of the plan: “3 added, 1 changed”; nil for none.
    var changes: String? {
        guard let plan else { return nil }
        // A change without a step of its own happens with the others.
        let isAllDone = plan.steps.indices.allSatisfy { ends[$0] == .succeeded || ends[$0] == .unchanged }
        let owners = Set(plan.steps.map(\.change))
        var isOpen = plan.changes.indices.map { owners.contains($0) || !isAllDone }
        for (place, step) in plan.steps.enumerated() where isOpen.indices.contains(step.change) {
            if case .succeeded? = ends[place] { isOpen[step.change] = false }
        }
        for (place, step) in plan.steps.enumerated() where isOpen.indices.contains(step.change) {
            switch ends[place] {
            case .succeeded, .unchanged: break
            case .failed, .blocked, nil: isOpen[step.change] = true
            }
        }
        // What was deferred comes again when the plan has grown, and counts once.
        var last: [String: Int] = [:]
        for (place, change) in plan.changes.enumerated() { last[change.address] = place }
        var done = plan
        done.changes = plan.changes.indices.filter { place in
            !isOpen[place] && last[plan.changes[place].address] == place
                && !refused.contains(plan.changes[place].address)
        }.map { plan.changes[$0] }
        let summary = PlanSummary(done)
        let parts = [
            (summary.added, "added"), (summary.changed, "changed"), (summary.removed, "removed"),
            (summary.reset, "reset"), (summary.forgotten, "forgotten"),
        ]
        let words = parts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
        return words.isEmpty ? nil : words.joined(separator: ", ")
    }
}

extension Step {
    /// Whether it does something to a node.
    fileprivate var isOfNode: Bool {
        switch work {
        case .configure, .provision, .readBack: true
        case .edit, .configureWhenKnown: false
        }
    }
}
