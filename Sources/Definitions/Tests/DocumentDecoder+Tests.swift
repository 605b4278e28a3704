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
            testVariables = TestVariables(name: variation?.binding)
            defer { testVariables = nil }
            guard let list, let items = self.list(list, "a list of steps") else { continue }
            let steps = items.compactMap { decodeStep($0) }
            if items.isEmpty { report("the test has no step", at: list, hint: Self.exampleOfStep) }
            fragment.definition.tests.append(TestDefinition(name: name, variation: variation, steps: steps))
        }
    }

    private static let exampleOfStep: Advice =
        "write for example `- { press: switch-1/0 on, expect: { nodes: lamp-*, onoff: on } }`"

    private mutating func decodeVariation(_ field: MappingEntry) -> TestVariation? {
        let expected = "what the runs differ in"
        guard let fields = fields(field.value, .testVariation, expected, blamed: field.key) else { return nil }
        var variations: [(key: Int, value: TestVariation?)] = []
        var tag: (key: Int, value: Located<String>?)?
        var among: (key: Int, value: NodeSelector?)?
        for field in fields {
            switch field.keyword {
            case .without:
                if case .plain = tree.nodes[field.value].kind, text(field.value, "nodes") == "relays" {
                    variations.append((field.key, .withoutRelay))
                } else {
                    variations.append((field.key, decodeSelector(field).map { .without($0) }))
                }
            case .node: variations.append((field.key, decodeSelector(field).map { .node($0) }))
            case .tag: tag = (field.key, scalar(field.value, "the name of a tag", Words.name))
            default: among = (field.key, decodeSelector(field))
            }
        }
        if let tag { variations.append((tag.key, tag.value.map { .tag($0, among: among?.value) })) }
        if let among, tag == nil {
            report("`nodes` belongs to `tag`", at: among.key, hint: "write `node:` for a run for each of these nodes")
            return nil
        }
        guard let first = variations.first else {
            let hint: Advice = "write `without: relays`, `tag: room` or `node: { kind: switch }`"
            report("`for_each` does not say what the runs differ in", at: field.key, hint: hint)
            return nil
        }
        guard variations.count == 1 else {
            report("the runs of a test differ in one thing", at: variations[1].key, hint: "write two tests")
            return nil
        }
        return first.value
    }

    private mutating func decodeStep(_ node: Int) -> TestStep? {
        guard let fields = fields(node, .testStep, "a step", blamed: node) else { return nil }
        var step = TestStep(location: location(node))
        var actions: [MappingEntry] = []
        var isWhole = true
        for field in fields {
            switch field.keyword {
            case .within: step.within = scalar(field.value, "a duration", Durations.milliseconds)
            case .expect: continue
            case .others: decodeOthers(field.value, into: &step)
            default:
                actions.append(field)
                step.action = decodeAction(field)
                if step.action == nil { isWhole = false }
            }
        }
        for field in fields where field.keyword == .expect {
            step.expectations = decodeExpectations(field.value, after: step.action)
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

    private mutating func decodeOthers(_ node: Int, into step: inout TestStep) {
        let words =
            tree.nodes[node].kind == .sequence
            ? (list(node, "a list of words") ?? ListEntries()).map(\.self) : [node]
        for word in words {
            let isSilent = scalar(word, "unchanged or silent") { text throws(ScalarProblem) in
                if text == "unchanged" { return false }
                if text == "silent" { return true }
                let hint = "write `others: unchanged`, `others: silent` or both in a list"
                throw ScalarProblem("\(quoted(text)) is not what others can be", hint: hint)
            }
            guard let isSilent else { continue }
            if isSilent.value { step.silencesOthers = true } else { step.keepsOthers = true }
        }
    }
}
