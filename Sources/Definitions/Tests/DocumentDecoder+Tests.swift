import Catalogue
import DefinitionModel
import MeshCore

extension DocumentDecoder {
    /// `tests`: each a list of steps, or a mapping with `for_each` and `steps`.
    mutating func decodeTests(_ section: MappingEntry) {
        for entry in entries(section.value, "a mapping of tests") ?? [] {
            guard let name = scalar(entry.key, "the name of a test", Words.title) else { continue }
            var variation: TestVariation?
            var list: Int?
            if tree.nodes[entry.value].kind == .sequence {
                list = entry.value
            } else if let fields = fields(
                entry.value,
                .test,
                "a list of steps, or a mapping with steps",
                blamed: entry.key
            ) {
                for field in fields {
                    if field.keyword == .forEach { variation = decodeVariation(field) } else { list = field.value }
                }
            }
            guard let list, let items = self.list(list, "a list of steps") else { continue }
            let steps = items.compactMap { decodeStep($0) }
            if items.isEmpty { report("the test has no step", at: list, hint: Self.exampleOfStep) }
            fragment.definition.tests.append(TestDefinition(name: name, variation: variation, steps: steps))
        }
    }

    private static let exampleOfStep: Advice =
        "write for example `- { press: switch-1/0 on, expect: { nodes: lamp-*, onoff: on } }`"

    private mutating func decodeVariation(_ field: MappingEntry) -> TestVariation? {
        guard let fields = fields(field.value, .testVariation, "what is left out", blamed: field.key) else {
            return nil
        }
        for field in fields {
            if case .plain = tree.nodes[field.value].kind, text(field.value, "nodes") == "relays" {
                return .withoutRelay
            }
            return decodeSelector(field).map { .without($0) }
        }
        return nil
    }

    private mutating func decodeStep(_ node: Int) -> TestStep? {
        guard let fields = fields(node, .testStep, "a step", blamed: node) else { return nil }
        var step = TestStep(location: location(node))
        var actions: [MappingEntry] = []
        var isWhole = true
        for field in fields {
            switch field.keyword {
            case .within: step.within = scalar(field.value, "a duration", Durations.milliseconds)
            case .expect: step.expectations = decodeExpectations(field.value)
            case .others: step.keepsOthers = keepsOthers(field.value)
            default:
                actions.append(field)
                step.action = decodeAction(field)
                if step.action == nil { isWhole = false }
            }
        }
        if actions.count > 1 {
            let names = actions.compactMap { $0.keyword.map { "`\($0.rawValue)`" } }.joined(separator: " and ")
            report("a step does one thing, but here are \(names)", at: actions[1].key, hint: "write two steps")
        }
        if fields.count == 0 {
            report("the step does nothing", at: node, hint: Self.exampleOfStep)
            isWhole = false
        }
        let expects = fields.contains { $0.keyword == .expect || $0.keyword == .others }
        if !expects, let within = fields.first(where: { $0.keyword == .within }) {
            report(
                "`within` says until when something must have happened, but nothing is expected",
                at: within.key,
                hint: "add `expect:`, or write `wait:` to let time pass"
            )
        }
        return isWhole ? step : nil
    }

    private mutating func keepsOthers(_ node: Int) -> Bool {
        scalar(node, "unchanged") { text throws(ScalarProblem) in
            if text == "unchanged" { return true }
            throw ScalarProblem("\(quoted(text)) is not what others can be", hint: "write `others: unchanged`")
        }?.value ?? false
    }

    private mutating func decodeExpectations(_ node: Int) -> [TestExpectation] {
        guard tree.nodes[node].kind == .sequence else { return [decodeExpectation(node)].compactMap(\.self) }
        return (list(node, "a list of expectations") ?? ListEntries()).compactMap { decodeExpectation($0) }
    }

    private mutating func decodeExpectation(_ node: Int) -> TestExpectation? {
        guard let entries = entries(node, "a mapping with nodes and states") else { return nil }
        var selector: NodeSelector?
        var hasSelector = false
        var element: Located<UInt8>?
        var states: [Located<ExpectedState>] = []
        var stateCount = 0
        for entry in entries {
            switch entry.keyword {
            case .nodes:
                hasSelector = true
                selector = decodeSelector(entry)
            case .element: element = scalar(entry.value, "an element index", Self.elementIndex)
            default:
                stateCount += 1
                if let state = decodeExpectedState(entry) { states.append(state) }
            }
        }
        if !hasSelector {
            report("`nodes` is missing", at: node, hint: "say of which nodes: { nodes: { room: kitchen }, onoff: on }")
        }
        if stateCount == 0 {
            report(
                "no state is expected",
                at: node,
                hint: "write for example `onoff: on` or `lightness: 40%` beside `nodes`"
            )
        }
        guard let selector, !states.isEmpty else { return nil }
        var expectation = TestExpectation(nodes: selector)
        expectation.element = element
        expectation.states = states
        return expectation
    }

    private mutating func decodeExpectedState(_ entry: MappingEntry) -> Located<ExpectedState>? {
        guard let word = text(entry.key, "the name of a state") else { return nil }
        let name = word.replacing("_", with: "-")
        guard let value = text(entry.value, "the value of a state") else { return nil }
        guard let state = knownModels.state(named: name) else {
            if !lacksModels {
                let hint = Suggestion.hint(for: name, among: knownModels.stateNames, are: "states are")
                report("there is no state \(quoted(word))", at: entry.key, hint: hint.map { Advice($0) })
            }
            return nil
        }
        let words = value.split(separator: " ").map(String.init)
        do throws(MessageEncodeError) {
            _ = try state.expectation(reading: words)
        } catch {
            report("\(name) cannot be \(quoted(value)): \(error)", at: entry.value)
            return nil
        }
        return Located(ExpectedState(name: name, words: words), at: location(entry.value))
    }
}
