/// Text for XML and HTML.
enum MarkupText {
    /// A text in which nothing is markup. Control characters that XML does not allow become U+FFFD.
    static func escaped(_ text: String) -> String {
        var result = ""
        result.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            case "\t", "\n", "\r": result.unicodeScalars.append(scalar)
            case "\0"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{FFFE}", "\u{FFFF}": result += "\u{FFFD}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// A text of at most so many characters; what is longer ends with an ellipsis.
    static func shortened(_ text: String, to length: Int) -> String {
        text.count <= length ? text : text.prefix(max(length - 1, 0)) + "…"
    }
}
