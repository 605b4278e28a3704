import DefinitionModel

/// Which place a person means by a few keys.
struct PlaceChoice {
    /// What was typed.
    enum Answer: Hashable {
        case place(String)
        /// Several places; more letters are needed, or a number.
        case several([String])
        case nothing(String)
        /// Leave this device out.
        case skip
        /// Show the next device first.
        case another
        /// Take the last assignment back.
        case undo
        /// Let the device blink again.
        case blink
        case help
        case quit
    }

    /// The places without a device, in the order of the definition.
    let open: [String]
    /// How many elements the device of each place has, as far as known.
    let elementCounts: [String: Int]

    /// The places for a device, those that it fits first: the next ones of the definition after the last assigned one,
    /// then those before it.
    ///
    /// - Parameters:
    ///   - elementCount: how many elements the device has; nil if it was not asked.
    ///   - last: how many of the open places stand before the one that was assigned last.
    func places(for elementCount: Int?, after last: Int) -> [String] {
        let start = min(max(last, 0), open.count)
        let ordered = Array(open[start...] + open[..<start])
        guard let elementCount else { return ordered }
        func fits(_ place: String) -> Bool { elementCounts[place].map { $0 == elementCount } ?? true }
        return ordered.filter(fits) + ordered.filter { !fits($0) }
    }

    /// Whether a device fits a place, as far as known.
    func fits(_ place: String, elementCount: Int?) -> Bool {
        guard let elementCount, let expected = elementCounts[place] else { return true }
        return elementCount == expected
    }

    /// What a line means.
    ///
    /// - Parameter shown: the places by their numbers, the first being 1; an empty line means that one.
    static func answer(_ line: String, among shown: [String]) -> Answer {
        let text = line.trimmed
        switch text {
        case "": return shown.first.map { .place($0) } ?? .nothing(text)
        case ".": return .skip
        case ">": return .another
        case "-": return .undo
        case "!": return .blink
        case "?": return .help
        case "q": return .quit
        default: break
        }
        if shown.contains(text) { return .place(text) }
        if let number = Int(text), number > 0, number <= shown.count { return .place(shown[number - 1]) }
        let letters = text.lowercased()
        for matches in [hasPrefix, contains, hasLetters] {
            let meant = shown.filter { matches(Array($0.lowercased().utf8), Array(letters.utf8)) }
            if meant.count == 1 { return .place(meant[0]) }
            if meant.count > 1 { return .several(meant) }
        }
        return .nothing(text)
    }

    private static func hasPrefix(_ place: [UInt8], _ letters: [UInt8]) -> Bool { place.starts(with: letters) }

    private static func contains(_ place: [UInt8], _ letters: [UInt8]) -> Bool {
        place.indices.contains { place[$0...].starts(with: letters) }
    }

    /// Whether the letters occur in their order: `k12` in `kitchen-12`.
    private static func hasLetters(_ place: [UInt8], _ letters: [UInt8]) -> Bool {
        var rest = letters[...]
        for letter in place where letter == rest.first { rest = rest.dropFirst() }
        return rest.isEmpty
    }
}
