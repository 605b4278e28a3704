import Catalogue
import DefinitionModel
import MeshCore

/// What may be typed at a place of a definition.
struct Completion {
    /// Something that may be typed.
    struct Item: Equatable {
        var label: String
        var kind: Kind
        /// A few words on it.
        var detail: String?
        /// One or two sentences on it.
        var documentation: String?
        var text: String
    }

    /// The kinds of items, with the numbers of the protocol.
    enum Kind: Int {
        case property = 10
        case value = 12
        case word = 20
        /// The name of something declared.
        case reference = 18
        case model = 7
        /// A state or one of its fields.
        case field = 5
        /// A parameter or variable.
        case variable = 6
    }

    /// The items, without repetitions.
    private(set) var items: [Item] = []
    /// The octets that an item replaces.
    private(set) var replaced: Range<Int>

    private let schema: DefinitionSchema
    private let names: KnownNames
    private var outline: DefinitionOutline
    private var seen: Set<String> = []
    /// The words before the cursor in its text, the last one being the beginning of the word that is typed.
    private var typed: [String] = [""]
    /// The end of the word that the cursor is in.
    private var wordEnd: Int

    /// Stands for the cursor, so that there is always a word at the place. No definition has it.
    private static let cursor = Array("\u{E000}".utf8)

    /// What may be typed at an octet of a text. There is nothing in comments.
    init(_ bytes: [UInt8], at offset: Int, names: KnownNames, schema: DefinitionSchema = .own) {
        self.schema = schema
        self.names = names
        replaced = offset..<offset
        wordEnd = offset
        var marked = bytes
        marked.insert(contentsOf: Self.cursor, at: offset)
        outline = DefinitionOutline(marked)
        guard let place = outline.place(at: offset + 1) else { return }
        let range = place.scalar.range
        guard range.lowerBound <= offset, range.upperBound >= offset + Self.cursor.count else { return }
        let before = bytes[range.lowerBound..<offset]
        replaced = range.lowerBound..<range.upperBound - Self.cursor.count
        let text = String(decoding: before, as: UTF8.self)
        typed = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        // The element of a node stays.
        let following = bytes[offset..<replaced.upperBound]
        wordEnd = following.firstIndex { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "/") } ?? replaced.upperBound
        if let opening = Self.openReference(before) {
            replaced = range.lowerBound + opening..<offset
            addParameters(around: place.node, hasEnd: bytes[offset...].first == UInt8(ascii: ")"))
            return
        }
        if place.isKey {
            addKeys(of: outline.nodes[place.node].parent ?? place.node, at: place.node)
        } else {
            addValues(of: place.node)
            // A word alone on its line may be the first key of a mapping.
            if outline.nodes[place.node].isWord { addKeys(of: place.node, at: nil) }
        }
    }

    /// How many octets of a text stand before a reference's name that is being typed; nil if none is.
    private static func openReference(_ text: ArraySlice<UInt8>) -> Int? {
        let text = Array(text)
        guard let start = text.indices.last(where: { text[$0...].starts(with: "$(".utf8) }),
            !text[start...].contains(UInt8(ascii: ")"))
        else { return nil }
        return start + 2
    }

    private mutating func add(
        _ label: String,
        _ kind: Kind,
        detail: String? = nil,
        documentation: String? = nil,
        text: String? = nil
    ) {
        guard seen.insert(label).inserted else { return }
        items.append(Item(label: label, kind: kind, detail: detail, documentation: documentation, text: text ?? label))
    }

    // MARK: - Keys

    /// Adds the keys that may stand in a mapping.
    ///
    /// - Parameter entry: the entry that is being typed; nil if the mapping has none yet.
    private mutating func addKeys(of mapping: Int, at entry: Int?) {
        let path = outline.path(to: mapping)
        let existing = entry.map { entry in
            outline.nodes[mapping].children.filter { $0 != entry }.compactMap { outline.nodes[$0].key?.text }
        }
        for key in existing ?? [] { seen.insert(key) }
        let hasColon = entry.map { outline.nodes[$0].hasColon } ?? false
        let isFlow = outline.nodes[mapping].isFlow
        func keyText(_ name: String, isShort: Bool) -> String {
            hasColon ? name : isShort || isFlow ? name + ": " : name + ":"
        }
        if let meaning = PlaceMeaning(ofKey: path + [.key("\u{E000}")], in: schema) {
            addNames(meaning, at: mapping) { keyText($0, isShort: false) }
        }
        addFields(of: mapping) { keyText($0, isShort: true) }
        for shape in schema.shapes(at: path) {
            for (name, description) in shape.keys(in: schema) {
                let inner = schema.shapes(at: path + [.key(name)])
                let isShort = inner.contains { $0.isScalar }
                add(name, .property, documentation: description, text: keyText(name, isShort: isShort))
            }
        }
    }

    /// Adds the fields of a state, or what selects one of its instances.
    private mutating func addFields(of entry: Int, _ text: (String) -> String) {
        guard let place = DeclaredStatePlace(entry, in: outline, names.models) else { return }
        if place.awaitsInstance {
            for name in place.state.instances?.map(\.name) ?? [] { add(name, .field, text: text(name)) }
            let isByProperty = place.state.description.keys.contains { $0.type.notation == .property }
            if place.state.instances == nil, isByProperty {
                for property in DeviceProperty.all { add(property.name, .field, text: text(property.name)) }
            }
        } else if place.fields.count > 1 {
            for field in place.fields {
                add(field.name, .field, detail: field.type.declared.summary, text: text(field.name))
            }
        }
    }

    // MARK: - Values

    private mutating func addValues(of entry: Int) {
        let path = outline.path(to: entry)
        if let place = DeclaredStatePlace(entry, in: outline, names.models) {
            guard !place.awaitsInstance, let field = place.field else { return }
            let type = field.type.declared
            for word in type.choices { add(word, .word) }
            if type.ordinaryValues != nil { add(type.example, .value, detail: type.summary) }
            return
        }
        if let tag = tag(above: path) {
            for value in names.values(ofTag: tag) { add(value, .value) }
            return
        }
        for shape in schema.shapes(at: path) {
            for word in shape.words { add(word, .word, documentation: shape.description) }
        }
        if let meaning = PlaceMeaning(ofValue: path, in: schema) { addNames(meaning, at: entry) { $0 } }
    }

    /// The tag whose value stands at a path; nil if none does.
    private func tag(above path: [DefinitionOutline.Step]) -> String? {
        guard case .key(let tag)? = path.last, case .key(let owner)? = path.dropLast().last else { return nil }
        let above = schema.shapes(at: path.dropLast())
        let isSelector = above.contains { $0.names.contains("selector") }
        return owner == "tags" || isSelector ? tag : nil
    }

    private mutating func addNames(_ meaning: PlaceMeaning, at entry: Int, _ text: (String) -> String) {
        switch meaning {
        case .reference(let thing): addNames(of: thing, text)
        case .declaration(let thing):
            // Only an override has entries whose names are known.
            guard let module = outline.usedModule(around: entry) else { return }
            for declared in names.declarations.declarations
            where declared.thing == thing && declared.modules.last == module {
                add(declared.name, .reference, detail: "\(thing.rawValue) of \(module)", text: text(declared.name))
            }
        case .target:
            addNames(of: .group, text)
            for word in ["all-nodes", "all-relays", "all-proxies", "all-friends", "provisioner"] {
                add(word, .word, text: text(word))
            }
            addNames(of: .node, text)
        case .sentence(let sentence): addWords(of: sentence)
        case .selector:
            add("all", .word, text: text("all"))
            addNames(of: .node, text)
        case .tag: for tag in names.tags { add(tag, .reference, detail: "tag", text: text(tag)) }
        case .model:
            for name in names.models.names.all {
                add(name, .model, detail: ModelCatalogue.model(named: name)?.title, text: text(name))
            }
        case .state: addStates(at: entry, text)
        case .parameter: addArguments(at: entry, text)
        case .file: break
        }
    }

    /// Adds what the next word of a sentence may be, in place of this word alone.
    private mutating func addWords(of sentence: NamedSentence) {
        guard let word = typed.last else { return }
        let start = replaced.lowerBound + typed.dropLast().reduce(0) { $0 + $1.utf8.count + 1 }
        replaced = start..<max(start + word.utf8.count, wordEnd)
        let before = typed.dropLast().filter { !$0.isEmpty }
        func addOperated() {
            for name in names.names(of: .group) { add("group." + name, .reference, detail: "group") }
            addNames(of: .node) { $0 }
        }
        switch (sentence, before.count) {
        case (.node, 0): addNames(of: .node) { $0 }
        case (.operated, 0): addOperated()
        case (.recalled, 0): addNames(of: .scene) { $0 }
        case (.recalled, 1): add("in", .word)
        case (.recalled, 2): addOperated()
        case (.schedule, _):
            let isDone = before.contains { ["recall", "switch"].contains($0.lowercased()) }
            if before.last?.lowercased() == "recall" { addNames(of: .scene) { $0 } }
            if isDone, before.count > 1, ["on", "and"].contains(before.last?.lowercased()) {
                addNames(of: .node) { $0 }
            }
        case (.address, 0):
            for thing in NamedThing.allCases {
                guard let prefix = thing.addressPrefix else { continue }
                for name in names.names(of: thing) { add(prefix + name, .reference, detail: thing.rawValue) }
            }
        default: break
        }
    }

    private mutating func addNames(of thing: NamedThing, _ text: (String) -> String) {
        for name in names.names(of: thing) { add(name, .reference, detail: thing.rawValue, text: text(name)) }
    }

    private mutating func addStates(at entry: Int, _ text: (String) -> String) {
        let known = names.models
        guard let (model, inScenes) = DeclaredStatePlace.model(around: entry, in: outline, known) else { return }
        for state in DeclarableStates(of: model, in: known, for: inScenes ? .scenes : .lasting).states {
            let summary = state.description.fields.map { "\($0.name): \($0.type.declared.summary)" }
            add(
                state.writtenName,
                .field,
                detail: "state of \(known.names.name(of: model))",
                documentation: summary.joined(separator: "\n"),
                text: text(state.writtenName)
            )
        }
    }

    /// Adds the parameters of the module that is used.
    private mutating func addArguments(at entry: Int, _ text: (String) -> String) {
        guard let name = outline.usedModule(around: entry),
            let module = names.declarations.declaration(
                of: name,
                .module,
                within: outline.modules(around: entry)
            )
        else { return }
        for parameter in module.parameters {
            add(parameter.name, .variable, detail: "parameter of \(name)", text: text(parameter.name))
        }
    }

    /// Adds what a reference may stand for.
    private mutating func addParameters(around entry: Int, hasEnd: Bool) {
        let end = hasEnd ? "" : ")"
        for parameter in outline.parameters(around: entry) {
            add(parameter.name, .variable, text: parameter.name + end)
        }
        for name in names.names(of: .variable) { add(name, .variable, detail: "variable", text: name + end) }
    }
}

extension DefinitionSchema.Shape {
    /// Whether a value may be a text, a number or a word.
    var isScalar: Bool {
        if schema["enum"] != nil || schema["const"] != nil { return true }
        let types = schema["type"]?.items?.compactMap(\.text) ?? [schema["type"]?.text].compactMap { $0 }
        return types.contains { ["string", "integer", "number", "boolean"].contains($0) }
    }
}
