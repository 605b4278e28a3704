import MeshCore

/// A value as text of a definition, before its layout: on one line if it fits, else on several.
package indirect enum DefinitionValue: Sendable {
    /// A scalar, already quoted if necessary.
    case word(String)
    case list([DefinitionValue])
    /// A mapping. Its keys are in the order in which they are written, already quoted if necessary.
    case fields([Field])
    /// A mapping that takes several lines unless it is empty.
    case section([Field])

    /// An entry of a mapping.
    package struct Field: Sendable {
        package var key: String
        package var value: DefinitionValue

        package init(_ key: String, _ value: DefinitionValue) {
            self.key = key
            self.value = value
        }
    }

    /// A scalar that every reader takes for exactly this text.
    package static func text(_ text: String) -> DefinitionValue { .word(quotedIfNeeded(text)) }

    /// `on` or `off`.
    package static func state(_ isOn: Bool) -> DefinitionValue { .word(isOn ? "on" : "off") }

    /// A list of scalars made by ``text(_:)``.
    package static func texts(_ texts: [String]) -> DefinitionValue { .list(texts.map { .text($0) }) }

    /// The longest line, in columns, where lines can be broken.
    private static let width = 120

    /// The value on one line.
    package var flow: String {
        switch self {
        case .word(let text): return text
        case .list(let items): return "[\(items.map(\.flow).joined(separator: ", "))]"
        case .fields(let fields), .section(let fields):
            guard !fields.isEmpty else { return "{}" }
            return "{ \(fields.map { "\($0.key): \($0.value.flow)" }.joined(separator: ", ")) }"
        }
    }

    private var isSection: Bool {
        switch self {
        case .word: false
        case .list(let items): items.contains(where: \.isSection)
        case .fields(let fields): fields.contains(where: \.value.isSection)
        case .section(let fields): !fields.isEmpty
        }
    }
}

extension DefinitionValue.Field {
    /// Appends the entry as lines of YAML, each with its line break.
    package func write(to text: inout String, indent: Int = 0) {
        let margin = String(repeating: " ", count: indent)
        let start = "\(margin)\(key): "
        if let line = value.line(behind: start) {
            text += line
            return
        }
        switch value {
        case .word: break
        case .list(let items):
            if items.allSatisfy(\.isWord) {
                text += "\(margin)\(key):\n"
                DefinitionValue.write(words: items, to: &text, indent: indent + 2)
            } else {
                text += "\(margin)\(key):\n"
                for item in items { item.writeItem(to: &text, indent: indent + 2) }
            }
        case .fields(let fields), .section(let fields):
            text += "\(margin)\(key):\n"
            for field in fields { field.write(to: &text, indent: indent + 2) }
        }
    }
}

extension DefinitionValue {
    private var isWord: Bool { if case .word = self { true } else { false } }

    /// The whole line that begins with `start`; nil if the value needs several lines.
    private func line(behind start: String) -> String? {
        if isSection { return nil }
        let line = start + flow
        if isWord || line.utf8.count <= Self.width { return line + "\n" }
        if case .list(let items) = self, items.isEmpty { return line + "\n" }
        return nil
    }

    /// Appends an item of a list after its hyphen.
    private func writeItem(to text: inout String, indent: Int) {
        let margin = String(repeating: " ", count: indent)
        if let line = line(behind: margin + "- ") {
            text += line
            return
        }
        guard case .fields(let fields) = self else {
            text += "\(margin)- \(flow)\n"
            return
        }
        if let lines = Self.wrapped(fields, indent: indent) {
            text += lines
            return
        }
        var item = ""
        for field in fields { field.write(to: &item, indent: indent + 2) }
        text += "\(margin)- \(item.dropFirst(indent + 2))"
    }

    /// An item in braces on as few lines as possible, broken between entries; nil if an entry needs more than one line.
    private static func wrapped(_ fields: [Field], indent: Int) -> String? {
        let margin = String(repeating: " ", count: indent)
        var text = ""
        var line = margin + "- {"
        for (position, field) in fields.enumerated() {
            let entry = " \(field.key): \(field.value.flow)" + (position == fields.count - 1 ? " }" : ",")
            if line.utf8.count + entry.utf8.count > width, position > 0 {
                text += line + "\n"
                line = margin + "   "
            }
            line += entry
            guard line.utf8.count <= width, !field.value.isSection else { return nil }
        }
        return text + line + "\n"
    }

    /// Appends a list of words in brackets on as few lines as possible.
    private static func write(words: [DefinitionValue], to text: inout String, indent: Int) {
        let margin = String(repeating: " ", count: indent)
        var line = margin + "["
        for (position, word) in words.enumerated() {
            let item = word.flow + (position == words.count - 1 ? "]" : ",")
            if line.utf8.count + 1 + item.utf8.count > width, position > 0 {
                text += line + "\n"
                line = margin + " " + item
            } else {
                line += (position == 0 ? "" : " ") + item
            }
        }
        text += line + "\n"
    }
}

// MARK: - Scalars

extension DefinitionValue {
    /// The text, with quotes and escapes if some reader of YAML could take it for something else.
    package static func quotedIfNeeded(_ text: String) -> String {
        isPlain(text) ? text : quoted(text)
    }

    /// Words that some version of YAML reads as a boolean or as null.
    private static let reserved: Set<String> = ["null", "true", "false", "yes", "no", "on", "off", "y", "n"]

    /// Whether no version of YAML reads the name as a number, date, boolean or null.
    private static func isPlain(_ text: String) -> Bool {
        guard Name.isValid(text), !reserved.contains(text.lowercased()) else { return false }
        guard let first = text.utf8.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else { return true }
        // A text that begins with a digit is plain only if it holds a letter that occurs in no number.
        let numeric: Set<UInt8> = Set("0123456789abcdefABCDEFxXoO._-".utf8)
        return text.utf8.contains { !numeric.contains($0) }
    }

    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            default:
                if isPrintable(scalar) { result.unicodeScalars.append(scalar) } else { result += escape(scalar) }
            }
        }
        return result + "\""
    }

    private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
        default: true
        }
    }

    private static func escape(_ scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        func padded(_ count: Int) -> String { String(repeating: "0", count: count - digits.count) + digits }
        return digits.count <= 2 ? "\\x" + padded(2) : digits.count <= 4 ? "\\u" + padded(4) : "\\U" + padded(8)
    }
}
