import DefinitionModel
import Definitions
import SystemLayer

extension LanguageServer {
    /// Answers `textDocument/definition`: where that is declared whose name stands at the place.
    mutating func definition(_ params: JSONValue) throws(ResponseError) -> JSONValue {
        let (document, offset) = try place(params)
        let outline = outline(of: document)
        guard let place = outline.place(at: offset) else { return .null }
        let names = names(for: document)
        if let name = NameTemplate.reference(in: place.scalar.text, at: offset - place.scalar.range.lowerBound) {
            if let range = outline.parameters(around: place.node).first(where: { $0.name == name })?.range {
                return location(document.uri, document.text, range)
            }
            return names.declarations.declaration(of: name, .variable).map { location($0, document) } ?? .null
        }
        let finder = DeclarationFinder(outline: outline, names: names)
        switch finder.target(of: place, at: offset) {
        case .declared(let declaration): return location(declaration, document)
        case .located(let location): return self.location(location, document)
        case .range(let range, let path): return self.location(path: path, range, document)
        case .file(let name):
            guard let path = document.path else { return .null }
            let target = DocumentURI.path(of: name, namedIn: path)
            // Only files that belong to the definition: a client opens what it is told.
            guard let project = document.project.flatMap({ projects[$0] }) else { return .null }
            let first = project.paths.keys.sorted().first { $0 == target || $0.hasPrefix(target + "/") }
            return first.map { location(path: $0, 0..<0, document) } ?? .null
        case nil: return .null
        }
    }

    private func location(_ declaration: DeclarationIndex.Declaration, _ document: OpenDocument) -> JSONValue {
        location(path: declaration.path, declaration.range, document)
    }

    /// The location of a part of a file of the same definition.
    func location(path: String, _ range: Range<Int>, _ document: OpenDocument) -> JSONValue {
        file(path, of: document).map { location($0.uri, $0.text, range) } ?? .null
    }

    /// A file of the same definition: its address and its text.
    func file(_ path: String, of document: OpenDocument) -> (uri: String, text: TextDocument)? {
        if let open = documents.values.first(where: { ($0.path ?? $0.uri) == path }) { return (open.uri, open.text) }
        guard let project = document.project.flatMap({ projects[$0] }), let number = project.paths[path] else {
            return nil
        }
        return (DocumentURI.uri(ofPath: path), TextDocument(project.examination.files.files[number].bytes))
    }

    func location(_ uri: String, _ text: TextDocument, _ range: Range<Int>) -> JSONValue {
        .object(["uri": .string(uri), "range": text.range(range, encoding).json])
    }

    /// The location of a place that the last check has found.
    private func location(_ location: SourceLocation, _ document: OpenDocument) -> JSONValue {
        guard let project = document.project.flatMap({ projects[$0] }) else { return .null }
        let place = project.examination.files.instances.place(of: location)
        guard let path = project.paths.first(where: { $0.value == Int(place.file) })?.key else { return .null }
        let open = documents.values.first { $0.path == path }
        let text = open?.text ?? TextDocument(project.examination.files.files[Int(place.file)].bytes)
        let start = text.offset(line: Int(place.line), column: Int(place.column))
        return self.location(open?.uri ?? DocumentURI.uri(ofPath: path), text, start..<start)
    }

    /// Answers `textDocument/formatting` with the one form of definitions.
    ///
    /// - Throws: ``ResponseError`` if the parameters are wrong, or the text is not YAML.
    func formatting(_ params: JSONValue) throws(ResponseError) -> JSONValue {
        let document = try document(params)
        let format = DefinitionFormat(SourceFiles.File(path: document.uri, bytes: document.text.bytes))
        if let problem = format.diagnostics.first {
            let line = problem.location.map { "line \($0.line): " } ?? ""
            throw ResponseError(.requestFailed, "the text cannot be formatted: \(line)\(problem.message)")
        }
        guard format.bytes != document.text.bytes else { return .array([]) }
        // From the first line that differs to the last one, so that the client keeps its cursor and marks.
        let old = document.text.bytes
        let shorter = min(old.count, format.bytes.count)
        let same = (0..<shorter).first { old[$0] != format.bytes[$0] } ?? shorter
        let most = shorter - same
        var tail = 0
        while tail < most, old[old.count - 1 - tail] == format.bytes[format.bytes.count - 1 - tail] { tail += 1 }
        // Never from or to the middle of a character or line end.
        let start = document.text.lineStarts[document.text.lineNumber(of: same)]
        var end = old.count - tail
        while end < old.count, end == 0 || old[end - 1] != UInt8(ascii: "\n") { end += 1 }
        let new = format.bytes[start..<format.bytes.count - (old.count - end)]
        return .array([
            .object([
                "range": document.text.range(start..<end, encoding).json,
                "newText": .string(String(decoding: new, as: UTF8.self)),
            ])
        ])
    }
}

/// Finds what the text at a place of a definition is the name of.
struct DeclarationFinder {
    let outline: DefinitionOutline
    let names: KnownNames

    /// Where a name leads.
    enum Target {
        case declared(DeclarationIndex.Declaration)
        /// To a place that the last check has found.
        case located(SourceLocation)
        case range(Range<Int>, path: String)
        /// To a file, by the path that the definition gives.
        case file(String)
    }

    /// Where the text at a place leads, or the part of it at an octet; nil if it names nothing.
    func target(of place: DefinitionOutline.Place, at offset: Int) -> Target? {
        let path = outline.path(to: place.node)
        let schema = DefinitionSchema.own
        let meaning =
            place.isKey ? PlaceMeaning(ofKey: path, in: schema) : PlaceMeaning(ofValue: path, in: schema)
        let name = place.scalar.text
        switch meaning {
        case .declaration(let thing)?:
            guard let module = outline.usedModule(around: place.node) else { return declaration(name, thing, place) }
            return names.declarations.declarations
                .first { $0.thing == thing && $0.name == name && $0.modules.last == module }.map { .declared($0) }
        case .reference?, .target?, .selector?, .sentence?:
            guard
                let part = outline.namedParts(of: place, in: schema)
                    .first(where: { $0.range.lowerBound <= offset && offset <= $0.range.upperBound })
            else { return nil }
            return part.things.lazy.compactMap { declaration(part.name, $0, place) }.first
        case .parameter?:
            guard let used = outline.usedModule(around: place.node),
                let module = names.declarations.declaration(
                    of: used,
                    .module,
                    within: outline.modules(around: place.node)
                ), let range = module.parameters.first(where: { $0.name == name })?.range
            else { return nil }
            return .range(range, path: module.path)
        case .file?: return .file(name)
        case .tag?, .model?, .state?, nil: return nil
        }
    }

    private func declaration(
        _ name: String,
        _ thing: NamedThing,
        _ place: DefinitionOutline.Place
    ) -> Target? {
        let modules = outline.modules(around: place.node)
        let found = names.declarations.declaration(of: name, thing, within: modules)
        if let found, found.name == name { return .declared(found) }
        return names.location(of: name, thing).map { .located($0) } ?? found.map { .declared($0) }
    }
}
