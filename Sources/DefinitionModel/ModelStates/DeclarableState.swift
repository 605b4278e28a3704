package import Catalogue
package import MeshCore

/// A state that a definition can declare under a model: it lasts, and it can be set.
package struct DeclarableState: Hashable, Sendable {
    /// What the catalogue knows of it.
    package let description: StateDescription
    /// The catalogue's name with underscores: `lightness_range`, `lc_property`.
    package let name: String
    /// The name without the words of the model's own name: `range`; nil if that is no shorter or means two states.
    package fileprivate(set) var shortName: String?
    /// The instances that the model can have, by their only key; nil if they are not limited. Those of the Light LC
    /// models are properties that the model has.
    package let instances: [StateDescription]?

    /// A state that a scene holds, under its own name.
    init(inScenes description: StateDescription) {
        self.description = description
        name = DeclarableStates.normalized(description.name)
        instances = nil
    }

    fileprivate init(
        description: StateDescription,
        name: String,
        shortName: String?,
        instances: [StateDescription]?
    ) {
        self.description = description
        self.name = name
        self.shortName = shortName
        self.instances = instances
    }

    /// Whether what selects an instance stands above its value.
    package var isKeyed: Bool { !description.keys.isEmpty }

    /// The name in the form in which definitions are written: the short one, of a state with keys in the plural.
    package var writtenName: String {
        let name = shortName ?? name
        return isKeyed ? Self.plural(name) : name
    }

    package var allNames: [String] {
        let names = [name, shortName].compactMap { $0 }
        return isKeyed ? names + names.map(Self.plural) : names
    }

    private static func plural(_ name: String) -> String {
        name.hasSuffix("y") ? name.dropLast() + "ies" : name + "s"
    }
}

/// The states that a definition can declare under one model.
///
/// A server and its setup server hold them together: it does not matter under which of the two a state stands.
package struct DeclarableStates: Sendable {
    /// The states, in the order of the catalogue.
    package let states: [DeclarableState]
    /// The names of states that the models hold but that cannot be declared, with the reason: they do not last, or
    /// nothing sets them.
    package let others: [String: Obstacle]
    private let byName: [String: Int]

    /// Why a state cannot be declared.
    package enum Obstacle: Hashable, Sendable {
        /// It changes by itself and by every switch; or no scene holds it.
        case doesNotLast
        /// Nodes report it only.
        case cannotBeSet
    }

    /// What states are declared for.
    package enum Purpose: Hashable, Sendable {
        /// To be kept: `states:`.
        case lasting
        /// To be stored with others: `scenes:`.
        case scenes
    }

    package init(of model: ModelIdentifier, in models: KnownModels, for purpose: Purpose = .lasting) {
        let words = Set(models.names.name(of: model).split(separator: "-"))
        var states: [DeclarableState] = []
        var others: [String: Obstacle] = [:]
        var seen: Set<String> = []
        for description in Self.family(of: model).flatMap({ models.states(of: $0) })
        where seen.insert(description.name).inserted {
            let name = Self.normalized(description.name)
            if description.setMessage == nil {
                others[name] = .cannotBeSet
            } else if !(purpose == .scenes ? description.isInScenes : description.isLasting) {
                others[name] = .doesNotLast
            } else if description.fixedKeys.items.isEmpty {
                let instances = StateCatalogue.states(reportedBy: description.statusMessage.opcode)
                    .filter { !$0.fixedKeys.items.isEmpty && $0.statusMessage == description.statusMessage }
                states.append(
                    DeclarableState(
                        description: description,
                        name: name,
                        shortName: Self.shortName(of: description, without: words),
                        instances: instances.isEmpty ? nil : instances
                    )
                )
            }
        }
        let names = states.flatMap { [$0.name] + [$0.shortName].compactMap { $0 } }
        for index in states.indices {
            guard let short = states[index].shortName, names.count(where: { $0 == short }) > 1 else { continue }
            states[index].shortName = nil
        }
        var byName: [String: Int] = [:]
        for (index, state) in states.enumerated() {
            for name in state.allNames where byName[name] == nil { byName[name] = index }
        }
        self.states = states
        self.byName = byName
        self.others = others.filter { byName[$0.key] == nil }
    }

    /// The state with that name, with underscores or hyphens; nil if there is none.
    package func state(named name: String) -> DeclarableState? {
        byName[Self.normalized(name)].map { states[$0] }
    }

    /// The state and the key of an instance that has a name of its own, such as a Light LC property.
    package func instance(named name: String) -> (state: DeclarableState, instance: StateDescription)? {
        let name = Self.normalized(name)
        for state in states {
            if let found = state.instances?.first(where: { Self.normalized($0.name) == name }) { return (state, found) }
        }
        return nil
    }

    /// A name as definitions write it, with underscores.
    package static func normalized(_ name: String) -> String { String(name.map { $0 == "-" ? "_" : $0 }) }

    /// A server with its setup server, a setup server with its server; only itself if it has no counterpart.
    package static func family(of model: ModelIdentifier) -> [ModelIdentifier] {
        let setup = "-setup-server"
        let name = model.name
        let other =
            name.hasSuffix(setup)
            ? name.dropLast(setup.count) + "-server"
            : name.hasSuffix("-server") ? name.dropLast("-server".count) + setup : ""
        return [model] + [ModelCatalogue.model(named: String(other))?.identifier].compactMap { $0 }
    }

    /// The name without the words at its beginning that the model's name has, too; nil if that leaves all or nothing.
    private static func shortName(of state: StateDescription, without model: Set<Substring>) -> String? {
        let words = state.name.split { $0 == "-" || $0 == "_" }
        var rest = words.drop { model.contains($0) }
        // The properties of a User Property Server are `properties`.
        if rest.isEmpty, !state.keys.isEmpty { rest = words.suffix(1) }
        guard !rest.isEmpty, rest.count < words.count else { return nil }
        return rest.joined(separator: "_")
    }
}

extension DeclarableState {
    /// The setting for a value with the keys of its instance, in the one form in which definitions are written.
    ///
    /// - Throws: ``MessageEncodeError`` if a field is missing or out of range.
    package func setting(_ values: FieldValues) throws(MessageEncodeError) -> ModelStateSetting {
        let state = try description.modelState(values)
        let keys = description.keys.compactMap { key in values[key.name].map { key.type.text(ofValue: $0) } }
        return ModelStateSetting(keys: [writtenName] + keys, value: value(of: values), state: state)
    }

    /// A value as an example, as it stands behind the colon.
    ///
    /// - Parameter selected: What selects the instance; empty if that does not matter.
    package func example(for selected: FieldValues) -> String {
        let fields = description.fields.filter {
            selected[$0.name] == nil && description.defaults[$0.name] == nil
        }
        let examples = fields.map { field in
            guard field.type.notation == .propertyValue else { return (name: field.name, text: field.type.example) }
            guard let property = FieldWords.property(of: selected) else { return (name: field.name, text: "<value>") }
            let known = DeviceProperty.property(property)?.fields ?? []
            return (name: field.name, text: known.count == 1 ? known[0].type.declared.example : "hex:00ff")
        }
        if examples.count == 1, description.fields.count == 1 { return examples[0].text }
        if examples.map(\.name) == ["minimum", "maximum"] {
            return "[\(fields[0].type.lowerExample), \(examples[1].text)]"
        }
        return "{ \(examples.map { "\($0.name): \($0.text)" }.joined(separator: ", ")) }"
    }

    /// A value in the words of the language. Fields that have their default are left out.
    private func value(of values: FieldValues) -> ModelStateValue {
        let names = Set(description.fields.map(\.name))
        let fields = (description.setMessage?.fields(of: values) ?? []).filter { names.contains($0.name) }
        let property = FieldWords.property(of: values)
        let given = fields.filter { values[$0.name] != nil }
        let told = given.filter { description.defaults[$0.name] != values[$0.name] }
        if fields.count == 1, let field = fields.first, let value = values[field.name] {
            return FieldWords.value(of: value, field, property: property)
        }
        let described = told.isEmpty ? Array(given.prefix(1)) : told
        let items = described.compactMap { field in
            values[field.name].map {
                ModelStateValue.Field(field.name, FieldWords.value(of: $0, field, property: property))
            }
        }
        // A range reads best as its two ends.
        if items.map(\.name) == ["minimum", "maximum"] { return .list(items.map(\.value)) }
        return .fields(items)
    }
}

/// Values of fields in the words of the language.
package enum FieldWords {
    /// The property whose value a field of a message holds: that of the setting of a sensor, else the one of the
    /// message.
    package static func property(of values: FieldValues) -> UInt16? {
        (values.integer("setting") ?? values.integer("property")).flatMap(UInt16.init(exactly:))
    }

    static func value(of value: FieldValue, _ field: MessageDescription.Field, property: UInt16?) -> ModelStateValue {
        switch value {
        case .integer(let raw): return word(of: raw, field.type)
        case .octets(let octets) where field.type.notation == .propertyValue:
            guard let property else { break }
            return propertyValue(octets, property)
        case .integers(let numbers): return .list(numbers.map { word(of: $0, field.type) })
        default: break
        }
        return .word(field.type.text(ofValue: value))
    }

    private static func word(of raw: Int64, _ type: FieldType) -> ModelStateValue {
        guard type.notation == .set else { return .word(type.declared.word(of: raw)) }
        if raw != 0, raw == type.allWords { return .word("all") }
        let words = type.text(of: raw).split(separator: "+").map { ModelStateValue.word(String($0)) }
        return words.count == 1 ? words[0] : .list(words)
    }

    private static func propertyValue(_ octets: [UInt8], _ property: UInt16) -> ModelStateValue {
        guard let known = DeviceProperty.property(property), let layout = known.layout(length: octets.count),
            octets.count == known.length, let values = try? known.decode(octets)
        else { return .word("hex:" + Hexadecimal.encode(octets)) }
        let fields = layout.compactMap { field in
            values[field.name].map { ModelStateValue.Field(field.name, value(of: $0, field, property: nil)) }
        }
        return fields.count == 1 ? fields[0].value : .fields(fields)
    }
}
