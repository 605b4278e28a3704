internal import MeshCore
internal import Planning
internal import Store

/// Describes values that could not be read back from nodes.
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

    /// One sentence for each node with values that could not be read.
    static func notes(_ nodes: [Node]) -> [String] {
        nodes.filter { !$0.unread.isEmpty }.map { node in
            let texts = node.unread.prefix(limit).map(text).joined(separator: ", ")
            let more = node.unread.count > limit ? ", …" : ""
            return "\(node.name): \(count(node.unread.count, "value")) could not be read when it was read back, and "
                + "\(node.unread.count == 1 ? "is" : "are") taken to be as recorded: \(texts)\(more)."
        }
    }

    /// The value for machines.
    static func json(_ record: Node.UnreadRecord) -> JSONValue {
        .object([
            "get": record.reading?.text.json, "of": record.reading?.subjectText?.json,
            "octets": record.answer.map { Hexadecimal.encode($0).json },
        ])
    }
}
