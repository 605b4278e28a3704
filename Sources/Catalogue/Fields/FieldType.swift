import MeshCore

/// How a field of a message or a device property is laid out and what its numbers mean.
package struct FieldType: Hashable, Sendable {
    /// The name in the tables, such as `lightness`; the notation itself for a type without a name, such as `u8`.
    package let name: String
    /// How many bits or octets it has.
    package let layout: Layout
    /// How a raw number becomes a value in ``unit``.
    package let rule: Rule
    /// The unit of the value: `%`, `K`, `lx`, `s`; empty for a plain number.
    package let unit: String
    /// The raw numbers that are ordinary values; nil if all are that have no word.
    package let range: ClosedRange<Int64>?
    /// What raw numbers mean that are no ordinary values, or all of them of an enumeration. Of a set: the bits.
    package let words: [Int64: String]
    /// What a raw number is that is neither in the range nor has a word.
    package let others: Others
    /// How the field is written for people.
    package let notation: Notation

    /// The places a field takes.
    package enum Layout: Hashable, Sendable {
        /// A number from 0, least significant bit first (Mesh Protocol 3.1.1.2); 1 to 63 bits.
        case unsigned(bits: Int)
        /// A number in two's complement; 2 to 64 bits.
        case signed(bits: Int)
        /// An IEEE 754 number of 32 bits. Its raw number is the bit pattern.
        case float
        /// So many octets as they are.
        case octets(Int)
        /// UTF-8 text, padded with zeros to so many octets.
        case text(Int)
        /// All octets that are left, at least so many.
        case remainder(minimum: Int)
        /// An equal share of the octets that fields of fixed size leave; at least one octet.
        case share
        /// An octet that counts the octets after it.
        case counted
        /// A model identifier at the end: two octets of a SIG model, four of a vendor model.
        case model
        /// Key indexes, pairs in three octets, an odd last one in two (Mesh Protocol 4.3.1.1).
        case keyIndexes
        /// Marshalled sensor values up to the end (Mesh Model 4.2.14).
        case sensorData
        /// The raw value X of a sensor's column, as long as the property says.
        case columnX
        /// The width of a sensor's column, as long as the property says.
        case columnWidth
        /// Sensor columns up to the end, each of X, width and Y.
        case columns
    }

    /// How a raw number becomes a value.
    package enum Rule: Hashable, Sendable {
        /// (raw + offset) × numerator ÷ denominator.
        case linear(offset: Int64, numerator: Double, denominator: Double)
        /// base to the power of (raw + offset), × factor; `hasZero` if raw number 0 is exactly 0.
        case power(base: Double, offset: Int64, factor: Double, hasZero: Bool)
        /// Steps in bits 0 to 5, resolution in bits 6 and 7; 63 steps are unknown (Mesh Model 3.1.3).
        case transitionTime

        package static let plain = Rule.linear(offset: 0, numerator: 1, denominator: 1)
    }

    /// What a raw number is that is neither in the range nor has a word.
    package enum Others: Hashable, Sendable {
        /// Nothing says what it is.
        case unstated
        /// Reserved for future use.
        case reserved
        /// Prohibited: a message with it is ignored.
        case prohibited
    }

    /// How a field is written for people.
    package enum Notation: Hashable, Sendable {
        /// A number with its unit, or a word.
        case number
        /// On or off, true or false.
        case boolean
        /// Words of the bits that are set.
        case set
        /// Hexadecimal: addresses, company identifiers, octets.
        case hexadecimal
        /// A device property, by its name.
        case property
        /// The value of the device property that the field before it names.
        case propertyValue
        /// Days since 1970-01-01.
        case date
        /// A key, which is never written.
        case secret
    }

    /// The number of bits of a field of fixed size; nil if the size depends on the message.
    package var bits: Int? {
        switch layout {
        case .unsigned(let bits), .signed(let bits): bits
        case .float: 32
        case .octets(let count), .text(let count): 8 * count
        default: nil
        }
    }

    /// The raw numbers that fit into the field; nil for fields that are no numbers.
    package var representable: ClosedRange<Int64>? {
        switch layout {
        case .unsigned(let bits): 0...(Int64.max >> (63 - bits))
        case .signed(let bits): (Int64.min >> (64 - bits))...(Int64.max >> (64 - bits))
        case .float: 0...0xFFFF_FFFF
        default: nil
        }
    }

    /// Whether a raw number may stand in a message.
    package func permits(_ raw: Int64) -> Bool {
        if case .transitionTime = rule, others == .prohibited { return raw & 0x3F != 0x3F }
        guard others == .prohibited, notation != .set else { return true }
        return words[raw] != nil || range?.contains(raw) ?? false
    }
}

extension FieldType.Layout {
    /// Whether the field takes all octets up to the end.
    var takesAll: Bool {
        switch self {
        case .remainder, .model, .keyIndexes, .sensorData, .columns: true
        default: false
        }
    }
}

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

extension FieldType {
    /// The raw number as one word of a definition: `80%`, `10min`, `not-known`; ``raw(reading:)`` gives it back.
    package func word(of raw: Int64) -> String {
        let text = self.text(of: raw)
        guard notation == .number, case .number(let number, let unit) = meaning(of: raw), !unit.isEmpty,
            text.hasSuffix(" \(unit)")
        else { return text }
        if unit == "s", let natural = Self.duration(number), (try? self.raw(reading: natural)) == raw { return natural }
        return text.dropLast(unit.count + 1) + unit
    }

    /// The type as definitions write it. The specification gives perceived lightness no unit (Device Properties 4);
    /// definitions write it in percent, as they do the lightness of a light.
    package var declared: FieldType {
        name == "perceived-lightness" ? TypeTable.types["lightness"] ?? self : self
    }

    /// Seconds in the largest unit in which they are a whole number.
    private static func duration(_ seconds: Double) -> String? {
        for (size, unit) in [(3600.0, "h"), (60.0, "min")] where seconds >= size {
            let count = DecimalText.rounded(seconds / size)
            if count * size == seconds { return DecimalText.text(count, decimals: 0).map { $0 + unit } }
        }
        guard seconds > 0, seconds < 1 else { return nil }
        return DecimalText.text(seconds * 1000, decimals: 3).map { $0 + "ms" }
    }

    /// The raw numbers of ordinary values; nil for an enumeration, a set, and what is no number.
    package var ordinaryValues: ClosedRange<Int64>? {
        guard notation == .number || notation == .date, layout != .float else { return nil }
        if case .transitionTime = rule { return 0...0xFE }
        if let range { return range }
        guard words.isEmpty || others == .unstated, var limits = representable else { return nil }
        // Words at the ends are no values: 0 of a default means something else.
        while words[limits.lowerBound] != nil, limits.count > 1 { limits = limits.lowerBound + 1...limits.upperBound }
        while words[limits.upperBound] != nil, limits.count > 1 { limits = limits.lowerBound...limits.upperBound - 1 }
        return limits
    }

    /// A value that people may take as an example, near the middle and with few digits; a word of an enumeration.
    package var example: String {
        if notation == .boolean { return words[1] ?? "on" }
        if notation == .set { return words.min { $0.key < $1.key }?.value ?? "none" }
        if case .float = layout { return "0.5" }
        guard let limits = ordinaryValues else {
            return words.min { $0.key < $1.key }?.value ?? (notation == .property ? "present-ambient-temperature" : "0")
        }
        let times = unit == "s" ? ["10min", "10s", "1s", "100ms"] : unit == "min" ? ["1h"] : []
        for text in times where (try? raw(reading: text)) != nil { return text }
        if limits.lowerBound < 0, limits.contains(0) { return word(of: 0) }
        if unit.isEmpty, limits.upperBound > 100_000, let word = words.min(by: { $0.key < $1.key })?.value {
            return word
        }
        let middle = number(of: limits.lowerBound) / 2 + number(of: limits.upperBound) / 2
        var step = 1.0
        while step * 10 <= abs(middle) { step *= 10 }
        let round = DecimalText.rounded(middle / step) * step
        let raw = self.raw(nearest: round) ?? limits.lowerBound
        return word(of: raw)
    }

    /// A fifth of the value that serves as an example, for the lower end of a range.
    package var lowerExample: String {
        guard let limits = ordinaryValues, let raw = try? raw(reading: example) else { return example }
        return word(of: self.raw(nearest: number(of: raw) / 5) ?? limits.lowerBound)
    }

    /// Whether a value is hard to understand without its unit, so that people have to write it: times and shares.
    package var needsUnit: Bool { ["s", "min", "h", "d", "%"].contains(unit) }
}
