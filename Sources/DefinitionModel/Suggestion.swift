import MeshCore

/// "Did you mean" for a word that is not among the allowed ones.
package enum Suggestion {
    /// A hint that names the nearest word, if one is near, and all words, if they are few.
    package static func hint(for word: String, among allowed: some Collection<String>, are title: String) -> String? {
        let nearest = nearest(to: word, among: allowed)
        let list: String? =
            allowed.isEmpty
            ? nil : allowed.count <= 24 ? "\(title): \(allowed.sorted().joined(separator: ", "))" : nil
        switch (nearest, list) {
        case (let nearest?, let list?): return "did you mean `\(nearest)`? \(list)".withoutKeys
        case (let nearest?, nil): return "did you mean `\(nearest)`?".withoutKeys
        case (nil, let list): return list?.withoutKeys
        }
    }

    /// The word with the smallest edit distance, at most a third of the length and at most 3, ignoring case; among
    /// equals the first by text. If no word is that near: the only word that begins with this one, such as `all` for
    /// `al`.
    package static func nearest(to word: String, among allowed: some Collection<String>) -> String? {
        let word = Array(word.lowercased().utf8)
        guard (1...64).contains(word.count), word.count * allowed.count <= mostWork else { return nil }
        return similar(to: word, among: allowed) ?? continuation(of: word, among: allowed)
    }

    /// The most octets of a word times words to compare it with. Beyond that, a file full of mistakes takes too long.
    private static let mostWork = 2_000_000

    private static func continuation(of word: [UInt8], among allowed: some Collection<String>) -> String? {
        guard word.count > 1 else { return nil }
        var found: String?
        for candidate in allowed where candidate.lowercased().utf8.starts(with: word) {
            if let found, found != candidate { return nil }
            found = candidate
        }
        return found
    }

    private static func similar(to word: [UInt8], among allowed: some Collection<String>) -> String? {
        var best: (distance: Int, word: String)?
        let limit = min(3, word.count / 3)
        for candidate in allowed where abs(candidate.utf8.count - word.count) <= limit {
            let distance = distance(word, Array(candidate.lowercased().utf8), limit: best?.distance ?? limit)
            guard distance <= limit else { continue }
            if let best, (best.distance, best.word) <= (distance, candidate) { continue }
            best = (distance, candidate)
        }
        return best?.word
    }

    /// The number of insertions, deletions, replacements and swaps of neighbours that turn one text into the other;
    /// more than `limit` if it takes more.
    package static func distance(_ left: [UInt8], _ right: [UInt8], limit: Int) -> Int {
        guard abs(left.count - right.count) <= limit else { return limit + 1 }
        // What both have in common at their ends costs nothing.
        let shorter = min(left.count, right.count)
        let start = (0..<shorter).first { left[$0] != right[$0] } ?? shorter
        let rest = shorter - start
        let end = (0..<rest).first { left[left.count - 1 - $0] != right[right.count - 1 - $0] } ?? rest
        return distance(left[start..<(left.count - end)], right[start..<(right.count - end)], limit: limit)
    }

    private static func distance(_ left: ArraySlice<UInt8>, _ right: ArraySlice<UInt8>, limit: Int) -> Int {
        let (first, width) = (left.startIndex, right.count)
        var beforePrevious = Array(repeating: limit + 1, count: width + 1)
        var current = beforePrevious
        var previous = Array(0...width)
        for row in 0..<left.count {
            // Only what is near the diagonal can be within the limit.
            let columns = max(row - limit, 0)..<max(min(row + limit + 1, width), max(row - limit, 0))
            current[columns.lowerBound] = columns.lowerBound == 0 ? row + 1 : limit + 1
            var smallest = current[columns.lowerBound]
            for column in columns {
                let (one, other) = (left[first + row], right[first + column])
                var cost = previous[column] + (one == other ? 0 : 1)
                cost = min(cost, previous[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, one == right[first + column - 1], left[first + row - 1] == other {
                    cost = min(cost, beforePrevious[column - 1] + 1)
                }
                current[column + 1] = cost
                smallest = min(smallest, cost)
            }
            guard smallest <= limit else { return limit + 1 }
            (beforePrevious, previous, current) = (previous, current, beforePrevious)
        }
        return min(previous[width], limit + 1)
    }
}
