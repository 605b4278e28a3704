import DefinitionModel
import MeshCore

extension ModelDefinition {
    static let mapping = MappingType<ModelDefinition>(
        "model",
        as: "a model",
        """
        A managed model. Keys, subscriptions and the publication are each managed if they are given, and are \
        then exactly as listed; of its other states those that are listed are managed.
        """,
        isOptional: true,
        [
            .names(.keys, \.keys, "a list of application keys", "Application keys that are bound to the model."),
            .names(.subscribe, \.subscribe, "a list of groups", "Groups that the model subscribes to.", ofKeys: false),
            .custom(
                .publish,
                .anyOf([["const": "none"], .ref("publish")]),
                "The publication, or none if the model must not publish."
            ) { decoder, entry, model in
                model.publish = decoder.decodePublish(entry)
            } written: { model in
                model.publish.map { .publication($0.value) }
            },
            .custom(
                .states,
                .ref("model_states"),
                "What the model keeps: power-up behaviour, ranges, defaults, properties, schedules."
            ) { decoder, entry, model in
                model.states = decoder.decodeStates(entry, of: model.identifier)
            } written: { model in
                model.states.map { .modelStates($0.value.map(\.value)) }
            },
            .custom(
                .scenes,
                ["type": "object", "propertyNames": .ref("name"), "additionalProperties": .ref("scene_states")],
                """
                What the model does in scenes, by the name of the scene: the values that its Scene Server \
                stores.
                """
            ) { decoder, entry, model in
                model.scenes = decoder.decodeSceneSettings(entry, of: model.identifier)
            } written: { model in
                guard !model.scenes.isEmpty else { return nil }
                return .fields(
                    model.scenes.map {
                        DefinitionValue.Field(
                            DefinitionValue.quotedIfNeeded($0.scene.value),
                            .modelStates($0.states.map(\.value))
                        )
                    }
                )
            },
        ]
    )
}

extension PublishSettings {
    static let fields: [Field<PublishSettings>] = [
        .required(.to, \.target, Scalars.target("a group, node or address")),
        .scalar(
            .key,
            \.key,
            Scalars.name(of: "an application key"),
            "The application key; may be left out where the model has exactly one."
        ),
        .scalar(.ttl, \.ttl, Scalars.ttl, "The TTL of published messages, 0 to 127; left out, the node's default TTL."),
        .scalar(
            .period,
            \.period,
            Scalars.publishPeriod,
            """
            How often the model publishes: up to 63 steps of 100ms, 1s, 10s or 10m. Left out, only on changes.
            """
        ),
        .custom(.retransmit, .ref("retransmit")) { decoder, entry, settings in
            settings.retransmit = decoder.decodeRetransmit(entry)
        } written: { settings in
            settings.retransmit.map { .retransmit($0.value) }
        },
        .scalar(
            .friendshipCredentials,
            \.usesFriendshipCredentials,
            Scalars.onOff,
            "Whether messages are sent to the Friend with friendship credentials."
        ),
    ]

    static let mapping = MappingType<PublishSettings>("publish", as: "a publication", "A publication.", fields)
}

extension Field {
    /// Elements by index, each with its models by name.
    ///
    /// - Parameter isSection: whether each element and each model has a line of its own when it is written.
    static func elements(
        _ path: any WritableKeyPath<Owner, [UInt8: ElementDefinition]> & Sendable,
        isSection: Bool
    ) -> Field {
        .custom(.elements, .ref("elements")) { decoder, entry, owner in
            owner[keyPath: path] = decoder.decodeElements(entry.value)
        } written: { owner in
            let elements = owner[keyPath: path]
            guard !elements.isEmpty else { return nil }
            let fields = elements.keys.sorted().map { index in
                let entries = (elements[index]?.models ?? []).map { model in
                    DefinitionValue.Field(model.identifier.value.name, ModelDefinition.mapping.value(model))
                }
                return DefinitionValue.Field("\(index)", isSection ? .section(entries) : .fields(entries))
            }
            return isSection ? .section(fields) : .fields(fields)
        }
    }
}

extension DocumentDecoder {
    fileprivate mutating func decodeElements(_ node: Int) -> [UInt8: ElementDefinition] {
        let entries = entries(node, "a mapping of elements") ?? []
        var elements: [UInt8: ElementDefinition] = [:]
        elements.reserveCapacity(entries.count)
        for entry in entries {
            guard let index = scalar(entry.key, Scalars.elementIndex) else { continue }
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
            guard let fields = fields(entry.value, ModelDefinition.mapping.record, blamed: entry.key) else { continue }
            models.append(ModelDefinition(identifier: identifier))
            // In its place, because moving such a large value takes longer than reading its lists.
            _ = decode(fields, ModelDefinition.mapping, into: &models[models.count - 1])
        }
        checkStates(of: models)
        return models
    }

    fileprivate mutating func decodePublish(_ field: MappingEntry) -> Located<PublishSettings?>? {
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
        var settings = PublishSettings(target: Located(.name(""), at: place))
        guard decode(field.value, PublishSettings.mapping, blamed: field.key, into: &settings) else { return nil }
        return Located(settings, at: place)
    }

    fileprivate mutating func decodeRetransmit(_ field: MappingEntry) -> Located<PublishRetransmit>? {
        var value = Transmissions()
        guard decode(field.value, Transmissions.ofMessages, blamed: field.key, into: &value) else { return nil }
        if value.steps == nil, value.count > 0 {
            report("`interval` is missing", at: field.key, hint: "retransmissions need it: interval: 50ms")
            return nil
        }
        return PublishRetransmit(count: value.count, steps: value.steps ?? 0)
            .map { Located($0, at: location(field.key)) }
    }
}
