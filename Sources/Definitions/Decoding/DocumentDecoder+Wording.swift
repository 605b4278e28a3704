import DefinitionModel
import MeshCore

extension DocumentDecoder {
    /// `title` or `description` of anything.
    mutating func decodeWording(_ field: MappingEntry, into wording: inout Wording) {
        if field.keyword == .title {
            wording.title = scalar(field.value, "a title", Words.shownTitle)
        } else {
            wording.description = scalar(field.value, "a description", Words.description)
        }
    }
}

extension Words {
    /// What people call something: any text on one line.
    fileprivate static func shownTitle(_ text: String) throws(ScalarProblem) -> String {
        try checkVisible(text, "a title")
        guard WordingText.isTitle(text) else {
            throw ScalarProblem(
                "\(quoted(text)) cannot be a title",
                hint: "a title is one line of 1 to \(WordingText.longestTitle) characters, not only spaces"
            )
        }
        return text
    }

    /// What else there is to know: any text.
    fileprivate static func description(_ text: String) throws(ScalarProblem) -> String {
        try checkVisible(text.split(separator: "\n").joined(), "a description")
        guard text.unicodeScalars.count <= WordingText.longestDescription else {
            throw ScalarProblem(
                "the description is longer than \(WordingText.longestDescription) characters",
                hint: "keep the rest in a comment"
            )
        }
        return text
    }

    private static func checkVisible(_ text: String, _ noun: String) throws(ScalarProblem) {
        guard let scalar = WordingText.problem(in: text) else { return }
        let digits = String(scalar.value, radix: 16, uppercase: true)
        throw ScalarProblem(
            "\(noun) cannot hold the character U+\(String(repeating: "0", count: max(0, 4 - digits.count)) + digits)",
            hint: "take it out: it is invisible, breaks the line, or changes the writing direction"
        )
    }
}
