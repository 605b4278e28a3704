package import MeshCore

extension StateDescription {
    /// The value of a state as a definition demands it, in octets.
    ///
    /// - Parameter values: The fields of the value, with what selects the instance.
    /// - Throws: ``MessageEncodeError`` if the state cannot be set, or a field is missing or out of range.
    package func modelState(_ values: FieldValues) throws(MessageEncodeError) -> ModelState {
        guard let setMessage, let server, let setServer else { throw .noForm }
        var selected = FieldValues()
        for key in fixedKeys.items + values.items where getMessage.field(named: key.name) != nil {
            selected[key.name] = key.value
        }
        let form = ModelStateForm(
            name: instanceName(selected),
            server: server,
            setServer: setServer,
            getPayload: getMessage.opcode.encoded + (try getMessage.encode(selected)),
            statusOpcode: statusMessage.opcode,
            instance: selected.items.isEmpty ? MaskedOctets() : statusMessage.masked(selected) ?? MaskedOctets()
        )
        return ModelState(
            form: form,
            setPayload: setMessage.opcode.encoded + (try setParameters(values)),
            expected: statusMessage.masked(fixedKeys.merging(values)) ?? form.instance
        )
    }

    /// The name with the keys behind it: `schedule.3`. A state that stands for one key has the name that it has with
    /// the key.
    private func instanceName(_ keys: FieldValues) -> String {
        let base =
            fixedKeys.items.isEmpty
            ? name
            : StateCatalogue.states(reportedBy: statusMessage.opcode).first { $0.fixedKeys.items.isEmpty }?.name ?? name
        return ([base] + keys.items.map { getMessage.field(named: $0.name)?.type.text(ofValue: $0.value) ?? "" })
            .joined(separator: ".")
    }
}

extension MessageDescription {
    /// The octets of the message as far as some of its fields determine them; nil if no form has all these fields.
    /// Fields that the message does not have at all do not count.
    fileprivate func masked(_ values: FieldValues) -> MaskedOctets? {
        let names = Set(values.names).intersection(fields.map(\.name))
        for form in forms ?? [] {
            var writer = MaskedWriter(values: values, names: names)
            if writer.write(form[...]), writer.written.isSuperset(of: names) { return writer.masked }
        }
        return nil
    }
}

/// Writes the fields that are given, and the space of those that are not.
private struct MaskedWriter {
    let values: FieldValues
    let names: Set<String>
    var written: Set<String> = []
    private var octets = BitWriter()
    private var mask = BitWriter()

    init(values: FieldValues, names: Set<String>) {
        self.values = values
        self.names = names
    }

    var masked: MaskedOctets { MaskedOctets(octets.bytes, mask: mask.bytes) }

    /// Whether the parts can be written as far as there are given fields.
    mutating func write(_ parts: ArraySlice<MessageDescription.Part>) -> Bool {
        for part in parts {
            switch part {
            case .field(let field): guard write(field) else { return written.isSuperset(of: names) }
            case .reserved(let bits): skip(bits)
            case .optional(let inner):
                guard !names.isDisjoint(with: inner.flatMap(\.fields).map(\.name)) else { return true }
                guard write(inner[...]) else { return false }
            case .list, .records: return written.isSuperset(of: names)
            }
        }
        return true
    }

    private mutating func write(_ field: MessageDescription.Field) -> Bool {
        guard let value = names.contains(field.name) ? values[field.name] : field.fixed.map(FieldValue.integer) else {
            guard let bits = field.type.bits else { return false }
            skip(bits)
            return true
        }
        switch value {
        case .integer(let raw):
            guard let bits = field.type.bits, field.fixed ?? raw == raw else { return false }
            octets.write(UInt64(bitPattern: raw), bits: bits)
            mask.write(UInt64.max, bits: bits)
        case .octets(let value):
            if case .counted = field.type.layout { return false }
            octets.write(value)
            mask.write([UInt8](repeating: 0xFF, count: value.count))
        default: return false
        }
        written.insert(field.name)
        return true
    }

    private mutating func skip(_ bits: Int) {
        var left = bits
        while left > 0 {
            octets.write(0, bits: min(left, 8))
            mask.write(0, bits: min(left, 8))
            left -= 8
        }
    }
}
