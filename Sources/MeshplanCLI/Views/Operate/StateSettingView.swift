import Catalogue
import Execution
import MeshCore
import SystemLayer

/// Shows what became of setting a state.
struct StateSettingView {
    private let operating: OperatingContext
    private let change: StateChange

    init(_ operating: OperatingContext, _ change: StateChange) {
        self.operating = operating
        self.change = change
    }

    private var context: Context { operating.conversation.context }

    /// Shows the outcomes: JSON lines, or a recap, and a line for each that is not as asked.
    func show(_ outcomes: [(StatePlace, StateSettingOutcome)], _ refusals: [StateRefusal]) {
        if let lines = context.json {
            for (place, outcome) in outcomes { lines.event(members(place, outcome)) }
            for refusal in refusals {
                let reason = [
                    JSONMember("result", "refused"), JSONMember("reason", refusal.problem.clause.printable.json),
                ]
                lines.event(head(refusal.place) + reason)
            }
            return
        }
        let text = StateText(state: change.state, isRaw: false)
        let nodes = OperatedNodes(operating)
        let named = outcomes.map { place, outcome in
            (title: nodes.title(ofNode: place.node, element: place.element), outcome: outcome)
        }
        for (title, outcome) in named {
            guard case .differs(let reading) = outcome else { continue }
            context.output.line("\(title): \(change.state.name) is \(text.text(of: reading)), not as asked.")
        }
        for line in Self.recap("\(change.state.name) \(text.text(of: change.wanted))", named) {
            context.output.line(line)
        }
        let silent = outcomes.compactMap { place, outcome -> (node: Int, outcome: OperatingOutcome)? in
            guard case .unknown(let reason) = outcome else { return nil }
            return (place.node, reason)
        }
        nodes.tellSilent(silent)
        nodes.tellProblems(
            refusals.map { (node: $0.place.node, element: $0.place.element, problem: $0.problem) },
            not: "set"
        )
    }

    /// Who was repaired, and how many are as asked: `Repaired: lamp-2, lamp-10.` and
    /// `onoff on: 3 as asked, 2 repaired, 1 silent.`
    ///
    /// - Parameter wanted: the state and what it was to become.
    static func recap(_ wanted: String, _ outcomes: [(title: String, outcome: StateSettingOutcome)]) -> [String] {
        var counts: [String: Int] = [:]
        for (_, outcome) in outcomes { counts[word(outcome), default: 0] += 1 }
        let order = ["as asked", "repaired", "sent", "different", "silent", "not reached", "not asked to the end"]
        let parts = order.compactMap { word in counts[word].map { "\($0) \(word)" } }
        let repaired = outcomes.filter { $0.outcome == .repaired }.map { $0.title }
        let names = repaired.isEmpty ? [] : ["Repaired: \(OperatedNodes.list(repaired))."]
        return names + ["\(wanted): \(parts.joined(separator: ", "))."]
    }

    private static func word(_ outcome: StateSettingOutcome) -> String {
        switch outcome {
        case .asAsked: "as asked"
        case .repaired: "repaired"
        case .differs: "different"
        case .sent: "sent"
        case .unknown(.unanswered), .unknown(.silent): "silent"
        case .unknown(.unreachable): "not reached"
        case .unknown(.abandoned), .unknown(.notAsked), .unknown(.answered): "not asked to the end"
        }
    }

    private func members(_ place: StatePlace, _ outcome: StateSettingOutcome) -> [JSONMember] {
        let result = Self.word(outcome).replacing(" ", with: "_")
        var members = head(place) + [JSONMember("result", result.json)]
        if case .differs(let reading) = outcome {
            members += StateText(state: change.state, isRaw: false).members(of: reading)
        }
        return members
    }

    private func head(_ place: StatePlace) -> [JSONMember] {
        [JSONMember("type", "set")] + operating.members(ofNode: place.node) + [
            JSONMember("element", .integer(place.element)),
            JSONMember("model", operating.models.names.name(of: place.model).json),
            JSONMember("state", change.state.name.json),
        ]
    }
}
