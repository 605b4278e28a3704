import MeshCore

extension FieldType {
    /// The raw number for people: `40 %`, `on`, `not-known`, `0x7f`.
    ///
    /// A number has the fewest decimals with which ``raw(reading:)`` gives the same raw number back. What has no
    /// meaning is written in hexadecimal.
    package func text(of raw: Int64) -> String {
        switch notation {
        case .hexadecimal: return words[raw] ?? hexadecimal(raw)
        case .property: return DeviceProperty.name(of: UInt16(truncatingIfNeeded: raw))
        case .secret: return "(secret)"
        case .date:
            guard case .number = meaning(of: raw) else { break }
            return CalendarDay(daysSince1970: Int(raw)).description
        case .set:
            let set = setText(raw)
            return set.isEmpty ? "none" : set
        default: break
        }
        switch meaning(of: raw) {
        case .truth: return words[raw] ?? (raw == 0 ? "false" : "true")
        case .word(let word): return named(word) == raw ? word : hexadecimal(raw)
        case .words(let words): return words.joined(separator: "+")
        case .number(let number, let unit):
            guard let digits = shortest(number, raw: raw) else { return hexadecimal(raw) }
            return unit.isEmpty ? digits : "\(digits) \(unit)"
        case .unknown: return hexadecimal(raw)
        }
    }

    private func setText(_ raw: Int64) -> String {
        guard case .words(let words) = meaning(of: raw) else { return "" }
        return words.joined(separator: "+")
    }

    /// The bits of the field as `0x7f`, with all digits.
    package func hexadecimal(_ raw: Int64) -> String {
        let width = bits ?? 64
        let pattern = UInt64(bitPattern: raw) & (width >= 64 ? .max : (1 << UInt64(width)) - 1)
        let digits = String(pattern, radix: 16)
        return "0x" + String(repeating: "0", count: max(0, (width + 3) / 4 - digits.utf8.count)) + digits
    }

    private func shortest(_ number: Double, raw: Int64) -> String? {
        if case .float = layout { return "\(Float(bitPattern: UInt32(truncatingIfNeeded: raw)))" }
        for decimals in 0...12 {
            guard let text = DecimalText.text(number, decimals: decimals) else { return nil }
            if let rounded = Double(text), self.raw(nearest: rounded) == raw { return text }
        }
        return nil
    }
}

extension FieldType {
    /// The raw number that a text stands for: a word (`on`), a number with or without its unit (`40%`, `2 s`,
    /// `100ms`), or the raw number itself in hexadecimal (`0x6666`).
    ///
    /// - Throws: ``TextError`` if the text is none of them, or the number is out of range.
    package func raw(reading text: String) throws(TextError) -> Int64 {
        let text = text.trimmed
        if let raw = named(text) { return raw }
        if text.hasPrefix("0x") { return try raw(hexadecimal: text.dropFirst(2)) }
        if notation == .set { return try raw(set: text) }
        if notation == .date, let day = CalendarDay(text) { return try ordinary(Double(day.daysSince1970), text) }
        guard let quantity = Quantity(text) else { throw refusal(of: text) }
        guard let number = quantity.number(in: unit) else {
            if unit.isEmpty { throw TextError("\(text): a number without a unit is meant\(rangeText)") }
            throw TextError("\(text): the unit is \(unit)")
        }
        if notation == .hexadecimal || notation == .property { throw refusal(of: text) }
        return try ordinary(number, text)
    }

    private func ordinary(_ number: Double, _ text: String) throws(TextError) -> Int64 {
        guard let raw = raw(nearest: number) else { throw TextError("\(text): out of range\(rangeText)") }
        return raw
    }

    private func named(_ text: String) -> Int64? {
        let lower = text.lowercased()
        if notation == .boolean {
            switch lower {
            case "on", "true", "yes", "1": return 1
            case "off", "false", "no", "0": return 0
            default: break
            }
        }
        if notation == .property { return DeviceProperty.identifier(named: lower).map { Int64($0) } }
        if case .transitionTime = rule, lower == "unknown", others != .prohibited { return 0x3F }
        if notation == .set { return lower == "none" ? 0 : lower == "all" ? allWords : nil }
        return words.first { $0.value.lowercased() == lower }?.key
    }

    private func raw(hexadecimal digits: Substring) throws(TextError) -> Int64 {
        guard let pattern = UInt64(digits, radix: 16), digits.first != "+" else {
            throw TextError("0x\(digits) is no number")
        }
        let raw: Int64
        if case .signed(let bits) = layout {
            guard bits == 64 || pattern < 1 << UInt64(bits) else {
                throw TextError("0x\(digits): more than \(bits) bits")
            }
            raw = Int64(bitPattern: pattern << UInt64(64 - bits)) >> Int64(64 - bits)
        } else {
            guard let limits = representable, pattern <= UInt64(limits.upperBound) else {
                throw TextError("0x\(digits): more than \(bits ?? 0) bits")
            }
            raw = Int64(pattern)
        }
        guard permits(raw) else { throw TextError("0x\(digits): this value is prohibited\(rangeText)") }
        return raw
    }

    private func raw(set text: String) throws(TextError) -> Int64 {
        var raw: Int64 = 0
        for part in text.lowercased().split(separator: "+") {
            guard let bit = words.first(where: { $0.value == part })?.key ?? Self.bitNumber(part),
                (0..<Int64(bits ?? 0)).contains(bit)
            else { throw refusal(of: String(part)) }
            raw |= 1 << bit
        }
        return raw
    }

    /// The raw number of a set that has every word.
    package var allWords: Int64 { words.keys.reduce(0) { $0 | 1 << $1 } }

    private static func bitNumber(_ text: Substring) -> Int64? {
        text.hasPrefix("bit-") ? Int64(text.dropFirst(4)) : nil
    }

    private func refusal(of text: String) -> TextError {
        let known = words.sorted { $0.key < $1.key }.map(\.value)
        let choices = known.isEmpty ? "" : ": use \(known.prefix(12).joined(separator: ", "))"
        return TextError("\(text) is no value of this field\(known.isEmpty ? rangeText : choices)")
    }

    /// `; it goes from 0 % to 100 %`, with the raw range.
    private var rangeText: String {
        let known = words.sorted { $0.key < $1.key }.map(\.value)
        if range == nil, !known.isEmpty, known.count <= 12 { return ": use \(known.joined(separator: ", "))" }
        guard var limits = range ?? representable, layout != .float else { return "" }
        // 63 steps, that is 0xFF, are no time.
        if case .transitionTime = rule { limits = 0...0xFE }
        return "; it goes from \(self.text(of: limits.lowerBound)) to \(self.text(of: limits.upperBound))"
    }
}

/// Why a text is no value of a field.
package struct TextError: Error, Hashable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}
