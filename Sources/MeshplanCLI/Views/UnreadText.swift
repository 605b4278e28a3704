import MeshCore
import Planning
import Store
import SystemLayer

/// Describes values that could not be read back from nodes, and requests in doubt.
enum UnreadText {
    /// The most values to name.
    private static let limit = 3

    /// One value: the Get, its subject, and the octets of the answer.
    static func text(_ record: Node.UnreadRecord) -> String {
        var text = record.reading?.text ?? "a Get that this version does not know"
        if let subject = record.reading?.subjectText { text += " of \(subject)" }
        guard let answer = record.answer else { return text + " (no answer)" }
        return text + " (odd answer \(OddAnswer(.aboutElse, payload: answer).octets))"
    }

    /// Sentences for each node with values that could not be read, or with entries that may or may not be there.
    static func notes(_ network: MeshNetwork) -> [String] {
        network.nodes.filter { !$0.unread.isEmpty }.flatMap { node in
            let values = node.unread.filter { $0.doubt == nil }
            let texts = values.prefix(limit).map(text).joined(separator: ", ")
            let more = values.count > limit ? ", …" : ""
            let entries = node.doubtfulEntries.map { $0.path(in: network) }
            return [
                values.isEmpty
                    ? nil
                    : "\(node.name): \(count(values.count, "value")) could not be read when it was read back, and "
                        + "\(values.count == 1 ? "is" : "are") taken to be as recorded: \(texts)\(more).",
                entries.isEmpty ? nil : NodeDoubtText.sentence(entries, of: node.name).worded,
            ].compactMap(\.self)
        }
    }

    /// The value for machines.
    static func json(_ record: Node.UnreadRecord) -> JSONValue {
        if let doubt = record.doubt {
            return .object([
                "in_doubt": doubt.text.json, "of": doubt.model.map { "element[\($0.element)].\($0.model)".json },
            ])
        }
        return .object([
            "get": record.reading?.text.json, "of": record.reading?.subjectText?.json,
            "octets": record.answer.map { Hexadecimal.encode($0).json },
        ])
    }
}
