import MeshCore

/// Whole numbers as definitions write them: decimal digits without sign, leading zeros or separators.
enum Numbers {
    /// A decimal number within a range. `title` says what it is: "a TTL".
    static func decimal(_ text: String, in range: ClosedRange<Int>, _ title: String) throws(ScalarProblem) -> Int {
        var bounds: String { "\(range.lowerBound) to \(range.upperBound)" }
        guard !text.isEmpty, text.utf8.allSatisfy(isDigit) else {
            throw ScalarProblem("\(quoted(text)) is not \(title)", hint: "write a number from \(bounds)")
        }
        guard text == "0" || text.utf8.first != UInt8(ascii: "0") else {
            let digits = text.drop { $0 == "0" }
            throw ScalarProblem(
                "\(quoted(text)) has leading zeros",
                hint: "write \(digits.isEmpty ? "0" : String(digits.prefix(12)))"
            )
        }
        guard let number = Int(text), range.contains(number) else {
            throw ScalarProblem("\(quoted(text)) is out of range for \(title)", hint: "it can be \(bounds)")
        }
        return number
    }

    /// The value of `0x` and one to four hexadecimal digits; nil for anything else.
    static func hexadecimal(_ text: String) -> UInt16? {
        let bytes = text.utf8
        guard (3...6).contains(bytes.count), text.hasPrefix("0x") || text.hasPrefix("0X") else { return nil }
        let digits = bytes.dropFirst(2)
        guard digits.allSatisfy(isHexadecimalDigit) else { return nil }
        return UInt16(Substring(digits), radix: 16)
    }

    /// The index of a NetKey or AppKey, decimal or with `0x`.
    static func keyIndex<Index: KeyIndex>(_ text: String, _ title: String) throws(ScalarProblem) -> Index {
        if text.hasPrefix("0x") || text.hasPrefix("0X") {
            guard let number = hexadecimal(text), let index = Index(rawValue: number) else {
                throw ScalarProblem("\(quoted(text)) is not \(title)", hint: "it can be 0 to 4095 (0x0FFF)")
            }
            return index
        }
        let number = try decimal(text, in: 0...4095, title)
        guard let index = Index(rawValue: UInt16(number)) else {
            throw ScalarProblem("\(quoted(text)) is not \(title)", hint: "it can be 0 to 4095 (0x0FFF)")
        }
        return index
    }

    /// 0 to 9.
    static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    /// 0 to 9, a to f, A to F.
    static func isHexadecimalDigit(_ byte: UInt8) -> Bool {
        isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20)
    }
}
