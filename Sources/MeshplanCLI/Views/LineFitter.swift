/// Breaks lines that are wider than a terminal, at spaces. What follows is indented by four more columns than the line.
///
/// Words stay whole, and so do commands on lines of their own, which somebody may copy.
struct LineFitter {
    /// The columns of the terminal.
    let width: Int
    /// Whether the line so far has no end, as that of a question.
    private var isWithinLine = false

    init(width: Int) {
        self.width = width
    }

    mutating func fitted(_ text: String) -> String {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { String($0) }
        for index in lines.indices where index > 0 || !isWithinLine { lines[index] = broken(lines[index]) }
        // A line that was cleared begins again.
        isWithinLine = lines.last.map { !$0.isEmpty && !$0.hasSuffix("\u{1B}[K") } ?? false
        return lines.joined(separator: "\n")
    }

    /// What follows begins a line, because somebody has ended that of a question with Return.
    mutating func takeAnswer() { isWithinLine = false }

    private func broken(_ line: String) -> String {
        // A line that overwrites itself has its own measure.
        guard line.utf8.count > width, !line.contains("\r"), !line.contains("\u{1B}[K"), Self.columns(line) > width
        else {
            return line
        }
        let indent = line.prefix { $0 == " " }.count
        let content = line.dropFirst(indent)
        guard !["meshplan ", "sudo ", "chmod ", "$ "].contains(where: { content.hasPrefix($0) }) else { return line }
        let hanging = min(indent + 4, width / 2)
        var text = String(repeating: " ", count: indent)
        var column = indent
        var spaces = 0
        for word in content.split(separator: " ", omittingEmptySubsequences: false) {
            defer { spaces += 1 }
            guard !word.isEmpty else { continue }
            let columns = Self.columns(word)
            if column > indent, column + spaces + columns > width {
                text += "\n" + String(repeating: " ", count: hanging) + word
                column = hanging + columns
            } else {
                text += String(repeating: " ", count: spaces) + word
                column += spaces + columns
            }
            spaces = 0
        }
        return text
    }

    /// The columns of a text that may have colours.
    static func columns(_ text: some StringProtocol) -> Int {
        var columns = 0
        var isInSequence = false
        for scalar in text.unicodeScalars {
            if isInSequence {
                // The last character of a control sequence (ECMA-48 5.4), of which `[` is none.
                if (0x40...0x7E).contains(scalar.value), scalar != "[" { isInSequence = false }
            } else if scalar == "\u{1B}" {
                isInSequence = true
            } else {
                columns += scalar.displayWidth
            }
        }
        return columns
    }
}
