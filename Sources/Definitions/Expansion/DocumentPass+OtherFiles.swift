import DefinitionModel
import MeshCore

/// Files that documents name: included ones, and those with rows.
extension DocumentPass {
    /// Reads the files that documents include, and those that these include.
    mutating func readIncluded<Failure: Error>(_ loading: Loading<Failure>) throws(Failure) {
        var next = 0
        var depth = 0
        while next < held.count {
            var names: [(document: Int, name: Located<String>)] = []
            for index in next..<held.count {
                let document = held[index]
                guard let list = document.tree.value(of: .include, in: 0) else { continue }
                let found = decoder.reading(document.tree, of: UInt32(document.file)) { $0.decodePaths(list) }
                for name in found where isAdmitted(name, loading.admits) { names.append((index, name)) }
            }
            next = held.count
            depth += 1
            if depth > limits.depth, let (_, name) = names.first {
                decoder.diagnostics.report(
                    "files include each other in a chain of more than \(limits.depth)",
                    at: name.location,
                    length: name.value.utf8.count,
                    hint: "include them from one file; a folder stands for its YAML files"
                )
                return
            }
            let found = try NamedFiles(names.map(\.name), among: files, loading: loading.load)
            files = found.files
            for (name, places) in zip(names, found.found) {
                for index in places where !files.files[index].path.hasSuffix(RowsTable.ending) {
                    // A folder may hold links to files elsewhere.
                    guard isAdmitted(index, named: name.name, loading.admits) else { continue }
                    held[name.document].includes.append((index, name.name))
                    if included[index] == nil {
                        included[index] = []
                        read(index, isIncluded: true)
                    }
                }
            }
            for name in found.missing {
                decoder.diagnostics.report(
                    "there is no YAML file \(quoted(name.value)) to include",
                    at: name.location,
                    length: name.value.utf8.count,
                    hint: "paths start from the folder of the file that names them and end in .yaml or .yml; "
                        + "a folder stands for its YAML files"
                )
            }
        }
    }

    /// Leaves out what makes files include themselves, and reports it.
    mutating func breakCircles() {
        var graph = IncludeGraph()
        for document in held {
            for (file, name) in document.includes { graph.add(from: document.file, to: file, named: name) }
        }
        let circles = graph.circles(from: held.lazy.filter { $0.fragment != nil }.map(\.file))
        guard !circles.isEmpty else { return }
        for circle in circles {
            let names = circle.files.map { files.files[$0].path }.joined(separator: " > ")
            decoder.diagnostics.report(
                "the file includes itself: \(names)",
                at: circle.name.location,
                length: circle.name.value.utf8.count,
                hint: "take one of these lines out"
            )
        }
        let closing = Set(circles.map { IncludeGraph.Edge(from: $0.from, to: $0.to) })
        for index in held.indices {
            let file = held[index].file
            held[index].includes.removeAll { closing.contains(IncludeGraph.Edge(from: file, to: $0.file)) }
        }
    }

    /// Those of the named files that lie where definitions may take files from.
    func admitted<Failure: Error>(_ names: [Located<String>], _ loading: Loading<Failure>) -> [Located<String>] {
        names.filter { loading.admits(files.resolving($0.value, namedAt: $0.location)) }
    }

    /// Reports the others, and links to files elsewhere in the folders that are named.
    mutating func reportOutside<Failure: Error>(_ names: [Located<String>], _ loading: Loading<Failure>) {
        for name in names { _ = isAdmitted(name, loading.admits) }
        guard !names.isEmpty else { return }
        for (index, file) in files.files.enumerated() where !loading.admits(file.path) {
            let folder = NamedFiles.folder(of: NamedFiles.normalized(file.path))
            let name = names.first {
                NamedFiles.normalized(files.resolving($0.value, namedAt: $0.location)) == folder
            }
            if let name { _ = isAdmitted(index, named: name, loading.admits) }
        }
    }

    private mutating func isAdmitted(_ name: Located<String>, _ admits: (String) -> Bool) -> Bool {
        if admits(files.resolving(name.value, namedAt: name.location)) { return true }
        decoder.reportOutside(name.value, at: name)
        return false
    }

    private mutating func isAdmitted(_ file: Int, named name: Located<String>, _ admits: (String) -> Bool) -> Bool {
        if admits(files.files[file].path) { return true }
        decoder.reportOutside(files.files[file].path, at: name)
        return false
    }

    mutating func readRows<Failure: Error>(_ loading: Loading<Failure>) throws(Failure) {
        var names: [Located<String>] = []
        decoder.expansion.files = files
        for document in held {
            for (index, node) in document.tree.nodes.enumerated().dropLast() where node.kind.isText {
                let value = document.tree.nodes[document.tree.resolved(index + 1)]
                guard document.tree.isKey(index, .rows), value.kind.isText else { continue }
                let path = decoder.symbols.text(value.value)
                guard path.hasSuffix(RowsTable.ending) else { continue }
                let location = SourceLocation(file: UInt32(document.file), line: value.line, column: value.column)
                let name = Located(path, at: location)
                if isAdmitted(name, loading.admits) {
                    names.append(name)
                } else {
                    let key = decoder.expansion.tableKey(name, decoder.diagnostics.instances)
                    decoder.expansion.tables[key] = .some(nil)
                }
            }
        }
        let found = try NamedFiles(names, among: files, loading: loading.load)
        files = found.files
        decoder.expansion.files = files
        for (name, places) in zip(names, found.found) {
            let key = decoder.expansion.tableKey(name, decoder.diagnostics.instances)
            guard let index = places.first, decoder.expansion.tables[key] == nil else { continue }
            decoder.expansion.tables[key] = decoder.readRows(files.files[index].bytes, of: UInt32(index))
        }
    }
}

extension DocumentDecoder {
    /// Reports a path that leads out of where definitions may take files from.
    mutating func reportOutside(_ path: String, at name: Located<String>) {
        diagnostics.report(
            "\(quoted(path)) lies outside of the definition's repository",
            at: name.location,
            length: name.value.utf8.count,
            hint: "a definition takes files only from its own repository, or from the folder where it stands"
        )
    }

    /// `include`: a path, or a list of paths.
    mutating func decodePaths(_ node: Int) -> [Located<String>] {
        let isList = tree.nodes[node].kind != .plain && tree.nodes[node].kind != .quoted
        let nodes = isList ? list(node, "a list of paths").map(Array.init) ?? [] : [node]
        return nodes.compactMap { node in
            guard let path = text(node, "the path of a file or folder") else { return nil }
            return Located(path, at: location(node))
        }
    }
}
