import MeshCore

extension MessageDescription {
    /// Reads the parameters, which are the octets after the opcode.
    ///
    /// - Throws: ``MessageDecodeError`` with the offset if no form of the message fits. Of several forms the one that
    ///   got furthest tells.
    package func decode(_ parameters: ArraySlice<UInt8>) throws(MessageDecodeError) -> FieldValues {
        guard let forms else { throw MessageDecodeError(offset: 0, reason: .nameOnly) }
        var furthest: MessageDecodeError?
        for form in forms {
            do throws(MessageDecodeError) {
                var decoder = PartDecoder(parameters)
                try decoder.read(form)
                try decoder.finish()
                return decoder.values
            } catch {
                if error.offset > furthest?.offset ?? -1 { furthest = error }
            }
        }
        throw furthest ?? MessageDecodeError(offset: 0, reason: .nameOnly)
    }

    /// Reads the parameters.
    ///
    /// - Throws: ``MessageDecodeError`` with the offset if no form of the message fits.
    package func decode(_ parameters: [UInt8]) throws(MessageDecodeError) -> FieldValues {
        try decode(parameters[...])
    }
}

/// Reads the parts of one form.
struct PartDecoder {
    private var reader: BitReader
    private let allowsProhibited: Bool
    private var reservedFields = 0
    private(set) var values = FieldValues()

    /// - Parameter allowsProhibited: Whether values that the specification prohibits are read like others.
    init(_ parameters: ArraySlice<UInt8>, allowsProhibited: Bool = false) {
        reader = BitReader(parameters)
        self.allowsProhibited = allowsProhibited
    }

    mutating func finish() throws(MessageDecodeError) {
        guard reader.isAtEnd else { throw fault(nil, .trailing(count: max(reader.remaining, 1))) }
    }

    mutating func read(_ parts: [MessageDescription.Part]) throws(MessageDecodeError) {
        for (index, part) in parts.enumerated() {
            switch part {
            case .field(let field):
                values[field.name] = try value(of: field, before: parts[(index + 1)...])
            case .reserved(let bits):
                let raw = try reader.bits(bits)
                // Kept although a receiver ignores it, so that what was received can be written again.
                reservedFields += 1
                if raw != 0 { values[FieldValues.reservedName(reservedFields)] = .integer(Int64(raw)) }
            case .optional(let inner):
                if !reader.isAtEnd { try read(inner) }
            case .list(let field):
                values[field.name] = try list(of: field)
            case .records(let name, let inner):
                values[name] = try records(inner)
            }
        }
    }

    private mutating func value(
        of field: MessageDescription.Field,
        before following: ArraySlice<MessageDescription.Part>
    ) throws(MessageDecodeError) -> FieldValue {
        let offset = reader.offset
        do throws(MessageDecodeError) {
            let value = try rawValue(of: field.type, before: following)
            guard case .integer(let raw) = value else { return value }
            if let fixed = field.fixed, raw != fixed {
                throw MessageDecodeError(offset: offset, reason: .otherForm(raw))
            }
            guard allowsProhibited || field.type.permits(raw) else {
                throw MessageDecodeError(offset: offset, reason: .prohibited(raw))
            }
            return value
        } catch {
            throw MessageDecodeError(offset: error.offset, field: error.field ?? field.name, reason: error.reason)
        }
    }

    private mutating func rawValue(
        of type: FieldType,
        before following: ArraySlice<MessageDescription.Part>
    ) throws(MessageDecodeError) -> FieldValue {
        switch type.layout {
        case .unsigned(let bits): return .integer(Int64(try reader.bits(bits)))
        case .signed(let bits):
            let shift = Int64(64 - bits)
            return .integer(Int64(bitPattern: try reader.bits(bits) << UInt64(shift)) >> shift)
        case .float: return .integer(Int64(try reader.bits(32)))
        case .octets(let count), .text(let count): return .octets(try reader.octets(count))
        case .remainder(let minimum):
            guard reader.remaining >= minimum else {
                throw fault(nil, .truncated(needed: minimum - reader.remaining))
            }
            return .octets(try reader.octets(reader.remaining))
        case .share: return .octets(try reader.octets(try share(before: following)))
        case .counted:
            let count = Int(try reader.bits(8))
            return .octets(try reader.octets(count))
        case .model: return .model(try model())
        case .keyIndexes: return .integers(try keyIndexes())
        case .sensorData: return .sensorData(try sensorData())
        case .columnX: return .octets(try reader.octets(try columnLayout(of: type).x))
        case .columnWidth: return .octets(try reader.octets(try columnLayout(of: type).width))
        case .columns: return .columns(try columns(of: type))
        }
    }

    /// The octets of one field that shares what fields of fixed size leave.
    private func share(before following: ArraySlice<MessageDescription.Part>) throws(MessageDecodeError) -> Int {
        var fixed = 0
        var sharers = 1
        for part in following {
            if let bits = part.bits { fixed += bits } else { sharers += 1 }
        }
        let left = reader.remaining - fixed / 8
        guard left >= sharers else { throw fault(nil, .truncated(needed: sharers - left)) }
        guard left % sharers == 0 else { throw fault(nil, .uneven(count: left)) }
        return left / sharers
    }

    private mutating func model() throws(MessageDecodeError) -> ModelIdentifier {
        if reader.remaining == 2 { return .sig(UInt16(try reader.bits(16))) }
        let company = UInt16(try reader.bits(16))
        return .vendor(company: company, model: UInt16(try reader.bits(16)))
    }

    private mutating func keyIndexes() throws(MessageDecodeError) -> [Int64] {
        var indexes: [Int64] = []
        while reader.remaining >= 3 {
            indexes.append(Int64(try reader.bits(12)))
            indexes.append(Int64(try reader.bits(12)))
        }
        if !reader.isAtEnd {
            indexes.append(Int64(try reader.bits(12)))
            let rest = Int64(try reader.bits(4))
            guard rest == 0 else { throw fault(nil, .prohibited(rest)) }
        }
        return indexes
    }

    private mutating func sensorData() throws(MessageDecodeError) -> [MarshalledSensorData] {
        let start = reader.offset
        let octets = try reader.octets(reader.remaining)
        do throws(MessageDecodeError) {
            return try MarshalledSensorData.decode(octets)
        } catch {
            throw MessageDecodeError(offset: start + error.offset, field: error.field, reason: error.reason)
        }
    }

    private func columnLayout(of type: FieldType) throws(MessageDecodeError) -> ColumnLayout {
        guard let property = values.integer("property"), let layout = ColumnLayout(of: property) else {
            throw fault(nil, .nameOnly)
        }
        return layout
    }

    private mutating func columns(of type: FieldType) throws(MessageDecodeError) -> [SensorColumn] {
        let layout = try columnLayout(of: type)
        let left = reader.remaining
        // The value Y is the last field only or the whole value: stacks differ, so the length decides.
        let candidates = [layout.y, layout.wholeY].map { layout.x + layout.width + $0 }
        guard let size = candidates.first(where: { left % $0 == 0 }) else { throw fault(nil, .uneven(count: left)) }
        var columns: [SensorColumn] = []
        while !reader.isAtEnd {
            let x = try reader.octets(layout.x)
            let width = try reader.octets(layout.width)
            columns.append(SensorColumn(x: x, width: width, y: try reader.octets(size - layout.x - layout.width)))
        }
        return columns
    }

    private mutating func list(of field: MessageDescription.Field) throws(MessageDecodeError) -> FieldValue {
        var numbers: [Int64] = []
        while !reader.isAtEnd {
            guard case .integer(let raw) = try value(of: field, before: []) else { break }
            numbers.append(raw)
        }
        return .integers(numbers)
    }

    private mutating func records(_ parts: [MessageDescription.Part]) throws(MessageDecodeError) -> FieldValue {
        var records: [FieldValues] = []
        let outer = values
        while !reader.isAtEnd {
            values = FieldValues()
            try read(parts)
            records.append(values)
        }
        values = outer
        return .records(records)
    }

    private func fault(_ field: String?, _ reason: MessageDecodeError.Reason) -> MessageDecodeError {
        MessageDecodeError(offset: reader.offset, field: field, reason: reason)
    }
}
