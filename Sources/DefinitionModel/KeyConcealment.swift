extension StringProtocol {
    /// The first characters of a source line, with secrets replaced by `*`: what looks like a key, wherever it stands
    /// and however it is written, everything after `static`, the value with which a device is provisioned, after the
    /// usual names of secrets, and the password of an address.
    ///
    /// Secrets belong neither in a definition nor in a file that is used as one by mistake, such as another tool's
    /// database. Messages that show a line of it must not spread them. UUIDs with their hyphens or behind their name
    /// stay readable, and columns stay the same.
    ///
    /// - Parameter count: the most characters (Unicode scalars) to return.
    package func concealingKeys(first count: Int) -> [Unicode.Scalar] {
        // Enough further characters to recognise a key that the cut would split.
        var scalars = Array(unicodeScalars.prefix(count + KeyShapes.longest))
        concealNamedValues(in: &scalars)
        concealPasswords(in: &scalars)
        KeyShapes.conceal(in: &scalars)
        return Array(scalars.prefix(count))
    }

    /// The text with what looks like a key replaced by `*`.
    package var withoutKeys: String {
        var text = String.UnicodeScalarView()
        text.append(contentsOf: concealingKeys(first: unicodeScalars.count))
        return String(text)
    }

    /// Conceals static values, passwords and tokens. They have any length and form, so everything after the name and
    /// `:` goes, up to the closing quote or bracket, or else the end of the entry; except for a mapping,
    /// `static: { file: … }`. After `=`, as in `password=…`, the value ends with the word or at `&`.
    private func concealNamedValues(in scalars: inout [Unicode.Scalar]) {
        let words = ["static", "password", "passphrase", "token"].map { Array($0.unicodeScalars) }
        var start = 0
        while start < scalars.count {
            guard let word = words.first(where: { scalars[start...].starts(with: $0, by: { $0.isLetter($1) }) }) else {
                start += 1
                continue
            }
            var index = start + word.count
            start = index
            // Prose has the other names, too.
            let between = word == words[0] ? "\"' \t" : "\"'"
            while index < scalars.count, scalars[index].isOfWord || between.unicodeScalars.contains(scalars[index]) {
                index += 1
            }
            guard index < scalars.count, scalars[index] == ":" || scalars[index] == "=" else { continue }
            let isAssigned = scalars[index] == "="
            index += 1
            while !isAssigned, index < scalars.count, scalars[index] == " " || scalars[index] == "\t" { index += 1 }
            guard index < scalars.count, scalars[index] != "{" else { continue }
            let ends: [Unicode.Scalar]
            switch scalars[index] {
            case "\"", "'": ends = [scalars[index]]
            case _ where isAssigned: ends = [" ", "\t", "&", "\"", "'", "`"]
            case "[": ends = ["]"]
            default: ends = [",", "]", "}", "#"]
            }
            if ends.count == 1 { index += 1 }
            while index < scalars.count, !ends.contains(scalars[index]) {
                if scalars[index] != " " { scalars[index] = "*" }
                index += 1
            }
            start = index
        }
    }

    /// Conceals the passwords of addresses, `scheme://user:password@host`, also if the scheme is missing or misspelt.
    private func concealPasswords(in scalars: inout [Unicode.Scalar]) {
        for word in scalars.indices.split(whereSeparator: { " \t".unicodeScalars.contains(scalars[$0]) }) {
            let scheme = word.first { scalars[$0..<word.endIndex].starts(with: "://".unicodeScalars) }
            // Without a scheme, what stands between other quotes is another text.
            let quotes = scheme == nil ? "\"'`" : ""
            for part in word.split(whereSeparator: { quotes.unicodeScalars.contains(scalars[$0]) }) {
                let start = scheme.map { $0 + 3 } ?? part.startIndex
                guard let last = part.last(where: { scalars[$0] == "@" }), start < last,
                    let colon = scalars[start..<last].firstIndex(of: ":")
                else { continue }
                scalars.conceal((colon + 1)..<last)
            }
        }
    }
}

extension Unicode.Scalar {
    /// Whether the character can be part of a word of YAML or JSON that names a key or is one.
    fileprivate var isOfWord: Bool { properties.isAlphabetic || ("0"..."9").contains(self) || self == "_" }

    /// Whether the character is that small letter, or its capital.
    fileprivate func isLetter(_ letter: Unicode.Scalar) -> Bool { self == letter || value | 0x20 == letter.value }
}

/// Finds what looks like a key of 16 octets or more.
private enum KeyShapes {
    /// The most characters that one key takes: 32 digits in pairs, each with a prefix and a separator.
    static let longest = 32 * 3 + 64

    /// One less than the digits of a key, since a key is often copied without its first or last digit.
    private static let fewestDigits = 31

    static func conceal(in scalars: inout [Unicode.Scalar]) {
        concealDecimals(in: &scalars)
        // Base64 may end within a key in digits, of which the rest would be too short to be one.
        let original = scalars
        concealBase64(in: &scalars)
        let runs = digitRuns(in: original)
        var place = 0
        while place < runs.count {
            let run = runs[place]
            if run.count >= fewestDigits {
                if run.count != 32 || !["uuid", "label"].contains(where: word(before: run, in: original).hasSuffix) {
                    scalars.conceal(run)
                }
                place += 1
                continue
            }
            let group = group(at: place, of: runs, in: original)
            if group.count * run.count >= fewestDigits { for run in group { scalars.conceal(run) } }
            let uuid = runs[place...].prefix(5)
            if uuid.map(\.count) == [8, 4, 4, 4, 12], uuid[place].lowerBound + 36 == uuid[place + 4].upperBound,
                ["key", "keys", "secret"].contains(where: word(before: run, in: original).hasSuffix)
            {
                for run in uuid { scalars.conceal(run) }
            }
            place += group.count
        }
    }

    /// The runs of hexadecimal digits, without those of prefixes `0x`.
    private static func digitRuns(in scalars: [Unicode.Scalar]) -> [Range<Int>] {
        var runs: [Range<Int>] = []
        var start = 0
        while start < scalars.count {
            guard scalars[start].isHexDigit else {
                start += 1
                continue
            }
            let end = scalars[start...].firstIndex { !$0.isHexDigit } ?? scalars.count
            let isPrefix = end == start + 1 && scalars[start] == "0" && end < scalars.count && scalars[end] == "x"
            if !isPrefix { runs.append(start..<end) }
            start = end
        }
        return runs
    }

    /// The runs from one on that are as long as it, with no more than separators in between.
    private static func group(
        at index: Int,
        of runs: [Range<Int>],
        in scalars: [Unicode.Scalar]
    ) -> ArraySlice<Range<Int>> {
        let size = runs[index].count
        guard [2, 4, 8, 16].contains(size) else { return runs[index...index] }
        var end = index + 1
        while end < runs.count, runs[end].count == size,
            scalars[runs[end - 1].upperBound..<runs[end].lowerBound].separates(size)
        {
            end += 1
        }
        return runs[index..<end]
    }

    /// The letters in front of a run, but for what separates a value from its key.
    private static func word(before run: Range<Int>, in scalars: [Unicode.Scalar]) -> String {
        var end = run.lowerBound
        while end > 0, " \t:=\"'{[".unicodeScalars.contains(scalars[end - 1]) { end -= 1 }
        var start = end
        while start > 0, end - start < 8, scalars[start - 1].isOfWord { start -= 1 }
        var word = String.UnicodeScalarView()
        word.append(contentsOf: scalars[start..<end])
        return String(word).lowercased()
    }

    /// Conceals octets as decimal numbers, as programs list them. Numbers that only grow are counted, not drawn.
    private static func concealDecimals(in scalars: inout [Unicode.Scalar]) {
        var octets: [(place: Range<Int>, value: Int)] = []
        func concealList() {
            let values = octets.map(\.value)
            if values.count >= fewestDigits / 2, values != values.sorted() {
                for octet in octets { scalars.conceal(octet.place) }
            }
            octets = []
        }
        var start = 0
        while start < scalars.count {
            let end = scalars[start...].firstIndex { !("0"..."9").contains($0) } ?? scalars.count
            let digits = String(String.UnicodeScalarView(scalars[start..<end].prefix(4)))
            if let value = Int(digits), value < 256, digits.utf8.count < 4 {
                octets.append((start..<end, value))
            } else if start < end || !", \t[(".unicodeScalars.contains(scalars[start]) {
                concealList()
            }
            start = Swift.max(end, start + 1)
        }
        concealList()
    }

    /// Conceals 16 and 32 octets in base64, and whatever is tagged as binary.
    private static func concealBase64(in scalars: inout [Unicode.Scalar]) {
        var start = 0
        var isTagged = false
        while start < scalars.count {
            guard scalars[start].isBase64 else {
                start += 1
                continue
            }
            let end = scalars[start...].firstIndex { !$0.isBase64 } ?? scalars.count
            let padding = scalars[end...].prefix { $0 == "=" }.count
            let run = scalars[start..<end]
            // Without padding only what looks drawn is a key, not a word.
            let isMixed =
                run.contains { $0.properties.isUppercase } && run.contains { $0.properties.isLowercase }
                && run.contains { ("0"..."9").contains($0) }
            let isBase32 =
                [26, 52].contains(run.count) && run.allSatisfy(\.isBase32)
                && (padding > 2 || run.count { ("2"..."7").contains($0) } > 2)
            let isKey =
                isBase32 || run.count == 22 && (padding == 2 || padding == 0 && isMixed)
                || run.count == 43 && (padding == 1 || padding == 0 && isMixed)
            if isTagged || isKey { scalars.conceal(start..<(end + padding)) }
            isTagged =
                start >= 2 && scalars[start - 1] == "!" && scalars[start..<end].elementsEqual("binary".unicodeScalars)
            start = end + padding
        }
    }
}

extension [Unicode.Scalar] {
    fileprivate mutating func conceal(_ range: Range<Int>) {
        for index in range { self[index] = "*" }
    }
}

extension ArraySlice<Unicode.Scalar> {
    /// Whether it may stand between two parts of a key that have so many digits: signs of any kind, for single octets
    /// also a prefix such as `0x`. Longer parts in lists are addresses. Those of four digits may be escapes: `\u00a3`.
    fileprivate func separates(_ size: Int) -> Bool {
        guard (1...4).contains(count) else { return false }
        switch size {
        case 2: return allSatisfy { !$0.isOfWord || "_x0".unicodeScalars.contains($0) }
        case 4 where elementsEqual("\\u".unicodeScalars): return true
        default: return allSatisfy { !$0.isOfWord && !",;()[]{}<>\"'`\\".unicodeScalars.contains($0) || $0 == "_" }
        }
    }
}

extension Unicode.Scalar {
    /// Also a wide one, as typed with an East Asian keyboard.
    fileprivate var isHexDigit: Bool { properties.isHexDigit }

    fileprivate var isBase32: Bool { ("A"..."Z").contains(self) || ("2"..."7").contains(self) }

    fileprivate var isBase64: Bool {
        isASCII && properties.isAlphabetic || ("0"..."9").contains(self) || "+/-_".unicodeScalars.contains(self)
    }
}
