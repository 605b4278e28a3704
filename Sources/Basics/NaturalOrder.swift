/// A text that is sorted as people count: `lamp-2` stands before `lamp-10`.
package struct NaturalOrder: Comparable, Sendable {
    /// A run of digits, or what stands between two runs.
    private enum Part: Comparable, Sendable {
        /// A number, as its digits without leading zeros: the longer one is the greater one.
        case number(length: Int, digits: String)
        case text(String)
    }

    private let parts: [Part]
    /// Tells apart texts that differ in leading zeros only.
    private let text: String

    package init(_ text: String) {
        self.text = text
        if text.utf8.allSatisfy({ $0 < 0x80 }) {
            parts = Self.parts(ofASCII: text.utf8)
            return
        }
        var parts: [Part] = []
        var rest = text[...]
        while let first = rest.first {
            let isNumber = first.isASCIIDigit
            let run = rest.prefix { $0.isASCIIDigit == isNumber }
            rest = rest[run.endIndex...]
            if isNumber {
                let digits = run.drop { $0 == "0" }
                parts.append(.number(length: digits.count, digits: String(digits)))
            } else {
                parts.append(.text(String(run)))
            }
        }
        self.parts = parts
    }

    /// The same for a text in ASCII, as nearly all names are: what its characters are need not be looked up.
    private static func parts(ofASCII text: String.UTF8View) -> [Part] {
        func isDigit(_ byte: UInt8) -> Bool { UInt8(ascii: "0") <= byte && byte <= UInt8(ascii: "9") }
        var parts: [Part] = []
        var rest = text[...]
        while let first = rest.first {
            let isNumber = isDigit(first)
            let run = rest.prefix { isDigit($0) == isNumber }
            rest = rest[run.endIndex...]
            if isNumber {
                let digits = run.drop { $0 == UInt8(ascii: "0") }
                parts.append(.number(length: digits.count, digits: String(Substring(digits))))
            } else {
                parts.append(.text(String(Substring(run))))
            }
        }
        return parts
    }

    package static func < (left: NaturalOrder, right: NaturalOrder) -> Bool {
        for (one, other) in zip(left.parts, right.parts) where one != other { return one < other }
        return (left.parts.count, left.text) < (right.parts.count, right.text)
    }
}

extension Character {
    fileprivate var isASCIIDigit: Bool { isASCII && isNumber }
}
