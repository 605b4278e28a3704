import DefinitionModel
import MeshCore

extension DocumentDecoder {
    /// `elements`: elements by index, each with its models by name.
    mutating func decodeElements(_ node: Int) -> [UInt8: ElementDefinition] {
        let entries = entries(node, "a mapping of elements") ?? []
        var elements: [UInt8: ElementDefinition] = [:]
        elements.reserveCapacity(entries.count)
        for entry in entries {
            guard let index = scalar(entry.key, "an element index", Self.elementIndex) else { continue }
            guard let models = self.entries(entry.value, "a mapping of models") else { continue }
            elements[index.value] = ElementDefinition(location: index.location, models: decodeModels(models))
        }
        return elements
    }

    private mutating func decodeModels(_ entries: MappingEntries) -> [ModelDefinition] {
        var models: [ModelDefinition] = []
        models.reserveCapacity(entries.count)
        // Most elements have so few models that a set would not pay.
        var seen: Set<ModelIdentifier> = []
        for entry in entries {
            guard let identifier = model(entry.key) else { continue }
            let isRepeated =
                entries.count > 16
                ? !seen.insert(identifier.value).inserted
                : models.indices.contains { models[$0].identifier.value == identifier.value }
            if isRepeated {
                let first = models.first { $0.identifier.value == identifier.value }
                report(
                    "the model \(identifier.value.name) occurs twice in this element",
                    at: entry.key,
                    related: first.map { [Diagnostic.Related(message: "first here", location: $0.identifier.location)] }
                        ?? []
                )
                continue
            }
            guard let fields = fields(entry.value, .model, "a model", blamed: entry.key) else { continue }
            models.append(ModelDefinition(identifier: identifier))
            decodeModel(fields, into: &models[models.count - 1])
        }
        checkStates(of: models)
        return models
    }

    /// Decodes in place, because moving such a large value takes longer than reading its lists.
    private mutating func decodeModel(_ fields: MappingEntries, into model: inout ModelDefinition) {
        for field in fields {
            switch field.keyword {
            case .keys: model.keys = keyNames(field.value, "a list of application keys")
            case .subscribe: model.subscribe = names(field.value, "a list of groups")
            case .publish: model.publish = decodePublish(field)
            case .states: model.states = decodeStates(field, of: model.identifier)
            case .scenes: model.scenes = decodeSceneSettings(field, of: model.identifier)
            default: break
            }
        }
    }

    private mutating func decodePublish(_ field: MappingEntry) -> Located<PublishSettings?>? {
        let place = location(field.value)
        let kind = tree.nodes[field.value].kind
        if kind == .plain || kind == .quoted, !isNull(field.value) {
            guard let word = text(field.value, "a publication") else { return nil }
            if word == "none" { return Located(nil, at: place) }
            report(
                "a publication is expected here, not \(quoted(word))",
                at: field.value,
                hint: "write `none`, or a mapping: publish: { to: \(Name.isValid(word) ? word : "…") }"
            )
            return nil
        }
        if isNull(field.value) {
            report(
                "a publication is expected here, not nothing",
                at: field.key,
                hint: "write `none` to publish nothing"
            )
            return nil
        }
        guard let fields = fields(field.value, .publish, "a publication", blamed: field.key) else { return nil }
        return decodePublishSettings(fields).map { Located($0, at: place) }
    }

    /// The settings of a publication among the fields of a mapping; nil if there is no target.
    mutating func decodePublishSettings(_ fields: MappingEntries) -> PublishSettings? {
        var target: Located<PublishTarget>?
        var key: Located<String>?
        var ttl: Located<UInt8>?
        var period: Located<PublishPeriod>?
        var retransmit: Located<PublishRetransmit>?
        var friendship: Located<Bool>?
        for field in fields {
            switch field.keyword {
            case .to: target = scalar(field.value, "a group, node or address", Words.publishTarget)
            case .key: key = scalar(field.value, "the name of an application key", Words.name)
            case .ttl: ttl = scalar(field.value, "a TTL", Self.publishTTL)
            case .period: period = scalar(field.value, "a period", Durations.period)
            case .retransmit: retransmit = decodeRetransmit(field)
            case .friendshipCredentials: friendship = scalar(field.value, "on or off", Words.boolean)
            default: break
            }
        }
        guard let target else { return nil }
        var settings = PublishSettings(target: target)
        settings.key = key
        settings.ttl = ttl
        settings.period = period
        settings.retransmit = retransmit
        settings.usesFriendshipCredentials = friendship
        return settings
    }

    /// `{ count: 2, interval: 50ms }`. The count is the number of retransmissions, as in messages and in the
    /// configuration database format.
    private mutating func decodeRetransmit(_ field: MappingEntry) -> Located<PublishRetransmit>? {
        guard let fields = fields(field.value, .retransmit, "`retransmit`", blamed: field.key) else { return nil }
        var count: Located<Int>?
        var steps: Located<UInt8>?
        for field in fields {
            switch field.keyword {
            case .count: count = scalar(field.value, "a number of retransmissions", Self.retransmissions)
            case .interval:
                steps = scalar(field.value, "an interval", Self.retransmitInterval)
                if steps == nil { return nil }
            default: break
            }
        }
        guard let count else { return nil }
        if steps == nil, count.value > 0 {
            report("`interval` is missing", at: field.key, hint: "retransmissions need it: interval: 50ms")
            return nil
        }
        return PublishRetransmit(count: UInt8(count.value), steps: steps?.value ?? 0)
            .map { Located($0, at: location(field.key)) }
    }

    /// The index of an element, 0 to 254: a node has at most 255 elements.
    static func elementIndex(_ text: String) throws(ScalarProblem) -> UInt8 {
        UInt8(try Numbers.decimal(text, in: 0...254, "an element index"))
    }

    private static func publishTTL(_ text: String) throws(ScalarProblem) -> UInt8 {
        UInt8(try Numbers.decimal(text, in: 0...127, "a TTL"))
    }

    private static func retransmissions(_ text: String) throws(ScalarProblem) -> Int {
        try Numbers.decimal(text, in: 0...7, "a number of retransmissions")
    }

    private static func retransmitInterval(_ text: String) throws(ScalarProblem) -> UInt8 {
        try Durations.interval(text, step: 50)
    }
}
