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
        guard (1...64).contains(word.count) else { return nil }
        return similar(to: word, among: allowed) ?? continuation(of: word, among: allowed)
    }

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
        for candidate in allowed {
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
        var beforePrevious: [Int] = []
        var previous = Array(0...right.count)
        for row in 0..<left.count {
            var current = [row + 1]
            current.reserveCapacity(right.count + 1)
            for column in 0..<right.count {
                var cost = previous[column] + (left[row] == right[column] ? 0 : 1)
                cost = min(cost, previous[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
                    cost = min(cost, beforePrevious[column - 1] + 1)
                }
                current.append(cost)
            }
            guard let smallest = current.min(), smallest <= limit else { return limit + 1 }
            (beforePrevious, previous) = (previous, current)
        }
        return previous[right.count]
    }
}
