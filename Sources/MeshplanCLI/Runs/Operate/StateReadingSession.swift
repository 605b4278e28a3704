import Execution
import MeshCore

/// One `get`: reads states side by side and shows them.
struct StateReadingSession {
    /// Finds targets and talks to the mesh.
    let operating: OperatingContext
    /// Whether values are shown as the raw numbers of the messages.
    let isRaw: Bool

    /// Reads states of a target, and shows what the nodes answer.
    ///
    /// - Parameters:
    ///   - target: the target.
    ///   - words: the names of the states; empty for those that change in operation.
    /// - Throws: ``Failure`` if the target or a state is not known, or if nothing can be asked.
    func read(_ target: String, _ words: [String]) throws -> ExitStatus {
        let resolved = try operating.resolve(target)
        let inquiry: StateInquiry
        do throws(StateError) {
            let models = operating.models
            let selectors = try StateSelector.read(words, of: models)
            inquiry = try StateInquiry(resolved, selectors, of: models, in: operating.network)
        } catch {
            throw Failure(error)
        }
        if inquiry.requests.isEmpty, let first = inquiry.refusals.first {
            throw OperatedNodes(operating).failure(
                of: first.problem,
                node: first.place.node,
                element: first.place.element
            )
        }
        let view = StateListView(operating, isRaw: isRaw)
        let (outcomes, status) = try operating.operate(with: inquiry.needs) { session in
            session.ask(inquiry.requests) { position, outcome in view.tell(inquiry.places[position], outcome) }
        }
        view.finish(Array(zip(inquiry.places, outcomes)), inquiry.refusals)
        guard status == .success else { return status }
        let isComplete = outcomes.allSatisfy { if case .answered = $0 { true } else { false } }
        return isComplete && inquiry.refusals.isEmpty ? .success : .partial
    }
}
