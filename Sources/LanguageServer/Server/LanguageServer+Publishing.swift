import DefinitionModel
import MeshCore
import SystemLayer

extension LanguageServer {
    /// Checks the definition that has waited longest, if its time has come.
    ///
    /// - Returns: whether there was one.
    mutating func checkOne(at now: Int64) -> Bool {
        let waiting = projects.values.compactMap { project in project.due.map { (due: $0, folder: project.folder) } }
        guard let (due, folder) = waiting.min(by: { ($0.due, $0.folder) < ($1.due, $1.folder) }), due <= now else {
            return false
        }
        let kind = projects[folder]?.kind ?? .definition
        let found = kind == .definition ? workshop.examine(folder, openFiles) : examination(of: folder, kind)
        guard let examination = found else {
            clear(folder)
            return true
        }
        projects[folder]?.take(examination)
        // An include may be gone, or a file has become one of another kind; then its document has another definition,
        // or none.
        for (uri, document) in documents where document.project == folder {
            if document.path != nil { belong(uri, at: now) }
        }
        guard documents.values.contains(where: { $0.project == folder }) else {
            clear(folder)
            return true
        }
        publish(folder)
        return true
    }

    /// Takes back everything that was published about a definition, and forgets it.
    mutating func clear(_ folder: String) {
        guard let project = projects.removeValue(forKey: folder) else { return }
        for (uri, diagnostics) in project.published.sorted(by: { $0.key < $1.key })
        where diagnostics["diagnostics"] != .array([]) {
            // By now it may be somebody else's.
            if let owner = documents[uri]?.project, owner != folder { continue }
            notify("textDocument/publishDiagnostics", .object(["uri": .string(uri), "diagnostics": .array([])]))
        }
        for uri in documents.keys where documents[uri]?.project == folder { documents[uri]?.project = nil }
    }

    /// Tells the client what the last check of a definition has found, as far as it does not know it.
    mutating func publish(_ folder: String) {
        guard let project = projects[folder] else { return }
        let found = PublishedDiagnostics(project, documents, encoding, workshop).byDocument
        var published: [String: JSONValue] = [:]
        for uri in Set(found.keys).union(project.published.keys).sorted() {
            let document = documents[uri]
            let params = JSONValue.object([
                "uri": .string(uri), "version": document.map { .integer($0.version) },
                "diagnostics": .array(found[uri] ?? []),
            ])
            if found[uri] != nil { published[uri] = params }
            // Nobody needs to hear that there is still nothing to say about a file that is not open.
            let isNew = project.published[uri] == nil
            if isNew, document == nil, found[uri]?.isEmpty != false { continue }
            if project.published[uri] != params { notify("textDocument/publishDiagnostics", params) }
        }
        projects[folder]?.published = published
    }
}

/// The diagnostics of a definition as the protocol tells them, each for the document to which it belongs.
struct PublishedDiagnostics {
    /// The diagnostics by the address of the document; every document of the definition is there.
    private(set) var byDocument: [String: [JSONValue]] = [:]
    private let files: SourceFiles
    private let encoding: PositionEncoding
    private let source: String
    private var uris: [Int: String] = [:]
    private var texts: [Int: TextDocument] = [:]

    init(
        _ project: Project,
        _ documents: [String: LanguageServer.OpenDocument],
        _ encoding: PositionEncoding,
        _ workshop: DefinitionWorkshop
    ) {
        source = workshop.name
        files = project.examination.files
        self.encoding = encoding
        // A client knows its documents by the addresses that it has chosen.
        let open = Dictionary(documents.values.compactMap { document in document.path.map { ($0, document) } }) {
            first,
            _ in first
        }
        for (path, number) in project.paths {
            uris[number] = open[path]?.uri ?? DocumentURI.uri(ofPath: path)
            // The lines of a text that was checked as it is are known.
            let bytes = project.examination.files.files[number].bytes
            if let text = open[path]?.text, text.bytes == bytes { texts[number] = text }
        }
        for uri in uris.values { byDocument[uri] = [] }
        // What is said about the whole definition is shown where somebody looks.
        let opened = documents.values.filter { $0.project == project.folder }.map(\.uri).min()
        let fallback = opened ?? uris.sorted { $0.key < $1.key }.first?.value
        for diagnostic in files.instances.folded(project.examination.diagnostics).arranged() {
            let number = diagnostic.location.map { Int($0.file) }
            guard let uri = number.flatMap({ uris[$0] }) ?? fallback else { continue }
            byDocument[uri, default: []].append(json(diagnostic, workshop.word))
        }
    }

    private mutating func json(_ diagnostic: Diagnostic, _ word: (Advice) -> String) -> JSONValue {
        var message = diagnostic.message
        if let hint = diagnostic.hint.map(word), !hint.isEmpty { message += "\n" + hint }
        var related: [JSONValue] = []
        for other in diagnostic.related {
            guard let uri = uris[Int(other.location.file)] else { continue }
            let range = range(of: other.location, length: 1)
            related.append(
                .object([
                    "location": .object(["uri": .string(uri), "range": range.json]), "message": .string(other.message),
                ])
            )
        }
        let severity =
            switch diagnostic.severity {
            case .error: 1
            case .warning: 2
            case .note: 3
            }
        let start = TextPosition(line: 0, character: 0)
        let hasPlace = diagnostic.location.map { uris[Int($0.file)] != nil } == true
        let range = hasPlace ? diagnostic.location.map { self.range(of: $0, length: diagnostic.length) } : nil
        return .object([
            "range": (range ?? TextRange(start: start, end: start)).json, "severity": .integer(severity),
            "source": .string(source), "message": .string(message),
            "relatedInformation": related.isEmpty ? nil : .array(related),
        ])
    }

    private mutating func range(of location: SourceLocation, length: Int) -> TextRange {
        let number = Int(location.file)
        let text = texts[number] ?? TextDocument(files.files.indices.contains(number) ? files.files[number].bytes : [])
        texts[number] = text
        let (line, column) = (Int(location.line), Int(location.column))
        let start = text.offset(line: line, column: column)
        let end = text.offset(line: line, column: column.addingReportingOverflow(max(length, 1)).partialValue)
        return text.range(start..<max(start, end), encoding)
    }
}
