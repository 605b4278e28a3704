package import Catalogue
import MeshCore

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
