import DefinitionModel
import MeshCore

extension DocumentDecoder {
    /// An entry of `subscriptions`.
    mutating func decodeSubscription(_ node: Int) {
        guard let fields = fields(node, .subscription, "a subscription", blamed: node) else { return }
        var groups: [Located<String>]?
        var models: [Located<ModelIdentifier>]?
        var nodes: NodeSelector?
        var element: Located<UInt8>?
        var mayBeEmpty = false
        for field in fields {
            switch field.keyword {
            case .groups: groups = names(field.value, "a list of groups")?.value
            case .models: models = list(field.value, "a list of models").map { self.models($0) }
            case .nodes: nodes = decodeSelector(field)
            case .element: element = scalar(field.value, "an element index", Self.elementIndex)
            case .allowEmpty: mayBeEmpty = allowsEmpty(field)
            case .repetition, .each: reportRepetition(field)
            default: break
            }
        }
        guard let groups, let models, var nodes else { return }
        nodes.mayBeEmpty = mayBeEmpty
        fragment.definition.subscriptions.append(
            SubscriptionDefinition(
                groups: groups,
                models: models,
                nodes: nodes,
                element: element,
                location: location(node)
            )
        )
    }

    /// A list of models, each once.
    mutating func models(_ entries: ListEntries) -> [Located<ModelIdentifier>] {
        var models: [Located<ModelIdentifier>] = []
        var seen: Set<ModelIdentifier> = []
        for entry in entries {
            guard let model = model(entry) else { continue }
            guard seen.insert(model.value).inserted else {
                report("the model \(model.value.name) occurs twice in this list", at: entry, severity: .warning)
                continue
            }
            models.append(model)
        }
        return models
    }

    /// An entry of `publications`.
    mutating func decodePublication(_ node: Int) {
        guard let fields = fields(node, .publication, "a publication", blamed: node) else { return }
        var selectors: [NodeSelector?] = []
        var model: Located<ModelIdentifier>?
        var element: Located<UInt8>?
        var mayBeEmpty = false
        for field in fields {
            switch field.keyword {
            case .node:
                let name = scalar(field.value, "the name of a node", Words.name)
                selectors.append(name.map(Self.selector))
            case .nodes: selectors.append(decodeSelector(field))
            case .model: model = self.model(field.value)
            case .element: element = scalar(field.value, "an element index", Self.elementIndex)
            case .allowEmpty: mayBeEmpty = allowsEmpty(field)
            case .repetition, .each: reportRepetition(field)
            default: break
            }
        }
        if selectors.count != 1 {
            report(
                selectors.isEmpty ? "`node` or `nodes` is missing" : "`node` and `nodes` exclude each other",
                at: node,
                hint: "write `node: NAME` for one node, `nodes:` for a selector"
            )
        }
        guard let settings = decodePublishSettings(fields), let model, var nodes = selectors.first ?? nil else {
            return
        }
        nodes.mayBeEmpty = mayBeEmpty
        fragment.definition.publications.append(
            PublicationDefinition(
                nodes: nodes,
                model: model,
                element: element,
                settings: settings,
                location: location(node)
            )
        )
    }

    /// `allow_empty`: whether the patterns and tags of an entry may select nobody.
    mutating func allowsEmpty(_ field: MappingEntry) -> Bool {
        scalar(field.value, "on or off", Words.boolean)?.value ?? false
    }

    private static func selector(_ name: Located<String>) -> NodeSelector {
        var selector = NodeSelector(location: name.location)
        selector.names = [name]
        return selector
    }

    /// A selector: `all`, a name or pattern, a list of those, or a mapping of tags.
    mutating func decodeSelector(_ field: MappingEntry) -> NodeSelector? {
        let node = field.value
        var selector = NodeSelector(location: location(node))
        let pattern = { [testVariables] (text: String) throws(ScalarProblem) in
            _ = try Words.pattern(try testVariables?.filled(text) ?? text)
            return text
        }
        switch tree.nodes[node].kind {
        case .mapping:
            selector.tags = decodeTags(node, isPattern: true)
            guard !selector.tags.isEmpty else {
                report("the selector has no tag", at: node, hint: "write `all` to select every node")
                return nil
            }
        case .sequence:
            let entries = list(node, "a list of nodes") ?? ListEntries()
            let names = entries.compactMap { scalar($0, "the name of a node", pattern) }
            guard !names.isEmpty else {
                if entries.isEmpty {
                    report("the selector names no node", at: node, hint: "write `all` to select every node")
                }
                return nil
            }
            selector.names = names
        case .plain, .quoted, .alias, .unreadable:
            guard let name = scalar(node, "a selector of nodes", pattern) else { return nil }
            if name.value != "all" { selector.names = [name] }
        }
        return selector
    }
}
