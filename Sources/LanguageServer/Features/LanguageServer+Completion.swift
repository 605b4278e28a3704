import DefinitionModel
import SystemLayer

extension LanguageServer {
    /// Answers `textDocument/completion`.
    mutating func completion(_ params: JSONValue) throws(ResponseError) -> JSONValue {
        let (document, offset) = try place(params)
        let completion = Completion(
            document.text.bytes,
            at: offset,
            names: names(for: document),
            schema: kind(of: document.uri).schema
        )
        let range = document.text.range(completion.replaced, encoding).json
        let items = completion.items.prefix(Self.mostItems).enumerated().map { number, item in
            JSONValue.object([
                "label": .string(item.label), "kind": .integer(item.kind.rawValue),
                "detail": item.detail.map { .string($0) }, "documentation": item.documentation.map { .string($0) },
                // Items come in a useful order, which clients would replace by that of the alphabet.
                "sortText": .string(String(repeating: "0", count: max(0, 5 - "\(number)".count)) + "\(number)"),
                "textEdit": .object(["range": range, "newText": .string(item.text)]),
            ])
        }
        // More than a person can choose from; the client asks again when more letters are there.
        let isIncomplete = completion.items.count > items.count
        return .object(["isIncomplete": .bool(isIncomplete), "items": .array(items)])
    }

    /// The most things of one kind in an answer.
    static let mostItems = 10_000

    mutating func names(for document: OpenDocument) -> KnownNames {
        guard let folder = document.project, let project = projects[folder] else {
            var alone = DeclarationIndex()
            alone.add(outline(of: document), path: document.path ?? document.uri)
            return KnownNames(declarations: alone)
        }
        if let names = project.names { return names }
        let names = KnownNames(declarations: declarations(folder), definitions: project.examination.definitions)
        projects[folder]?.names = names
        return names
    }

    /// The declarations in the files of a definition, with the texts of open documents as they are now.
    mutating func declarations(_ folder: String) -> DeclarationIndex {
        var index = DeclarationIndex()
        for (path, outline) in outlines(folder) { index.add(outline, path: path) }
        return index
    }

    /// The outlines of the files of a definition in their order, with the texts of open documents as they are now.
    mutating func outlines(_ folder: String) -> [(path: String, outline: DefinitionOutline)] {
        guard let project = projects[folder] else { return [] }
        var open: [String: OpenDocument] = [:]
        for document in documents.values { if let path = document.path { open[path] = document } }
        var outlines: [(path: String, outline: DefinitionOutline)] = []
        for (path, number) in project.paths.sorted(by: { $0.value < $1.value }) {
            guard path.hasSuffix(".yaml") || path.hasSuffix(".yml") else { continue }
            if let document = open[path] {
                outlines.append((path, outline(of: document)))
            } else if let known = project.outlines[path] {
                outlines.append((path, known))
            } else {
                let outline = DefinitionOutline(project.examination.files.files[number].bytes)
                projects[folder]?.outlines[path] = outline
                outlines.append((path, outline))
            }
        }
        return outlines
    }

    mutating func outline(of document: OpenDocument) -> DefinitionOutline {
        if let outline = documents[document.uri]?.outline { return outline }
        let outline = DefinitionOutline(document.text.bytes)
        documents[document.uri]?.outline = outline
        return outline
    }
}
