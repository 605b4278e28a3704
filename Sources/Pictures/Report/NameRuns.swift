import Basics

/// Names that only differ in a number, told together: `lamp-1 … 4, lamp-7, switch-1`. Nothing is left out: an ellipsis
/// stands for consecutive numbers.
package enum NameRuns {
    /// A name in two parts.
    private struct Parts {
        var name: String
        var stem: Substring
        /// The digits at its end; nil if there are none, or if zeros stand before them.
        var number: Int?

        init(_ name: String) {
            self.name = name
            let digits = name.reversed().prefix { $0.isASCII && $0.isNumber }.count
            stem = name.dropLast(digits)
            let end = name.suffix(digits)
            number = end.hasPrefix("0") && digits > 1 ? nil : Int(end)
        }
    }

    /// The names in the order of people, runs of at least three of them told together.
    package static func text(_ names: some Collection<String>) -> String {
        let sorted = names.map { ($0, NaturalOrder($0)) }.sorted { $0.1 < $1.1 }.map { Parts($0.0) }
        var texts: [String] = []
        var start = 0
        while start < sorted.count {
            var end = start + 1
            while end < sorted.count, follows(sorted[end], sorted[end - 1]) { end += 1 }
            if end - start > 2, let last = sorted[end - 1].number {
                texts.append("\(sorted[start].name) … \(last)")
            } else {
                texts += sorted[start..<end].map(\.name)
            }
            start = end
        }
        return texts.joined(separator: ", ")
    }

    private static func follows(_ part: Parts, _ previous: Parts) -> Bool {
        guard let number = part.number, let before = previous.number, part.stem == previous.stem else { return false }
        return before < .max && number == before + 1
    }
}
