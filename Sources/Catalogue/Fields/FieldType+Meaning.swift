/// What a raw number of a field means.
package enum Meaning: Hashable, Sendable {
    /// A number in a unit, which may be empty.
    case number(Double, unit: String)
    /// On or off, true or false.
    case truth(Bool)
    /// A word of an enumeration or for a value that is no number: `not-known`.
    case word(String)
    /// The words of the bits that are set; a set bit without a word as `bit-3`.
    case words([String])
    /// The catalogue does not know it, or the specification prohibits or reserves it.
    case unknown(Int64)
}

extension FieldType {
    package func meaning(of raw: Int64) -> Meaning {
        if notation == .set { return .words(setWords(of: raw)) }
        if case .transitionTime = rule, raw & 0x3F == 0x3F { return .word("unknown") }
        if notation == .boolean, words[raw] != nil || range?.contains(raw) == true { return .truth(raw != 0) }
        if let word = words[raw] { return .word(word) }
        return isOrdinary(raw) ? value(of: raw) : .unknown(raw)
    }

    /// Whether a raw number without a word is a value. A type whose other values are reserved or prohibited, and that
    /// states no range, is an enumeration.
    private func isOrdinary(_ raw: Int64) -> Bool {
        range?.contains(raw) ?? (words.isEmpty || others == .unstated)
    }

    private func value(of raw: Int64) -> Meaning {
        let value = number(of: raw)
        return value.isFinite ? .number(value, unit: unit) : .unknown(raw)
    }

    /// The number that the rule makes of a raw number. Infinite or no number if the field is such a ``Layout/float``.
    package func number(of raw: Int64) -> Double {
        if case .float = layout { return Double(Float(bitPattern: UInt32(truncatingIfNeeded: raw))) }
        switch rule {
        case .linear(let offset, let numerator, let denominator):
            return Double(raw &+ offset) * numerator / denominator
        case .power(let base, let offset, let factor, let hasZero):
            return hasZero && raw == 0 ? 0 : Self.power(base, raw &+ offset) * factor
        case .transitionTime:
            return Double(raw & 0x3F) * Self.resolution(raw)
        }
    }

    /// The raw number whose value is nearest; nil if none fits into the field or may stand for an ordinary value.
    package func raw(nearest number: Double) -> Int64? {
        guard number.isFinite else { return nil }
        if case .float = layout { return Int64(Float(number).bitPattern) }
        let raw: Double
        switch rule {
        case .linear(let offset, let numerator, let denominator):
            raw = DecimalText.rounded(number * denominator / numerator) - Double(offset)
        case .power(let base, let offset, let factor, let hasZero):
            if hasZero, number == 0 { return 0 }
            guard number > 0 else { return nil }
            raw = nearestExponent(of: number / factor, base: base) - Double(offset)
        case .transitionTime:
            return transitionTime(number)
        }
        guard raw >= -9.2e18, raw <= 9.2e18 else { return nil }
        let nearest = Int64(raw)
        guard let representable, representable.contains(nearest), isOrdinary(nearest) else { return nil }
        return range == nil && words[nearest] != nil ? nil : nearest
    }

    private func setWords(of raw: Int64) -> [String] {
        (0..<Int64(bits ?? 0)).filter { raw >> $0 & 1 == 1 }.map { words[$0] ?? "bit-\($0)" }
    }

    /// The smallest resolution that can hold the time, at most 62 steps of it.
    private func transitionTime(_ seconds: Double) -> Int64? {
        guard seconds >= 0 else { return nil }
        for resolution in Int64(0)...3 {
            let steps = DecimalText.rounded(seconds / Self.resolution(resolution << 6))
            if steps <= 62 { return resolution << 6 | Int64(steps) }
        }
        return nil
    }

    private static func resolution(_ raw: Int64) -> Double {
        [0.1, 1, 10, 600][Int(raw >> 6 & 3)]
    }

    /// Powers by multiplication: the module does without a mathematics library.
    private static func power(_ base: Double, _ exponent: Int64) -> Double {
        var result = 1.0
        for _ in 0..<min(exponent.magnitude, 2000) { result *= base }
        return exponent < 0 ? 1 / result : result
    }

    /// The whole exponent with the nearest logarithm. The middle between two powers is the root of their product.
    private func nearestExponent(of number: Double, base: Double) -> Double {
        let square = number * number
        var exponent: Int64 = 0
        var power = 1.0
        while power * power * base <= square, exponent < 2000 {
            power *= base
            exponent += 1
        }
        while power * power / base > square, exponent > -2000 {
            power /= base
            exponent -= 1
        }
        return Double(exponent)
    }
}
