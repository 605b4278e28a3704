import CYAML

/// The names of the networks that a file declares: the values of `network` at the top of its documents. They tell
/// definitions from modules and products. Whoever reads a definition checks the rest of it, so names that stand before
/// a mistake are found, too.
package struct DeclaredNetworks {
    /// The names in their order, each once.
    package private(set) var names: [String] = []
    /// How many lists and mappings are open.
    private var depth = 0
    private var isMapping = false
    /// Whether what comes next at the top is a key.
    private var isAtKey = false
    /// Whether the last key at the top was `network`.
    private var isNamed = false

    /// Deeper documents are no definitions.
    private static let deepest = 1_000

    package init(_ bytes: [UInt8]) {
        bytes.prefix(ReadingLimits().fileSize).withUnsafeBufferPointer { bytes in
            let text = UnsafeBufferPointer(rebasing: bytes[TextScan.byteOrderMarkLength(bytes)...])
            guard var parser = YAMLParser(text) else { return }
            var isUnfinished = true
            while isUnfinished, depth < Self.deepest {
                // Behind a mistake there is nothing that could be relied on.
                isUnfinished = (try? parser.next { take($0) }) ?? false
            }
        }
    }

    /// Takes an event.
    ///
    /// - Returns: whether another one follows.
    private mutating func take(_ event: UnsafePointer<yaml_event_t>) -> Bool {
        switch event.pointee.type {
        case YAML_STREAM_END_EVENT: return false
        case YAML_DOCUMENT_START_EVENT: (depth, isMapping, isNamed) = (0, false, false)
        case YAML_SEQUENCE_START_EVENT: depth += 1
        case YAML_MAPPING_START_EVENT:
            if depth == 0 { (isMapping, isAtKey) = (true, true) }
            depth += 1
        case YAML_SEQUENCE_END_EVENT, YAML_MAPPING_END_EVENT:
            depth -= 1
            if depth == 1 { end(nil) }
        case YAML_SCALAR_EVENT where depth == 1:
            let scalar = event.pointee.data.scalar
            end(String(decoding: UnsafeBufferPointer(start: scalar.value, count: scalar.length), as: UTF8.self))
        case YAML_ALIAS_EVENT where depth == 1: end(nil)
        default: break
        }
        return true
    }

    /// Ends a key or a value at the top.
    ///
    /// - Parameter text: what it says; nil if it is no text.
    private mutating func end(_ text: String?) {
        guard isMapping else { return }
        if isAtKey {
            isNamed = text == "network"
        } else if isNamed, let text, !names.contains(text) {
            names.append(text)
        }
        isAtKey.toggle()
    }
}
