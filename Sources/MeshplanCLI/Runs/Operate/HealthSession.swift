import Catalogue
import Execution
import MeshCore

/// One `health`: reads registered faults, and clears them or runs tests if that is wanted.
struct HealthSession {
    /// Finds targets and talks to the mesh.
    let operating: OperatingContext
    /// What to do besides reading.
    let wishes: HealthWishes
    /// Whether to act on many nodes without asking.
    let isApproved: Bool

    private var context: Context { operating.conversation.context }

    /// Asks the Health Servers of a target, and shows what they tell.
    ///
    /// - Parameter text: the target; nil for all nodes.
    /// - Throws: ``Failure`` if the target is not known or has no Health Server that can be asked, or if it is many
    ///   nodes and nobody approves.
    func check(_ text: String?) throws -> ExitStatus {
        let target = try operating.resolve(OperatedNodes.target(text))
        let check: HealthCheck
        do throws(MessageRefusal) {
            check = try HealthCheck(target, wishes, in: operating.network)
        } catch {
            throw Failure(.usage, error.message(operating.models.names).printable)
        }
        guard !check.places.isEmpty else {
            guard let first = check.problems.first else {
                throw Failure(.usage, "nothing that is meant has a Health Server")
            }
            // A report that is made from the lines needs to know who could not be asked.
            HealthView(operating, check, wishes).tellProblems()
            guard check.problems.count == 1 else {
                OperatedNodes(operating).tellProblems(
                    check.problems.map { ($0.element.node, $0.element.element, $0.problem) }
                )
                throw Failure(.failure, "none of \(count(check.problems.count, "element")) can be asked")
            }
            throw OperatedNodes(operating).failure(
                of: first.problem,
                node: first.element.node,
                element: first.element.element
            )
        }
        try approve(target, check, text)
        let view = HealthView(operating, check, wishes)
        let (findings, status) = try operating.operate(with: check.needs) { session in
            check.run(in: session) { view.tell($0, $1) }
        }
        view.finish(findings)
        guard status == .success else { return status }
        // Whoever means all nodes knows that some have no Health Server with a key.
        let isAnswered = findings.allSatisfy { $0.missing == nil }
        return isAnswered && (target.isSelector || check.problems.isEmpty) ? .success : .partial
    }

    /// Asks before a selector acts on a large part of the network.
    private func approve(_ target: ResolvedTarget, _ check: HealthCheck, _ text: String?) throws(Failure) {
        let count = Set(check.places.map(\.node)).count
        guard !wishes.isReading, !isApproved, target.needsApproval(actingOn: count, in: operating.network) else {
            return
        }
        try Prompt(context: context).confirm(
            "Do so at \(count) of the \(operating.network.operableCount) nodes?",
            explanation: text.map { "`\($0.printable)` selects so many." } ?? "Without a target, all nodes are meant."
        )
    }
}
