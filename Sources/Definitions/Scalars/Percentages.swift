import MeshCore

/// Scalars that are percentages.
enum Percentages {
    /// `30%`: 0 to 100.
    static func percentage(_ text: String) throws(ScalarProblem) -> Int {
        let digits = text.dropLast()
        guard text.hasSuffix("%"), let value = Int(digits), (0...100).contains(value),
            digits.utf8.allSatisfy(Numbers.isDigit)
        else { throw ScalarProblem("\(quoted(text)) is not a share", hint: "write a percentage from 0% to 100%") }
        return value
    }
}
