import DefinitionModel
import MeshCore

extension DefinitionWriter {
    /// A test under its name.
    func test(_ test: TestDefinition) -> Field {
        let steps = Value.list(test.steps.map(step))
        let name = Value.text(test.name.value).flow
        guard let variation = test.variation else { return Field(name, steps) }
        return Field(name, .section([Field("for_each", .fields(fields(variation))), Field("steps", steps)]))
    }

    private func fields(_ variation: TestVariation) -> [Field] {
        switch variation {
        case .withoutRelay: [Field("without", .word("relays"))]
        case .without(let nodes): [Field("without", selector(nodes))]
        case .tag(let tag, let nodes):
            [Field("tag", .text(tag.value))] + (nodes.map { [Field("nodes", selector($0))] } ?? [])
        case .node(let nodes): [Field("node", selector(nodes))]
        }
    }

    private func step(_ step: TestStep) -> Value {
        var fields: [Field] = []
        if let action = step.action {
            if case .power(let nodes, isOn: _) = action {
                fields.append(Field(action.key, selector(nodes)))
            } else {
                fields.append(Field(action.key, .text(action.words ?? "")))
            }
        }
        if let within = step.within {
            fields.append(Field("within", .word(DurationText.text(milliseconds: within.value))))
        }
        let expectations = step.expectations.map(expectation)
        if let only = expectations.first, expectations.count == 1 {
            fields.append(Field("expect", only))
        } else if !expectations.isEmpty {
            fields.append(Field("expect", .list(expectations)))
        }
        let others = (step.keepsOthers ? ["unchanged"] : []) + (step.silencesOthers ? ["silent"] : [])
        if others.count > 1 {
            fields.append(Field("others", .list(others.map { .word($0) })))
        } else if let only = others.first {
            fields.append(Field("others", .word(only)))
        }
        return .fields(fields)
    }

    private func expectation(_ expectation: TestExpectation) -> Value {
        let nodes =
            expectation.isAtProvisioner ? .text(PublishTarget.provisionerName) : selector(expectation.nodes)
        var fields = [Field("nodes", nodes)]
        if let element = expectation.element { fields.append(Field("element", .word("\(element.value)"))) }
        fields += expectation.states.map { state in
            let isSwitch = state.value.text == "on" || state.value.text == "off"
            return Field(state.value.name, isSwitch ? .word(state.value.text) : .text(state.value.text))
        }
        if let faults = expectation.faults?.value {
            fields.append(Field("faults", faults.isEmpty ? .word("none") : .list(faults.map { .text($0) })))
        }
        if let heartbeat = expectation.heartbeat { fields.append(Field("heartbeat", .text(heartbeat.value))) }
        if let hops = expectation.hops { fields.append(Field("hops", .word("\(hops.value)"))) }
        for (key, duration) in [("arrives", expectation.arrives), ("within", expectation.within)] {
            if let duration { fields.append(Field(key, .word(DurationText.text(milliseconds: duration.value)))) }
        }
        return .fields(fields)
    }
}
