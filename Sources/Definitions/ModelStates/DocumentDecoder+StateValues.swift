import Catalogue
import DefinitionModel
import MeshCore

/// Values of states. What a value looks like follows from the fields of the message that sets it: one field is a
/// scalar, several are a list in their order or a mapping by their names.
extension DocumentDecoder {
    /// The fields of a value, with what selects the instance. What cannot be read is reported.
    mutating func decodeStateValue(
        _ entry: MappingEntry,
        of state: DeclarableState,
        _ selected: FieldValues
    ) -> FieldValues? {
        guard let message = state.description.setMessage, let forms = message.forms else { return nil }
        let fields = state.description.fields.filter { selected[$0.name] == nil }
        guard let nodes = fieldNodes(entry, fields, of: state, selected) else { return nil }
        var values = selected
        var isComplete = true
        // Fields that mark a form come first: they say what the others are.
        let markers = fields.filter { field in message.fields.contains { $0.name == field.name && $0.fixed != nil } }
        for field in markers {
            guard let node = nodes[field.name] else {
                values[field.name] = state.description.defaults[field.name]
                continue
            }
            values[field.name] = fieldValue(node, field, in: values)
            if values[field.name] == nil { isComplete = false }
        }
        let form =
            forms.first { form in
                form.flatMap(\.fields).allSatisfy { field in
                    field.fixed == nil || values[field.name] == nil || values.integer(field.name) == field.fixed
                }
            } ?? forms[0]
        for field in fields where values[field.name] == nil && !markers.contains(field) {
            guard let part = form.first(where: { $0.fields.contains { $0.name == field.name } }),
                let own = part.fields.first(where: { $0.name == field.name })
            else { continue }
            if let node = nodes[field.name] {
                values[field.name] = part.isList ? listValue(node, own) : fieldValue(node, own, in: values)
                if values[field.name] == nil { isComplete = false }
            } else if let value = state.description.defaults[field.name] {
                values[field.name] = value
            } else if !part.isOptional {
                reportMissing(field.name, entry, of: state, selected)
                isComplete = false
            }
        }
        guard isComplete else { return nil }
        return checkRanges(values, form.flatMap(\.fields), nodes) ? values : nil
    }

    /// The node of each field that is given; nil if the value as a whole was reported.
    private mutating func fieldNodes(
        _ entry: MappingEntry,
        _ fields: [MessageDescription.Field],
        of state: DeclarableState,
        _ selected: FieldValues
    ) -> [String: Int]? {
        let node = entry.value
        let needed = fields.filter { state.description.defaults[$0.name] == nil }
        switch tree.nodes[node].kind {
        case .alias, .unreadable: return nil
        case .plain, .quoted:
            if let only = fields.count == 1 ? fields.first : needed.count == 1 ? needed.first : nil, !isNull(node) {
                return [only.name: node]
            }
            let what = isNull(node) ? "nothing" : "a text"
            let expected = fields.count == 1 ? "a value" : "a list or a mapping of fields"
            report(
                "\(expected) is expected here, not \(what)",
                at: isNull(node) ? entry.key : node,
                hint: "write for example `\(state.example(for: selected))`"
            )
            return nil
        case .sequence:
            if fields.count == 1 { return [fields[0].name: node] }
            return listedNodes(node, fields, of: state, selected)
        case .mapping:
            // The value of one field may be a mapping itself: that of a property with several fields.
            if fields.count == 1, fields[0].type.notation == .propertyValue { return [fields[0].name: node] }
            return namedNodes(node, fields)
        }
    }

    private mutating func listedNodes(
        _ node: Int,
        _ fields: [MessageDescription.Field],
        of state: DeclarableState,
        _ selected: FieldValues
    ) -> [String: Int]? {
        var nodes: [String: Int] = [:]
        let items = Array(list(node, "a list") ?? ListEntries())
        guard items.count <= fields.count else {
            report(
                "\(items.count) values stand here, but \(state.name) has \(fields.count)",
                at: node,
                hint: "write for example `\(state.example(for: selected))`"
            )
            return nil
        }
        for (field, item) in zip(fields, items) { nodes[field.name] = item }
        return nodes
    }

    private mutating func namedNodes(_ node: Int, _ fields: [MessageDescription.Field]) -> [String: Int]? {
        var nodes: [String: Int] = [:]
        var isKnown = true
        for entry in entries(node, "a mapping of fields") ?? [] {
            guard let word = text(entry.key, "the name of a field") else { continue }
            let name = DeclarableStates.normalized(word)
            guard fields.contains(where: { $0.name == name }) else {
                let hint = Suggestion.hint(for: name, among: fields.map(\.name), are: "fields are")
                report("there is no field \(quoted(word)) here", at: entry.key, hint: hint)
                isKnown = false
                continue
            }
            guard nodes.updateValue(entry.value, forKey: name) == nil else {
                report("the field \(quoted(name)) occurs twice", at: entry.key)
                isKnown = false
                continue
            }
        }
        return isKnown ? nodes : nil
    }

    private mutating func reportMissing(
        _ field: String,
        _ entry: MappingEntry,
        of state: DeclarableState,
        _ selected: FieldValues
    ) {
        report(
            "`\(field)` is missing",
            at: isNull(entry.value) ? entry.key : entry.value,
            hint: "write for example `\(state.example(for: selected))`"
        )
    }

    // MARK: - Fields

    private mutating func fieldValue(
        _ node: Int,
        _ field: MessageDescription.Field,
        in values: FieldValues
    ) -> FieldValue? {
        if field.type.notation == .propertyValue, let property = FieldWords.property(of: values) {
            return propertyOctets(node, property).map { .octets($0) }
        }
        if field.type.notation == .set, tree.nodes[node].kind == .sequence { return setValue(node, field) }
        return scalar(node, "a value", { text throws(ScalarProblem) in try StateWords.value(text, field.type) })?.value
    }

    /// A list of the words of a set: `[monday, friday]`.
    private mutating func setValue(_ node: Int, _ field: MessageDescription.Field) -> FieldValue? {
        var raw: Int64 = 0
        var isRead = true
        for item in list(node, "a list") ?? ListEntries() {
            let word = scalar(item, "a word", { text throws(ScalarProblem) in try StateWords.value(text, field.type) })
            guard case .integer(let bits)? = word?.value else {
                isRead = false
                continue
            }
            raw |= bits
        }
        return isRead ? .integer(raw) : nil
    }

    private mutating func listValue(_ node: Int, _ field: MessageDescription.Field) -> FieldValue? {
        guard let items = list(node, "a list") else { return nil }
        var numbers: [Int64] = []
        for item in items {
            guard case .integer(let raw)? = fieldValue(item, field, in: [:]) else { return nil }
            numbers.append(raw)
        }
        return .integers(numbers)
    }

    /// The raw value of a property, whose fields follow the same rules as those of a state.
    private mutating func propertyOctets(_ node: Int, _ identifier: UInt16) -> [UInt8]? {
        let kind = tree.nodes[node].kind
        if kind == .plain || kind == .quoted {
            guard let word = text(node, "a value") else { return nil }
            if word.hasPrefix("hex:") {
                return scalar(node, "a value", { text throws(ScalarProblem) in try Self.octets(text, identifier) })?
                    .value
            }
        }
        guard let property = DeviceProperty.property(identifier) else {
            report(
                "how the value of \(DeviceProperty.name(of: identifier)) is written is not known",
                at: node,
                hint: "write its octets: hex:00ff"
            )
            return nil
        }
        let fields = property.fields
        var nodes: [String: Int]? = [:]
        switch kind {
        case .sequence:
            let items = Array(list(node, "a list") ?? ListEntries())
            guard items.count == fields.count else {
                reportFields(of: property, at: node)
                return nil
            }
            for (field, item) in zip(fields, items) { nodes?[field.name] = item }
        case .mapping: nodes = namedNodes(node, fields)
        case .plain, .quoted:
            guard fields.count == 1 else {
                reportFields(of: property, at: node)
                return nil
            }
            nodes?[fields[0].name] = node
        case .alias, .unreadable: return nil
        }
        guard let nodes else { return nil }
        var values = FieldValues()
        for field in fields {
            guard let own = nodes[field.name] else {
                reportFields(of: property, at: node)
                return nil
            }
            guard let value = fieldValue(own, field, in: [:]) else { return nil }
            values[field.name] = value
        }
        do throws(MessageEncodeError) {
            return try property.encode(values)
        } catch {
            report("this is no value of \(property.name): \(error)", at: node)
            return nil
        }
    }

    private mutating func reportFields(of property: DeviceProperty, at node: Int) {
        let example = property.fields.map { "\($0.name): \($0.type.declared.example)" }.joined(separator: ", ")
        report("the fields of \(property.name) are expected here", at: node, hint: "write for example `{ \(example) }`")
    }

    private static func octets(_ text: String, _ property: UInt16) throws(ScalarProblem) -> [UInt8] {
        do throws(TextError) {
            return try DeviceProperty.octets(reading: text, property: property)
        } catch {
            throw ScalarProblem(error.description)
        }
    }

    // MARK: - Ranges

    /// Whether no minimum is above its maximum. Angles may run across 0.
    private mutating func checkRanges(
        _ values: FieldValues,
        _ fields: [MessageDescription.Field],
        _ nodes: [String: Int]
    ) -> Bool {
        for field in fields where field.name.hasSuffix("minimum") && field.type.unit != "°" {
            let name = field.name.dropLast("minimum".count) + "maximum"
            guard let upper = fields.first(where: { $0.name == name }), let low = values.integer(field.name),
                let high = values.integer(upper.name), low > high, let node = nodes[upper.name],
                case .number = field.type.meaning(of: low), case .number = upper.type.meaning(of: high)
            else { continue }
            report(
                "the \(upper.name) \(upper.type.word(of: high)) is below the \(field.name) \(field.type.word(of: low))",
                at: node,
                hint: "write the smaller value first: [\(upper.type.word(of: high)), \(field.type.word(of: low))]"
            )
            return false
        }
        return true
    }
}

extension MessageDescription.Part {
    fileprivate var isList: Bool { if case .list = self { true } else { false } }
    fileprivate var isOptional: Bool { if case .optional = self { true } else { false } }
}
