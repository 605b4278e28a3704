import MeshCore

/// `$(NAME)` in a text: in a test it stands for something else in each run, in a check for the tag of a node.
package enum TestVariable {
    /// The names of the references in a text, in their order.
    package static func names(in text: String) -> [String] {
        parts(of: text).compactMap { if case .reference(let name) = $0 { name } else { nil } }
    }

    /// The text with each reference replaced; one for which there is nothing stays.
    package static func replacing(in text: String, by value: (_ name: String) -> String?) -> String {
        guard text.utf8.contains(UInt8(ascii: "$")) else { return text }
        return parts(of: text).map { part in
            switch part {
            case .words(let words): String(words)
            case .reference(let name): value(name) ?? "$(\(name))"
            }
        }.joined()
    }

    private enum Part {
        case words(Substring)
        case reference(String)
    }

    private static func parts(of text: String) -> [Part] {
        var parts: [Part] = []
        var rest = text[...]
        while let begin = rest.firstRange(of: "$("), let end = rest[begin.upperBound...].firstIndex(of: ")") {
            parts.append(.words(rest[..<begin.lowerBound]))
            parts.append(.reference(String(rest[begin.upperBound..<end])))
            rest = rest[rest.index(after: end)...]
        }
        return parts + [.words(rest)]
    }
}

/// What the references of a test stand for in one run.
package struct TestBinding: Hashable, Sendable {
    /// What the runs go over: the name of a tag, or `node`.
    package let name: String
    /// The value of the tag, or the name of the node.
    package let value: String
    /// What each reference stands for.
    private let values: [String: String]

    /// What the runs go over if they go over nodes.
    package static let node = "node"

    /// A run for a value of a tag: `$(room)` is the value.
    package init(tag: String, value: String) {
        name = tag
        self.value = value
        values = [tag: value]
    }

    /// A run for a node: `$(node)` is its name, `$(room)` its tag `room`.
    package init(_ node: NodeDefinition) {
        name = Self.node
        value = node.name.value
        var values = node.tags.mapValues(\.value)
        values[Self.node] = node.name.value
        self.values = values
    }

    /// A text as it is in this run. A reference for which there is nothing stays.
    package func text(_ text: String) -> String { TestVariable.replacing(in: text) { values[$0] } }

    private func text(_ text: Located<String>) -> Located<String> { Located(self.text(text.value), at: text.location) }

    /// Steps as they are in this run.
    package func steps(_ steps: [TestStep]) -> [TestStep] {
        steps.map { step in
            var step = step
            step.action = step.action.map(action)
            for index in step.expectations.indices {
                step.expectations[index].nodes = selector(step.expectations[index].nodes)
                step.expectations[index].heartbeat = step.expectations[index].heartbeat.map { text($0) }
            }
            return step
        }
    }

    private func action(_ action: TestAction) -> TestAction {
        switch action {
        case .press(let node, let element, let isOn): .press(node: text(node), element: element, isOn: isOn)
        case .sense(let node, let property, let value): .sense(node: text(node), property: property, value: value)
        case .fault(let node, let name): .fault(node: text(node), name: name)
        case .set(let target, let state, let words): .set(target: text(target), state: state, words: words)
        case .recall(let scene, let target): .recall(scene: text(scene), target: text(target))
        case .power(let nodes, let isOn): .power(selector(nodes), isOn: isOn)
        case .wait: action
        }
    }

    private func selector(_ selector: NodeSelector) -> NodeSelector {
        var selector = selector
        selector.names = selector.names?.map(text)
        selector.tags = selector.tags.mapValues(text)
        return selector
    }
}

extension TestDefinition {
    /// What the references stand for in each run, in the order of the runs; nil if there are none.
    ///
    /// - Parameters:
    ///   - index: finds the nodes of selectors.
    ///   - nodes: the nodes of the definition.
    package func bindings(_ index: NodeSelectorIndex, _ nodes: [NodeDefinition]) -> [TestBinding]? {
        switch variation {
        case nil, .withoutRelay, .without: return nil
        case .tag(let tag, among: nil):
            return index.values(of: tag.value).map { TestBinding(tag: tag.value, value: $0) }
        case .tag(let tag, let selector?):
            let values = Set(index.matches(selector).compactMap { nodes[$0].tags[tag.value]?.value })
            return values.sorted().map { TestBinding(tag: tag.value, value: $0) }
        case .node(let selector): return index.matches(selector).map { TestBinding(nodes[$0]) }
        }
    }
}
