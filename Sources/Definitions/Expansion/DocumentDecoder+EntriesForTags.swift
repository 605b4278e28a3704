import DefinitionModel
import MeshCore

/// Entries with `each: TAG`: one for every value that nodes of the network have for the tag.
extension DocumentDecoder {
    /// Decodes the entries and adds what they declare to the network. Values come in the order of the first node that
    /// has them.
    mutating func decodeEntriesForTags(_ entries: [EntryForTag], into network: inout NetworkFragments) {
        guard !entries.isEmpty else { return }
        var known: [String: [String]] = [:]
        fragment = Fragment(location: network.definition.network.location)
        for entry in entries {
            let place = EmissionPlace(scope: entry.scope, origin: entry.origin)
            let tag = reading(entry.tree, of: entry.origin) { decoder in
                decoder.scalar(entry.tag, "the name of a tag", Words.name)
            }
            guard let tag else { continue }
            if known[tag.value] == nil { known[tag.value] = Self.values(of: tag.value, in: network.definition) }
            let values = known[tag.value] ?? []
            if values.isEmpty {
                // The nodes with the tag may be among what could not be read.
                if diagnostics.hasErrors { continue }
                let tags = Set(network.definition.nodes.flatMap(\.tags.keys))
                reportNode(
                    "no node has the tag \(quoted(tag.value))",
                    at: entry.tree.nodes[entry.tag],
                    origin: entry.origin,
                    hint: Suggestion.hint(for: tag.value, among: tags, are: "tags are")
                )
                continue
            }
            let name = symbols.intern(tag.value)
            for value in values { decode(entry, name, symbols.intern(value), at: place) }
        }
        let part = fragment.definition
        network.definition.groups += part.groups
        network.definition.subscriptions += part.subscriptions
        network.definition.publications += part.publications
        network.broken.formUnion(fragment.broken)
        fragment = Fragment(location: network.definition.network.location)
    }

    private static func values(of tag: String, in definition: Definition) -> [String] {
        var seen: Set<String> = []
        var values: [String] = []
        for node in definition.nodes {
            if let value = node.tags[tag]?.value, seen.insert(value).inserted { values.append(value) }
        }
        return values
    }

    private mutating func decode(_ entry: EntryForTag, _ tag: UInt32, _ value: UInt32, at place: EmissionPlace) {
        let node = entry.tree.nodes[entry.key ?? entry.value]
        guard spendInstance(at: node, origin: place.origin),
            spendScope(place.scope.values.count, at: node, origin: place.origin)
        else { return }
        let parent = SourceLocation(file: place.origin, line: node.line, column: node.column)
        let bound: [(name: UInt32, value: ParameterScope.Value)] = [(tag, .text(value, .quoted))]
        let origin = diagnostics.instances.add(
            SourceInstances.Instance(
                file: diagnostics.instances.place(of: parent).file,
                parent: parent,
                title: SourceInstances.Title("for \(title(of: bound))")
            )
        )
        let inner = EmissionPlace(scope: place.scope.adding(bound), origin: origin)
        var tree = DocumentTree()
        append(node, .mapping, inner, into: &tree)
        append(symbol(UInt32(Keyword.all.firstIndex(of: entry.section) ?? 0), like: node), .plain, inner, into: &tree)
        append(node, entry.key == nil ? .sequence : .mapping, inner, into: &tree)
        if let key = entry.key { emit(key, of: entry.tree, at: inner, into: &tree) }
        emitEntry(entry, tag, value, at: inner, into: &tree)
        tree.nodes[0].value = UInt32(tree.nodes.count)
        tree.nodes[2].value = UInt32(tree.nodes.count)
        reading(tree, of: origin) { decoder in
            decoder.beginDocument()
            decoder.decodeDefinition(0)
        }
    }

    /// Appends an entry for one value. A selector that says nothing about the tag selects the nodes with that value.
    private mutating func emitEntry(
        _ entry: EntryForTag,
        _ tag: UInt32,
        _ value: UInt32,
        at place: EmissionPlace,
        into tree: inout DocumentTree
    ) {
        let source = entry.tree
        let start = tree.nodes.count
        append(source.nodes[entry.value], .mapping, place, into: &tree)
        var key = entry.value + 1
        let end = source.next(after: entry.value)
        while key < end {
            let child = source.next(after: key)
            defer { key = source.next(after: child) }
            if isRepeating(key, of: source) { continue }
            emit(key, of: source, at: place, into: &tree)
            let selector = source.resolved(child)
            guard source.isKey(key, .nodes), entry.section != .groups else {
                emit(child, of: source, at: place, into: &tree)
                continue
            }
            let isForAll =
                source.nodes[selector].kind == .plain && symbols.text(source.nodes[selector].value) == "all"
            let lacksTag = source.nodes[selector].kind == .mapping && source.value(named: tag, in: selector) == nil
            guard isForAll || lacksTag else {
                emit(child, of: source, at: place, into: &tree)
                continue
            }
            let mapping = tree.nodes.count
            if isForAll {
                append(source.nodes[selector], .mapping, place, into: &tree)
            } else {
                emit(child, of: source, at: place, into: &tree)
            }
            append(symbol(tag, like: source.nodes[selector]), .plain, place, into: &tree)
            append(symbol(value, like: source.nodes[selector]), .quoted, place, into: &tree)
            tree.nodes[mapping].value = UInt32(tree.nodes.count)
        }
        tree.nodes[start].value = UInt32(tree.nodes.count)
    }

    /// A text at the place of another node.
    private func symbol(_ symbol: UInt32, like node: DocumentTree.Node) -> DocumentTree.Node {
        var node = node
        (node.value, node.length) = (symbol, 1)
        return node
    }
}
