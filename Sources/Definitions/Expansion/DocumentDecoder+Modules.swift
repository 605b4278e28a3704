import DefinitionModel
import MeshCore

/// What documents declare for expansion: modules, variables, and values for them.
extension DocumentDecoder {
    /// Whether the current document must be held until all documents have been read: it has references, or keys that
    /// say how to expand.
    var needsExpansion: Bool {
        if tree.hasReferences { return true }
        guard tree.nodes.first?.kind == .mapping else { return false }
        var key = 1
        let end = tree.next(after: 0)
        while key < end {
            if tree.nodes[key].kind.isText, let keyword = Keyword(symbol: tree.nodes[key].value) {
                switch keyword {
                case .modules, .use, .include, .variables, .values: return true
                default: break
                }
            }
            key = tree.next(after: tree.next(after: key))
        }
        return false
    }

    /// Takes in what the current document declares for expansion.
    mutating func declareForExpansion() {
        guard let section = fields(0, .definition, "a definition", blamed: 0) else { return }
        for field in section {
            switch field.keyword {
            case .modules: declareModules(field, in: nil)
            case .variables:
                for declaration in decodeParameters(field, areVariables: true) { declareVariable(declaration) }
            case .values:
                for entry in entries(field.value, "a mapping of values") ?? [] {
                    guard parameterName(entry.key) != nil else { continue }
                    let value = plainValue(entry.value)
                    expansion.givenValues.append((entry.symbol, value, location(entry.key)))
                }
            default: break
            }
        }
    }

    /// `modules` of a document, or of the module whose full name is given.
    private mutating func declareModules(_ section: MappingEntry, in outer: String?) {
        for entry in entries(section.value, "a mapping of modules") ?? [] {
            resource = nil
            guard let name = scalar(entry.key, "a name", Words.name) else { continue }
            resource = Resource(kind: "module", name: entry.symbol, value: entry.value)
            defer { resource = nil }
            let fullName = outer.map { $0 + ModuleDeclaration.separator + name.value } ?? name.value
            let symbol = outer == nil ? entry.symbol : symbols.intern(fullName)
            if let first = expansion.modules[symbol] {
                // A file that several networks include declares its modules once.
                guard first.name.location != name.location else { continue }
                let place = Diagnostic.Related(message: "first here", location: first.name.location)
                report("the module \(quoted(name.value)) is declared twice", at: entry.key, related: [place])
                continue
            }
            guard let parts = fields(entry.value, .module, "a module", blamed: entry.key),
                tree.nodes[entry.value].kind == .mapping
            else {
                expansion.brokenModules.insert(symbol)
                continue
            }
            var parameters: [ParameterDeclaration] = []
            for field in parts {
                switch field.keyword {
                case .parameters: parameters = decodeParameters(field, areVariables: false).map(\.declaration)
                case .description: _ = text(field.value, "a text")
                case .use: _ = list(field.value, "a list of instances of modules")
                case .modules: declareModules(field, in: fullName)
                default: break
                }
            }
            expansion.modules[symbol] = ModuleDeclaration(
                name: name,
                parameters: parameters,
                parameterNames: Set(parameters.map(\.name)),
                tree: tree,
                body: entry.value,
                file: file
            )
        }
    }

    /// `parameters` and `variables`: a type, or a mapping with type and default. A variable may have just its value.
    private mutating func decodeParameters(
        _ section: MappingEntry,
        areVariables: Bool
    ) -> [(declaration: ParameterDeclaration, location: SourceLocation)] {
        var declarations: [(declaration: ParameterDeclaration, location: SourceLocation)] = []
        for entry in entries(section.value, areVariables ? "a mapping of variables" : "a mapping of parameters") ?? [] {
            guard parameterName(entry.key) != nil else { continue }
            var declaration = ParameterDeclaration(name: entry.symbol)
            var index = entry.value
            if tree.nodes[entry.value].kind == .mapping {
                for field in fields(entry.value, .parameter, "a parameter", blamed: entry.key) ?? [] {
                    switch field.keyword {
                    case .type: declaration.type = scalar(field.value, "a type", ParameterType.named)?.value
                    case .defaultValue:
                        declaration.defaultValue = plainValue(field.value)
                        index = field.value
                    case .description: _ = text(field.value, "a text")
                    default: break
                    }
                }
                if let value = declaration.defaultValue {
                    let isRight = check(
                        value,
                        declaration.type,
                        at: tree.nodes[index],
                        origin: location(index).file
                    )
                    if !isRight { declaration.defaultValue = .broken }
                }
            } else if areVariables {
                declaration.defaultValue = plainValue(entry.value)
            } else if isNull(entry.value) {
                declaration.type = .text
            } else {
                guard let type = scalar(entry.value, "a type", ParameterType.named) else { continue }
                declaration.type = type.value
            }
            declarations.append((declaration, location(entry.key)))
        }
        return declarations
    }

    private mutating func declareVariable(_ variable: (declaration: ParameterDeclaration, location: SourceLocation)) {
        let name = variable.declaration.name
        if let first = expansion.variables[name], first.location != variable.location {
            diagnostics.report(
                "the variable \(quoted(symbols.text(name))) is declared twice",
                at: variable.location,
                length: symbols.octets(name).count,
                related: [Diagnostic.Related(message: "first here", location: first.location)]
            )
            return
        }
        expansion.variables[name] = variable
    }

    private mutating func plainValue(_ node: Int) -> ParameterScope.Value {
        let place = EmissionPlace(scope: ParameterScope(), origin: location(node).file)
        return value(node, of: tree, at: place)
    }

    /// Checks a value against a type, and reports it if it does not fit.
    mutating func check(
        _ value: ParameterScope.Value,
        _ type: ParameterType?,
        at node: DocumentTree.Node,
        origin: UInt32
    ) -> Bool {
        if case .broken = value { return false }
        guard let problem = problem(of: value, as: type) else { return true }
        reportNode(problem.message, at: node, origin: origin, hint: problem.hint)
        return false
    }

    /// Why a value does not fit a type; nil if it does. What is wrong with a broken value has been reported already.
    mutating func problem(of value: ParameterScope.Value, as type: ParameterType?) -> ScalarProblem? {
        switch (value, type) {
        case (.broken, _), (_, nil), (.tree, .text): return nil
        case (.tree(let tree), .list) where tree.nodes[0].kind == .sequence: return nil
        case (.tree(let tree), let type?):
            let title = tree.nodes[0].kind == .sequence ? "a list" : "a mapping"
            return ScalarProblem("\(type.title) is expected here, not \(title)", hint: nil)
        case (.text(let symbol, _), let type?):
            do throws(ScalarProblem) {
                try type.check(symbols.text(symbol))
                return nil
            } catch {
                return error
            }
        }
    }

    /// Gives the variables their values: what is given for them, or else their defaults.
    mutating func settleVariables() {
        var scope = ParameterScope()
        for (name, variable) in expansion.variables {
            if let value = variable.declaration.defaultValue { scope.values[name] = value }
        }
        for given in expansion.givenValues {
            let node = DocumentTree.Node(
                line: given.location.line,
                column: given.location.column,
                value: 0,
                length: UInt16(clamping: symbols.octets(given.name).count),
                kind: .plain
            )
            guard let variable = expansion.variables[given.name] else {
                // The environment may hold values for other definitions, too.
                if given.location.file == expansion.environmentFile { continue }
                let word = symbols.text(given.name)
                let known = expansion.variables.keys.map { symbols.text($0) }
                reportNode(
                    "there is no variable \(quoted(word))",
                    at: node,
                    origin: given.location.file,
                    hint: known.isEmpty
                        ? "declare it under `variables:`"
                        : Suggestion.hint(for: word, among: known, are: "variables are")
                )
                continue
            }
            let isRight = check(given.value, variable.declaration.type, at: node, origin: given.location.file)
            scope.values[given.name] = isRight ? given.value : .broken
        }
        for (name, variable) in expansion.variables.sorted(by: { $0.value.location < $1.value.location })
        where scope.values[name] == nil {
            let word = symbols.text(name)
            diagnostics.report(
                "the variable \(quoted(word)) has no value",
                at: variable.location,
                length: word.utf8.count,
                hint: "give it a `default`, or a value under `values:`"
            )
            scope.values[name] = .broken
        }
        expansion.globalScope = scope
    }
}

extension ParameterType {
    /// What it is, for messages.
    var title: String {
        switch self {
        case .text: "a text"
        case .number: "a number"
        case .address: "an address"
        case .duration: "a duration"
        case .state: "on or off"
        case .list: "a list"
        }
    }
}
