import DefinitionModel
import MeshCore

/// Copies a document, or the body of a module, section by section: entries with `for` become several, and entries with
/// `each` wait until the tags of all nodes are known.
extension DocumentDecoder {
    /// What of a definition is copied, and how.
    struct Body {
        var source: DocumentTree
        var node: Int
        /// What an instance of a module sets beside it.
        var overrides = Overrides()
    }

    /// A copy as a tree of its own. The keys that only say how to expand are left out.
    ///
    /// - Parameter room: an empty tree whose memory the copy takes.
    mutating func expanded(
        _ body: Body,
        at place: EmissionPlace,
        overrides: inout Overrides,
        in room: consuming DocumentTree = DocumentTree()
    ) -> DocumentTree {
        let source = body.source
        var tree = room
        tree.nodes.reserveCapacity(source.next(after: body.node) - body.node)
        tree.origins.reserveCapacity(source.next(after: body.node) - body.node)
        append(source.nodes[body.node], source.nodes[body.node].kind, place, into: &tree)
        guard source.nodes[body.node].kind == .mapping else { return tree }
        var key = body.node + 1
        let end = source.next(after: body.node)
        while key < end {
            let value = source.next(after: key)
            emitSection(key, value, of: source, at: place, overrides: &overrides, into: &tree)
            key = source.next(after: value)
        }
        tree.nodes[0].value = UInt32(tree.nodes.count)
        return tree
    }

    private mutating func emitSection(
        _ key: Int,
        _ value: Int,
        of source: DocumentTree,
        at place: EmissionPlace,
        overrides: inout Overrides,
        into tree: inout DocumentTree
    ) {
        let keyword = source.nodes[key].kind.isText ? Keyword(symbol: source.nodes[key].value) : nil
        switch keyword {
        case .modules, .use, .include, .variables, .values, .parameters, .description: return
        case .groups, .nodes, .profiles, .subscriptions, .publications:
            let section = source.resolved(value)
            let isSection = source.nodes[section].kind == .mapping || source.nodes[section].kind == .sequence
            guard let keyword, isSection else { break }
            emit(key, of: source, at: place, into: &tree)
            let start = tree.nodes.count
            append(source.nodes[section], source.nodes[section].kind, place, into: &tree)
            var child = section + 1
            let end = source.next(after: section)
            while child < end {
                let isNamed = source.nodes[section].kind == .mapping
                let entry = isNamed ? source.next(after: child) : child
                emitEntry(
                    Entry(section: keyword, key: isNamed ? child : nil, value: source.resolved(entry), source: source),
                    at: place,
                    overrides: &overrides,
                    into: &tree
                )
                child = source.next(after: entry)
            }
            tree.nodes[start].value = UInt32(tree.nodes.count)
            return
        case .tests:
            emit(key, of: source, at: place, into: &tree)
            return emitTests(source.resolved(value), of: source, at: place, into: &tree)
        case .checks:
            // What nothing here binds is a tag of the checked node.
            var lenient = place
            lenient.scope.keepsUnbound = true
            emit(key, of: source, at: lenient, into: &tree)
            return emit(value, of: source, at: lenient, into: &tree)
        default:
            let symbol = source.nodes[key].value
            if source.nodes[key].kind.isText, symbols.octets(symbol).starts(with: Record.anchorPrefix) { return }
        }
        emit(key, of: source, at: place, into: &tree)
        emit(value, of: source, at: place, into: &tree)
    }

    /// Appends tests. What nothing here binds may be bound by the test's own `for_each`, which hides values of the same
    /// name.
    private mutating func emitTests(
        _ tests: Int,
        of source: DocumentTree,
        at place: EmissionPlace,
        into tree: inout DocumentTree
    ) {
        var lenient = place
        lenient.scope.keepsUnbound = true
        guard source.nodes[tests].kind == .mapping else { return emit(tests, of: source, at: lenient, into: &tree) }
        let start = tree.nodes.count
        append(source.nodes[tests], .mapping, lenient, into: &tree)
        var key = tests + 1
        while key < source.next(after: tests) {
            let test = source.next(after: key)
            emit(key, of: source, at: lenient, into: &tree)
            var own = lenient
            if let variation = source.value(of: .forEach, in: source.resolved(test)) {
                let count = own.scope.values.count
                guard spendScope(count, at: source.nodes[key], origin: place.origin) else { break }
                own.scope.values[symbols.intern(TestBinding.node)] = nil
                if let tag = source.value(of: .tag, in: variation), source.nodes[tag].kind.isText {
                    own.scope.values[source.nodes[tag].value] = nil
                }
            }
            emit(test, of: source, at: own, into: &tree)
            key = source.next(after: test)
        }
        tree.nodes[start].value = UInt32(tree.nodes.count)
    }

    /// An entry of a section.
    private struct Entry {
        var section: Keyword
        /// The node of its name; nil in a list.
        var key: Int?
        var value: Int
        var source: DocumentTree
        /// Whether its `for` is carried out already.
        var isRepeated = false
    }

    private mutating func emitEntry(
        _ entry: Entry,
        at place: EmissionPlace,
        overrides: inout Overrides,
        into tree: inout DocumentTree
    ) {
        let source = entry.source
        if !entry.isRepeated, let loop = source.value(of: .repetition, in: entry.value) {
            guard let repetition = repetition(loop, of: source, at: place) else { return }
            let node = source.nodes[entry.key ?? entry.value]
            let parent = SourceLocation(file: place.origin, line: node.line, column: node.column)
            var once = entry
            once.isRepeated = true
            forEach(repetition) { decoder, bound in
                guard decoder.spendInstance(at: node, origin: place.origin),
                    decoder.spendScope(place.scope.values.count + bound.count, at: node, origin: place.origin)
                else { return }
                let origin = decoder.diagnostics.instances.add(
                    SourceInstances.Instance(
                        file: decoder.diagnostics.instances.place(of: parent).file,
                        parent: parent,
                        title: SourceInstances.Title("for \(decoder.title(of: bound))")
                    )
                )
                let inner = EmissionPlace(scope: place.scope.adding(bound), origin: origin)
                decoder.emitEntry(once, at: inner, overrides: &overrides, into: &tree)
            }
            return
        }
        if entry.section != .nodes, entry.section != .profiles, let tag = source.value(of: .each, in: entry.value) {
            expansion.entriesForTags.append(
                EntryForTag(
                    tree: source,
                    section: entry.section,
                    key: entry.key,
                    value: entry.value,
                    tag: tag,
                    scope: place.scope,
                    origin: place.origin,
                    fragment: expansion.fragment
                )
            )
            return
        }
        guard let key = entry.key else {
            return emitEntryValue(entry.value, of: source, at: place, into: &tree)
        }
        emit(key, of: source, at: place, into: &tree)
        let name = tree.nodes[tree.nodes.count - 1]
        guard name.kind.isText, let override = overrides.take(entry.section, name.value) else {
            return emitEntryValue(entry.value, of: source, at: place, into: &tree)
        }
        var own = DocumentTree()
        emitEntryValue(entry.value, of: source, at: place, into: &own)
        merge(override, over: own, origin: place.origin, into: &tree)
    }

    /// Appends an entry without the keys that say how often it occurs.
    func isRepeating(_ key: Int, of source: DocumentTree) -> Bool {
        source.isKey(key, .repetition) || source.isKey(key, .each)
    }

    /// Appends an entry without the keys that say how often it occurs.
    mutating func emitEntryValue(
        _ entry: Int,
        of source: DocumentTree,
        at place: EmissionPlace,
        into tree: inout DocumentTree
    ) {
        guard source.nodes[entry].kind == .mapping else { return emit(entry, of: source, at: place, into: &tree) }
        let start = tree.nodes.count
        append(source.nodes[entry], .mapping, place, into: &tree)
        var key = entry + 1
        let end = source.next(after: entry)
        while key < end {
            let value = source.next(after: key)
            if !isRepeating(key, of: source) {
                emit(key, of: source, at: place, into: &tree)
                emit(value, of: source, at: place, into: &tree)
            }
            key = source.next(after: value)
        }
        tree.nodes[start].value = UInt32(tree.nodes.count)
    }

    /// Reports a `for` or `each` that is not carried out, because nothing in the document refers to it.
    mutating func reportRepetition(_ field: MappingEntry) {
        let title = field.keyword == .each ? "each" : "for"
        if field.keyword == .each {
            guard text(field.value, "the name of a tag") != nil else { return }
        } else {
            guard entries(field.value, "a mapping of variables") != nil else { return }
        }
        report(
            "`\(title)` repeats an entry, but nothing in the entry differs",
            at: field.key,
            hint: "write `$(name)` where the value of a variable belongs, such as lamp-$(n)"
        )
    }
}
