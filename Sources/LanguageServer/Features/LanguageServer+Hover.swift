import DefinitionModel
import MeshCore
import Planning
import SystemLayer

extension LanguageServer {
    /// Answers `textDocument/hover`: what the text at the place means, and what sets it.
    mutating func hover(_ params: JSONValue) throws(ResponseError) -> JSONValue {
        let (document, offset) = try place(params)
        let outline = outline(of: document)
        guard let place = outline.place(at: offset) else { return .null }
        let names = names(for: document)
        let kind = kind(of: document.uri)
        var text = HoverText(outline: outline, names: names, schema: kind.schema).text(of: place)
        if kind == .definition { text += origins(of: place, outline, document, names) }
        guard !text.isEmpty else { return .null }
        let content = text.map { clientTakesMarkdown ? workshop.markdown($0) : String($0.filter { $0 != "`" }) }
            .joined(separator: "\n\n")
        return .object([
            "contents": .object([
                "kind": .string(clientTakesMarkdown ? "markdown" : "plaintext"), "value": .string(content),
            ]),
            "range": document.text.range(place.scalar.range, encoding).json,
        ])
    }

    /// What sets the values at a place, for a network that no database knows yet. A definition with errors has no
    /// values.
    private mutating func origins(
        of place: DefinitionOutline.Place,
        _ outline: DefinitionOutline,
        _ document: OpenDocument,
        _ names: KnownNames
    ) -> [String] {
        guard let folder = document.project, let path = document.path, let project = projects[folder],
            let file = project.paths[path], project.due == nil,
            !project.examination.diagnostics.contains(where: { $0.severity == .error })
        else { return [] }
        let explainers = project.explainers ?? project.examination.definitions.map { Explainer($0, network: .empty) }
        projects[folder]?.explainers = explainers
        let origins = ValueOrigins(files: project.examination.files, folder: folder, explainers: explainers)
        let steps = outline.path(to: place.node)
        let schema = DefinitionSchema.own
        if place.isKey, case .declaration(let thing)? = PlaceMeaning(ofKey: steps, in: schema) {
            return origins.lines(about: place.scalar.text, thing, in: file, document.text, place.scalar.range)
        }
        if !place.isKey, case .reference(let thing)? = PlaceMeaning(ofValue: steps, in: schema) {
            return origins.summary(of: place.scalar.text, thing)
        }
        // Under a key, what its value sets; a value itself may be one of several.
        let value = outline.nodes[place.node]
        let octets = place.isKey ? value.value?.range.lowerBound : place.scalar.range.lowerBound
        guard let octets else { return [] }
        let line = document.text.lineNumber(of: octets) + 1
        let start = document.text.lineStarts[line - 1]
        let column = document.text.bytes[start..<octets].count { $0 & 0xC0 != 0x80 } + 1
        return origins.lines(setAt: line, column, in: file, nodes: steps)
    }
}

/// Words what sets values of nodes.
struct ValueOrigins {
    /// The files that locations point into.
    let files: SourceFiles
    /// The folder of the definition; paths are shown from there.
    let folder: String
    /// What explains the values of each network.
    let explainers: [Explainer]

    /// The most nodes that are looked at for a value that many share.
    private static let nodeLimit = 200
    /// The most lines about one thing.
    private static let lineLimit = 24

    /// All values of a node, or what is known of another thing.
    func lines(
        about name: String,
        _ thing: NamedThing,
        in file: Int,
        _ text: TextDocument,
        _ range: Range<Int>
    ) -> [String] {
        guard thing == .node else { return summary(of: name, thing) }
        // A name with references stands for several nodes: those whose names stand at this place.
        let place = text.position(of: range.lowerBound, .utf8)
        let meant = explainers.compactMap { explainer -> NodeExplanation? in
            let name = explainer.firstNode(named: { node in
                let at = files.instances.place(of: node)
                return Int(at.file) == file && Int(at.line) == place.line + 1
                    && text.offset(line: Int(at.line), column: Int(at.column)) == range.lowerBound
            })
            return name.flatMap(explainer.node)
        }
        guard let node = meant.first else { return [] }
        var lines = ["Node `\(node.name)`" + (files.instances.title(of: node.location).map { " (\($0))" } ?? "")]
        let values = node.values.map { "- `\($0.path)` = \(words($0))" }
        lines.append(Self.few(values).joined(separator: "\n"))
        return lines
    }

    /// Which nodes use a thing.
    func summary(of name: String, _ thing: NamedThing) -> [String] {
        let kind: String
        switch thing {
        case .subnet: kind = "subnet"
        case .applicationKey: kind = "key"
        case .group: kind = "group"
        default: return []
        }
        for explainer in explainers {
            guard let resource = explainer.resource("\(kind).\(name)", lookingAt: Self.nodeLimit) else { continue }
            let values = resource.values.map { "- `\($0.name)` = \(words($0))" }
            var nodes: [String] = []
            var seen: Set<String> = []
            for use in resource.uses { nodes += use.nodes.filter { seen.insert($0).inserted } }
            let users = nodes.isEmpty ? "No node uses it." : "Used by \(Self.named(nodes))."
            return [values.joined(separator: "\n"), users].filter { !$0.isEmpty } + cut(resource.isCut)
        }
        return []
    }

    /// The values that a place of a file sets, and those that it does not set because others win, with the nodes.
    func lines(setAt line: Int, _ column: Int, in file: Int, nodes steps: [DefinitionOutline.Step]) -> [String] {
        func isHere(_ location: SourceLocation?) -> Bool {
            guard let place = location.map(files.instances.place) else { return false }
            return Int(place.file) == file && Int(place.line) == line && Int(place.column) == column
        }
        var order: [String] = []
        var nodes: [String: [String]] = [:]
        var isCut = false
        for explainer in explainers {
            let names = candidates(of: explainer, steps)
            isCut = isCut || names.count == Self.nodeLimit
            for name in names {
                for value in explainer.node(name)?.values ?? [] {
                    let text: String
                    if value.sources.contains(where: { isHere($0.location) }) {
                        let over = value.overridden.map { ", over `\($0.value ?? "none")` of \(words($0.source))" }
                        text = "Sets `\(value.path)` to `\(value.value ?? "none")`\(over.joined())"
                    } else if value.overridden.contains(where: { isHere($0.source.location) }) {
                        let winner = value.sources.first.map { ", \(words($0))" } ?? ""
                        text = "Does not set `\(value.path)`, which is `\(value.value ?? "none")`\(winner)"
                    } else {
                        continue
                    }
                    if nodes[text] == nil { order.append(text) }
                    nodes[text, default: []].append(name)
                }
            }
        }
        guard !order.isEmpty else { return [] }
        let lines = order.map { "- \($0): \(Self.named(nodes[$0] ?? []))" }
        return [Self.few(lines).joined(separator: "\n")] + cut(isCut)
    }

    /// What is said if not all nodes were looked at.
    private func cut(_ isCut: Bool) -> [String] {
        isCut ? ["Only the first \(Self.nodeLimit) nodes were looked at."] : []
    }

    /// The nodes that a place may concern: the one that it stands in, or the first ones.
    private func candidates(of explainer: Explainer, _ steps: [DefinitionOutline.Step]) -> [String] {
        if steps.count > 1, steps[0] == .key("nodes"), case .key(let name) = steps[1],
            explainer.nodeNames.contains(name)
        {
            return [name]
        }
        return Array(explainer.nodeNames.prefix(Self.nodeLimit))
    }

    /// Some nodes: `nodes lamp-1, lamp-2 and 7 more`.
    private static func named(_ nodes: [String]) -> String {
        let first = nodes.prefix(4).map { "`\($0)`" }.joined(separator: ", ")
        return (nodes.count == 1 ? "node " : "nodes ") + first + (nodes.count > 4 ? " and \(nodes.count - 4) more" : "")
    }

    /// A value and its source, with what it wins over: `5, set by profile lamp (hq.yaml:12), over 7 of …`.
    private func words(_ value: ExplainedValue) -> String {
        var text = "`\(value.value ?? "none")`"
        if let source = value.sources.first {
            text += (source.way == .builtIn ? ", " : ", set by ") + words(source)
        }
        for other in value.overridden { text += ", over `\(other.value ?? "none")` of \(words(other.source))" }
        return text
    }

    private func words(_ source: ValueSource) -> String {
        guard let location = source.location else { return source.way.text }
        var path = DocumentURI.normalized(files.path(of: location))
        if path.hasPrefix(folder + "/") { path.removeFirst(folder.count + 1) }
        let instance = files.instances.title(of: location).map { ", \($0)" } ?? ""
        return "\(source.way.text) (\(path):\(location.line)\(instance))"
    }

    private static func few(_ lines: [String]) -> [String] {
        lines.count <= lineLimit ? lines : lines.prefix(lineLimit) + ["- and \(lines.count - lineLimit) more"]
    }
}
