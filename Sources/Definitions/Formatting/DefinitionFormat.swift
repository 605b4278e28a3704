import CYAML
package import DefinitionModel
import MeshCore

/// The canonical form of the files of a definition: what is on a line stays there, in its order and with its comments,
/// and the space before and in it is as in the examples. Values and comments that stand below each other stay so.
///
/// The form of what is formatted is the same again.
package struct DefinitionFormat: Sendable {
    /// The file as it should be; as it is if it cannot be read.
    package let bytes: [UInt8]
    /// What is wrong with the file; of these only what keeps it from being YAML counts, not what it says.
    package let diagnostics: [Diagnostic]

    /// The most lines of a file, and the most scalars, lists and mappings. Each takes many times the memory of its
    /// text.
    private static let mostLines = 1_000_000
    private static let mostValues = 1_250_000

    /// Formats one file.
    ///
    /// - Parameters:
    ///   - file: the file.
    ///   - number: its number among the files of the run, for the places of diagnostics.
    package init(_ file: SourceFiles.File, number: UInt32 = 0) {
        let limits = ReadingLimits()
        var decoder = DocumentDecoder(limits: limits)
        let reader = FileReader(file: number, limits: limits)
        var values = 0
        file.bytes.withUnsafeBufferPointer { reader.read($0, with: &decoder) { values += $0.tree.nodes.count } }
        guard !decoder.diagnostics.hasErrors else {
            bytes = file.bytes
            diagnostics = decoder.diagnostics.finished().filter { $0.severity == .error }
            return
        }
        let lines = file.bytes.count { $0 == UInt8(ascii: "\n") }
        guard lines <= Self.mostLines, values <= Self.mostValues else {
            bytes = file.bytes
            diagnostics = [
                Diagnostic(
                    .error,
                    "the file is too long to be brought into form: it has \(lines) lines and \(values) values",
                    at: SourceLocation(file: number, line: 1, column: 1),
                    hint: "it stays as it is; split it, below \(Self.mostLines) lines and \(Self.mostValues) values"
                )
            ]
            return
        }
        let old = Self.withPlainLines(file.bytes)
        guard let new = Self.laidOut(old), new == old || Self.sayTheSame(old, new) else {
            bytes = file.bytes
            diagnostics = [
                Diagnostic(
                    .error,
                    "the file is laid out in a way that cannot be brought into form",
                    at: SourceLocation(file: number, line: 1, column: 1),
                    hint: "it stays as it is; write it with simpler YAML"
                )
            ]
            return
        }
        bytes = new
        diagnostics = []
    }

    /// The text without byte order mark, with line feeds alone, and with one at its end.
    private static func withPlainLines(_ bytes: [UInt8]) -> [UInt8] {
        let start = bytes.withUnsafeBufferPointer(TextScan.byteOrderMarkLength)
        // All carriage returns of a text stand before line feeds.
        let hasReturns = bytes.contains(UInt8(ascii: "\r"))
        var text = hasReturns ? bytes[start...].filter { $0 != UInt8(ascii: "\r") } : Array(bytes[start...])
        if text.last != UInt8(ascii: "\n") { text.append(UInt8(ascii: "\n")) }
        return text
    }

    private static func laidOut(_ text: [UInt8]) -> [UInt8]? {
        text.withUnsafeBufferPointer { text in
            YAMLToken.tokens(of: text).map { LayoutBuilder.lines(of: text, $0).written() }
        }
    }

    // MARK: - Meaning

    /// Whether two texts have the same events, and so the same meaning. Quotes mean something only where the text in
    /// them would be no text, or a merge, without them.
    private static func sayTheSame(_ old: [UInt8], _ new: [UInt8]) -> Bool {
        // libyaml wants an address, which nothing may not have.
        let new = new.isEmpty ? [UInt8(ascii: "\n")] : new
        return old.withUnsafeBufferPointer { old in
            new.withUnsafeBufferPointer { new in
                guard var left = YAMLParser(old), var right = YAMLParser(new) else { return false }
                while true {
                    let progress = try? left.next { one in
                        try? right.next { other in (isSame: one.means(other), isEnd: one.isEnd) }
                    }
                    guard let progress, progress.isSame else { return false }
                    if progress.isEnd { return true }
                }
            }
        }
    }
}

extension UnsafePointer<yaml_event_t> {
    /// Whether nothing follows.
    fileprivate var isEnd: Bool { pointee.type == YAML_STREAM_END_EVENT }

    /// Whether another event means the same.
    fileprivate func means(_ other: UnsafePointer<yaml_event_t>) -> Bool {
        guard pointee.type == other.pointee.type else { return false }
        switch pointee.type {
        case YAML_ALIAS_EVENT: return Self.areSame(pointee.data.alias.anchor, other.pointee.data.alias.anchor)
        case YAML_SCALAR_EVENT:
            let (one, other) = (pointee.data.scalar, other.pointee.data.scalar)
            let text = UnsafeBufferPointer(start: one.value, count: one.length)
            guard text.elementsEqual(UnsafeBufferPointer(start: other.value, count: other.length)),
                Self.areSame(one.anchor, other.anchor), Self.areSame(one.tag, other.tag)
            else { return false }
            let arePlain = (one.style == YAML_PLAIN_SCALAR_STYLE, other.style == YAML_PLAIN_SCALAR_STYLE)
            return arePlain.0 == arePlain.1 || !Self.specials.contains { text.elementsEqual($0.utf8) }
        case YAML_SEQUENCE_START_EVENT:
            let (one, other) = (pointee.data.sequence_start, other.pointee.data.sequence_start)
            return Self.areSame(one.anchor, other.anchor) && Self.areSame(one.tag, other.tag)
        case YAML_MAPPING_START_EVENT:
            let (one, other) = (pointee.data.mapping_start, other.pointee.data.mapping_start)
            return Self.areSame(one.anchor, other.anchor) && Self.areSame(one.tag, other.tag)
        default: return true
        }
    }

    /// Texts that mean something else in quotes.
    private static var specials: [String] { ["", "~", "null", "Null", "NULL", "<<"] }

    private static func areSame(_ one: UnsafeMutablePointer<UInt8>?, _ other: UnsafeMutablePointer<UInt8>?) -> Bool {
        guard let one, let other else { return one == nil && other == nil }
        var index = 0
        while one[index] == other[index] {
            if one[index] == 0 { return true }
            index += 1
        }
        return false
    }
}
