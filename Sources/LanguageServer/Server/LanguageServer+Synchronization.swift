import DefinitionModel
import SystemLayer

extension LanguageServer {
    /// How long a definition is left alone after a change, in milliseconds, so that nobody waits while they type.
    static let patience: Int64 = 120
    /// How long it is left alone at most, in milliseconds, while changes keep coming.
    static let longestPatience: Int64 = 1_000

    static let mostDocuments = 256
    /// The most octets that the changes of one message may move.
    private static let mostMoved = 1 << 30

    /// Takes `textDocument/didOpen`.
    mutating func open(_ params: JSONValue) {
        guard let item = params["textDocument"], let uri = item["uri"]?.text, let text = item["text"]?.text else {
            return note("didOpen without a document")
        }
        var document = OpenDocument(
            uri: uri,
            path: DocumentURI.path(uri),
            version: item["version"]?.whole ?? 0,
            text: TextDocument(Array(text.utf8))
        )
        guard documents[uri] != nil || documents.count < Self.mostDocuments else {
            return note("didOpen of a document after \(Self.mostDocuments) others: it is left out")
        }
        document.project = documents[uri]?.project
        documents[uri] = document
        forgetNames()
        if isWithinLimits(uri) { unsettled.append(uri) }
    }

    /// Finds the definitions of the documents that were opened.
    ///
    /// - Returns: whether there were any.
    @discardableResult
    mutating func settle(at now: Int64) -> Bool {
        guard !unsettled.isEmpty else { return false }
        let opened = unsettled
        unsettled = []
        for uri in opened where documents[uri] != nil {
            let checked = belong(uri, at: now)
            for folder in concerned(by: uri) where folder != checked { projects[folder]?.due = now }
        }
        return true
    }

    /// Whether all open documents together are small enough; if not, this one is left out from now on.
    private mutating func isWithinLimits(_ uri: String) -> Bool {
        guard documents.values.reduce(0, { $0 + $1.text.bytes.count }) > textLimit else { return true }
        documents[uri] = nil
        note("the open documents have more than \(textLimit) octets: the latest is left out")
        return false
    }

    /// Takes `textDocument/didChange`. A change without a range is the whole text.
    mutating func change(_ params: JSONValue, at now: Int64) {
        guard let uri = params["textDocument"]?["uri"]?.text, var document = documents[uri] else {
            return note("didChange of a document that is not open")
        }
        let changes = params["contentChanges"]?.items ?? []
        guard changes.count * document.text.bytes.count <= Self.mostMoved else {
            documents[uri] = nil
            return note("didChange with \(changes.count) changes of a large document: it is left out")
        }
        for change in changes {
            guard let text = change["text"]?.text else {
                note("didChange without a text")
                continue
            }
            guard let range = change["range"], range != .null else {
                document.text = TextDocument(Array(text.utf8))
                continue
            }
            guard let range = TextRange(range) else {
                note("didChange with a range that is none")
                continue
            }
            let start = document.text.offset(of: range.start, encoding)
            let end = document.text.offset(of: range.end, encoding)
            document.text.replace(start..<max(start, end), with: text)
        }
        document.version = params["textDocument"]?["version"]?.whole ?? document.version &+ 1
        document.outline = nil
        document.kind = nil
        documents[uri] = document
        forgetNames()
        guard isWithinLimits(uri) else { return }
        for folder in concerned(by: uri) { projects[folder]?.postpone(at: now) }
    }

    /// Takes `textDocument/didSave`: what the definition names besides may have changed, too.
    mutating func save(_ params: JSONValue, at now: Int64) {
        guard let uri = params["textDocument"]?["uri"]?.text, documents[uri] != nil else { return }
        belong(uri, at: now)
        for folder in concerned(by: uri) { projects[folder]?.due = now }
    }

    /// Takes `textDocument/didClose`. From now on the file on disk counts. Nothing is shown of a definition of which no
    /// document is open.
    mutating func close(_ params: JSONValue, at now: Int64) {
        guard let uri = params["textDocument"]?["uri"]?.text, documents[uri] != nil else { return }
        let concerned = concerned(by: uri)
        documents[uri] = nil
        forgetNames()
        for folder in concerned {
            guard documents.values.contains(where: { $0.project == folder }) else {
                clear(folder)
                continue
            }
            projects[folder]?.due = now
        }
    }

    /// Forgets what is declared, since a text has changed.
    private mutating func forgetNames() {
        for folder in projects.keys { projects[folder]?.names = nil }
    }

    /// The definitions that a change of a document concerns.
    private func concerned(by uri: String) -> [String] {
        guard let document = documents[uri] else { return [] }
        return projects.values.filter { project in
            project.folder == document.project || document.path.map(project.has) == true
        }
        .map(\.folder).sorted()
    }

    /// Finds the definition that a document belongs to: of those that stand in the folders around it and have it among
    /// their files, the outermost. A file that another one includes belongs to that one's definition.
    ///
    /// - Returns: the folder of that definition if it had to be checked now.
    @discardableResult
    mutating func belong(_ uri: String, at now: Int64) -> String? {
        guard let path = documents[uri]?.path else { return nil }
        let kind = kind(of: uri)
        if let project = documents[uri]?.project.flatMap({ projects[$0] }), serves(project, path, kind) { return nil }
        documents[uri]?.project = nil
        if kind == .fleet || kind == .settings { return standAlone(uri, path, kind) }
        for folder in foldersAround(path) {
            if let known = projects[folder], serves(known, path, kind) {
                documents[uri]?.project = folder
                return nil
            }
            guard let examination = workshop.examine(folder, openFiles) else { continue }
            let project = Project(folder: folder, examination: examination)
            guard serves(project, path, kind) else { continue }
            documents[uri]?.project = folder
            var renewed = project
            renewed.published = projects[folder]?.published ?? [:]
            projects[folder] = renewed
            publish(folder)
            return folder
        }
        return kind == .definition ? nil : standAlone(uri, path, kind)
    }

    /// Whether a file belongs to a project. A file with devices belongs to the definition that names it, but does not
    /// make its folder one.
    func serves(_ project: Project, _ path: String, _ kind: FileKind) -> Bool {
        guard project.has(path), project.kind == .definition || project.kind == kind else { return false }
        return project.kind == kind || kind == .devices && project.namesNetwork
    }

    /// Checks a file that is no part of a definition.
    ///
    /// - Returns: its path, as the folder of its project.
    private mutating func standAlone(_ uri: String, _ path: String, _ kind: FileKind) -> String {
        var project = Project(folder: path, kind: kind, examination: examination(of: path, kind))
        project.published = projects[path]?.published ?? [:]
        projects[path] = project
        documents[uri]?.project = path
        publish(path)
        return path
    }

    /// What checking a file that stands alone gives.
    func examination(of path: String, _ kind: FileKind) -> DefinitionExamination {
        let open = openFiles
        let file = SourceFiles.File(path: path, bytes: open[path] ?? [])
        return DefinitionExamination(
            definitions: [],
            diagnostics: workshop.examineFile(kind, path, open),
            files: SourceFiles(files: [file])
        )
    }

    /// What an open document is.
    mutating func kind(of uri: String) -> FileKind {
        guard let document = documents[uri] else { return .definition }
        let kind = document.kind ?? FileKind(path: document.path ?? document.uri, document.text.bytes)
        documents[uri]?.kind = kind
        return kind
    }

    /// The folders in which the definition of a file may stand, the outermost first.
    private func foldersAround(_ path: String) -> [String] {
        let own = DocumentURI.folder(of: path)
        func contains(_ folder: String) -> Bool { folder == "/" || own == folder || own.hasPrefix(folder + "/") }
        guard let outermost = folders.filter(contains).min(by: { $0.utf8.count < $1.utf8.count }) else { return [own] }
        var around = [own]
        while let folder = around.last, folder != outermost, folder != "/", around.count < Self.mostFolders {
            around.append(DocumentURI.folder(of: folder))
        }
        return around.reversed()
    }

    /// The most folders in which the definition of a file is looked for.
    private static let mostFolders = 6

    /// The texts of the open files, by path.
    var openFiles: [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        for document in documents.values { if let path = document.path { files[path] = document.text.bytes } }
        return files
    }
}
