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
        case .recall: decodeRecall(field.value)
        case .powerOff: decodeSelector(field).map { .power($0, isOn: false) }
        case .powerOn: decodeSelector(field).map { .power($0, isOn: true) }
        case .wait: scalar(field.value, "a duration", Durations.milliseconds).map { .wait($0.value) }
        default: nil
        }
    }

    private mutating func words(_ node: Int, _ expected: String) -> [String]? {
        text(node, expected).map { $0.split(separator: " ").map(String.init) }
    }

    /// Whether a word is the name of a node, once its variables stand for names.
    private mutating func isName(_ word: String, at node: Int) -> Bool {
        do throws(ScalarProblem) {
            return Name.isValid(try testVariables?.filled(word) ?? word)
        } catch {
            report(error.message, at: node, hint: error.hint)
            // That says enough.
            return true
        }
    }

    private mutating func decodePress(_ node: Int) -> TestAction? {
        let example: Advice = "write the switch, its element, and on or off: `switch-1/0 on`"
        guard let words = words(node, "a switch, and on or off") else { return nil }
        guard words.count == 2, let isOn = try? Words.boolean(words[1]) else {
            report("a press is a switch, and on or off", at: node, hint: example)
            return nil
        }
        let parts = words[0].split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count <= 2, isName(parts[0], at: node), let element = parts.count == 2 ? UInt8(parts[1]) : 0 else {
            report("\(quoted(words[0])) is not an element of a node", at: node, hint: example)
            return nil
        }
        return .press(node: Located(parts[0], at: location(node)), element: Int(element), isOn: isOn)
    }

    private mutating func decodeSense(_ node: Int) -> TestAction? {
        let example: Advice = "write the node, the property if it has several, and the value: `presence-1 1`"
        guard let words = words(node, "a sensor and a value") else { return nil }
        guard words.count > 1, isName(words[0], at: node) else {
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
        guard words.count == 2, isName(words[0], at: node) else {
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
        guard isFilled(words[0], at: node) else { return nil }
        return .set(target: words[0], state: state.name, words: Array(words.dropFirst(2)))
    }

    private mutating func decodeRecall(_ node: Int) -> TestAction? {
        guard let words = words(node, "a scene and a target") else { return nil }
        guard words.count == 3, words[1] == "in" else {
            let hint: Advice = "write for example `evening in group.kitchen`"
            report("what is recalled is a scene in a target", at: node, hint: hint)
            return nil
        }
        guard isFilled(words[2], at: node) else { return nil }
        let isNumber = words[0].utf8.allSatisfy(Numbers.isDigit)
        guard isNumber ? UInt16(words[0]) ?? 0 > 0 : isName(words[0], at: node) else {
            report(
                isNumber
                    ? "\(quoted(words[0])) is not the number of a scene"
                    : "\(quoted(words[0])) is not the name of a scene",
                at: node,
                hint: "scenes have names, and numbers from 1 to 65535"
            )
            return nil
        }
        return .recall(scene: Located(words[0], at: location(node)), target: words[2])
    }

    /// Whether each variable of a text stands for something.
    private mutating func isFilled(_ text: String, at node: Int) -> Bool {
        do throws(ScalarProblem) {
            _ = try testVariables?.filled(text)
            return true
        } catch {
            report(error.message, at: node, hint: error.hint)
            return false
        }
    }
}
