import DefinitionModel
import Execution
import MeshCore
import Planning

/// The steps of a run as people count them: requests to nodes, devices that are provisioned, and nodes that are read
/// back. Edits of the database take no time and go nowhere, so they are counted apart, and so is what grows into steps
/// when a composition is known. The bar, the recap and JSON count with this, and nothing else is a step in the lines of
/// nodes and in the history. Changes are counted apart, in the words of the plan.
struct StepTally {
    /// How a step ended.
    private enum End {
        case succeeded, unchanged, failed, blocked
    }

    private var plan: Plan?
    /// The addresses of the changes that the plan had before it grew.
    private var listed: Set<String> = []
    private var ends: [Int: End] = [:]
    /// What is not done, because a node cannot do it or a guard refuses it.
    private var refused: Set<String> = []
    /// The nodes of which something is not done for that reason.
    private var limited: Set<DeviceUUID> = []
    /// The steps of the plan, with those by which it grew.
    private(set) var total = 0
    /// How many of them have ended, in whatever way.
    private(set) var decided = 0
    /// How many of them took effect.
    private(set) var applied = 0
    /// How many of them were done before.
    private(set) var unchanged = 0
    /// How many of them were not tried, because another one failed.
    private(set) var blocked = 0
    /// How many edits of the database were made.
    private(set) var edits = 0

    init() {}

    init(_ plan: Plan) {
        self.plan = plan
        listed = Set(plan.changes.map(\.address))
        total = plan.steps.count(where: \.concernsNode)
    }

    mutating func count(_ event: ExecutionEvent) {
        switch event {
        case .planGrown(let changes, let steps):
            plan?.changes += changes
            plan?.steps += steps
            total += steps.count(where: \.concernsNode)
        case .stepSucceeded(let step, _): end(step, .succeeded)
        case .stepSkipped(let step): end(step, .unchanged)
        case .stepFailed(let step, _): end(step, .failed)
        case .stepBlocked(let step, _): end(step, .blocked)
        case .problem(let node, let diagnostic):
            limited.insert(node)
            if let resource = diagnostic.resource { refused.insert(resource) }
        case .nodePending(_, let steps): decided = min(decided + steps, total)
        default: break
        }
    }

    private mutating func end(_ step: Int, _ end: End) {
        guard let plan, plan.steps.indices.contains(step), ends.updateValue(end, forKey: step) == nil else { return }
        guard plan.steps[step].concernsNode else {
            if case .edit = plan.steps[step].work, end == .succeeded { edits += 1 }
            return
        }
        decided = min(decided + 1, total)
        switch end {
        case .succeeded: applied += 1
        case .unchanged: unchanged += 1
        case .blocked: blocked += 1
        case .failed: break
        }
    }

    /// The changes all of whose steps took effect; nil without a plan.
    var done: PlanSummary? {
        guard var done = plan else { return nil }
        let isDone = doneChanges
        done.changes = done.changes.indices.filter { isDone[$0] }.map { done.changes[$0] }
        // Who was to leave and did not is no former node.
        let members = Set(done.changes.lazy.filter(\.isAboutMembership).compactMap(\.node))
        done.nodes.removeAll { !members.contains($0.uuid) }
        return PlanSummary(done)
    }

    /// How many of the changes that are done the plan could not list, because they follow from compositions.
    var unlisted: Int {
        guard let plan else { return 0 }
        let isDone = doneChanges
        return plan.changes.enumerated().count { index, change in
            isDone[index] && !listed.contains(change.address) && change.isCounted
        }
    }

    /// Which of the plan's changes are done, each once.
    private var doneChanges: [Bool] {
        guard let plan else { return [] }
        // A change without a step of its own happens with the others.
        let isAllDone = plan.steps.indices.allSatisfy { ends[$0] == .succeeded || ends[$0] == .unchanged }
        let owners = Set(plan.steps.map(\.change))
        var isOpen = plan.changes.indices.map { owners.contains($0) || !isAllDone }
        for (index, step) in plan.steps.enumerated() where isOpen.indices.contains(step.change) {
            if case .succeeded? = ends[index] { isOpen[step.change] = false }
        }
        for (index, step) in plan.steps.enumerated() where isOpen.indices.contains(step.change) {
            switch ends[index] {
            case .succeeded, .unchanged: break
            case .failed, .blocked, nil: isOpen[step.change] = true
            }
        }
        // What was deferred comes again when the plan has grown. If it does not, there was nothing to do.
        var last: [String: Int] = [:]
        let addresses = plan.changes.map(\.address)
        for (index, address) in addresses.enumerated() { last[address] = index }
        return addresses.enumerated().map { index, address in
            let change = plan.changes[index]
            // What was to become steps when the composition was known, and did not, is what the node cannot do.
            let isLeftOut =
                !owners.contains(index) && !change.isAboutMembership && change.kind != .composition
                && change.node.map(limited.contains) == true
            return !isOpen[index] && last[address] == index && !refused.contains(address) && !change.isDeferred
                && !isLeftOut
        }
    }

    /// What is done, in the words of the plan: “3 added, 1 changed”; nil for nothing.
    var changes: String? {
        guard let done else { return nil }
        let parts = [
            (done.added, "added"), (done.changed, "changed"), (done.removed, "removed"),
            (done.forgotten, "forgotten"), (done.reset, "reset"), (done.excluded, "excluded"),
        ]
        let words = parts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
        return words.isEmpty ? nil : words.joined(separator: ", ")
    }
}
