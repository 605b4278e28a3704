import Catalogue
import DefinitionModel
import MeshCore

/// What is done in a step: a few words that read like a sentence.
extension DocumentDecoder {
    /// The action under a key of a step.
    mutating func decodeAction(_ field: MappingEntry) -> TestAction? {
        switch field.keyword {
        case .press: decodePress(field.value)
        case .sense: decodeSense(field.value)
        case .fault: decodeFault(field.value)
        case .set: decodeSet(field.value)
        case .powerOff: decodeSelector(field).map { .power($0, isOn: false) }
        case .powerOn: decodeSelector(field).map { .power($0, isOn: true) }
        case .wait: scalar(field.value, "a duration", Durations.milliseconds).map { .wait($0.value) }
        default: nil
        }
    }

    private mutating func words(_ node: Int, _ expected: String) -> [String]? {
        text(node, expected).map { $0.split(separator: " ").map(String.init) }
    }

    private mutating func decodePress(_ node: Int) -> TestAction? {
        let example: Advice = "write the switch, its element, and on or off: `switch-1/0 on`"
        guard let words = words(node, "a switch, and on or off") else { return nil }
        guard words.count == 2, let isOn = try? Words.boolean(words[1]) else {
            report("a press is a switch, and on or off", at: node, hint: example)
            return nil
        }
        let parts = words[0].split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count <= 2, Name.isValid(parts[0]), let element = parts.count == 2 ? UInt8(parts[1]) : 0 else {
            report("\(quoted(words[0])) is not an element of a node", at: node, hint: example)
            return nil
        }
        return .press(node: Located(parts[0], at: location(node)), element: Int(element), isOn: isOn)
    }

    private mutating func decodeSense(_ node: Int) -> TestAction? {
        let example: Advice = "write the node, the property if it has several, and the value: `presence-1 1`"
        guard let words = words(node, "a sensor and a value") else { return nil }
        guard words.count > 1, Name.isValid(words[0]) else {
            report("a measurement is a node and a value", at: node, hint: example)
            return nil
        }
        let name = Located(words[0], at: location(node))
        // A value begins with a digit or is a single word; a property is followed by a value.
        guard words.count > 2, words[1].contains(where: \.isLetter),
            let property = DeviceProperty.identifier(named: words[1])
        else { return .sense(node: name, property: nil, value: words.dropFirst().joined(separator: " ")) }
        let value = words.dropFirst(2).joined(separator: " ")
        return .sense(node: name, property: DeviceProperty.name(of: property), value: value)
    }

    private mutating func decodeFault(_ node: Int) -> TestAction? {
        guard let words = words(node, "a node and a fault") else { return nil }
        guard words.count == 2, Name.isValid(words[0]) else {
            report("a fault is a node and the name of the fault", at: node, hint: "write for example `lamp-1 overheat`")
            return nil
        }
        return .fault(node: Located(words[0], at: location(node)), name: words[1])
    }

    private mutating func decodeSet(_ node: Int) -> TestAction? {
        guard let words = words(node, "a target, a state and a value") else { return nil }
        guard words.count > 2 else {
            report(
                "what is set is a target, a state and a value",
                at: node,
                hint: "write for example `group.kitchen onoff on` or `lamp-1 lightness 40%`"
            )
            return nil
        }
        guard let state = knownModels.state(named: words[1]) else {
            guard !lacksModels else { return nil }
            let hint = Suggestion.hint(for: words[1], among: knownModels.stateNames, are: "states are")
            report("there is no state \(quoted(words[1]))", at: node, hint: hint.map { Advice($0) })
            return nil
        }
        do throws(MessageEncodeError) {
            _ = try state.value(reading: Array(words.dropFirst(2)))
        } catch {
            report("\(state.name) cannot be set so: \(error)", at: node)
            return nil
        }
        return .set(target: words[0], state: state.name, words: Array(words.dropFirst(2)))
    }
}
