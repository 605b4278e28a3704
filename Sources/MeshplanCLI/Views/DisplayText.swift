import DefinitionModel
import MeshCore

extension String {
    /// The text without characters that move the cursor, start an escape sequence or change the writing direction.
    /// Definitions and databases from elsewhere may contain such characters. Tabs become single spaces.
    var printable: String {
        guard unicodeScalars.contains(where: { $0 == "\t" || !$0.isHarmless }) else { return self }
        var view = UnicodeScalarView()
        for scalar in unicodeScalars { view.append(scalar == "\t" ? " " : scalar.isHarmless ? scalar : "\u{FFFD}") }
        return String(view)
    }

    /// The text with a capital at the start and a full stop at the end, unless a command, a path or code stands there.
    var asSentence: String {
        guard let first, let last else { return self }
        let isCommand = hasPrefix("meshplan ") || hasPrefix("chmod ")
        // A name of a file, perhaps with a place in it. Other words have no such marks inside.
        let word = prefix { !$0.isWhitespace }
        let isPath = word.dropLast().contains { $0 == "." || $0 == ":" }
        var text = first.isLowercase && !isCommand && !isPath ? first.uppercased() + dropFirst() : self
        if let question = text.firstRange(of: "? "), question.upperBound < text.endIndex {
            let next = question.upperBound
            text.replaceSubrange(next...next, with: text[next].uppercased())
        }
        let endsInWord = last.isLetter || last == ")"
        return endsInWord && !contains(": meshplan ") && !isCommand ? text + "." : text
    }

    /// The columns that the printable text takes on a terminal.
    var displayWidth: Int { unicodeScalars.reduce(0) { $0 + $1.displayWidth } }

    /// The text, filled up with spaces to `width` columns.
    func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(width - displayWidth, 0))
    }

    /// The text with spaces in front, to align numbers in a column.
    func leftPadded(to width: Int) -> String {
        String(repeating: " ", count: max(width - displayWidth, 0)) + self
    }
}

extension Unicode.Scalar {
    /// Whether it controls neither the terminal nor the writing direction.
    var isHarmless: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .surrogate: false
        case .format: self == "\u{200D}"
        default: true
        }
    }

    /// The columns on a terminal: none for combining marks, two for wide characters (Unicode Standard Annex 11),
    /// otherwise one.
    var displayWidth: Int {
        if value < 0x300 { return 1 }
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: break
        }
        if properties.isEmojiPresentation { return 2 }
        return Self.wideRanges.contains { $0.contains(value) } ? 2 : 1
    }

    /// The blocks of East Asian wide and fullwidth characters.
    private static let wideRanges: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
        0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,
        0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1F9FF, 0x20000...0x3FFFD,
    ]
}

/// Breaks text at spaces into lines of at most `width` columns. Longer words stay whole. So do lines that begin with
/// two spaces: those are commands, and a line break would make two commands of one.
func wrap(_ text: String, width: Int) -> [String] {
    var lines: [String] = []
    for paragraph in text.split(separator: "\n", omittingEmptySubsequences: false) {
        guard !paragraph.hasPrefix("  ") else {
            lines.append(String(paragraph))
            continue
        }
        var line = ""
        var columns = 0
        for word in paragraph.split(separator: " ") {
            let needed = String(word).displayWidth
            if columns > 0, columns + 1 + needed > width {
                lines.append(line)
                line = ""
                columns = 0
            }
            if columns > 0 {
                line += " "
                columns += 1
            }
            line += word
            columns += needed
        }
        lines.append(line)
    }
    return lines
}

/// “1 change”, “2 changes”.
func count(_ number: Int, _ noun: String, plural: String? = nil) -> String {
    "\(number) \(number == 1 ? noun : plural ?? noun + "s")"
}

extension DurationText {
    /// A duration, rounded to milliseconds.
    static func text(_ duration: Duration) -> String {
        text(milliseconds: Int(clamping: duration.microseconds / 1_000))
    }
}
