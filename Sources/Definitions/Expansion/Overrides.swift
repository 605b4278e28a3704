import DefinitionModel
import MeshCore

/// What an instance of a module sets beside what the module says: keys of entries that the module leaves open.
struct Overrides {
    /// One entry that is overridden.
    struct Entry {
        /// The mapping, as a tree without aliases and references.
        var tree: DocumentTree
        /// The file or instance in which it stands.
        var origin: UInt32
        /// The node of the name, for messages.
        var name: DocumentTree.Node
        /// Whether the module has an entry of that name.
        var isUsed = false
    }

    /// The entries by section and the symbol of their name.
    private(set) var entries: [Keyword: [UInt32: Entry]] = [:]

    mutating func add(_ entry: Entry, in section: Keyword) { entries[section, default: [:]][entry.name.value] = entry }

    /// What is set for an entry of a module; nil for nothing.
    mutating func take(_ section: Keyword, _ name: UInt32) -> Entry? {
        guard !entries.isEmpty, entries[section]?[name] != nil else { return nil }
        entries[section]?[name]?.isUsed = true
        return entries[section]?[name]
    }

    /// The entries that no entry of the module has taken, in reading order.
    var unused: [(section: Keyword, entry: Entry)] {
        entries.flatMap { section, entries in entries.values.map { (section, $0) } }
            .filter { !$0.1.isUsed }
            .sorted { ($0.1.name.line, $0.1.name.column) < ($1.1.name.line, $1.1.name.column) }
    }
}

extension DocumentDecoder {
    /// `override` of an entry of `use`, in the current tree.
    mutating func decodeOverrides(_ field: MappingEntry, at place: EmissionPlace) -> Overrides {
        var overrides = Overrides()
        let source = tree
        for section in fields(field.value, .override, "a mapping of sections", blamed: field.key) ?? [] {
            guard let keyword = section.keyword, let names = entries(section.value, "a mapping of names") else {
                continue
            }
            for entry in names {
                var name = DocumentTree()
                emit(entry.key, of: source, at: place, into: &name)
                var value = DocumentTree()
                emit(entry.value, of: source, at: place, into: &value)
                guard name.nodes[0].kind.isText, value.nodes[0].kind == .mapping else {
                    if value.nodes[0].kind.isText {
                        report("a mapping of what is set is expected here", at: entry.value)
                    }
                    continue
                }
                overrides.add(
                    Overrides.Entry(tree: value, origin: place.origin, name: name.nodes[0]),
                    in: keyword
                )
            }
        }
        return overrides
    }

    /// Appends an entry of a module with what an instance sets beside it. What both say is reported.
    mutating func merge(
        _ override: Overrides.Entry,
        over own: DocumentTree,
        origin: UInt32,
        into tree: inout DocumentTree
    ) {
        merge(override.tree, 0, over: own, 0, override.origin, into: &tree)
    }

    private mutating func merge(
        _ more: DocumentTree,
        _ added: Int,
        over own: DocumentTree,
        _ node: Int,
        _ origin: UInt32,
        into tree: inout DocumentTree
    ) {
        guard own.nodes[node].kind == .mapping, more.nodes[added].kind == .mapping else {
            let (wrong, there) = (more.nodes[added], own.nodes[node])
            diagnostics.report(
                "the module sets this itself",
                at: SourceLocation(file: origin, line: wrong.line, column: wrong.column),
                length: Int(wrong.length),
                hint: "an instance can set what the module leaves open; make it a parameter of the module",
                related: [
                    Diagnostic.Related(
                        message: "here",
                        location: SourceLocation(file: own.origins[node], line: there.line, column: there.column)
                    )
                ]
            )
            return copy(node..<own.next(after: node), of: own, into: &tree)
        }
        let start = tree.nodes.count
        copy(node..<node + 1, of: own, into: &tree)
        let others = more.values(in: added)
        var known: Set<UInt32> = []
        var key = node + 1
        while key < own.next(after: node) {
            let value = own.next(after: key)
            copy(key..<value, of: own, into: &tree)
            known.insert(own.nodes[key].value)
            if let other = others[own.nodes[key].value] {
                merge(more, other, over: own, value, origin, into: &tree)
            } else {
                copy(value..<own.next(after: value), of: own, into: &tree)
            }
            key = own.next(after: value)
        }
        key = added + 1
        while key < more.next(after: added) {
            let value = more.next(after: key)
            if !known.contains(more.nodes[key].value) {
                copy(key..<more.next(after: value), of: more, into: &tree)
            }
            key = more.next(after: value)
        }
        tree.nodes[start].value = UInt32(tree.nodes.count)
    }

    /// Appends nodes of a tree that has no aliases.
    private func copy(_ nodes: Range<Int>, of source: DocumentTree, into tree: inout DocumentTree) {
        let start = tree.nodes.count
        for index in nodes {
            var node = source.nodes[index]
            if node.kind == .sequence || node.kind == .mapping {
                node.value = UInt32(start + Int(node.value) - nodes.lowerBound)
            }
            tree.nodes.append(node)
            tree.origins.append(source.origins[index])
        }
    }
}

extension DocumentTree {
    /// The value of a key, by its symbol, in a mapping without aliases.
    func value(named symbol: UInt32, in mapping: Int) -> Int? {
        var key = mapping + 1
        while key < next(after: mapping) {
            let value = next(after: key)
            if nodes[key].kind.isText, nodes[key].value == symbol { return value }
            key = next(after: value)
        }
        return nil
    }

    /// The values in a mapping without aliases, by the symbols of their keys; of equal keys, the first counts.
    func values(in mapping: Int) -> [UInt32: Int] {
        var values: [UInt32: Int] = [:]
        var key = mapping + 1
        while key < next(after: mapping) {
            let value = next(after: key)
            if nodes[key].kind.isText, values[nodes[key].value] == nil { values[nodes[key].value] = value }
            key = next(after: value)
        }
        return values
    }
}
