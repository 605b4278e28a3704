extension StringProtocol {
    /// The first characters of a source line, with `*` for the digits of what looks like a key: 32 or more hexadecimal
    /// digits behind a word that ends in “key”, as in `deviceKey: …` or `"key": "…"`; and with `*` for whatever stands
    /// behind `static`, the value that a device is provisioned with.
    ///
    /// Secrets belong neither into a definition nor into what is given as one by mistake, such as the database of another
    /// tool; messages that show a line of it must not spread them. UUIDs and labels stay readable. The columns stay the
    /// same.
    ///
    /// - Parameter count: how many characters (Unicode scalars) to return at most.
    func concealingKeys(first count: Int) -> [Unicode.Scalar] {
        // So many more that digits at the cut still make up a key.
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

    /// Static values can have any length and form, so everything behind `static:` is concealed up to the closing quote or
    /// bracket or else the end of the entry, unless it is a mapping, `static: { file: … }`.
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

    /// The hexadecimal digits of a key.
    private static var keyDigits: Int { 32 }
}

extension Unicode.Scalar {
    /// Whether it is part of a word of YAML or JSON that can name a key or be one.
    fileprivate var isOfWord: Bool { properties.isAlphabetic || ("0"..."9").contains(self) || self == "_" }
}
