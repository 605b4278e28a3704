import CYAML
import DefinitionModel
import MeshCore

/// Builds the trees of documents one after the other from events. It refuses what is too deep, too large, or outside
/// the YAML that definitions use.
///
/// Aliases are not expanded. Each anchor knows how large and how deep its content would be when expanded. So an alias
/// bomb is found at the first alias that goes too far, and costs nothing.
struct TreeBuilder {
    /// The result of an event.
    enum Progress {
        /// The document goes on.
        case unfinished
        /// ``tree`` is complete.
        case document
        case end
        /// The problem is so bad that the rest of the file cannot be read. It was reported.
        case failed
    }

    private struct Frame {
        var node: Int
        var nodesBefore: Int
        var height: Int
        var anchor: UInt32?
    }

    private struct Anchor {
        var node: Int
        var size: Int
        var height: Int
        var isOpen: Bool
    }

    private let file: UInt32
    private let limits: ReadingLimits
    private var open: [Frame] = []
    private var anchors: [UInt32: Anchor] = [:]
    private var nodeCount = 0
    /// Whether every value means the same without what stands before it: there are neither anchors nor directives.
    private(set) var isSeparable = true
    /// Whether documents begin and end without a mark.
    private(set) var isUnmarked = true
    /// The tree of the current document.
    var tree = DocumentTree()

    init(file: UInt32, limits: ReadingLimits) {
        self.file = file
        self.limits = limits
    }

    /// Takes the next event of the file, from where the parser put it. A copy of each would take as long as everything
    /// else.
    mutating func take(
        _ event: UnsafePointer<yaml_event_t>,
        symbols: inout SymbolTable,
        diagnostics: inout DiagnosticCollector
    ) -> Progress {
        switch event.pointee.type {
        case YAML_DOCUMENT_START_EVENT:
            tree.nodes.removeAll(keepingCapacity: true)
            tree.hasReferences = false
            anchors.removeAll()
            nodeCount = 0
            let start = event.pointee.data.document_start
            if start.version_directive != nil || start.tag_directives.start != start.tag_directives.end {
                isSeparable = false
            }
            if start.implicit == 0 { isUnmarked = false }
            return .unfinished
        case YAML_DOCUMENT_END_EVENT:
            if event.pointee.data.document_end.implicit == 0 { isUnmarked = false }
            return .document
        case YAML_STREAM_END_EVENT: return .end
        case YAML_SCALAR_EVENT:
            let scalar = event.pointee.data.scalar
            if let tag = scalar.tag {
                checkTag(tag, of: TreeBuilder.scalarTags, at: event.pointee.start_mark, &diagnostics)
            }
            let isPlain = scalar.style == YAML_PLAIN_SCALAR_STYLE
            var kind = isPlain ? DocumentTree.Kind.plain : .quoted
            var symbol: UInt32 = 0
            if scalar.length > limits.scalarSize {
                report("a text of \(scalar.length) octets", at: event.pointee.start_mark, &diagnostics) {
                    $0.hint = "no text may be longer than \(limits.scalarSize) octets; check for a missing quote"
                }
                kind = .unreadable
            } else {
                symbol = symbols.intern(UnsafeBufferPointer(start: scalar.value, count: scalar.length))
                if symbols.hasReference(symbol) { tree.hasReferences = true }
            }
            let node = append(kind, value: symbol, event)
            if let anchor = anchorSymbol(scalar.anchor, &symbols) {
                anchors[anchor] = Anchor(node: node, size: 1, height: 0, isOpen: false)
            }
            return count(1, event, &diagnostics)
        case YAML_SEQUENCE_START_EVENT:
            let start = event.pointee.data.sequence_start
            if let tag = start.tag {
                checkTag(tag, of: TreeBuilder.sequenceTags, at: event.pointee.start_mark, &diagnostics)
            }
            return begin(.sequence, anchor: anchorSymbol(start.anchor, &symbols), event, &diagnostics)
        case YAML_MAPPING_START_EVENT:
            let start = event.pointee.data.mapping_start
            if let tag = start.tag {
                checkTag(tag, of: TreeBuilder.mappingTags, at: event.pointee.start_mark, &diagnostics)
            }
            return begin(.mapping, anchor: anchorSymbol(start.anchor, &symbols), event, &diagnostics)
        case YAML_SEQUENCE_END_EVENT, YAML_MAPPING_END_EVENT:
            end()
            return .unfinished
        case YAML_ALIAS_EVENT:
            return takeAlias(event, symbols: &symbols, diagnostics: &diagnostics)
        default: return .unfinished
        }
    }

    // MARK: - Lists and mappings

    private mutating func begin(
        _ kind: DocumentTree.Kind,
        anchor: UInt32?,
        _ event: UnsafePointer<yaml_event_t>,
        _ diagnostics: inout DiagnosticCollector
    ) -> Progress {
        guard open.count < limits.depth else { return tooDeep(at: event.pointee.start_mark, &diagnostics) }
        let nodesBefore = nodeCount
        let node = append(kind, value: UInt32(tree.nodes.count + 1), event)
        tree.nodes[node].length = 1
        open.append(Frame(node: node, nodesBefore: nodesBefore, height: 0, anchor: anchor))
        if let anchor { anchors[anchor] = Anchor(node: node, size: 0, height: 0, isOpen: true) }
        return count(1, event, &diagnostics)
    }

    private mutating func end() {
        guard let frame = open.popLast() else { return }
        tree.nodes[frame.node].value = UInt32(tree.nodes.count)
        if let anchor = frame.anchor, anchors[anchor]?.node == frame.node {
            anchors[anchor] = Anchor(
                node: frame.node,
                size: nodeCount - frame.nodesBefore,
                height: frame.height + 1,
                isOpen: false
            )
        }
        raiseHeight(to: frame.height + 1)
    }

    private mutating func raiseHeight(to height: Int) {
        guard let last = open.indices.last else { return }
        open[last].height = max(open[last].height, height)
    }

    // MARK: - Aliases

    private mutating func takeAlias(
        _ event: UnsafePointer<yaml_event_t>,
        symbols: inout SymbolTable,
        diagnostics: inout DiagnosticCollector
    ) -> Progress {
        guard let symbol = anchorSymbol(event.pointee.data.alias.anchor, &symbols) else { return .unfinished }
        let node = append(.unreadable, value: 0, event)
        let length = Int(tree.nodes[node].length)
        guard let anchor = anchors[symbol] else {
            report(
                "there is no anchor \(quoted(symbols.text(symbol))) before this",
                at: event.pointee.start_mark,
                &diagnostics
            ) {
                $0.length = length
                $0.hint = "an anchor is written `&name` before a value; quote text that starts with `*`"
            }
            return count(1, event, &diagnostics)
        }
        guard !anchor.isOpen else {
            report(
                "the value that is named \(quoted(symbols.text(symbol))) contains itself",
                at: event.pointee.start_mark,
                &diagnostics
            ) {
                $0.length = length
            }
            return count(1, event, &diagnostics)
        }
        guard open.count + anchor.height <= limits.depth else {
            return tooDeep(at: event.pointee.start_mark, &diagnostics)
        }
        tree.nodes[node].kind = .alias
        tree.nodes[node].value = UInt32(anchor.node)
        raiseHeight(to: anchor.height)
        return count(anchor.size, event, &diagnostics)
    }

    private mutating func anchorSymbol(_ name: UnsafeMutablePointer<UInt8>?, _ symbols: inout SymbolTable) -> UInt32? {
        guard let name else { return nil }
        isSeparable = false
        var length = 0
        while length < limits.scalarSize, name[length] != 0 { length += 1 }
        return symbols.intern(UnsafeBufferPointer(start: name, count: length))
    }

    // MARK: - Limits

    private mutating func count(
        _ nodes: Int,
        _ event: UnsafePointer<yaml_event_t>,
        _ diagnostics: inout DiagnosticCollector
    ) -> Progress {
        nodeCount += nodes
        return nodeCount <= limits.nodes ? .unfinished : tooMany(at: event.pointee.start_mark, &diagnostics)
    }

    private func tooMany(at mark: yaml_mark_t, _ diagnostics: inout DiagnosticCollector) -> Progress {
        report("the document holds more than \(limits.nodes) values", at: mark, &diagnostics) {
            $0.hint = "each alias counts as much as the value it repeats; split the definition into several files"
        }
        return .failed
    }

    private func tooDeep(at mark: yaml_mark_t, _ diagnostics: inout DiagnosticCollector) -> Progress {
        report("lists and mappings are nested more than \(limits.depth) deep", at: mark, &diagnostics) { _ in }
        return .failed
    }

    // MARK: - Nodes

    private mutating func append(
        _ kind: DocumentTree.Kind,
        value: UInt32,
        _ event: UnsafePointer<yaml_event_t>
    ) -> Int {
        let start = event.pointee.start_mark
        let end = event.pointee.end_mark
        let length = start.line == end.line && end.column > start.column ? end.column - start.column : 1
        tree.nodes.append(
            DocumentTree.Node(
                line: UInt32(clamping: start.line + 1),
                column: UInt32(clamping: start.column + 1),
                value: value,
                length: UInt16(clamping: length),
                kind: kind
            )
        )
        return tree.nodes.count - 1
    }

    private func report(
        _ message: @autoclosure () -> String,
        at mark: yaml_mark_t,
        _ diagnostics: inout DiagnosticCollector,
        _ complete: (inout Diagnostic) -> Void
    ) {
        diagnostics.report(.error) {
            let line = UInt32(clamping: mark.line + 1)
            let column = UInt32(clamping: mark.column + 1)
            var diagnostic = Diagnostic(
                .error,
                message(),
                at: SourceLocation(file: file, line: line, column: column)
            )
            complete(&diagnostic)
            return diagnostic
        }
    }

    // MARK: - Tags

    private static let scalarTags = ["str", "int", "float", "bool", "null"]
    private static let sequenceTags = ["seq"]
    private static let mappingTags = ["map"]

    /// Tags have no meaning here, because the field types its value. Tags that contradict it, or that mean something to
    /// other tools, are refused.
    private func checkTag(
        _ tag: UnsafeMutablePointer<UInt8>,
        of allowed: [String],
        at mark: yaml_mark_t,
        _ diagnostics: inout DiagnosticCollector
    ) {
        let text = String(cString: tag)
        let core = "tag:yaml.org,2002:"
        if text == "!" || text.hasPrefix(core) && allowed.contains(String(text.dropFirst(core.count))) { return }
        let shown = text.hasPrefix(core) ? "!!\(text.dropFirst(core.count))" : text
        report("the tag \(quoted(shown)) does not fit", at: mark, &diagnostics) {
            $0.hint = "leave tags out; the key decides what its value is"
        }
    }
}
