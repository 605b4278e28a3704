/// The words after the name of a benchmark.
struct BenchmarkArguments {
    private let usage: String
    private var words: ArraySlice<String>

    /// The arguments, and the usage line for errors.
    init(_ usage: String, _ words: [String]) {
        self.usage = usage
        self.words = words[...]
    }

    /// The next word as a whole number, or `usual` if there is none.
    ///
    /// - Throws: ``BenchmarkFailure`` if the word is not a number in the range.
    mutating func number(or usual: Int, in range: ClosedRange<Int>) throws -> Int {
        guard let word = words.popFirst() else { return usual }
        guard let number = Int(word), range.contains(number) else {
            throw BenchmarkFailure.usage(
                "\(usage)\n`\(word)` is no number from \(range.lowerBound) to \(range.upperBound)."
            )
        }
        return number
    }

    /// The next word; nil if there is none.
    mutating func word() -> String? { words.popFirst() }

    /// Ends the arguments.
    ///
    /// - Throws: ``BenchmarkFailure`` if words are left.
    func end() throws {
        if let word = words.first { throw BenchmarkFailure.usage("\(usage)\n`\(word)` is one word too many.") }
    }
}
