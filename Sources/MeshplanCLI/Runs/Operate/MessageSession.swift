import Catalogue
import Execution
import MeshCore
import SystemLayer

/// One `send`: sends a message to the models of a target and shows the answers.
struct MessageSession {
    /// Finds targets and talks to the mesh.
    let operating: OperatingContext

    private var context: Context { operating.conversation.context }

    /// Sends a message.
    ///
    /// - Parameter name: the name of the application key; nil for the first that each model is bound to.
    /// - Throws: ``Failure`` if the target, the model there or the key is not known, or if nothing can be sent.
    func send(_ message: OperatingMessage, to text: String, keyNamed name: String?) throws -> ExitStatus {
        let target = try operating.resolve(text)
        let key = try name.map { try self.key(named: $0) }
        let all = message.requests(to: target, under: key, in: operating.network)
        if all.requests.isEmpty {
            guard let first = all.problems.first else {
                let name = operating.models.names.name(of: message.model)
                throw Failure(.usage, "nothing that is meant has the model \(name.printable)")
            }
            throw OperatedNodes(operating).failure(
                of: first.problem,
                node: first.element.node,
                element: first.element.element
            )
        }
        let (outcomes, status) = try operating.operate(with: all.needs) { session -> [OperatingOutcome] in
            guard message.answer != nil else { return post(message, all, in: session) }
            return session.ask(all.requests) { position, outcome in
                if case .answered(let parameters) = outcome {
                    show(parameters, of: message, from: all.elements[position])
                }
            }
        }
        finish(message, all, outcomes)
        guard status == .success else { return status }
        let isComplete = outcomes.allSatisfy { if case .answered = $0 { true } else { false } }
        return isComplete && all.problems.isEmpty ? .success : .partial
    }

    /// Sends a message that nobody answers to each element. One that was sent counts as answered.
    private func post(
        _ message: OperatingMessage,
        _ all: OperatingMessage.Requests,
        in session: OperatingSession
    ) -> [OperatingOutcome] {
        let nodes = all.elements.map { operating.network.nodes[$0.node] }
        if let key = all.keys.first { session.connect(toReach: nodes, under: key) }
        return zip(all.requests, all.keys).enumerated().map { position, sending -> OperatingOutcome in
            let (request, key) = sending
            // A node drops silently what its queue cannot hold.
            if position > 0 { session.pause(for: GroupCopies().spacing) }
            let isSent = session.post(message.payload, to: .unicast(request.destination), under: key)
            return isSent ? .answered([]) : .abandoned
        }
    }

    private func key(named name: String) throws(Failure) -> AppKey {
        let network = operating.network
        guard let key = network.appKeys.first(where: { $0.name == name || "\($0.index)" == name }) else {
            throw Failure(
                .usage,
                "there is no application key `\(name.printable)`",
                hint: "There are: \(network.appKeys.map(\.name.printable).joined(separator: ", "))."
            )
        }
        return key
    }

    private func show(_ parameters: [UInt8], of message: OperatingMessage, from element: ResolvedTarget.Element) {
        guard let answer = message.answer else { return }
        let decoded = try? operating.models.messages.decode((answer.encoded + parameters)[...])
        guard let lines = context.json else {
            let text = decoded?.text ?? "\(answer) \(parameters.isEmpty ? "" : "0x" + Hexadecimal.encode(parameters))"
            return context.output.line("\(title(of: element)): \(text.printable.trimmed)")
        }
        let fields = decoded.map { decoded in
            JSONValue.object(
                decoded.description.texts(of: decoded.values).map { JSONMember($0.name, $0.text.printable.json) }
            )
        }
        lines.event([
            "type": "message", "node": operating.name(ofNode: element.node).json,
            "title": operating.title(ofNode: element.node)?.json,
            "element": .integer(element.element), "message": decoded?.description.name.json,
            "opcode": "\(answer)".json, "parameters": Hexadecimal.encode(parameters).json, "fields": fields,
        ])
    }

    private func finish(_ message: OperatingMessage, _ all: OperatingMessage.Requests, _ outcomes: [OperatingOutcome]) {
        if let lines = context.json { return write(message, all, outcomes, lines) }
        if message.answer == nil {
            let sent = outcomes.count { $0 != .abandoned }
            context.output.line("Sent to \(count(sent, "element")); no answer is awaited.")
        }
        var silent: [(node: Int, outcome: OperatingOutcome)] = []
        for (element, outcome) in zip(all.elements, outcomes) {
            if case .answered = outcome { continue }
            silent.append((element.node, outcome))
        }
        OperatedNodes(operating).tellSilent(silent)
        for problem in all.problems {
            FailureView(context).warn(
                "nothing was sent to \(title(of: problem.element)): it \(problem.problem.clause.printable)",
                hint: problem.problem.advice?.worded
            )
        }
    }

    /// What was not shown as an answer: a line for each element.
    private func write(
        _ message: OperatingMessage,
        _ all: OperatingMessage.Requests,
        _ outcomes: [OperatingOutcome],
        _ lines: JSONLines
    ) {
        for (element, outcome) in zip(all.elements, outcomes) {
            guard case .answered = outcome else {
                write("no_message", element, OperatedNodes.reason(outcome), lines)
                continue
            }
            if message.answer == nil { write("sent", element, nil, lines) }
        }
        for problem in all.problems {
            write("no_message", problem.element, problem.problem.clause.printable, lines)
        }
    }

    private func write(_ type: String, _ element: ResolvedTarget.Element, _ reason: String?, _ lines: JSONLines) {
        lines.event([
            "type": type.json, "node": operating.name(ofNode: element.node).json,
            "title": operating.title(ofNode: element.node)?.json,
            "element": .integer(element.element), "reason": reason?.json,
        ])
    }

    private func title(of element: ResolvedTarget.Element) -> String {
        OperatedNodes(operating).title(ofNode: element.node, element: element.element)
    }
}
