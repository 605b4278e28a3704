import DefinitionModel
import MeshCore

// MARK: - Selectors

extension Field {
    /// The nodes that a rule is about.
    ///
    /// - Parameter isWrittenForAll: whether it is said of a rule for all nodes that it is for all.
    static func nodes(
        _ path: any WritableKeyPath<Owner, NodeSelector> & Sendable,
        _ documentation: String? = nil,
        isRequired: Bool = false,
        isWrittenForAll: Bool
    ) -> Field {
        .vital(.nodes, .ref("selector"), documentation, isRequired: isRequired) { decoder, entry, owner in
            guard var selector = decoder.decodeSelector(entry) else { return false }
            selector.mayBeEmpty = owner[keyPath: path].mayBeEmpty
            owner[keyPath: path] = selector
            return true
        } written: { owner in
            let selector = owner[keyPath: path]
            return isWrittenForAll || !selector.isAll || selector.mayBeEmpty ? .selector(selector) : nil
        }
    }

    /// Whether the patterns and tags of a rule may select nobody.
    static func allowEmpty(_ path: any WritableKeyPath<Owner, NodeSelector> & Sendable) -> Field {
        let documentation =
            "Whether the patterns and tags of `nodes` may select no node. By default that is an error."
        return .custom(.allowEmpty, Scalars.onOff.schema, documentation) { decoder, entry, owner in
            owner[keyPath: path].mayBeEmpty = decoder.allowsEmpty(entry)
        } written: { owner in
            owner[keyPath: path].mayBeEmpty ? .word("true") : nil
        }
    }
}

extension DefinitionValue {
    static func selector(_ selector: NodeSelector) -> DefinitionValue {
        guard let names = selector.names else { return selector.tags.isEmpty ? .word("all") : tags(selector.tags) }
        // The word `all` means every node, so a node of that name goes into a list.
        if names.count == 1, names[0].value != "all" { return pattern(names[0].value) }
        return .list(names.map { pattern($0.value) })
    }

    /// A pattern. It needs no quotes if it begins with a letter.
    private static func pattern(_ text: String) -> DefinitionValue {
        guard text.contains("*"), let first = text.unicodeScalars.first, ("a"..."z").contains(first) else {
            return .text(text)
        }
        return .word(text)
    }
}

extension DocumentDecoder {
    /// `allow_empty`: whether the patterns and tags of an entry may select nobody.
    mutating func allowsEmpty(_ field: MappingEntry) -> Bool {
        scalar(field.value, Scalars.onOff)?.value ?? false
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

// MARK: - Subscriptions

extension SubscriptionDefinition {
    /// An entry of `subscriptions`.
    static let mapping = MappingType<SubscriptionDefinition>(
        "subscription",
        as: "a subscription",
        "Adds groups to the subscriptions of models.",
        [
            .vital(
                .groups,
                .list(of: .ref("name_reference"), unique: true),
                "The groups.",
                isRequired: true
            ) { decoder, entry, rule in
                guard let groups = decoder.names(entry.value, "a list of groups") else { return false }
                rule.groups = groups.value
                return true
            } written: { rule in
                .texts(rule.groups.map(\.value))
            },
            .vital(
                .models,
                .list(of: .ref("model_reference"), unique: true),
                "The models.",
                isRequired: true
            ) { decoder, entry, rule in
                guard let entries = decoder.list(entry.value, "a list of models") else { return false }
                rule.models = decoder.models(entries)
                return true
            } written: { rule in
                .list(rule.models.map { .word($0.value.name) })
            },
            .scalar(
                .element,
                \.element,
                Scalars.elementIndex,
                "The element; left out, every element that has the model."
            ),
            .nodes(\.nodes, isRequired: true, isWrittenForAll: true),
            .allowEmpty(\.nodes),
        ],
        Field.repetition(byTags: true)
    )
}

extension DocumentDecoder {
    /// An entry of `subscriptions`.
    mutating func decodeSubscription(_ node: Int) {
        let place = location(node)
        var rule = SubscriptionDefinition(
            groups: [],
            models: [],
            nodes: NodeSelector(location: place),
            location: place
        )
        guard decode(node, SubscriptionDefinition.mapping, blamed: node, into: &rule) else { return }
        fragment.definition.subscriptions.append(rule)
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
}

// MARK: - Publications

extension PublicationDefinition {
    /// An entry of `publications`.
    static let mapping = MappingType<PublicationDefinition>(
        "publication",
        as: "a publication",
        "Sets the publication of a model.",
        where: ["oneOf": [["required": ["node"]], ["required": ["nodes"]]]],
        [
            .vital(.node, .ref("name_reference"), "The one node.") { decoder, entry, rule in
                guard let name = decoder.scalar(entry.value, Scalars.name(of: "a node")) else { return false }
                rule.nodes.names = [name]
                rule.nodes.location = name.location
                return true
            } written: { rule in
                rule.onlyNode.map { .text($0) }
            },
            .nodes(\.nodes, isWrittenForAll: true).written(where: { $0.onlyNode == nil }),
            .allowEmpty(\.nodes).written(where: { $0.onlyNode == nil }),
            .vital(.model, .ref("model_reference"), isRequired: true) { decoder, entry, rule in
                guard let model = decoder.model(entry.value) else { return false }
                rule.model = model
                return true
            } written: { rule in
                .word(rule.model.value.name)
            },
            .scalar(.element, \.element, Scalars.elementIndex, "The element; left out, the first that has the model."),
        ],
        PublishSettings.fields.map { $0.lifted(\.settings) },
        Field.repetition(byTags: true)
    )

    /// The name of the node if it is only one.
    private var onlyNode: String? {
        guard let names = nodes.names, names.count == 1, Name.isValid(names[0].value) else { return nil }
        return names[0].value
    }
}

extension DocumentDecoder {
    /// An entry of `publications`.
    mutating func decodePublication(_ node: Int) {
        guard let entries = fields(node, PublicationDefinition.mapping.record, blamed: node) else { return }
        let selectors = entries.filter { $0.keyword == .node || $0.keyword == .nodes }
        if selectors.count != 1 {
            report(
                selectors.isEmpty ? "`node` or `nodes` is missing" : "`node` and `nodes` exclude each other",
                at: node,
                hint: "write `node: NAME` for one node, `nodes:` for a selector"
            )
        }
        let place = location(node)
        var rule = PublicationDefinition(
            nodes: NodeSelector(location: place),
            model: Located(.configurationServer, at: place),
            settings: PublishSettings(target: Located(.name(""), at: place)),
            location: place
        )
        guard decode(entries, PublicationDefinition.mapping, into: &rule), !selectors.isEmpty else { return }
        fragment.definition.publications.append(rule)
    }
}

// MARK: - Moved names

/// An entry of `moved` as it is written: two resource addresses as plans show them.
struct MovedNames {
    /// The address it had.
    var from: Located<MovedName>
    /// The address it has.
    var to: Located<MovedName>

    /// A kind and a name.
    struct MovedName {
        var kind: NamedKind
        var name: String

        /// `group.kitchen`.
        var text: String { "\(kind.rawValue).\(name)" }
    }

    /// An entry of `moved`: `{ from: group.kitchen, to: group.galley }`.
    static let mapping = MappingType<MovedNames>(
        "moved",
        as: "a moved name",
        "A subnet, application key or group that has another name now.",
        [
            .required(.from, \.from, Scalars.movedName, "The address it had in plans: `group.kitchen`."),
            .required(.to, \.to, Scalars.movedName, "The address it has now."),
        ]
    )
}

extension MovedNames {
    init(_ entry: MovedDefinition) {
        from = Located(MovedName(kind: entry.kind, name: entry.from.value), at: entry.from.location)
        to = Located(MovedName(kind: entry.kind, name: entry.to.value), at: entry.to.location)
    }
}

extension DocumentDecoder {
    /// An entry of `moved`.
    mutating func decodeMoved(_ node: Int) {
        let nothing = Located(MovedNames.MovedName(kind: .group, name: ""), at: location(node))
        var names = MovedNames(from: nothing, to: nothing)
        guard decode(node, MovedNames.mapping, blamed: node, into: &names) else { return }
        let (from, to) = (names.from, names.to)
        guard from.value.kind == to.value.kind else {
            diagnostics.report(
                "a \(from.value.kind.title) cannot become a \(to.value.kind.title)",
                at: to.location,
                length: to.value.text.utf8.count,
                hint: "both addresses name the same kind of thing"
            )
            return
        }
        fragment.definition.moved.append(
            MovedDefinition(
                kind: from.value.kind,
                from: Located(from.value.name, at: from.location),
                to: Located(to.value.name, at: to.location)
            )
        )
    }
}
