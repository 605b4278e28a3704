import DefinitionModel
import MeshCore

extension DefinitionWriter {
    /// A test under its name.
    func test(_ test: TestDefinition) -> Field {
        let steps = Value.list(test.steps.map(step))
        let name = Value.text(test.name.value).flow
        switch test.variation {
        case nil: return Field(name, steps)
        case .withoutRelay: return Field(name, .section([variation(.word("relays")), Field("steps", steps)]))
        case .without(let nodes): return Field(name, .section([variation(selector(nodes)), Field("steps", steps)]))
        }
    }

    private func variation(_ nodes: Value) -> Field { Field("for_each", .fields([Field("without", nodes)])) }

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
        if step.keepsOthers { fields.append(Field("others", .word("unchanged"))) }
        return .fields(fields)
    }

    private func expectation(_ expectation: TestExpectation) -> Value {
        var fields = [Field("nodes", selector(expectation.nodes))]
        if let element = expectation.element { fields.append(Field("element", .word("\(element.value)"))) }
        fields += expectation.states.map { state in
            let isSwitch = state.value.text == "on" || state.value.text == "off"
            return Field(state.value.name, isSwitch ? .word(state.value.text) : .text(state.value.text))
        }
        return .fields(fields)
    }
}
