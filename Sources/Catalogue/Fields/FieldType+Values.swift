import MeshCore

extension FieldType {
    /// A value that goes on the air, for people: a number as ``text(of:)`` has it, text as it is, other octets in their
    /// order as `hex:00ff`. Keys are never written.
    package func text(ofValue value: FieldValue) -> String {
        guard notation != .secret else { return "(secret)" }
        switch value {
        case .integer(let raw): return text(of: raw)
        case .octets(let octets):
            if case .text = layout, let text = Self.paddedText(octets) { return text }
            return octets.isEmpty ? "none" : "hex:" + Hexadecimal.encode(octets)
        case .model(let model): return model.name
        case .integers(let numbers):
            let texts = numbers.map { layout == .keyIndexes ? "\($0)" : text(of: $0) }
            return texts.isEmpty ? "none" : texts.joined(separator: ",")
        case .records(let records):
            return "\(records.count) records"
        case .sensorData(let data):
            return data.isEmpty ? "none" : data.map(\.description).joined(separator: "; ")
        case .columns(let columns):
            let octets = columns.flatMap { $0.x + $0.width + $0.y }
            return octets.isEmpty ? "none" : "hex:" + Hexadecimal.encode(octets)
        }
    }

    /// Text without the zeros that pad it; nil if it is no UTF-8, has a zero inside, or would not read back: text that
    /// begins with `hex:` or has spaces around it.
    private static func paddedText(_ octets: [UInt8]) -> String? {
        let used = octets.prefix { $0 != 0 }
        guard octets.dropFirst(used.count).allSatisfy({ $0 == 0 }),
            let text = String(validating: used, as: UTF8.self), !text.isEmpty, !text.hasPrefix("hex:"),
            text == text.trimmed, text.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F })
        else { return nil }
        return text
    }

    /// The value that a text stands for: a number or word, text, octets in hexadecimal, a model, numbers with commas
    /// between them. Records, sensor values and columns have no text: give the octets of the message.
    ///
    /// - Throws: ``TextError`` if the text does not go with the field.
    package func value(reading text: String) throws(TextError) -> FieldValue {
        switch layout {
        case .unsigned, .signed, .float: return .integer(try raw(reading: text))
        case .text(let count): return .octets(try octets(ofText: text, count: count))
        case .octets, .remainder, .share, .counted, .columnX, .columnWidth:
            if text == "none" { return .octets([]) }
            let digits = ["hex:", "0x"].first(where: text.hasPrefix).map { text.dropFirst($0.count) } ?? text[...]
            guard let octets = Hexadecimal.decode(digits) else { throw TextError("\(text) is not hexadecimal") }
            return .octets(octets)
        case .model:
            guard let model = ModelIdentifier(name: text) else { throw TextError("\(text) is no model") }
            return .model(model)
        case .keyIndexes:
            var indexes: [Int64] = []
            for part in text.split(separator: ",") where text != "none" {
                guard let index = Int64(part), (0...0xFFF).contains(index) else {
                    throw TextError("\(part) is no key index")
                }
                indexes.append(index)
            }
            return .integers(indexes)
        case .sensorData, .columns:
            throw TextError("such values have no text: give the octets of the message")
        }
    }

    private func octets(ofText text: String, count: Int) throws(TextError) -> [UInt8] {
        if text.hasPrefix("hex:"), let octets = Hexadecimal.decode(text.dropFirst(4)), octets.count == count {
            return octets
        }
        let octets = Array(text.utf8)
        guard octets.count <= count else { throw TextError("the text has \(octets.count) octets; \(count) fit") }
        return octets + [UInt8](repeating: 0, count: count - octets.count)
    }
}

extension MarshalledSensorData: CustomStringConvertible {
    /// `present-ambient-temperature 21.5 °C`.
    package var description: String {
        let name = DeviceProperty.name(of: property)
        return value.map { "\(name) \(DeviceProperty.text(of: $0, property: property))" } ?? "\(name) no value"
    }
}
