import SystemLayer

extension LanguageServer {
    /// Answers `textDocument/documentSymbol`: sections, and what is declared in them.
    mutating func symbols(_ params: JSONValue) throws(ResponseError) -> JSONValue {
        let document = try document(params)
        let outline = outline(of: document)
        let sections = outline.documents.flatMap { outline.nodes[$0].children }
        var left = Self.mostItems
        return .array(sections.compactMap { symbol($0, outline, document.text, depth: 0, &left) })
    }

    /// How deep symbols go: a section, an entry, a section of a module, and an entry of that.
    private static let symbolDepth = 4

    private func symbol(
        _ node: Int,
        _ outline: DefinitionOutline,
        _ text: TextDocument,
        depth: Int,
        _ left: inout Int
    ) -> JSONValue? {
        guard left > 0, depth < Self.symbolDepth, let key = outline.nodes[node].key, !key.text.isEmpty else {
            return nil
        }
        left -= 1
        let isSection = depth.isMultiple(of: 2)
        let section = outline.nodes[node].parent.flatMap { outline.nodes[$0].key?.text }
        // Of entries only modules hold others.
        let goesOn = outline.nodes[node].kind == .mapping && (isSection || section == "modules")
        let children = goesOn ? outline.nodes[node].children : []
        let inner = children.compactMap { child -> JSONValue? in
            // Of the keys of a module those that are sections.
            let name = outline.nodes[child].key?.text ?? ""
            guard isSection || NamedThing(section: name) != nil || name == "parameters" else { return nil }
            return symbol(child, outline, text, depth: depth + 1, &left)
        }
        let kind: Int =
            isSection
            ? outline.nodes[node].kind == .scalar ? Self.constant : Self.namespace
            : section.flatMap(NamedThing.init(section:)).map(Self.kind) ?? Self.object
        let whole = outline.nodes[node].start..<max(outline.nodes[node].end, key.range.upperBound)
        return .object([
            "name": .string(key.text), "kind": .integer(kind),
            // Of other values nobody knows whether they belong here.
            "detail": isSection && key.text == "network" ? outline.nodes[node].value.map { .string($0.text) } : nil,
            "range": text.range(whole, encoding).json,
            "selectionRange": text.range(key.range, encoding).json,
            "children": inner.isEmpty ? nil : .array(inner),
        ])
    }

    private static let namespace = 3
    private static let constant = 14
    private static let object = 19

    private static func kind(_ thing: NamedThing) -> Int {
        switch thing {
        case .subnet: 2
        case .applicationKey: 20
        case .group: 18
        case .profile: 5
        case .node: 19
        case .scene: 24
        case .floor: 4
        case .product: 23
        case .module: 11
        case .variable: 13
        }
    }
}
