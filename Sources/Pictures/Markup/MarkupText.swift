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

    /// A text of at most so many columns; what is longer ends with an ellipsis. Wide characters take two columns.
    static func shortened(_ text: String, to length: Int) -> String {
        guard columns(text) > length else { return text }
        var result = ""
        var room = max(length - 1, 0)
        for character in text {
            room -= columns(character)
            guard room >= 0 else { break }
            result.append(character)
        }
        return result + "…"
    }

    /// How many columns a text takes where each Latin letter takes one.
    static func columns(_ text: String) -> Int { text.reduce(0) { $0 + columns($1) } }

    private static func columns(_ character: Character) -> Int {
        switch character.unicodeScalars.first?.value ?? 0 {
        case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60,
            0x1F300...0x1FAFF, 0x20000...0x3FFFD:
            2
        default: 1
        }
    }
}
