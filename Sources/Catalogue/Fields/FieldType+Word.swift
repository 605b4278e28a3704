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
