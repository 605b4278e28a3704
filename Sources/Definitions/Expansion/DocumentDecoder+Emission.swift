import DefinitionModel
import MeshCore

/// Copies parts of trees with references replaced. Aliases are copied, too, so what results has none.
extension DocumentDecoder {
    /// What a copy depends on.
    struct EmissionPlace {
        /// What references stand for.
        var scope: ParameterScope
        /// The file or instance that the copy belongs to.
        var origin: UInt32
    }

    /// Appends a copy of a node and all its descendants.
    mutating func emit(_ node: Int, of source: DocumentTree, at place: EmissionPlace, into tree: inout DocumentTree) {
        let index = source.resolved(node)
        let node = source.nodes[index]
        if !source.constants.isEmpty, source.constants[index], copy(index, of: source, at: place, into: &tree) {
            return
        }
        guard spend(1, at: node, origin: place.origin) else { return append(node, .unreadable, place, into: &tree) }
        switch node.kind {
        case .plain, .quoted:
            guard symbols.hasReference(node.value) else { return append(node, node.kind, place, into: &tree) }
            emitText(node, at: place, into: &tree)
        case .sequence, .mapping:
            let start = tree.nodes.count
            append(node, node.kind, place, into: &tree)
            var child = index + 1
            let end = source.next(after: index)
            while child < end {
                emit(child, of: source, at: place, into: &tree)
                child = source.next(after: child)
            }
            tree.nodes[start].value = UInt32(tree.nodes.count)
        case .alias, .unreadable: append(node, .unreadable, place, into: &tree)
        }
    }

    /// Appends a copy of a node in which nothing is replaced, as a whole. That is much faster than one by one, and most
    /// of a module is like that.
    ///
    /// - Returns: false if that are more values than may still be made.
    private mutating func copy(
        _ node: Int,
        of source: DocumentTree,
        at place: EmissionPlace,
        into tree: inout DocumentTree
    ) -> Bool {
        let end = source.next(after: node)
        guard !expansion.isExhausted, end - node <= expansion.remaining else { return false }
        expansion.remaining -= end - node
        let start = tree.nodes.count
        tree.nodes.append(contentsOf: source.nodes[node..<end])
        tree.origins.append(contentsOf: repeatElement(place.origin, count: end - node))
        // Through a buffer, which is checked once to belong to this tree alone, not for each value.
        tree.nodes.withUnsafeMutableBufferPointer { nodes in
            for copy in start..<nodes.count where !nodes[copy].kind.isText {
                nodes[copy].value = UInt32(Int(nodes[copy].value) - node + start)
            }
        }
        return true
    }

    func append(
        _ node: DocumentTree.Node,
        _ kind: DocumentTree.Kind,
        _ place: EmissionPlace,
        into tree: inout DocumentTree
    ) {
        var node = node
        node.kind = kind
        tree.nodes.append(node)
        tree.origins.append(place.origin)
    }

    /// Counts values before they are made. Once there are too many, that is reported and no more are made.
    mutating func spend(_ count: Int, at node: DocumentTree.Node, origin: UInt32) -> Bool {
        guard !expansion.isExhausted else { return false }
        guard count <= expansion.remaining else {
            reportExhaustion("\(expansion.limit) values", at: node, origin: origin)
            return false
        }
        expansion.remaining -= count
        return true
    }

    /// The same for the values that references may stand for, before they are copied for an instance. To copy one takes
    /// much less than to make a value.
    mutating func spendScope(_ count: Int, at node: DocumentTree.Node, origin: UInt32) -> Bool {
        spend(count / 16, at: node, origin: origin)
    }

    /// The same for instances. `count` of them must be possible, of which one is made now.
    mutating func spendInstance(of count: Int = 1, at node: DocumentTree.Node, origin: UInt32) -> Bool {
        guard !expansion.isExhausted else { return false }
        guard count <= expansion.remainingInstances else {
            reportExhaustion("\(expansion.instanceLimit) instances", at: node, origin: origin)
            return false
        }
        expansion.remainingInstances -= 1
        return true
    }

    private mutating func reportExhaustion(_ much: String, at node: DocumentTree.Node, origin: UInt32) {
        expansion.isExhausted = true
        reportNode(
            "modules and repetitions expand to more than \(much)",
            at: node,
            origin: origin,
            hint: "a loop in a module in a loop multiplies, and so do variables; make the ranges shorter"
        )
    }

    mutating func reportNode(_ message: String, at node: DocumentTree.Node, origin: UInt32, hint: String? = nil) {
        diagnostics.report(
            message,
            at: SourceLocation(file: origin, line: node.line, column: node.column),
            length: Int(node.length),
            hint: hint
        )
    }

    // MARK: - Texts

    private mutating func emitText(
        _ node: DocumentTree.Node,
        at place: EmissionPlace,
        into tree: inout DocumentTree
    ) {
        switch value(of: node, at: place) {
        case .text(let symbol, let kind):
            var copy = node
            copy.value = symbol
            append(copy, kind, place, into: &tree)
        case .tree(let value):
            guard spend(value.nodes.count, at: node, origin: place.origin) else {
                return append(node, .unreadable, place, into: &tree)
            }
            let start = UInt32(tree.nodes.count)
            for var part in value.nodes {
                if part.kind == .sequence || part.kind == .mapping { part.value += start }
                (part.line, part.column, part.length) = (node.line, node.column, node.length)
                append(part, part.kind, place, into: &tree)
            }
        case .broken: append(node, .unreadable, place, into: &tree)
        }
    }

    /// What a text with references stands for.
    private mutating func value(of node: DocumentTree.Node, at place: EmissionPlace) -> ParameterScope.Value {
        let template = template(node.value)
        guard !template.isMalformed else {
            if place.scope.keepsUnbound { return .text(node.value, node.kind) }
            reportNode(
                "`$(` is followed by the name of a parameter and `)`",
                at: node,
                origin: place.origin,
                hint: "write for example $(room); `$$(` stands for `$(` itself"
            )
            return .broken
        }
        if place.scope.keepsUnbound, template.holdsEscape { return .text(node.value, node.kind) }
        if let name = template.soleReference {
            guard let value = place.scope.values[name] else { return unbound(name, node, place) }
            if case .text(let symbol, .plain) = value { return .text(symbol, node.kind) }
            return value
        }
        var octets: [UInt8] = []
        for piece in template.pieces {
            switch piece {
            case .literal(let text): octets += text
            case .reference(let name):
                switch place.scope.values[name] {
                case nil:
                    guard place.scope.keepsUnbound else { return unbound(name, node, place) }
                    octets += Array("$(".utf8) + symbols.octets(name) + Array(")".utf8)
                case .broken: return .broken
                case .text(let symbol, _): octets += symbols.octets(symbol)
                case .tree:
                    let title = symbols.text(name)
                    reportNode(
                        "`$(\(title))` is a list or mapping, which cannot be part of a text",
                        at: node,
                        origin: place.origin,
                        hint: "write $(\(title)) alone, in place of the whole value"
                    )
                    return .broken
                }
            }
        }
        guard octets.count <= expansion.textLimit else {
            reportNode(
                "the text becomes longer than \(expansion.textLimit) octets",
                at: node,
                origin: place.origin,
                hint: "a text that is made of itself in module after module grows without end"
            )
            return .broken
        }
        // A long text takes the memory of several values.
        guard spend(octets.count / Self.octetsOfValue, at: node, origin: place.origin) else { return .broken }
        return .text(octets.withUnsafeBufferPointer { symbols.intern($0) }, node.kind)
    }

    private static let octetsOfValue = 32

    private mutating func unbound(
        _ name: UInt32,
        _ node: DocumentTree.Node,
        _ place: EmissionPlace
    ) -> ParameterScope.Value {
        if place.scope.keepsUnbound { return .text(node.value, node.kind) }
        guard diagnostics.wants(.error) else {
            diagnostics.drop(.error)
            return .broken
        }
        let word = symbols.text(name)
        let known = place.scope.values.keys.map { symbols.text($0) }
        reportNode(
            "there is no parameter or variable \(quoted(word))",
            at: node,
            origin: place.origin,
            hint: known.isEmpty
                ? "declare it under `variables:`, or under `parameters:` of a module"
                : Suggestion.hint(for: word, among: known, are: "known here")
        )
        return .broken
    }

    private mutating func template(_ symbol: UInt32) -> TextTemplate {
        if let known = expansion.templates[symbol] { return known }
        let template = TextTemplate(Array(symbols.octets(symbol)), symbols: &symbols)
        expansion.templates[symbol] = template
        return template
    }

    /// A list or mapping, or the text, that a node stands for.
    mutating func value(_ node: Int, of source: DocumentTree, at place: EmissionPlace) -> ParameterScope.Value {
        let node = source.resolved(node)
        switch source.nodes[node].kind {
        case .plain, .quoted:
            let text = source.nodes[node]
            return symbols.hasReference(text.value) ? value(of: text, at: place) : .text(text.value, text.kind)
        case .sequence, .mapping:
            var tree = DocumentTree()
            emit(node, of: source, at: place, into: &tree)
            tree.origins = []
            return .tree(tree)
        case .alias, .unreadable: return .broken
        }
    }

    /// Lets `body` read another tree.
    mutating func reading<Result>(
        _ other: DocumentTree,
        of file: UInt32,
        _ body: (inout DocumentDecoder) -> Result
    ) -> Result {
        var tree = other
        return reading(&tree, of: file, body)
    }

    /// The same for a tree that is not copied, so that its memory can be used again.
    mutating func reading<Result>(
        _ tree: inout DocumentTree,
        of file: UInt32,
        _ body: (inout DocumentDecoder) -> Result
    ) -> Result {
        var file = file
        swap(&tree, &self.tree)
        swap(&file, &self.file)
        makeRoomForKeys()
        let result = body(&self)
        swap(&tree, &self.tree)
        swap(&file, &self.file)
        return result
    }
}
