import SystemLayer

extension LanguageServer {
    /// Answers `textDocument/codeAction`: what mends the mistakes in a part of a document.
    func codeActions(_ params: JSONValue) throws(ResponseError) -> JSONValue {
        let document = try document(params)
        guard let wanted = TextRange(params["range"]) else {
            throw ResponseError(.invalidParams, "`range` is no range")
        }
        let only = params["context"]?["only"]?.items?.compactMap(\.text)
        // A client may ask for all kinds below one: an empty kind means every kind.
        guard only?.contains(where: { $0.isEmpty || $0 == "quickfix" }) != false else { return .array([]) }
        // While a check is due, the places of the last one may be wrong.
        guard let project = document.project.flatMap({ projects[$0] }), project.due == nil else { return .array([]) }
        let found = project.published[document.uri]?["diagnostics"]?.items ?? []
        var actions: [JSONValue] = []
        for diagnostic in found {
            guard let range = TextRange(diagnostic["range"]), range.start <= wanted.end, wanted.start <= range.end,
                let message = diagnostic["message"]?.text,
                let mending = Mending(message, document.text, range, encoding)
            else { continue }
            let edit = JSONValue.object([
                "range": document.text.range(mending.range, encoding).json, "newText": .string(mending.text),
            ])
            actions.append(
                .object([
                    "title": .string(mending.title), "kind": .string("quickfix"),
                    "diagnostics": .array([diagnostic]), "isPreferred": .bool(true),
                    "edit": .object(["changes": .object([JSONMember(document.uri, .array([edit]))])]),
                ])
            )
        }
        return .array(actions)
    }
}

/// The one edit that mends a mistake, where its message says it.
struct Mending {
    /// What it does, for a menu.
    let title: String
    /// The octets that are replaced.
    let range: Range<Int>
    /// What takes their place.
    let text: String

    /// The mending of a mistake at a place; nil if its words do not say one, or are about another text.
    init?(_ message: String, _ document: TextDocument, _ place: TextRange, _ encoding: PositionEncoding) {
        var start = document.offset(of: place.start, encoding)
        var end = max(start, document.offset(of: place.end, encoding))
        // It begins a sentence, or stands in one.
        guard let suggestion = Self.word(behind: "id you mean `", in: message) else { return nil }
        // The message must be about what stands there: `unknown key `featurs``.
        let sentence = message.prefix { $0 != "\n" }
        // A place may be that of a quote; what is meant stands up to the next one.
        if start < end, [UInt8(ascii: "\""), UInt8(ascii: "'")].contains(document.bytes[start]) {
            let line = document.line(place.start.line)
            let quote = document.bytes[start]
            start += 1
            end = document.bytes[start..<max(start, line.upperBound)].firstIndex(of: quote) ?? end
        }
        let text = String(decoding: document.bytes[start..<max(start, end)], as: UTF8.self)
        guard !text.isEmpty, let part = Self.wrongPart(of: text, sentence) else { return nil }
        let begin = start + part.lowerBound
        title =
            "Replace `\(String(decoding: text.utf8.dropFirst(part.lowerBound).prefix(part.count), as: UTF8.self))` "
            + "by `\(suggestion)`"
        range = begin..<begin + part.count
        self.text = suggestion
    }

    /// The octets of a text that a message is about: all of it, or one of its words.
    private static func wrongPart(of text: String, _ sentence: some StringProtocol) -> Range<Int>? {
        if sentence.contains("`\(text)`") { return 0..<text.utf8.count }
        let separators = " ,/"
        var offset = 0
        for word in text.split(omittingEmptySubsequences: false, whereSeparator: { separators.contains($0) }) {
            if !word.isEmpty, sentence.contains("`\(word)`") { return offset..<offset + word.utf8.count }
            offset += word.utf8.count + 1
        }
        return nil
    }

    private static func word(behind words: String, in message: String) -> String? {
        guard let start = message.firstRange(of: words)?.upperBound, let end = message[start...].firstIndex(of: "`"),
            start < end
        else { return nil }
        return String(message[start..<end])
    }
}
