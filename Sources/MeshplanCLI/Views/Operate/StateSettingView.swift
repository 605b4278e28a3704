import Catalogue
import Execution
import MeshCore
import SystemLayer

/// Shows what became of setting a state.
struct StateSettingView {
    private let operating: OperatingRun
    private let change: StateChange

    /// A view of one command.
    init(_ operating: OperatingRun, _ change: StateChange) {
        self.operating = operating
        self.change = change
    }

    private var context: Context { operating.conversation.context }

    /// Shows the outcomes: JSON lines, or a recap, and a line for each that is not as asked.
    func show(_ outcomes: [(StatePlace, StateSettingOutcome)], _ refusals: [StateRefusal]) {
        if let lines = context.json {
            for (place, outcome) in outcomes { lines.output.line(JSONValue.object(members(place, outcome)).line) }
            for refusal in refusals {
                let reason = [
                    JSONMember("result", "refused"), JSONMember("reason", refusal.problem.clause.printable.json),
                ]
                lines.output.line(JSONValue.object(head(refusal.place) + reason).line)
            }
            return
        }
        let text = StateText(state: change.state, isRaw: false)
        for (place, outcome) in outcomes {
            guard case .differs(let reading) = outcome else { continue }
            context.output.line("\(title(of: place)): \(change.state.name) is \(text.text(of: reading)), not as asked.")
        }
        context.output.line(recap(outcomes.map(\.1)))
        let silent = outcomes.compactMap { place, outcome -> (node: Int, outcome: OperatingOutcome)? in
            guard case .unknown(let reason) = outcome else { return nil }
            return (place.node, reason)
        }
        StateListView(operating, isRaw: false).tellSilent(silent)
        for refusal in refusals {
            FailureView(context).warn(
                "\(title(of: refusal.place)) was not set: it \(refusal.problem.clause.printable)",
                hint: refusal.problem.advice?.worded
            )
        }
    }

    /// `3 of 5 as asked, 1 repaired, 1 silent.`
    private func recap(_ outcomes: [StateSettingOutcome]) -> String {
        var counts: [String: Int] = [:]
        for outcome in outcomes { counts[Self.word(outcome), default: 0] += 1 }
        let value = StateText(state: change.state, isRaw: false).text(of: change.wanted)
        let order = ["as asked", "repaired", "sent", "different", "silent", "not reached", "not asked to the end"]
        let parts = order.compactMap { word in counts[word].map { "\($0) \(word)" } }
        return "\(change.state.name) \(value): \(parts.joined(separator: ", "))."
    }

    private static func word(_ outcome: StateSettingOutcome) -> String {
        switch outcome {
        case .asAsked: "as asked"
        case .repaired: "repaired"
        case .differs: "different"
        case .sent: "sent"
        case .unknown(.unanswered), .unknown(.silent): "silent"
        case .unknown(.unreachable): "not reached"
        case .unknown(.abandoned), .unknown(.answered): "not asked to the end"
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
        [
            JSONMember("type", "set"), JSONMember("node", operating.name(ofNode: place.node).json),
            JSONMember("element", .integer(place.element)),
            JSONMember("model", operating.models.names.name(of: place.model).json),
            JSONMember("state", change.state.name.json),
        ]
    }

    private func title(of place: StatePlace) -> String {
        let name = operating.name(ofNode: place.node)
        return place.element == 0 ? name : "\(name)/\(place.element)"
    }
}
