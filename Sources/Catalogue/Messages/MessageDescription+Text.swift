import MeshCore

extension MessageDescription {
    /// A field with its value for people.
    package struct FieldText: Hashable, Sendable {
        package let name: String
        /// The value: `40 %`, `on`, `not-known`, `0x7f`.
        package let text: String

        package init(name: String, text: String) {
            self.name = name
            self.text = text
        }
    }

    /// The fields for people, in the order of the message.
    package func texts(of values: FieldValues) -> [FieldText] {
        Self.texts(of: values, form: form(of: values))
    }

    /// The fields of the form of the message that these values have, for whoever writes them in another way.
    package func fields(of values: FieldValues) -> [Field] {
        form(of: values).flatMap(\.fields)
    }

    private func form(of values: FieldValues) -> [Part] {
        (forms ?? []).first { $0.isForm(of: values) } ?? (forms ?? []).flatMap { $0 }
    }

    /// The message for people on one line: `onoff=on tid=7 transition=1 s`.
    package func text(of values: FieldValues) -> String {
        Self.line(texts(of: values))
    }

    private static func line(_ texts: [FieldText]) -> String {
        texts.map { "\($0.name)=\($0.text)" }.joined(separator: " ")
    }

    private static func texts(of values: FieldValues, form: [Part]) -> [FieldText] {
        let types = Dictionary(form.flatMap(\.fields).map { ($0.name, $0.type) }) { first, _ in first }
        return values.items.map { item in
            if case .records(let records) = item.value {
                let inner = records.map { "{\(line(texts(of: $0, form: form)))}" }
                return FieldText(name: item.name, text: inner.isEmpty ? "none" : inner.joined(separator: " "))
            }
            return FieldText(name: item.name, text: text(of: item.value, in: values, type: types[item.name]))
        }
    }

    private static func text(of value: FieldValue, in values: FieldValues, type: FieldType?) -> String {
        guard let type else {
            // Reserved bits, which no field describes.
            guard case .integer(let raw) = value else { return "" }
            return "0x" + String(raw, radix: 16)
        }
        if case .octets(let octets) = value, type.holdsPropertyValue, !octets.isEmpty,
            let property = valueProperty(in: values)
        {
            return DeviceProperty.text(of: octets, property: property)
        }
        return type.text(ofValue: value)
    }

    /// The property whose value a field holds: that of the setting of a sensor, else the one of the message.
    private static func valueProperty(in values: FieldValues) -> UInt16? {
        (values.integer("setting") ?? values.integer("property")).flatMap(UInt16.init(exactly:))
    }

    /// The values of fields that are given as texts.
    ///
    /// - Throws: ``MessageEncodeError`` if the message has no such field or a text does not go with it.
    package func values(reading texts: [FieldText]) throws(MessageEncodeError) -> FieldValues {
        guard let forms else { throw .nameOnly }
        var first: MessageEncodeError?
        for form in forms {
            do throws(MessageEncodeError) {
                let values = try Self.values(reading: texts, form: form)
                if form.isForm(of: values) { return values }
            } catch {
                // That a field is of another form tells less than why its text was refused.
                if first == nil || first?.isUnknownField == true { first = error }
            }
        }
        if let foreign = texts.first(where: { field(named: $0.name) == nil }) {
            throw .unknownField(foreign.name, known: distinctNames)
        }
        throw first ?? .noForm
    }

    private var distinctNames: [String] {
        var seen: Set<String> = []
        return fields.map(\.name).filter { seen.insert($0).inserted }
    }

    private static func values(
        reading texts: [FieldText],
        form: [Part]
    ) throws(MessageEncodeError) -> FieldValues {
        var values = FieldValues()
        let described = Dictionary(form.flatMap(\.fields).map { ($0.name, $0) }) { first, _ in first }
        // Properties first: they say how a value is written.
        let isProperty = { (text: FieldText) in described[text.name]?.type.notation == .property }
        for text in texts.filter(isProperty) + texts.filter({ !isProperty($0) }) {
            guard let field = described[text.name] else {
                throw .unknownField(text.name, known: form.flatMap(\.fields).map(\.name))
            }
            do throws(TextError) {
                values[text.name] = try value(
                    of: field,
                    reading: text.text,
                    in: values,
                    isList: form.contains(.list(field))
                )
            } catch {
                throw .value(text.name, error.description)
            }
        }
        return values
    }

    private static func value(
        of field: Field,
        reading text: String,
        in values: FieldValues,
        isList: Bool
    ) throws(TextError) -> FieldValue {
        if field.type.holdsPropertyValue, text != "none", let property = valueProperty(in: values) {
            return .octets(try DeviceProperty.octets(reading: text, property: property))
        }
        guard isList else { return try field.type.value(reading: text) }
        var numbers: [Int64] = []
        for part in text.split(separator: ",") where text != "none" {
            numbers.append(try field.type.raw(reading: String(part)))
        }
        return .integers(numbers)
    }
}

extension [MessageDescription.Part] {
    /// Whether values can be of this form: it has their fields, and what marks it does not contradict them.
    fileprivate func isForm(of values: FieldValues) -> Bool {
        let names = Set(flatMap(\.fields).map(\.name))
        let fits = values.items.allSatisfy { item in
            if case .records = item.value { return true }
            return names.contains(item.name) || item.name.hasPrefix("reserved")
        }
        return fits
            && flatMap(\.fields).allSatisfy { field in
                field.fixed == nil || values[field.name] == nil || values.integer(field.name) == field.fixed
            }
    }
}

extension MessageEncodeError {
    fileprivate var isUnknownField: Bool {
        if case .unknownField = self { true } else { false }
    }
}

extension FieldType {
    /// Whether it is the value of a property that another field names, and no part of a column.
    fileprivate var holdsPropertyValue: Bool {
        notation == .propertyValue && layout != .columnX && layout != .columnWidth
    }
}
