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
        guard let new = Self.laidOut(old), Self.sayTheSame(old, new) else {
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
        var text = bytes[start...].filter { $0 != UInt8(ascii: "\r") }
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
                    guard let one = try? left.next(Meaning.init), let other = try? right.next(Meaning.init),
                        one == other
                    else { return false }
                    if one.isEnd { return true }
                }
            }
        }
    }

    /// What an event means.
    private struct Meaning: Equatable {
        var kind: UInt32
        var anchor: String?
        var tag: String?
        var text: [UInt8] = []
        var isSpecial = false

        var isEnd: Bool { kind == YAML_STREAM_END_EVENT.rawValue }

        init(_ event: UnsafePointer<yaml_event_t>) {
            let type = event.pointee.type
            kind = UInt32(type.rawValue)
            let data = event.pointee.data
            switch type {
            case YAML_ALIAS_EVENT: anchor = Self.text(data.alias.anchor)
            case YAML_SCALAR_EVENT:
                anchor = Self.text(data.scalar.anchor)
                tag = Self.text(data.scalar.tag)
                text = Array(UnsafeBufferPointer(start: data.scalar.value, count: data.scalar.length))
                let specials = ["", "~", "null", "Null", "NULL", "<<"]
                isSpecial =
                    data.scalar.style == YAML_PLAIN_SCALAR_STYLE
                    && specials.contains { $0.utf8.elementsEqual(text) }
            case YAML_SEQUENCE_START_EVENT:
                anchor = Self.text(data.sequence_start.anchor)
                tag = Self.text(data.sequence_start.tag)
            case YAML_MAPPING_START_EVENT:
                anchor = Self.text(data.mapping_start.anchor)
                tag = Self.text(data.mapping_start.tag)
            default: break
            }
        }

        private static func text(_ name: UnsafeMutablePointer<UInt8>?) -> String? {
            name.map { String(cString: $0) }
        }
    }
}
