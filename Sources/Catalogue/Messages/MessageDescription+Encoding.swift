import MeshCore

extension MessageDescription {
    /// Writes the parameters, which are the octets after the opcode. Reserved bits and fields that mark a form may be
    /// left out; so may both fields of an optional pair such as transition and delay.
    ///
    /// - Throws: ``MessageEncodeError`` if a field is missing, unknown or out of range.
    package func encode(_ values: FieldValues) throws(MessageEncodeError) -> [UInt8] {
        guard let forms else { throw .nameOnly }
        let known = fields.map(\.name) + recordNames
        if let foreign = values.names.first(where: { !known.contains($0) && !$0.hasPrefix("reserved") }) {
            throw .unknownField(foreign, known: fields.map(\.name))
        }
        var best: (error: MessageEncodeError, written: Int)?
        for form in forms {
            var encoder = PartEncoder(values)
            do throws(MessageEncodeError) {
                try encoder.write(form)
                guard encoder.written.isSuperset(of: values.names) else { throw .noForm }
                return encoder.bytes
            } catch {
                if best == nil || encoder.written.count > best?.written ?? 0 { best = (error, encoder.written.count) }
            }
        }
        throw best?.error ?? .noForm
    }

    private var recordNames: [String] {
        (forms ?? []).flatMap { $0 }.compactMap { part in
            if case .records(let name, _) = part { name } else { nil }
        }
    }
}

/// Writes the parts of one form.
struct PartEncoder {
    private var writer = BitWriter()
    private let values: FieldValues
    private let allowsProhibited: Bool
    private var reservedFields = 0
    private(set) var written: Set<String> = []

    /// - Parameter allowsProhibited: Whether values that the specification prohibits may be written.
    init(_ values: FieldValues, allowsProhibited: Bool = false) {
        self.values = values
        self.allowsProhibited = allowsProhibited
    }

    var bytes: [UInt8] { writer.bytes }

    mutating func write(_ parts: [MessageDescription.Part]) throws(MessageEncodeError) {
        for part in parts {
            switch part {
            case .field(let field): try write(field)
            case .reserved(let bits):
                reservedFields += 1
                let name = FieldValues.reservedName(reservedFields)
                let raw = values.integer(name) ?? 0
                guard (0..<Int64(1) << bits).contains(raw) else {
                    throw .value(name, "\(raw) does not fit into \(bits) bits")
                }
                writer.write(UInt64(bitPattern: raw), bits: bits)
                written.insert(name)
            case .optional(let inner):
                let names = Set(inner.flatMap(\.fields).map(\.name))
                if !names.isDisjoint(with: values.names) { try write(inner) }
            case .list(let field): try writeList(field)
            case .records(let name, let inner): try writeRecords(name, inner)
            }
        }
    }

    private mutating func write(_ field: MessageDescription.Field) throws(MessageEncodeError) {
        guard let value = values[field.name] ?? field.fixed.map({ .integer($0) }) else { throw .missing(field.name) }
        written.insert(field.name)
        try write(value, of: field)
    }

    private mutating func write(
        _ value: FieldValue,
        of field: MessageDescription.Field
    ) throws(MessageEncodeError) {
        switch (field.type.layout, value) {
        case (.unsigned(let bits), .integer(let raw)), (.signed(let bits), .integer(let raw)):
            try check(raw, of: field)
            writer.write(UInt64(bitPattern: raw), bits: bits)
        case (.float, .integer(let raw)):
            try check(raw, of: field)
            writer.write(UInt64(bitPattern: raw), bits: 32)
        case (.octets(let count), .octets(let octets)), (.text(let count), .octets(let octets)):
            guard octets.count == count else {
                throw .value(field.name, "\(count) octets are needed, not \(octets.count)")
            }
            writer.write(octets)
        case (.remainder(let minimum), .octets(let octets)):
            guard octets.count >= minimum else { throw .value(field.name, "at least \(minimum) octet is needed") }
            writer.write(octets)
        case (.share, .octets(let octets)), (.columnX, .octets(let octets)), (.columnWidth, .octets(let octets)):
            guard !octets.isEmpty else { throw .value(field.name, "at least one octet is needed") }
            writer.write(octets)
        case (.counted, .octets(let octets)):
            guard octets.count <= 255 else { throw .value(field.name, "at most 255 octets are possible") }
            writer.write([UInt8(octets.count)] + octets)
        case (.model, .model(let model)):
            if let company = model.company { writer.write(UInt64(company), bits: 16) }
            writer.write(UInt64(model.model), bits: 16)
        case (.keyIndexes, .integers(let indexes)): try writeKeyIndexes(indexes, field)
        case (.sensorData, .sensorData(let data)):
            for reading in data { writer.write(try reading.encoded(field: field.name)) }
        case (.columns, .columns(let columns)):
            for column in columns { writer.write(column.x + column.width + column.y) }
        default:
            throw .value(field.name, "this kind of value does not go with the field")
        }
    }

    private func check(_ raw: Int64, of field: MessageDescription.Field) throws(MessageEncodeError) {
        guard field.type.representable?.contains(raw) == true else {
            throw .value(field.name, "\(raw) does not fit into \(field.type.bits ?? 0) bits")
        }
        guard field.fixed ?? raw == raw else { throw .noForm }
        guard allowsProhibited || field.type.permits(raw) else {
            throw .value(field.name, "\(field.type.hexadecimal(raw)) is prohibited")
        }
    }

    private mutating func writeKeyIndexes(
        _ indexes: [Int64],
        _ field: MessageDescription.Field
    ) throws(MessageEncodeError) {
        for (position, index) in indexes.enumerated() {
            guard (0...0xFFF).contains(index) else { throw .value(field.name, "\(index) is no key index") }
            writer.write(UInt64(index), bits: position == indexes.count - 1 && position.isMultiple(of: 2) ? 16 : 12)
        }
    }

    private mutating func writeList(_ field: MessageDescription.Field) throws(MessageEncodeError) {
        guard case .integers(let numbers)? = values[field.name] else { throw .missing(field.name) }
        written.insert(field.name)
        for number in numbers { try write(.integer(number), of: field) }
    }

    private mutating func writeRecords(
        _ name: String,
        _ parts: [MessageDescription.Part]
    ) throws(MessageEncodeError) {
        guard case .records(let records)? = values[name] else { throw .missing(name) }
        written.insert(name)
        for record in records {
            var inner = PartEncoder(record)
            try inner.write(parts)
            guard inner.written.isSuperset(of: record.names) else { throw .noForm }
            writer.write(inner.bytes)
        }
    }
}
