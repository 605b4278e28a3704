extension StringProtocol {
    /// The first characters of a source line, with secrets replaced by `*`: what looks like a key, wherever it stands
    /// and however it is written, and everything after `static`, the value with which a device is provisioned.
    ///
    /// Secrets belong neither in a definition nor in a file that is used as one by mistake, such as another tool's
    /// database. Messages that show a line of it must not spread them. UUIDs with their hyphens or behind their name
    /// stay readable, and columns stay the same.
    ///
    /// - Parameter count: the most characters (Unicode scalars) to return.
    package func concealingKeys(first count: Int) -> [Unicode.Scalar] {
        // Enough further characters to recognise a key that the cut would split.
        var scalars = Array(unicodeScalars.prefix(count + KeyShapes.longest))
        concealStaticValues(in: &scalars)
        KeyShapes.conceal(in: &scalars)
        return Array(scalars.prefix(count))
    }

    /// The text with what looks like a key replaced by `*`.
    package var withoutKeys: String {
        var text = String.UnicodeScalarView()
        text.append(contentsOf: concealingKeys(first: unicodeScalars.count))
        return String(text)
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
}

extension Unicode.Scalar {
    /// Whether the character can be part of a word of YAML or JSON that names a key or is one.
    fileprivate var isOfWord: Bool { properties.isAlphabetic || ("0"..."9").contains(self) || self == "_" }
}

/// Finds what looks like a key of 16 octets or more.
private enum KeyShapes {
    /// The most characters that one key takes: 32 digits in pairs, each with a prefix and a separator.
    static let longest = 32 * 3 + 64

    /// One less than the digits of a key, since a key is often copied without its first or last digit.
    private static let fewestDigits = 31

    static func conceal(in scalars: inout [Unicode.Scalar]) {
        concealBase64(in: &scalars)
        let runs = digitRuns(in: scalars)
        var place = 0
        while place < runs.count {
            let run = runs[place]
            if run.count >= fewestDigits {
                if run.count != 32 || !["uuid", "label"].contains(where: word(before: run, in: scalars).hasSuffix) {
                    scalars.conceal(run)
                }
                place += 1
                continue
            }
            let group = group(at: place, of: runs, in: scalars)
            if group.count * run.count >= fewestDigits { for run in group { scalars.conceal(run) } }
            let uuid = runs[place...].prefix(5)
            if uuid.map(\.count) == [8, 4, 4, 4, 12], uuid[place].lowerBound + 36 == uuid[place + 4].upperBound,
                ["key", "keys", "secret"].contains(where: word(before: run, in: scalars).hasSuffix)
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
        at place: Int,
        of runs: [Range<Int>],
        in scalars: [Unicode.Scalar]
    ) -> ArraySlice<Range<Int>> {
        let size = runs[place].count
        guard [2, 4, 8, 16].contains(size) else { return runs[place...place] }
        var end = place + 1
        while end < runs.count, runs[end].count == size,
            scalars[runs[end - 1].upperBound..<runs[end].lowerBound].separates(size)
        {
            end += 1
        }
        return runs[place..<end]
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
            let isKey = (end - start, padding) == (22, 2) || (end - start, padding) == (43, 1)
            if isTagged || isKey { scalars.conceal(start..<(end + padding)) }
            isTagged =
                start >= 2 && scalars[start - 1] == "!" && scalars[start..<end].elementsEqual("binary".unicodeScalars)
            start = end + padding
        }
    }
}

extension [Unicode.Scalar] {
    fileprivate mutating func conceal(_ range: Range<Int>) {
        for place in range { self[place] = "*" }
    }
}

extension ArraySlice<Unicode.Scalar> {
    /// Whether it may stand between two parts of a key that have so many digits. Only single octets stand in lists, as
    /// programs write them; longer parts there are addresses.
    fileprivate func separates(_ size: Int) -> Bool {
        let signs = size == 2 ? " :-.,;_\t\\x0\"'" : " :-._\t"
        return (1...4).contains(count) && allSatisfy(signs.unicodeScalars.contains)
    }
}

extension Unicode.Scalar {
    fileprivate var isHexDigit: Bool { properties.isASCIIHexDigit }

    fileprivate var isBase64: Bool {
        isASCII && properties.isAlphabetic || ("0"..."9").contains(self) || "+/-_".unicodeScalars.contains(self)
    }
}
