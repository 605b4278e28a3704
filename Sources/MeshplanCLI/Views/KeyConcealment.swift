extension StringProtocol {
    /// The first characters of a source line, with `*` for the digits of what looks like a key: 32 or more hexadecimal
    /// digits behind a word that ends in “key”, as in `deviceKey: …` or `"key": "…"`.
    ///
    /// Keys belong neither into a definition nor into what is given as one by mistake, such as the database of another
    /// tool; messages that show a line of it must not spread them. UUIDs and labels stay readable. The columns stay the
    /// same.
    ///
    /// - Parameter count: how many characters (Unicode scalars) to return at most.
    func concealingKeys(first count: Int) -> [Unicode.Scalar] {
        // So many more that digits at the cut still make up a key.
        var scalars = Array(unicodeScalars.prefix(count + 2 + Self.keyDigits))
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

    /// The hexadecimal digits of a key.
    private static var keyDigits: Int { 32 }
}

extension Unicode.Scalar {
    /// Whether it is part of a word of YAML or JSON that can name a key or be one.
    fileprivate var isOfWord: Bool { properties.isAlphabetic || ("0"..."9").contains(self) || self == "_" }
}
