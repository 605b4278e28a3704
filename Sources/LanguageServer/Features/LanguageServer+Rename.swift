import DefinitionModel
import Definitions
import SystemLayer

extension LanguageServer {
    /// Answers `textDocument/prepareRename` with the name that would be replaced.
    ///
    /// - Throws: ``ResponseError`` if there is nothing that can get another name, with the reason.
    mutating func prepareRename(_ params: JSONValue) throws(ResponseError) -> JSONValue {
        let (document, offset) = try place(params)
        let names = names(for: document)
        let (part, _) = try renamed(document, offset, names)
        return .object([
            "range": document.text.range(part.range, encoding).json, "placeholder": .string(part.name),
        ])
    }

    /// Answers `textDocument/rename`: the edits that give a thing another name in all files of the definition.
    ///
    /// The definition is checked with these edits before they are given away. Where it would be wrong, or a pattern
    /// would select something else, nothing is renamed.
    ///
    /// - Throws: ``ResponseError`` if it cannot be renamed, with the reason.
    mutating func rename(_ params: JSONValue) throws(ResponseError) -> JSONValue {
        let (document, offset) = try place(params)
        guard let name = params["newName"]?.text else { throw ResponseError(.invalidParams, "`newName` is missing") }
        guard Name.isValid(name) else {
            throw ResponseError(
                .invalidParams,
                "names are letters, digits, `.`, `_` and `-`, and start with a letter or digit"
            )
        }
        // The files on disk may have changed since the last check.
        if let folder = document.project, let examination = workshop.examine(folder, openFiles) {
            projects[folder]?.take(examination)
            publish(folder)
        }
        let names = names(for: document)
        let (part, thing) = try renamed(document, offset, names)
        guard name != part.name else { return .null }
        guard let folder = document.project, let project = projects[folder] else {
            throw refusal("this file belongs to no definition")
        }
        if project.examination.diagnostics.contains(where: { $0.severity == .error }) {
            throw refusal("the definition has errors; mend them first, so that the new name can be checked")
        }
        let found = occurrences(of: part.name, thing, for: document, names)
        guard found.exact.count <= Self.mostItems else {
            throw refusal("`\(part.name)` stands in more than \(Self.mostItems) places; rename it with another program")
        }
        let declarations = found.exact.filter(\.isDeclaration)
        guard let declaration = declarations.first, declarations.count == 1 else {
            throw refusal(
                declarations.isEmpty
                    ? "`\(part.name)` comes of a module or a repetition; change what it is made of"
                    : "`\(part.name)` is declared in \(declarations.count) places; rename it by hand"
            )
        }
        try checkPatterns(found, name, folder)
        var edits = RenameEdits()
        for place in found.exact where !place.isHistory { edits.add(place.path, place.range, name) }
        if let prefix = thing.addressPrefix, let text = text(ofFile: declaration.path, folder) {
            let octet = declaration.range.lowerBound
            let moved = MovedEntry(text, near: octet, from: prefix + part.name, to: prefix + name)
            edits.add(declaration.path, moved.place..<moved.place, moved.text)
        }
        try check(edits, folder, from: part.name, to: name)
        return workspaceEdit(edits, folder)
    }

    /// The name at a place that can be replaced by another one.
    ///
    /// - Throws: ``ResponseError`` if there is none, with the reason.
    private func renamed(
        _ document: OpenDocument,
        _ offset: Int,
        _ names: KnownNames
    ) throws(ResponseError) -> (part: NamedPart, thing: NamedThing) {
        let outline = document.outline ?? DefinitionOutline(document.text.bytes)
        guard let (part, thing) = named(outline, offset, names), thing != .variable else {
            throw refusal("only the names of what a definition declares can be changed")
        }
        guard Name.isValid(part.name) else {
            throw refusal("`\(part.name)` stands for several names; change it by hand")
        }
        guard !part.isHistory else { throw refusal("`moved` tells former names, which stay as they are") }
        return (part, thing)
    }

    private func refusal(_ reason: String) -> ResponseError { ResponseError(.requestFailed, reason) }

    /// Refuses a name by which a pattern would select the thing no longer, or from now on.
    private mutating func checkPatterns(_ found: Occurrences, _ name: String, _ folder: String) throws(ResponseError) {
        guard found.thing == .node else { return }
        for (path, outline) in outlines(folder) {
            for place in outline.places(holding: ["*"]) {
                for part in outline.namedParts(of: place, in: .own) where part.things.contains(.node) {
                    let glob = Glob(Occurrences.withStars(part.name))
                    guard glob.matches(found.name) != glob.matches(name) else { continue }
                    let line = text(ofFile: path, folder)?.lineNumber(of: part.range.lowerBound) ?? 0
                    let place = "\(DocumentURI.name(of: path)):\(line + 1)"
                    throw refusal(
                        glob.matches(name)
                            ? "the pattern `\(part.name)` (\(place)) would select `\(name)`, but not `\(found.name)`"
                            : "the pattern `\(part.name)` (\(place)) selects `\(found.name)`, but not `\(name)`"
                    )
                }
            }
        }
    }

    /// Checks the definition as it would be.
    ///
    /// - Throws: ``ResponseError`` with the first mistake that it would have then.
    private func check(
        _ edits: RenameEdits,
        _ folder: String,
        from old: String,
        to new: String
    ) throws(ResponseError) {
        var files = openFiles
        for path in edits.paths {
            guard var text = text(ofFile: path, folder) else {
                throw refusal("\(DocumentURI.name(of: path)) is not there")
            }
            for (range, replacement) in edits.inFile(path).reversed() { text.replace(range, with: replacement) }
            files[path] = text.bytes
        }
        guard let before = projects[folder]?.examination, let after = workshop.examine(folder, files) else {
            throw refusal("the definition is not there any more")
        }
        // Messages name things, so both sides are told with one name.
        func words(_ diagnostic: Diagnostic) -> String { diagnostic.message.replacing(new, with: old) }
        let known = Set(before.diagnostics.map(words))
        let added = after.diagnostics.filter { $0.severity != .note && !known.contains(words($0)) }
        guard let problem = added.max(by: { $0.severity < $1.severity }) else { return }
        let location = problem.location.map { after.files.instances.place(of: $0) }
            .map { " (\(DocumentURI.name(of: after.files.path(of: $0))):\($0.line))" }
        throw refusal("with the name `\(new)` the definition would be wrong: \(problem.message)\(location ?? "")")
    }

    private func workspaceEdit(_ edits: RenameEdits, _ folder: String) -> JSONValue {
        var changes: [(uri: String, version: Int?, edits: [JSONValue])] = []
        for path in edits.paths {
            let open = documents.values.first { $0.path == path }
            guard let text = text(ofFile: path, folder) else { continue }
            let list = edits.inFile(path).map { range, new in
                JSONValue.object(["range": text.range(range, encoding).json, "newText": .string(new)])
            }
            changes.append((open?.uri ?? DocumentURI.uri(ofPath: path), open?.version, list))
        }
        guard clientTakesVersionedEdits else {
            return .object(["changes": .object(changes.map { JSONMember($0.uri, .array($0.edits)) })])
        }
        let documents = changes.map { change in
            let document = JSONValue.object([
                "uri": .string(change.uri), "version": change.version.map { .integer($0) } ?? .null,
            ])
            return JSONValue.object(["textDocument": document, "edits": .array(change.edits)])
        }
        return .object(["documentChanges": .array(documents)])
    }
}

/// Replacements in several files.
struct RenameEdits {
    private var files: [String: [(range: Range<Int>, text: String)]] = [:]

    /// Adds a replacement of octets of a file.
    mutating func add(_ path: String, _ range: Range<Int>, _ text: String) {
        files[path, default: []].append((range, text))
    }

    /// The files, sorted.
    var paths: [String] { files.keys.sorted() }

    /// The replacements in a file, in reading order.
    func inFile(_ path: String) -> [(range: Range<Int>, text: String)] {
        (files[path] ?? []).sorted { $0.range.lowerBound < $1.range.lowerBound }
    }
}
