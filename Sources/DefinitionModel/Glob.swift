import MeshCore

/// A pattern in which `*` stands for any run of characters, including none. Every other character stands for itself.
package struct Glob: Hashable, Sendable {
    /// The pattern as UTF-8.
    private let pattern: [UInt8]

    package init(_ text: String) {
        pattern = Array(text.utf8)
    }

    /// Whether the pattern holds no `*`, so that it matches exactly one text.
    package var isLiteral: Bool { !pattern.contains(Glob.asterisk) }

    /// How much a match costs: at most the number of the parts between its `*`, each of which may be looked for at
    /// every place, or more if they are long.
    package var cost: Int {
        let loose = pattern.drop { $0 != Glob.asterisk }
        return 1 + max(loose.count { $0 == Glob.asterisk }, loose.count / 8)
    }

    /// The start of every match: the text before the first `*`.
    package var prefix: String {
        String(decoding: pattern.prefix { $0 != Glob.asterisk }, as: UTF8.self)
    }

    /// Whether the whole text matches. The time is at worst proportional to the product of the lengths.
    package func matches(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { matches($0) }
    }

    /// Walks through both once. On a mismatch, the latest `*` takes one more character.
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
