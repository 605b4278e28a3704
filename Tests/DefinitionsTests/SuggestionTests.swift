import DefinitionModel
import MeshCore
import TestSupport
import Testing

@Suite("Words that are meant")
struct SuggestionTests {
    /// The whole table of distances, as in books.
    private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var table = Array(repeating: Array(0...right.count), count: left.count + 1)
        for row in 0...left.count {
            table[row][0] = row
            for column in 0...right.count where row > 0 && column > 0 {
                let (one, other) = (left[row - 1], right[column - 1])
                var cost = table[row - 1][column - 1] + (one == other ? 0 : 1)
                cost = min(cost, table[row - 1][column] + 1, table[row][column - 1] + 1)
                if row > 1, column > 1, one == right[column - 2], left[row - 2] == other {
                    cost = min(cost, table[row - 2][column - 2] + 1)
                }
                table[row][column] = cost
            }
        }
        return table[left.count][right.count]
    }

    @Test("Distances are those of the whole table, up to the limit")
    func distances() {
        var random = SplitMix64(seed: 19)
        func word() -> [UInt8] {
            let count = Int.random(in: 0...9, using: &random)
            return (0..<count).map { _ in .random(in: 97...99, using: &random) }
        }
        for _ in 0..<5_000 {
            let (left, right) = (word(), word())
            for limit in 0...3 {
                let expected = min(Self.distance(left, right), limit + 1)
                #expect(Suggestion.distance(left, right, limit: limit) == expected, "\(left) \(right) \(limit)")
            }
        }
    }

    @Test("Long words among very many have no suggestion, which would take too long")
    func work() {
        let words = (0..<50_000).map { "\(String(repeating: "z", count: 45))\($0)" }
        #expect(Suggestion.nearest(to: String(repeating: "z", count: 45) + "x", among: words) == nil)
        #expect(Suggestion.nearest(to: "kitchem", among: words + ["kitchen"]) == "kitchen")
    }
}
