extension StateDescription {
    /// The value that words stand for, to be given to ``setParameters(_:transaction:transition:delay:)``.
    ///
    /// A word is `field=value` or a value alone: `3000K 80%`. Of values alone, those with a unit go to the first field
    /// that has this unit, the others to the fields that are left, in their order. What selects the instance comes
    /// before the fields: `schedule 3 …`.
    ///
    /// - Throws: ``MessageEncodeError`` if a word goes with no field, a field is missing, or the state cannot be set.
    package func value(reading words: [String]) throws(MessageEncodeError) -> FieldValues {
        guard let setMessage else { throw .noForm }
        var assignment = WordAssignment(fields: keys + fields)
        try assignment.assign(words)
        for item in defaults.items where assignment.texts[item.name] == nil {
            let type = setMessage.field(named: item.name)?.type
            assignment.texts[item.name] = type?.text(ofValue: item.value)
        }
        for item in fixedKeys.items {
            assignment.texts[item.name] = setMessage.field(named: item.name)?.type.text(ofValue: item.value)
        }
        // In the order of the message, so that what is missing is what stands first.
        let names = setMessage.fields.map(\.name)
        let texts = assignment.texts.sorted { names.firstIndex(of: $0.key) ?? 0 < names.firstIndex(of: $1.key) ?? 0 }
        let values = try setMessage.values(
            reading: texts.map { MessageDescription.FieldText(name: $0.key, text: $0.value) }
        )
        // Whether a field is missing shows when the message is written.
        var trial = values
        if hasTransaction { trial["tid"] = 0 }
        _ = try setMessage.encode(trial)
        return values
    }

    /// What words demand of a value that was read: `on`, `3000K`, `field=value`. Fields that they leave out may be
    /// anything. It works for states that can only be read, too.
    ///
    /// - Returns: what selects the instance, and the fields.
    /// - Throws: ``MessageEncodeError`` if a word goes with no field, or nothing selects the instance.
    package func expectation(
        reading words: [String]
    ) throws(MessageEncodeError) -> (keys: FieldValues, fields: FieldValues) {
        var assignment = WordAssignment(fields: keys + fields)
        try assignment.assign(words)
        var (instance, expected) = (FieldValues(), FieldValues())
        for field in keys + fields {
            let isKey = keys.contains { $0.name == field.name }
            guard let text = assignment.texts[field.name] else {
                if isKey { throw .missing(field.name) }
                continue
            }
            do throws(TextError) {
                let value = try field.type.value(reading: text)
                if isKey { instance[field.name] = value } else { expected[field.name] = value }
            } catch {
                throw .value(field.name, "\(error)")
            }
        }
        return (instance, expected)
    }

    /// The present value in a status for people; nil as in ``value(in:)``.
    package func texts(in status: FieldValues) -> [MessageDescription.FieldText]? {
        guard let value = value(in: status) else { return nil }
        let names = Set(value.names)
        return statusMessage.texts(of: status).filter { names.contains($0.name) }
    }
}

/// Words, each at its field.
private struct WordAssignment {
    let fields: [MessageDescription.Field]
    var texts: [String: String] = [:]

    init(fields: [MessageDescription.Field]) { self.fields = fields }

    mutating func assign(_ words: [String]) throws(MessageEncodeError) {
        var bare: [String] = []
        for word in words {
            let halves = word.split(separator: "=", maxSplits: 1)
            if halves.count == 2, let field = fields.first(where: { $0.name == halves[0] }) {
                try put(String(halves[1]), into: field)
            } else {
                bare.append(word)
            }
        }
        var plain: [String] = []
        for word in bare {
            if let field = free.first(where: { Self.hasUnit(word, of: $0) }) {
                try put(word, into: field)
            } else {
                plain.append(word)
            }
        }
        for word in plain {
            guard let field = free.first else { throw .unknownField(word, known: fields.map(\.name)) }
            try put(word, into: field)
        }
    }

    private var free: [MessageDescription.Field] { fields.filter { texts[$0.name] == nil } }

    private mutating func put(_ text: String, into field: MessageDescription.Field) throws(MessageEncodeError) {
        guard texts.updateValue(text, forKey: field.name) == nil else {
            throw .value(field.name, "the field is given twice")
        }
    }

    private static func hasUnit(_ word: String, of field: MessageDescription.Field) -> Bool {
        guard let quantity = Quantity(word), !quantity.unit.isEmpty else { return false }
        return quantity.number(in: field.type.unit) != nil
    }
}
