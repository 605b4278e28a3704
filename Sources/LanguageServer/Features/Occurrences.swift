import DefinitionModel
import Definitions

/// Where the files of a definition name one thing.
struct Occurrences {
    /// A place that names it.
    struct Occurrence: Equatable {
        var path: String
        /// The octets of the name.
        var range: Range<Int>
        /// The text there: the name, or a pattern that selects it.
        var text: String
        var isDeclaration: Bool
        /// Whether it tells what the name was or became.
        var isHistory: Bool
    }

    let thing: NamedThing
    /// Its name, which may hold references.
    let name: String
    /// The places that hold exactly the name, file by file in reading order.
    private(set) var exact: [Occurrence] = []
    /// The places that hold a pattern, or a name with references, that may stand for it.
    private(set) var similar: [Occurrence] = []
    /// Whether a group has that name; targets mean groups first.
    private let isGroup: Bool
    private var meanings = MeaningTable(schema: .own)

    init(of name: String, _ thing: NamedThing, _ names: KnownNames) {
        self.name = name
        self.thing = thing
        isGroup = names.declarations.declarations.contains { $0.thing == .group && $0.name == name }
    }

    /// Looks through a file of the definition.
    mutating func add(_ outline: DefinitionOutline, path: String) {
        for place in outline.places(holding: soughtTexts) where mayMean(place.scalar.text) {
            add(outline, place, path)
        }
    }

    /// What a text that names the thing holds; nil if that cannot be told from its octets.
    private var soughtTexts: [String]? {
        // Octets of other characters may differ, though the characters are the same.
        name.isEmpty || name.contains("$(") || name.utf8.contains { $0 >= 0x80 } ? nil : [name, "*", "$("]
    }

    /// Looks through the file that says which device is where.
    mutating func addAssignments(_ text: TextDocument, path: String) {
        guard thing == .node else { return }
        for number in text.lineStarts.indices {
            let line = text.line(number)
            let first = text.bytes[line].prefix { $0 != 0x20 && $0 != 0x09 }
            guard first.elementsEqual(name.utf8) else { continue }
            let range = line.lowerBound..<line.lowerBound + first.count
            exact.append(Occurrence(path: path, range: range, text: name, isDeclaration: false, isHistory: false))
        }
    }

    /// A quick look, because most texts are nothing of the kind and their meaning takes time to find out.
    private func mayMean(_ text: String) -> Bool {
        text.contains(name) || text.utf8.contains(UInt8(ascii: "*")) || text.contains("$(")
            || name.contains("$(") && NameTemplate(name).matches(text)
    }

    private mutating func add(_ outline: DefinitionOutline, _ place: DefinitionOutline.Place, _ path: String) {
        let meaning = meanings.meaning(of: place, in: outline)
        for part in outline.namedParts(of: place, meaning) where part.things.contains(thing) {
            if part.name == name, thing == .node, part.things.contains(.group), isGroup { continue }
            let occurrence = Occurrence(
                path: path,
                range: part.range,
                text: part.name,
                isDeclaration: part.isDeclaration,
                isHistory: part.isHistory
            )
            if part.name == name {
                exact.append(occurrence)
            } else if !part.isDeclaration, Self.mayMatch(part.name, name) {
                similar.append(occurrence)
            }
        }
    }

    /// Whether a pattern, or a name with references, may stand for a name, which may itself hold references.
    static func mayMatch(_ pattern: String, _ name: String) -> Bool {
        let glob = Glob(withStars(pattern))
        if !glob.isLiteral, glob.matches(name) { return true }
        let named = Glob(withStars(name))
        return !named.isLiteral && named.matches(pattern)
    }

    /// A text with `*` in place of each reference.
    static func withStars(_ text: String) -> String {
        var result = ""
        var rest = text[...]
        while let start = rest.firstRange(of: "$(")?.lowerBound, let end = rest[start...].firstIndex(of: ")") {
            result += rest[..<start] + "*"
            rest = rest[rest.index(after: end)...]
        }
        return result + rest
    }
}

extension DefinitionOutline {
    /// The places whose texts hold one of several texts, in reading order; all places for nil.
    ///
    /// The octets are looked through once, since most of a million texts hold none.
    func places(holding sought: [String]?) -> [Place] {
        let octets = sought.map { self.octets(of: $0) }
        var places: [Place] = []
        var next = 0
        func holds(_ range: Range<Int>) -> Bool {
            guard let octets else { return true }
            while next < octets.count, octets[next] < range.lowerBound { next += 1 }
            return next < octets.count && octets[next] < range.upperBound
        }
        for (number, entry) in entries.enumerated() {
            if let range = entry.key.range, holds(range), let key = nodes[number].key {
                places.append(Place(node: number, isKey: true, scalar: key))
            }
            if let range = entry.value.range, holds(range), let value = nodes[number].value {
                places.append(Place(node: number, isKey: false, scalar: value))
            }
        }
        return places
    }

    /// The octets where texts begin, in reading order.
    private func octets(of texts: [String]) -> [Int] {
        let texts = texts.map { Array($0.utf8) }.filter { !$0.isEmpty }
        var isFirst = Array(repeating: false, count: 256)
        for text in texts { isFirst[Int(text[0])] = true }
        return bytes.withUnsafeBufferPointer { bytes in
            isFirst.withUnsafeBufferPointer { isFirst in
                bytes.indices.filter { index in
                    isFirst[Int(bytes[index])] && texts.contains { bytes[index...].starts(with: $0) }
                }
            }
        }
    }
}

/// The meanings of texts, each found out once for all that stand under the same keys.
struct MeaningTable {
    private struct Key: Hashable {
        var path: [DefinitionOutline.Step]
        var isKey: Bool
    }

    private let schema: DefinitionSchema
    private var known: [Key: PlaceMeaning?] = [:]

    /// A table that knows nothing yet.
    init(schema: DefinitionSchema) {
        self.schema = schema
    }

    /// What the text at a place means; nil if it names nothing.
    mutating func meaning(of place: DefinitionOutline.Place, in outline: DefinitionOutline) -> PlaceMeaning? {
        var path = outline.path(to: place.node)
        // How things are called says nothing about what stands in them. Modules hold sections.
        if path.count > 2, case .key(let section) = path[0], let thing = NamedThing(section: section), thing != .module
        {
            path[1] = .key("")
        }
        let key = Key(path: path, isKey: place.isKey)
        if let known = known[key] { return known }
        let meaning =
            place.isKey ? PlaceMeaning(ofKey: path, in: schema) : PlaceMeaning(ofValue: path, in: schema)
        known[key] = .some(meaning)
        return meaning
    }
}

extension LanguageServer {
    /// What the text at a place names: a thing that is declared. Nil if it names nothing, or is a reference.
    func named(
        _ outline: DefinitionOutline,
        _ offset: Int,
        _ names: KnownNames
    ) -> (part: NamedPart, thing: NamedThing)? {
        guard let place = outline.place(at: offset),
            NameTemplate.reference(in: place.scalar.text, at: offset - place.scalar.range.lowerBound) == nil,
            let part = outline.namedParts(of: place, in: .own)
                .first(where: { $0.range.lowerBound <= offset && offset <= $0.range.upperBound })
        else { return nil }
        let known = part.things.first { thing in
            names.declarations.declaration(of: part.name, thing) != nil || names.location(of: part.name, thing) != nil
        }
        return (known ?? part.things.first).map { (part, $0) }
    }

    /// Where all files of a document's definition name a thing.
    mutating func occurrences(
        of name: String,
        _ thing: NamedThing,
        for document: OpenDocument,
        _ names: KnownNames
    ) -> Occurrences {
        var found = Occurrences(of: name, thing, names)
        guard let folder = document.project, let project = projects[folder] else {
            found.add(outline(of: document), path: document.path ?? document.uri)
            return found
        }
        for (path, outline) in outlines(folder) { found.add(outline, path: path) }
        for path in project.paths.keys.sorted() where path.hasSuffix(AssignmentsFile.ending) {
            if let text = text(ofFile: path, folder) { found.addAssignments(text, path: path) }
        }
        return found
    }

    /// The text of a file of a definition, as it is in the editor or was at the last check.
    func text(ofFile path: String, _ folder: String) -> TextDocument? {
        if let open = documents.values.first(where: { $0.path == path }) { return open.text }
        guard let project = projects[folder], let number = project.paths[path] else { return nil }
        return TextDocument(project.examination.files.files[number].bytes)
    }
}
