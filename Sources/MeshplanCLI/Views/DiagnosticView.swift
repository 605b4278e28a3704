import DefinitionModel
import MeshCore

/// Shows each diagnostic as a block: the problem, its place, the line with the place marked, and the remedy.
///
/// On terminals, a rule runs along the left side. Elsewhere there is none, and the first line has the form
/// `FILE:LINE:COLUMN: error: …`, which editors recognise.
struct DiagnosticView {
    /// The texts that locations point into.
    var files = SourceFiles()
    var style: Style

    /// The most blocks; a summary counts the rest.
    static let limit = 100

    /// All diagnostics in reading order, with a summary line; empty if there are none.
    func render(_ diagnostics: [Diagnostic]) -> String {
        guard !diagnostics.isEmpty else { return "" }
        let sorted = files.instances.folded(diagnostics).arranged()
        var text = sorted.prefix(Self.limit).map(render).joined()
        if sorted.count > Self.limit {
            text += "(\(sorted.count - Self.limit) more are not shown; --json shows all)\n"
        }
        if let summary = Self.summary(of: sorted), sorted.count > 1 {
            text += summary + "\n"
        }
        return text
    }

    /// The most warnings to repeat.
    private static let reminderLimit = 10

    /// Repeats warnings, a line each, below output that has pushed them out of sight; empty if there are none.
    func reminder(of warnings: [Diagnostic]) -> String {
        guard !warnings.isEmpty else { return "" }
        let title = warnings.count == 1 ? "1 warning" : "\(warnings.count) warnings"
        var text = style(.warning, title) + ", shown above with what can be done:\n"
        for warning in warnings.prefix(Self.reminderLimit) {
            let location = warning.location.map { position($0) + ": " } ?? ""
            let lines = wrap(location + warning.message.printable, width: max(style.width - 4, 20))
            for (index, line) in lines.enumerated() { text += (index == 0 ? "  " : "    ") + line + "\n" }
        }
        if warnings.count > Self.reminderLimit { text += "  and \(warnings.count - Self.reminderLimit) more\n" }
        return text
    }

    /// “3 errors, 1 warning”; nil if there are neither.
    static func summary(of diagnostics: [Diagnostic]) -> String? {
        let errors = diagnostics.count { $0.severity == .error }
        let warnings = diagnostics.count { $0.severity == .warning }
        let parts = [(errors, "error"), (warnings, "warning")].filter { $0.0 > 0 }.map { count($0.0, $0.1) }
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }

    private func render(_ diagnostic: Diagnostic) -> String {
        let dress: Style.Dress =
            switch diagnostic.severity {
            case .error: .error
            case .warning: .warning
            case .note: .note
            }
        // A note requires no action, so it takes only one line.
        if diagnostic.severity == .note { return note(diagnostic, dress) }
        return style.drawsBoxes ? boxed(diagnostic, dress) : plain(diagnostic, dress)
    }

    private func boxed(_ diagnostic: Diagnostic, _ dress: Style.Dress) -> String {
        let name = Self.names[diagnostic.severity.rawValue]
        let width = max(style.width - 2, 20)
        var lines = wrap(name + ": " + diagnostic.message.printable, width: width).enumerated().map { index, line in
            index == 0
                ? style(dress, String(line.prefix(name.count + 1)))
                    + style(.bold, String(line.dropFirst(name.count + 1)))
                : style(.bold, line)
        }
        if diagnostic.location != nil || diagnostic.resource != nil {
            lines.append("")
            lines += place(diagnostic, dress, withPosition: true)
        }
        let advice = advice(diagnostic.hint, width: width)
        if !advice.isEmpty { lines += [""] + advice }
        let rule = style(dress, "│")
        let body = lines.map { $0.isEmpty ? rule + "\n" : rule + " " + $0 + "\n" }.joined()
        return style(dress, "╷") + "\n" + body + style(dress, "╵") + "\n"
    }

    private func note(_ diagnostic: Diagnostic, _ dress: Style.Dress) -> String {
        let location = diagnostic.location.map { position($0) + ": " } ?? ""
        return location + style(dress, location.isEmpty ? "Note:" : "note:") + " " + diagnostic.message.printable + "\n"
    }

    private func plain(_ diagnostic: Diagnostic, _ dress: Style.Dress) -> String {
        let name = Self.names[diagnostic.severity.rawValue]
        var text = ""
        if let location = diagnostic.location {
            text += "\(position(location)): \(style(dress, name.lowercased())): "
        } else {
            text += style(dress, name) + ": "
        }
        text += style(.bold, diagnostic.message.printable) + "\n"
        for line in place(diagnostic, dress, withPosition: false) { text += "  " + line + "\n" }
        for line in advice(diagnostic.hint, width: max(style.width - 2, 20)) { text += "  " + line + "\n" }
        return text
    }

    /// The lines of a hint. A command in it may have a line of its own.
    private func advice(_ hint: Advice?, width: Int) -> [String] {
        (hint?.worded ?? "").asSentence.split(separator: "\n").flatMap { wrap(String($0).printable, width: width) }
            .filter { !$0.isEmpty }
    }

    private static let names = ["Note", "Warning", "Error"]

    private func position(_ location: SourceLocation) -> String {
        "\(files.path(of: location).printable):\(location.line):\(location.column)"
    }

    private func place(_ diagnostic: Diagnostic, _ dress: Style.Dress, withPosition: Bool) -> [String] {
        var lines: [String] = []
        if let resource = diagnostic.resource { lines.append("with " + resource.printable) }
        if let location = diagnostic.location {
            if withPosition { lines.append("on " + position(location)) }
            if !diagnostic.concealsSource { lines += snippet(at: location, length: diagnostic.length, dress) }
        }
        for related in diagnostic.related {
            lines.append("\(related.message.printable): \(position(related.location))")
            if !diagnostic.concealsSource { lines += snippet(at: related.location, length: 1, .faint) }
        }
        return lines
    }

    /// The source line and the marks below it. A long line is cut around the place.
    private func snippet(at location: SourceLocation, length: Int, _ dress: Style.Dress) -> [String] {
        guard let line = files.line(of: location) else { return [] }
        let number = String(location.line)
        let bar = style.drawsBoxes ? "│" : "|"
        let excerpt = Excerpt(
            of: line.text,
            skipped: line.skipped,
            column: Int(location.column),
            length: length,
            width: max(style.width - number.count - 8, 20),
            ellipsis: style.drawsBoxes ? "…" : "..."
        )
        return [
            "  \(number) \(bar) \(excerpt.text)",
            "  \(String(repeating: " ", count: number.count)) \(bar) \(excerpt.indent)\(style(dress, excerpt.marks))",
        ]
    }
}

/// The part of a source line around a place, with marks for the line below.
struct Excerpt {
    /// The part, with tabs expanded, and with control characters and keys replaced.
    var text: String
    /// The spaces in front of the marks.
    var indent: String
    /// As many `^` as the place is wide.
    var marks: String

    /// Cuts out the part.
    ///
    /// - Parameters:
    ///   - source: the line, from its start or from not too far before the place on.
    ///   - skipped: the characters before that.
    ///   - column: the place's first character (Unicode scalar), from 1. A column beyond the line means its end.
    ///   - length: the number of characters of the place, at least 1.
    ///   - width: the most columns of the part.
    ///   - ellipsis: replaces what is cut off. At the end, it comes on top of the width.
    init(of source: String, skipped: Int = 0, column: Int, length: Int, width: Int, ellipsis: String = "…") {
        let column = column - skipped
        var cells: [(text: String, width: Int)] = []
        var columns = 0
        for scalar in source.concealingKeys(first: column + width) {
            let cell: (String, Int) =
                if scalar == "\t" {
                    (String(repeating: " ", count: 4 - columns % 4), 4 - columns % 4)
                } else if scalar.isHarmless {
                    (String(scalar), scalar.displayWidth)
                } else {
                    ("\u{FFFD}", 1)
                }
            cells.append(cell)
            columns += cell.1
        }
        let first = min(max(column - 1, 0), cells.count)
        let last = min(first + max(length, 1), cells.count)
        var start = 0
        var before = cells[..<first].reduce(0) { $0 + $1.width }
        let marked = max(cells[first..<last].reduce(0) { $0 + $1.width }, 1)
        // Keeps room for the mark by cutting in front of it first.
        let room = max(width - min(marked, width / 2) - ellipsis.count, 1)
        while before > room, start < first {
            before -= cells[start].width
            start += 1
        }
        let isCut = start > 0 || skipped > 0
        text = isCut ? ellipsis : ""
        var used = isCut ? ellipsis.count : 0
        indent = String(repeating: " ", count: before + used)
        for cell in cells[start...] {
            guard used + cell.width <= width else {
                text += ellipsis
                break
            }
            text += cell.text
            used += cell.width
        }
        marks = String(repeating: "^", count: min(marked, max(width - before, 1)))
    }
}
