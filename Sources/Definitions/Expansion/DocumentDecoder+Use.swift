import DefinitionModel
import MeshCore

/// One instance of a module, and what can be wrong with it.
extension DocumentDecoder {
    /// An entry of `use`.
    struct Use {
        var tree: DocumentTree
        var place: EmissionPlace
        var title: String
        /// The symbol of the module's name.
        var module: UInt32?
        var repetition: Repetition?
        /// The node of the variables of the repetition.
        var variables: Int?
        var rows: (table: RowsTable, path: String)?
        var with: MappingEntry?
        var override: MappingEntry?
        /// Whether its values come from rows, which may have columns that the module does not need.
        var hasFreeColumns: Bool { rows != nil }

        /// The node with the values of a variable of the repetition, or that of the whole entry.
        func valueNode(of variable: UInt32) -> DocumentTree.Node {
            guard let variables, tree.nodes[variables].kind == .mapping else { return tree.nodes[0] }
            var key = variables + 1
            while key < tree.next(after: variables) {
                let value = tree.next(after: key)
                if tree.nodes[key].kind.isText, tree.nodes[key].value == variable { return tree.nodes[value] }
                key = tree.next(after: value)
            }
            return tree.nodes[0]
        }
    }

    /// What helps where a module is not known.
    mutating func hint(forModule name: String) -> String? {
        let scope = expansion.path.last.map { symbols.text($0) + ModuleDeclaration.separator } ?? ""
        var known: [String] = []
        for symbol in expansion.modules.keys.sorted() {
            guard let module = expansion.modules[symbol] else { continue }
            var outer = symbols.text(symbol).split(separator: ModuleDeclaration.separator).dropLast()
            let prefix = outer.map { $0 + ModuleDeclaration.separator }.joined()
            if scope.hasPrefix(prefix) {
                known.append(module.name.value)
            } else if module.name.value == name, let last = outer.popLast() {
                return "it is declared in the module \(quoted(String(last))), and only known there"
            }
        }
        return known.isEmpty
            ? "declare it under `modules:`" : Suggestion.hint(for: name, among: known.sorted(), are: "modules are")
    }

    /// Whether no parameter has a fixed value beside those of a loop, which is reported. A value that is made from that
    /// of the loop is no such value.
    mutating func isSeparate(_ with: MappingEntry, from repetition: Repetition) -> Bool {
        for entry in entries(with.value, "a mapping of parameters") ?? [] {
            guard repetition.variables.contains(where: { $0.name == entry.symbol }) else { continue }
            let values = tree.nodes[entry.value..<tree.next(after: entry.value)]
            if values.contains(where: { $0.kind.isText && symbols.hasReference($0.value) }) { continue }
            report(
                "the parameter \(quoted(symbols.text(entry.symbol))) has a value here, and others in `for`",
                at: entry.key,
                hint: "take one of them out"
            )
            return false
        }
        return true
    }

    /// Reports a value from a loop or row, where it stands. Those of several instances become one message.
    mutating func report(
        _ problem: ScalarProblem,
        ofValueFor parameter: UInt32,
        _ use: Use,
        _ title: SourceInstances.Title
    ) {
        let entry = use.tree.nodes[0]
        let parent = SourceLocation(file: use.place.origin, line: entry.line, column: entry.column)
        var node = use.valueNode(of: parameter)
        var file = diagnostics.instances.place(of: parent).file
        var message = problem.message
        if let table = use.rows?.table, let row = title.row {
            node = DocumentTree.Node(line: UInt32(clamping: row.line), column: 1, value: 0, length: 1, kind: .plain)
            file = table.file
            message = "column \(quoted(symbols.text(parameter))): \(message)"
        }
        let instance = SourceInstances.Instance(file: file, parent: parent, title: title)
        reportNode(message, at: node, origin: diagnostics.instances.add(instance), hint: problem.hint)
    }

    mutating func reportParameter(
        _ name: UInt32,
        of module: ModuleDeclaration,
        at node: DocumentTree.Node,
        origin: UInt32
    ) {
        let word = symbols.text(name)
        let names = module.parameters.map { symbols.text($0.name) }
        reportNode(
            "\(quoted(module.name.value)) has no parameter \(quoted(word))",
            at: node,
            origin: origin,
            hint: names.isEmpty
                ? "declare it under `parameters:` of the module"
                : Suggestion.hint(for: word, among: names, are: "parameters are")
        )
    }
}
