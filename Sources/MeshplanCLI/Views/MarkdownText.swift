import DefinitionModel

/// Text for Markdown as hosts of git repositories read it (GitHub Flavored Markdown). Names and titles come from
/// definitions that anybody may have proposed, so nothing in them becomes markup, a link or a mention.
enum MarkdownText {
    /// A name or value as code, also for tables. Signs that would end it there are replaced by similar ones.
    static func code(_ text: String) -> String {
        let harmless = text.printable.replacing("`", with: "ʼ").replacing("|", with: "¦").replacing("\\", with: "∖")
        return harmless.trimmed.isEmpty ? "" : "`\(harmless)`"
    }

    /// A sentence, also for tables. What stands between backticks stays code.
    static func prose(_ text: String) -> String {
        let parts = text.printable.split(separator: "`", omittingEmptySubsequences: false)
        // With an odd number of backticks one of them has no end.
        guard parts.count % 2 == 1 else { return escaped(text.printable.replacing("`", with: "ʼ")) }
        return parts.enumerated().map { $0.offset % 2 == 0 ? escaped(String($0.element)) : code(String($0.element)) }
            .joined()
    }

    /// Sentences and lists, a line each.
    static func paragraphs(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { prose(String($0)) }.joined(separator: "\n")
    }

    /// The text in which nothing is markup.
    private static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "@": result += "&#64;"
            case "\\", "*", "_", "[", "]", "|", "#", "~", "!": result += "\\\(Character(scalar))"
            default: result.unicodeScalars.append(scalar)
            }
        }
        // A host would make a link of it.
        return result.replacing("://", with: ":&#47;/")
    }
}
