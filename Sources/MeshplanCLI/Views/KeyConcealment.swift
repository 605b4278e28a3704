extension StringProtocol {
    /// The first characters of a source line, with secrets replaced by `*`: the digits of what looks like a key, 32 or
    /// more hexadecimal digits after a word that ends in “key”, as in `deviceKey: …` or `"key": "…"`; and everything
    /// after `static`, the value with which a device is provisioned.
    ///
    /// Secrets belong neither in a definition nor in a file that is used as one by mistake, such as another tool's
    /// database. Messages that show a line of it must not spread them. UUIDs and labels stay readable, and columns stay
    /// the same.
    ///
    /// - Parameter count: the most characters (Unicode scalars) to return.
    func concealingKeys(first count: Int) -> [Unicode.Scalar] {
        // Enough further characters to recognise a key that the cut would split.
        var scalars = Array(unicodeScalars.prefix(count + 2 + Self.keyDigits))
        concealStaticValues(in: &scalars)
        var isBehindKey = false
        var start = 0
        while start < scalars.count {
            guard scalars[start].isOfWord else {
                start += 1
                continue
            }
            let end = scalars[start...].firstIndex { !$0.isOfWord } ?? scalars.count
            let word = scalars[start..<end]
            let digits = word.starts(with: "0x".unicodeScalars) ? word.dropFirst(2) : word
            if isBehindKey, digits.count >= Self.keyDigits, digits.allSatisfy({ $0.properties.isASCIIHexDigit }) {
                scalars.replaceSubrange(digits.indices, with: repeatElement("*", count: digits.count))
            }
            var name = String.UnicodeScalarView()
            name.append(contentsOf: word.suffix(4))
            let ending = String(name).lowercased()
            isBehindKey = ending.hasSuffix("key") || ending == "keys"
            start = end
        }
        return Array(scalars.prefix(count))
    }

    /// Conceals static values. They have any length and form, so everything after `static:` goes, up to the closing
    /// quote or bracket, or else the end of the entry; except for a mapping, `static: { file: … }`.
    private func concealStaticValues(in scalars: inout [Unicode.Scalar]) {
        let word = Array("static".unicodeScalars)
        var start = 0
        while start + word.count < scalars.count {
            guard scalars[start..<(start + word.count)].elementsEqual(word) else {
                start += 1
                continue
            }
            var place = start + word.count
            start = place
            while place < scalars.count, scalars[place].isOfWord || "\"' \t".unicodeScalars.contains(scalars[place]) {
                place += 1
            }
            guard place < scalars.count, scalars[place] == ":" else { continue }
            place += 1
            while place < scalars.count, scalars[place] == " " || scalars[place] == "\t" { place += 1 }
            guard place < scalars.count, scalars[place] != "{" else { continue }
            let ends: [Unicode.Scalar]
            switch scalars[place] {
            case "\"", "'": ends = [scalars[place]]
            case "[": ends = ["]"]
            default: ends = [",", "]", "}", "#"]
            }
            if ends.count == 1 { place += 1 }
            while place < scalars.count, !ends.contains(scalars[place]) {
                if scalars[place] != " " { scalars[place] = "*" }
                place += 1
            }
            start = place
        }
    }

    /// The number of hexadecimal digits of a key.
    private static var keyDigits: Int { 32 }
}

extension Unicode.Scalar {
    /// Whether the character can be part of a word of YAML or JSON that names a key or is one.
    fileprivate var isOfWord: Bool { properties.isAlphabetic || ("0"..."9").contains(self) || self == "_" }
}
