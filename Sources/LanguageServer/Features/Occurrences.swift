import DefinitionModel
import Definitions

/// Where the files of a definition name one thing.
struct Occurrences {
    /// A place that names it.
    struct Occurrence: Equatable {
        /// The path of the file.
        var path: String
        /// The octets of the name.
        var range: Range<Int>
        /// The text there: the name, or a pattern that selects it.
        var text: String
        /// Whether it is declared there.
        var isDeclaration: Bool
        /// Whether it tells what the name was or became.
        var isHistory: Bool
    }

    /// What is looked for.
    let thing: NamedThing
    /// Its name, which may hold references.
    let name: String
    /// The places that hold exactly the name, file by file in reading order.
    private(set) var exact: [Occurrence] = []
    /// The places that hold a pattern, or a name with references, that may stand for it.
    private(set) var similar: [Occurrence] = []
    /// Whether a group has that name; targets mean groups first.
    private let isGroup: Bool
    private let schema = DefinitionSchema.own

    init(of name: String, _ thing: NamedThing, _ names: KnownNames) {
        self.name = name
        self.thing = thing
        isGroup = names.declarations.declarations.contains { $0.thing == .group && $0.name == name }
    }

    /// Looks through a file of the definition.
    mutating func add(_ outline: DefinitionOutline, path: String) {
        for (number, node) in outline.nodes.enumerated() {
            if let key = node.key, mayMean(key.text) {
                add(outline, DefinitionOutline.Place(node: number, isKey: true, scalar: key), path)
            }
            if let value = node.value, mayMean(value.text) {
                add(outline, DefinitionOutline.Place(node: number, isKey: false, scalar: value), path)
            }
        }
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
        for part in outline.namedParts(of: place, in: schema) where part.things.contains(thing) {
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
