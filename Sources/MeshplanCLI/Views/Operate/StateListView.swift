import Basics
import Catalogue
import Execution
import MeshCore
import SystemLayer

/// Shows states that nodes were asked for: a table for people at the end, a JSON line for each as soon as it is known.
struct StateListView {
    private let operating: OperatingContext
    private let isRaw: Bool

    /// A view of one command.
    ///
    /// - Parameter isRaw: whether values are shown as the raw numbers of the messages.
    init(_ operating: OperatingContext, isRaw: Bool) {
        self.operating = operating
        self.isRaw = isRaw
    }

    private var context: Context { operating.conversation.context }

    func tell(_ place: StatePlace, _ outcome: OperatingOutcome) {
        guard let lines = context.json, case .answered(let parameters) = outcome else { return }
        let text = StateText(state: place.state, isRaw: isRaw)
        let members = text.members(of: StateReading(parameters, of: place.state))
        lines.event(head("state", place) + members)
    }

    func finish(_ outcomes: [(StatePlace, OperatingOutcome)], _ refusals: [StateRefusal]) {
        let silent = outcomes.filter { if case .answered = $0.1 { false } else { true } }
        if let lines = context.json {
            for (place, outcome) in silent {
                let reason = JSONMember("reason", OperatedNodes.reason(outcome).json)
                lines.event(head("no_state", place) + [reason])
            }
            for refusal in refusals {
                let reason = JSONMember("reason", refusal.problem.clause.printable.json)
                lines.event(head("no_state", refusal.place) + [reason])
            }
            return
        }
        context.output.write(table(outcomes))
        let nodes = OperatedNodes(operating)
        let answering = Set(
            outcomes.compactMap { place, outcome -> Int? in
                guard case .answered = outcome else { return nil }
                return place.node
            }
        )
        let isPartly = { (place: StatePlace, outcome: OperatingOutcome) -> Bool in
            answering.contains(place.node) && (outcome == .unanswered || outcome == .silent)
        }
        nodes.tellSilent(silent.filter { !isPartly($0.0, $0.1) }.map { ($0.0.node, $0.1) })
        tellPartlySilent(silent.filter { isPartly($0.0, $0.1) }.map(\.0))
        var states: [String] = []
        for refusal in refusals where !states.contains(refusal.place.state.name) {
            states.append(refusal.place.state.name)
        }
        for state in states {
            nodes.tellProblems(
                refusals.filter { $0.place.state.name == state }
                    .map { (node: $0.place.node, element: $0.place.element, problem: $0.problem) },
                not: "asked for \(state)"
            )
        }
    }

    /// Names the nodes that answered, but not about every state, with those states: `nim (lightness-linear)`.
    private func tellPartlySilent(_ places: [StatePlace]) {
        guard !places.isEmpty else { return }
        var missing: [Int: [String]] = [:]
        for place in places where !missing[place.node, default: []].contains(title(of: place)) {
            missing[place.node, default: []].append(title(of: place))
        }
        let names = missing.map { node, states in
            "\(operating.name(ofNode: node)) (\(states.joined(separator: ", ")))"
        }
        FailureView(context).warn(
            "no answer about some states: \(OperatedNodes.list(names))",
            hint: names.count == 1
                ? "The node answers about others, so it may not have these. Name the states to read."
                : "The nodes answer about others, so they may not have these. Name the states to read."
        )
    }

    private func table(_ outcomes: [(StatePlace, OperatingOutcome)]) -> String {
        var table = Table(["NODE", "ELEMENT", "STATE", "VALUE"], rightAligned: [1])
        let rows = outcomes.enumerated().map { offset, row in
            (order: NaturalOrder(operating.name(ofNode: row.0.node)), element: row.0.element, offset: offset)
        }
        let sorted = rows.sorted { ($0.order, $0.element, $0.offset) < ($1.order, $1.element, $1.offset) }
        for (place, outcome) in sorted.map({ outcomes[$0.offset] }) {
            let value: String
            if case .answered(let parameters) = outcome {
                let text = StateText(state: place.state, isRaw: isRaw)
                value = text.text(of: StateReading(parameters, of: place.state))
            } else {
                value = "(\(OperatedNodes.reason(outcome)))"
            }
            table.rows.append([operating.name(ofNode: place.node), "\(place.element)", title(of: place), value])
        }
        table.add(titles: sorted.map { operating.title(ofNode: outcomes[$0.offset].0.node) })
        return table.render(context.style)
    }

    /// The name of a state, with what selects the instance.
    private func title(of place: StatePlace) -> String {
        let texts = place.state.getMessage.texts(of: place.selector.keys)
        return ([place.state.name] + texts.map(\.text)).joined(separator: " ").printable
    }

    /// The members that say what a line is about.
    private func head(_ type: String, _ place: StatePlace) -> [JSONMember] {
        var members = [JSONMember("type", type.json)] + operating.members(ofNode: place.node)
        members += [
            JSONMember("element", .integer(place.element)),
            JSONMember("model", operating.models.names.name(of: place.model).json),
            JSONMember("state", place.state.name.json),
        ]
        for text in place.state.getMessage.texts(of: place.selector.keys) {
            members.append(JSONMember(text.name, text.text.printable.json))
        }
        return members
    }
}
