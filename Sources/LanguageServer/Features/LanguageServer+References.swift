import SystemLayer

extension LanguageServer {
    /// Answers `textDocument/references`: all places that name what the text at the place names, also by a pattern.
    mutating func references(_ params: JSONValue) throws(ResponseError) -> JSONValue {
        let (document, offset) = try place(params)
        let names = names(for: document)
        guard let (part, thing) = named(outline(of: document), offset, names) else { return .null }
        let withDeclaration = params["context"]?["includeDeclaration"]?.truth != false
        let found = occurrences(of: part.name, thing, for: document, names)
        let places = (found.exact + found.similar).filter { withDeclaration || !$0.isDeclaration }
            .sorted { ($0.path, $0.range.lowerBound) < ($1.path, $1.range.lowerBound) }
        // Finding the lines of a file that is not open takes long.
        var texts: [String: (uri: String, text: TextDocument)] = [:]
        return .array(
            places.prefix(Self.mostItems).map { place in
                guard let file = texts[place.path] ?? file(place.path, of: document) else { return .null }
                texts[place.path] = file
                return location(file.uri, file.text, place.range)
            }
        )
    }

    /// Answers `textDocument/documentHighlight`: the places of the same document that name the same.
    mutating func highlights(_ params: JSONValue) throws(ResponseError) -> JSONValue {
        let (document, offset) = try place(params)
        let names = names(for: document)
        let outline = outline(of: document)
        guard let (part, thing) = named(outline, offset, names) else { return .null }
        var found = Occurrences(of: part.name, thing, names)
        found.add(outline, path: document.uri)
        return .array(
            (found.exact + found.similar).prefix(Self.mostItems).map { place in
                // Written where it is declared, read elsewhere.
                .object([
                    "range": document.text.range(place.range, encoding).json,
                    "kind": .integer(place.isDeclaration ? 3 : 2),
                ])
            }
        )
    }

    /// Answers `textDocument/documentLink`: the paths of files that belong to the definition.
    mutating func links(_ params: JSONValue) throws(ResponseError) -> JSONValue {
        let document = try document(params)
        let outline = outline(of: document)
        guard let path = document.path, let project = document.project.flatMap({ projects[$0] }) else {
            return .array([])
        }
        var links: [JSONValue] = []
        var meanings = MeaningTable(schema: .own)
        // The name of every file has an ending, so most texts need no thought.
        let places = outline.places(holding: ["."])
        for place in places where links.count < Self.mostItems {
            guard !place.isKey, meanings.meaning(of: place, in: outline) == .file else { continue }
            let value = place.scalar
            let target = DocumentURI.path(of: value.text, namedIn: path)
            // A folder has no document, and what is not part of the definition is not opened.
            guard project.has(target) else { continue }
            links.append(
                .object([
                    "range": document.text.range(value.range, encoding).json,
                    "target": .string(DocumentURI.uri(ofPath: target)),
                ])
            )
        }
        return .array(links)
    }
}
