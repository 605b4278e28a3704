import SystemLayer

extension LanguageServer {
    /// Answers `initialize`: agrees on what both sides can do.
    mutating func initialize(_ params: JSONValue) -> JSONValue {
        phase = .running
        let capabilities = params["capabilities"]
        let offered = capabilities?["general"]?["positionEncodings"]?.items?.compactMap(\.text) ?? []
        // UTF-8 is the encoding of the files, so it costs least.
        encoding = offered.contains(PositionEncoding.utf8.rawValue) ? .utf8 : .utf16
        let formats = capabilities?["textDocument"]?["hover"]?["contentFormat"]?.items?.compactMap(\.text) ?? []
        clientTakesMarkdown = formats.contains("markdown")
        let watching = capabilities?["workspace"]?["didChangeWatchedFiles"]
        clientWatchesFiles = watching?["dynamicRegistration"]?.truth == true
        let edits = capabilities?["workspace"]?["workspaceEdit"]
        clientTakesVersionedEdits = edits?["documentChanges"]?.truth == true
        let document = capabilities?["textDocument"]
        let clientPreparesRenames = document?["rename"]?["prepareSupport"]?.truth == true
        // Without this, actions would be commands that the server had to carry out.
        let clientTakesCodeActions = document?["codeAction"]?["codeActionLiteralSupport"]?.isObject == true
        let folders = params["workspaceFolders"]?.items?.compactMap { $0["uri"]?.text } ?? []
        let single = [params["rootUri"]?.text].compactMap { $0 }
        self.folders = (folders.isEmpty ? single : folders).compactMap(DocumentURI.path)
        if self.folders.isEmpty, let path = params["rootPath"]?.text, path.hasPrefix("/") {
            self.folders = [DocumentURI.normalized(path)]
        }
        return .object([
            "capabilities": .object([
                "positionEncoding": .string(encoding.rawValue),
                "textDocumentSync": .object([
                    "openClose": .bool(true),
                    // Incremental.
                    "change": .integer(2),
                    "save": .object(["includeText": .bool(false)]),
                ]),
                "completionProvider": .object([
                    "triggerCharacters": .array([" ", ":", "[", "{", ",", "("].map { .string($0) }),
                    "resolveProvider": .bool(false),
                ]),
                "hoverProvider": .bool(true),
                "definitionProvider": .bool(true),
                "referencesProvider": .bool(true),
                "documentHighlightProvider": .bool(true),
                "documentLinkProvider": .object(["resolveProvider": .bool(false)]),
                "renameProvider": clientPreparesRenames ? .object(["prepareProvider": .bool(true)]) : .bool(true),
                "codeActionProvider": clientTakesCodeActions
                    ? .object(["codeActionKinds": .array([.string("quickfix")])]) : nil,
                "documentSymbolProvider": .bool(true),
                "documentFormattingProvider": .bool(true),
            ]),
            "serverInfo": .object(["name": .string(workshop.name)]),
        ])
    }

    /// Asks the client to tell when files of definitions change that are not open in it.
    mutating func watchFiles() {
        guard clientWatchesFiles else { return }
        // Also the drawings of floors, and which device is at which place.
        let watchers = ["yaml", "yml", "csv", "svg", "assignments"].map { ending in
            JSONValue.object(["globPattern": .string("**/*.\(ending)")])
        }
        let registration = JSONValue.object([
            "id": .string("files"), "method": .string("workspace/didChangeWatchedFiles"),
            "registerOptions": .object(["watchers": .array(watchers)]),
        ])
        ask("watch-files", "client/registerCapability", .object(["registrations": .array([registration])]))
    }

    /// Answers a request about a document.
    ///
    /// - Throws: ``ResponseError`` if there is no such method, the parameters are wrong, or it cannot be done.
    mutating func feature(_ method: String, _ params: JSONValue, at now: Int64) throws(ResponseError) -> JSONValue {
        switch method {
        case "textDocument/completion": try completion(params)
        case "textDocument/hover": try hover(params)
        case "textDocument/definition": try definition(params)
        case "textDocument/references": try references(params)
        case "textDocument/documentHighlight": try highlights(params)
        case "textDocument/documentLink": try links(params)
        case "textDocument/prepareRename": try prepareRename(params)
        case "textDocument/rename": try rename(params)
        case "textDocument/codeAction": try codeActions(params)
        case "textDocument/documentSymbol": try symbols(params)
        case "textDocument/formatting": try formatting(params)
        default: throw ResponseError(.methodNotFound, "there is no method \(method.prefix(100))")
        }
    }

    /// The address of the open document that a request is about.
    ///
    /// - Throws: ``ResponseError`` if it names none, or one that is not open.
    func document(_ params: JSONValue) throws(ResponseError) -> OpenDocument {
        guard let uri = params["textDocument"]?["uri"]?.text else {
            throw ResponseError(.invalidParams, "`textDocument.uri` is missing")
        }
        guard let document = documents[uri] else { throw ResponseError(.invalidParams, "the document is not open") }
        return document
    }

    /// The open document that a request is about, and the octet of the position in it.
    ///
    /// - Throws: ``ResponseError`` if the document is not open, or there is no position.
    func place(_ params: JSONValue) throws(ResponseError) -> (document: OpenDocument, offset: Int) {
        let document = try document(params)
        guard let position = TextPosition(params["position"]) else {
            throw ResponseError(.invalidParams, "`position` is no position")
        }
        return (document, document.text.offset(of: position, encoding))
    }
}
