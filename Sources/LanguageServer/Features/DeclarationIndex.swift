/// Where the files of a definition declare what others name.
struct DeclarationIndex {
    /// A declaration.
    struct Declaration {
        var thing: NamedThing
        /// The name as it is written, which may hold references: `room-$(room)`.
        var name: String
        var path: String
        /// The octets of the name.
        var range: Range<Int>
        /// The modules that it stands in, the outermost first.
        var modules: [String]
        /// The names of the parameters, of a module.
        var parameters: [(name: String, range: Range<Int>)] = []
    }

    /// All declarations, file by file in reading order.
    private(set) var declarations: [Declaration] = []
    /// Where the declarations of each name are in the list.
    private var numbers: [Key: [Int]] = [:]
    /// Where the declarations are whose names hold references.
    private var templates: [Int] = []

    /// A name of a kind of things.
    struct Key: Hashable {
        /// What it names.
        var thing: NamedThing
        /// The name.
        var name: String
    }

    mutating func add(_ outline: DefinitionOutline, path: String) {
        for document in outline.documents { addSections(of: document, outline, path, modules: []) }
    }

    private mutating func addSections(of node: Int, _ outline: DefinitionOutline, _ path: String, modules: [String]) {
        guard modules.count < 8 else { return }
        for section in outline.nodes[node].children {
            guard let key = outline.nodes[section].key, let thing = NamedThing(section: key.text),
                outline.nodes[section].kind == .mapping
            else { continue }
            for entry in outline.nodes[section].children {
                guard let name = outline.nodes[entry].key else { continue }
                var found = Declaration(thing: thing, name: name.text, path: path, range: name.range, modules: modules)
                if thing == .module {
                    let parameters = outline.child("parameters", of: entry).map { outline.nodes[$0].children } ?? []
                    found.parameters = parameters.compactMap { outline.nodes[$0].key.map { ($0.text, $0.range) } }
                    addSections(of: entry, outline, path, modules: modules + [name.text])
                }
                numbers[Key(thing: thing, name: name.text), default: []].append(declarations.count)
                if NameTemplate(name.text).hasReference { templates.append(declarations.count) }
                declarations.append(found)
            }
        }
    }

    /// The declaration that a name means at a place within modules: the nearest around it, or else one for which the
    /// name may be an instance of a template.
    func declaration(of name: String, _ thing: NamedThing, within modules: [String] = []) -> Declaration? {
        let exact = (numbers[Key(thing: thing, name: name)] ?? []).map { declarations[$0] }
        if let near = exact.filter({ modules.starts(with: $0.modules) }).max(by: { $0.modules.count < $1.modules.count }
        ) {
            return near
        }
        if let first = exact.first { return first }
        return templates.lazy.map { declarations[$0] }
            .first { $0.thing == thing && NameTemplate($0.name).matches(name) }
    }
}

/// A name with references: `lamp-$(room)-$(place)`.
struct NameTemplate {
    private var parts: [Substring] = []

    init(_ text: String) {
        var rest = text[...]
        while let start = rest.firstRange(of: "$(")?.lowerBound, let end = rest[start...].firstIndex(of: ")") {
            parts.append(rest[..<start])
            rest = rest[rest.index(after: end)...]
        }
        parts.append(rest)
    }

    var hasReference: Bool { parts.count > 1 }

    /// Whether a name is this one with something in place of each reference.
    func matches(_ name: String) -> Bool {
        guard hasReference, let first = parts.first, let last = parts.last, name.hasPrefix(first),
            name.count >= first.count + last.count, name.hasSuffix(last)
        else { return false }
        var rest = name.dropFirst(first.count).dropLast(last.count)
        for part in parts.dropFirst().dropLast() where !part.isEmpty {
            guard let found = rest.firstRange(of: part) else { return false }
            rest = rest[found.upperBound...]
        }
        return true
    }

    /// The reference at an octet of a text, without `$(` and `)`; nil if there is none.
    static func reference(in text: String, at offset: Int) -> String? {
        let bytes = Array(text.utf8)
        var place = 0
        while place + 1 < bytes.count {
            guard bytes[place] == UInt8(ascii: "$"), bytes[place + 1] == UInt8(ascii: "("),
                let end = bytes[place...].firstIndex(of: UInt8(ascii: ")"))
            else {
                place += 1
                continue
            }
            if (place...end + 1).contains(offset) { return String(decoding: bytes[place + 2..<end], as: UTF8.self) }
            place = end + 1
        }
        return nil
    }
}
