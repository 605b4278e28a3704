/// The notation of types in the tables and in descriptions of vendor models.
///
///     u16 *100/65535 [%]                    16 bits, 65535 is 100 %
///     s8 /2 [°C] -128..126 0x7f=not-known   half degrees; a word for what is no ordinary value
///     u8 0=off 1=on boolean !               other values are prohibited; `?`: reserved
///     u8 1.1^(n-64) zero [s] 0..253         a power; raw number 0 is exactly 0
///     u8 n-20 [floor]                       an offset that is added first
///     u12 set 0=january 1=february          a word for each bit
///     octets16 secret · text36 · float · rest · rest0 · share · counted · model · key-indexes
extension FieldType {
    /// Reads the notation.
    ///
    /// - Parameter name: The name of the type; nil for one without a name.
    /// - Throws: ``NotationError`` if a word of it has no meaning or contradicts another one.
    package init(name: String? = nil, notation text: some StringProtocol) throws(NotationError) {
        var words = Substring(text).pieces(between: " ")[...]
        guard let first = words.popFirst() else { throw NotationError("a type needs a layout, such as u8") }
        guard let layout = Layout(notation: first) else { throw NotationError("\(first) is no layout such as u8") }
        var parts = TypeParts()
        for word in words { try parts.add(word, layout: layout) }
        self.name = name ?? String(text)
        self.layout = layout
        rule = parts.rule
        unit = parts.unit
        range = parts.range
        self.words = parts.words
        others = parts.others
        notation = parts.notation ?? (layout.isNumber ? .number : .hexadecimal)
        let limits = representable
        for raw in Array(parts.words.keys) + [range?.lowerBound, range?.upperBound].compactMap({ $0 }) {
            guard let limits, limits.contains(raw) else { throw NotationError("\(raw) does not fit into \(first)") }
        }
    }
}

/// Why a notation of a type or of fields was refused.
package struct NotationError: Error, Hashable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}

extension FieldType.Layout {
    /// Reads `u8`, `s16`, `octets16`, `text36`, `float`, `rest` and the other names.
    init?(notation: Substring) {
        switch notation {
        case "float": self = .float
        case "rest": self = .remainder(minimum: 1)
        case "rest0": self = .remainder(minimum: 0)
        case "share": self = .share
        case "counted": self = .counted
        case "model": self = .model
        case "key-indexes": self = .keyIndexes
        case "sensor-data": self = .sensorData
        case "column-x": self = .columnX
        case "column-width": self = .columnWidth
        case "columns": self = .columns
        default:
            let digits = notation.drop { !$0.isNumber }
            guard let count = Int(digits), digits.first != "0", count <= 380 else { return nil }
            switch notation.prefix(notation.count - digits.count) {
            case "u" where count <= 63: self = .unsigned(bits: count)
            case "s" where (2...64).contains(count): self = .signed(bits: count)
            case "octets": self = .octets(count)
            case "text": self = .text(count)
            default: return nil
            }
        }
    }

    var isNumber: Bool {
        switch self {
        case .unsigned, .signed, .float: true
        default: false
        }
    }
}

/// What the words after the layout say.
private struct TypeParts {
    var rule = FieldType.Rule.plain
    var unit = ""
    var range: ClosedRange<Int64>?
    var words: [Int64: String] = [:]
    var others = FieldType.Others.unstated
    var notation: FieldType.Notation?

    private static let notations: [Substring: FieldType.Notation] = [
        "boolean": .boolean, "set": .set, "hex": .hexadecimal, "property": .property, "value": .propertyValue,
        "date": .date, "secret": .secret,
    ]

    mutating func add(_ word: Substring, layout: FieldType.Layout) throws(NotationError) {
        if let known = Self.notations[word] {
            notation = known
        } else if word == "!" {
            others = .prohibited
        } else if word == "?" {
            others = .reserved
        } else if word == "transition" {
            rule = .transitionTime
        } else if word == "zero" {
            guard case .power(let base, let offset, let factor, _) = rule else {
                throw NotationError("zero goes with a power only")
            }
            rule = .power(base: base, offset: offset, factor: factor, hasZero: true)
        } else if word.hasPrefix("["), word.hasSuffix("]") {
            unit = String(word.dropFirst().dropLast())
        } else if word.hasPrefix("*") || word.hasPrefix("/") {
            try scale(by: word)
        } else if let equals = word.firstIndex(of: "=") {
            let raw = try number(word[..<equals], layout: layout)
            guard words.updateValue(String(word[word.index(after: equals)...]), forKey: raw) == nil else {
                throw NotationError("\(raw) has two words")
            }
        } else if let dots = word.firstRange(of: "..") {
            let low = try number(word[..<dots.lowerBound], layout: layout)
            let high = try number(word[dots.upperBound...], layout: layout)
            guard low <= high else { throw NotationError("the range \(word) is empty") }
            range = low...high
        } else if word.hasPrefix("n"), let offset = Int64(word.dropFirst()) {
            guard case .linear(_, let numerator, let denominator) = rule else {
                throw NotationError("\(word) does not go with a power")
            }
            rule = .linear(offset: offset, numerator: numerator, denominator: denominator)
        } else if let power = Self.power(word) {
            rule = power
        } else {
            throw NotationError("\(word) is no part of a type")
        }
    }

    /// `*90/2147483647`, `*5`, `/100`.
    private mutating func scale(by word: Substring) throws(NotationError) {
        let parts = word.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { Double($0) }.filter { $0 > 0 && $0.isFinite }
        guard numbers.count == parts.count, (1...2).contains(numbers.count) else {
            throw NotationError("\(word) is no scale such as *100/65535 or /100")
        }
        let isDivision = word.hasPrefix("/")
        guard !isDivision || numbers.count == 1 else { throw NotationError("\(word) divides twice") }
        let numerator = isDivision ? 1 : numbers[0]
        let denominator = isDivision ? numbers[0] : numbers.count == 2 ? numbers[1] : 1
        switch rule {
        case .linear(let offset, _, _):
            rule = .linear(offset: offset, numerator: numerator, denominator: denominator)
        case .power(let base, let offset, _, let hasZero):
            rule = .power(base: base, offset: offset, factor: numerator / denominator, hasZero: hasZero)
        case .transitionTime:
            throw NotationError("a transition time has no scale")
        }
    }

    /// `1.1^(n-64)`, `2^n`.
    private static func power(_ word: Substring) -> FieldType.Rule? {
        guard let caret = word.firstIndex(of: "^"), let base = Double(word[..<caret]), base > 1, base <= 10 else {
            return nil
        }
        let exponent = word[word.index(after: caret)...]
        if exponent == "n" { return .power(base: base, offset: 0, factor: 1, hasZero: false) }
        guard exponent.hasPrefix("(n"), exponent.hasSuffix(")") else { return nil }
        let offset = Int64(exponent.dropFirst(2).dropLast())
        return offset.map { .power(base: base, offset: $0, factor: 1, hasZero: false) }
    }

    /// A decimal number, or the bits of the field as `0x8000`.
    private func number(_ text: Substring, layout: FieldType.Layout) throws(NotationError) -> Int64 {
        guard text.hasPrefix("0x") else {
            guard let number = Int64(text) else { throw NotationError("\(text) is no number") }
            return number
        }
        guard let pattern = UInt64(text.dropFirst(2), radix: 16) else { throw NotationError("\(text) is no number") }
        switch layout {
        case .signed(let bits) where bits < 64:
            guard pattern < 1 << UInt64(bits) else { throw NotationError("\(text) is too large") }
            return Int64(bitPattern: pattern << UInt64(64 - bits)) >> Int64(64 - bits)
        default:
            guard pattern <= UInt64(Int64.max) else { throw NotationError("\(text) is too large") }
            return Int64(pattern)
        }
    }
}
