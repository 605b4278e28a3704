/// A pattern in which `*` stands for any run of characters, also an empty one; everything else stands for itself.
package struct Glob: Hashable, Sendable {
    /// The pattern as UTF-8.
    private let pattern: [UInt8]

    /// The pattern with that text.
    package init(_ text: String) {
        pattern = Array(text.utf8)
    }

    /// Whether the pattern holds no `*` and so matches just one text.
    package var isLiteral: Bool { !pattern.contains(Glob.asterisk) }

    /// What every match starts with: the text before the first `*`.
    package var prefix: String {
        String(decoding: pattern.prefix { $0 != Glob.asterisk }, as: UTF8.self)
    }

    /// Whether the whole text matches; takes time proportional to the product of the lengths at worst.
    package func matches(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { matches($0) }
    }

    /// Walks both once and, on a mismatch, lets the latest `*` take one character more.
    private func matches(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        var position = 0
        var patternPosition = 0
        var latest: (pattern: Int, text: Int)?
        while position < text.count {
            if patternPosition < pattern.count, pattern[patternPosition] == Glob.asterisk {
                latest = (patternPosition + 1, position)
                patternPosition += 1
            } else if patternPosition < pattern.count, pattern[patternPosition] == text[position] {
                patternPosition += 1
                position += 1
            } else if let (afterAsterisk, start) = latest {
                latest = (afterAsterisk, start + 1)
                patternPosition = afterAsterisk
                position = start + 1
            } else {
                return false
            }
        }
        return pattern[patternPosition...].allSatisfy { $0 == Glob.asterisk }
    }

    private static let asterisk = UInt8(ascii: "*")
}
