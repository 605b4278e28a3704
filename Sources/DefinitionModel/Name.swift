import MeshCore

/// The rule for names of networks, subnets, keys, groups, profiles, nodes and tags.
package enum Name {
    /// Whether the text is a name: an ASCII letter or digit, then ASCII letters, digits, `.`, `_` and `-`.
    package static func isValid(_ text: some StringProtocol) -> Bool { isValid(String(text)) }

    /// The same without generics, because definitions hold hundreds of thousands of names.
    package static func isValid(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
            guard let first = bytes.first, isLetterOrDigit(first) else { return false }
            for byte in bytes where !isLetterOrDigit(byte) && !isPunctuation(byte) { return false }
            return true
        }
    }

    /// Whether the text is a pattern for names: a name with `*` at any place.
    package static func isValidPattern(_ text: String) -> Bool {
        guard let first = text.utf8.first, isLetterOrDigit(first) || first == asterisk else { return false }
        return text.utf8.allSatisfy { isLetterOrDigit($0) || isPunctuation($0) || $0 == asterisk }
    }

    private static let asterisk = UInt8(ascii: "*")

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: false
        }
    }

    private static func isPunctuation(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
    }
}
