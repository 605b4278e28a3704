import DefinitionModel
import MeshCore

/// Instances of modules.
extension DocumentDecoder {
    /// Decodes the instances of modules that a document or module asks for.
    ///
    /// - Parameters:
    ///   - body: the document, or the body of the module.
    ///   - place: what references in it stand for, and its file or instance.
    mutating func decodeUses(of body: Body, at place: EmissionPlace) {
        guard let section = body.source.value(of: .use, in: body.node) else { return }
        guard body.source.nodes[section].kind == .sequence else {
            reading(body.source, of: place.origin) { decoder in
                if !decoder.isNull(section) { _ = decoder.list(section, "a list of instances of modules") }
            }
            return
        }
        for (number, entry) in ListEntries(of: section, in: body.source).enumerated() {
            if expansion.isExhausted { return }
            // References to the variables of the entry's own loop stay until each of them has a value.
            var scratch = DocumentTree()
            var lenient = place
            lenient.scope.keepsUnbound = true
            emit(entry, of: body.source, at: lenient, into: &scratch)
            decodeUse(scratch, number: number, at: place)
        }
    }

    private mutating func decodeUse(_ entry: DocumentTree, number: Int, at place: EmissionPlace) {
        var use = Use(tree: entry, place: place, title: "in use[\(number)]")
        let isRight = reading(entry, of: place.origin) { decoder in
            guard let fields = decoder.fields(0, .use, "an instance of a module", blamed: 0) else { return false }
            var isRight = decoder.entries(0, "")?.keywords.isSubset(of: Record.use.allowed) ?? false
            for field in fields {
                switch field.keyword {
                case .module: use.module = decoder.module(field.value)
                case .repetition:
                    use.variables = field.value
                    use.repetition = decoder.repetition(field.value, of: entry, at: place)
                    if use.repetition == nil { isRight = false }
                case .rows:
                    use.rows = decoder.table(field.value)
                    if use.rows == nil { isRight = false }
                case .with:
                    isRight = decoder.entries(field.value, "a mapping of parameters") != nil && isRight
                    use.with = field
                case .override: use.override = field
                default: break
                }
            }
            if use.repetition != nil, use.rows != nil {
                decoder.report(
                    "`for` and `rows` exclude each other",
                    at: 0,
                    hint: "write two modules, one in the other"
                )
                return false
            }
            guard isRight, let repetition = use.repetition, let with = use.with else { return isRight }
            return decoder.isSeparate(with, from: repetition)
        }
        guard isRight, let name = use.module, let module = expansion.modules[name] else { return }
        use.title += " of \(module.name.value)"
        guard !expansion.path.contains(name) else {
            let start = expansion.path.firstIndex(of: name) ?? 0
            let path = (expansion.path[start...] + [name]).map { symbols.text($0) }.joined(separator: " > ")
            return reportNode(
                "the module \(quoted(module.name.value)) uses itself: \(path)",
                at: entry.nodes[0],
                origin: place.origin
            )
        }
        // Instances of instances are read by calls inside calls.
        guard expansion.path.count < expansion.depthLimit else {
            if !expansion.isExhausted {
                expansion.isExhausted = true
                reportNode(
                    "more than \(expansion.depthLimit) modules use each other in a chain",
                    at: entry.nodes[0],
                    origin: place.origin,
                    hint: "let one module use several others instead"
                )
            }
            return
        }
        expansion.path.append(name)
        defer { expansion.path.removeLast() }
        if let (table, path) = use.rows {
            decode(use, of: module, rows: table, path: path)
        } else if let repetition = use.repetition {
            forEach(repetition) { decoder, bound in
                decoder.decode(
                    use,
                    of: module,
                    bound: bound,
                    title: SourceInstances.Title(use.title, values: decoder.title(of: bound))
                )
            }
        } else {
            decode(use, of: module, bound: [], title: SourceInstances.Title(use.title))
        }
    }

    /// The symbol of the name of a module that exists.
    private mutating func module(_ node: Int) -> UInt32? {
        guard let name = scalar(node, "the name of a module", Words.name) else { return nil }
        // A module may be declared in the one that uses it, or around that.
        var scope = expansion.path.last.map { symbols.text($0).split(separator: ModuleDeclaration.separator) } ?? []
        while true {
            let fullName = (scope + [name.value[...]]).joined(separator: ModuleDeclaration.separator)
            let symbol = symbols.intern(fullName)
            if expansion.modules[symbol] != nil { return symbol }
            if expansion.brokenModules.contains(symbol) { return nil }
            guard scope.popLast() != nil else { break }
        }
        report("there is no module \(quoted(name.value))", at: node, hint: hint(forModule: name.value))
        return nil
    }

    private mutating func table(_ node: Int) -> (RowsTable, String)? {
        guard let path = text(node, "the path of a file") else { return nil }
        guard path.hasSuffix(RowsTable.ending) else {
            report("\(quoted(path)) is not the path of a file of rows", at: node, hint: "its name ends in .csv")
            return nil
        }
        let name = Located(path, at: location(node))
        switch expansion.tables[expansion.tableKey(name, diagnostics.instances)] {
        case .some(let table):
            guard let table else { return nil }
            if table.rows.isEmpty {
                report("\(quoted(path)) has no row", at: node, hint: "the first line names the columns")
                return nil
            }
            return (table, path)
        case nil:
            report(
                "there is no file \(quoted(path))",
                at: node,
                hint: "paths start from the folder of the file that names them; they hold no references"
            )
            return nil
        }
    }

    private mutating func decode(_ use: Use, of module: ModuleDeclaration, rows table: RowsTable, path: String) {
        let known = Set(table.columns)
        var given: Set<UInt32> = []
        if let with = use.with {
            given = reading(use.tree, of: use.place.origin) { decoder in
                Set((decoder.entries(with.value, "") ?? []).map(\.symbol))
            }
        }
        for parameter in module.parameters
        where parameter.defaultValue == nil && !known.contains(parameter.name) && !given.contains(parameter.name) {
            let word = symbols.text(parameter.name)
            let columns = table.columns.map { symbols.text($0) }
            return reportNode(
                "\(quoted(path)) has no column \(quoted(word)), which \(quoted(module.name.value)) needs",
                at: use.tree.nodes[0],
                origin: use.place.origin,
                hint: Suggestion.hint(for: word, among: columns, are: "columns are")
            )
        }
        let (nodesBefore, remainingBefore) = (fragment.definition.nodes.count, expansion.remaining)
        for (number, row) in table.rows.enumerated() {
            if expansion.isExhausted { return }
            if number == 1 {
                makeRoomForNodes(
                    fragment.definition.nodes.count - nodesBefore,
                    each: remainingBefore - expansion.remaining,
                    times: table.rows.count - 1
                )
            }
            let bound = zip(table.columns, row.values).map { column, value in
                (name: column, value: ParameterScope.Value.text(value, .quoted))
            }
            let title = SourceInstances.Title(
                use.title,
                row: SourceInstances.Title.Row(line: Int(row.line), path: path),
                values: title(of: bound.prefix(1))
            )
            decode(use, of: module, bound: bound, title: title)
        }
    }

    /// Makes room for the nodes of more instances like the first one: a long list that grows is copied again and again.
    ///
    /// - Parameters:
    ///   - count: how many nodes an instance has.
    ///   - values: how many values it takes.
    ///   - instances: how many instances follow.
    private mutating func makeRoomForNodes(_ count: Int, each values: Int, times instances: Int) {
        guard count > 0, values > 0 else { return }
        let room = fragment.definition.nodes.count + count * min(instances, expansion.remaining / values)
        // At least twice what there was, so that many short lists of rows copy little.
        guard room > fragment.definition.nodes.capacity else { return }
        fragment.definition.nodes.reserveCapacity(max(room, fragment.definition.nodes.capacity * 2))
    }

    private mutating func decode(
        _ use: Use,
        of module: ModuleDeclaration,
        bound: [(name: UInt32, value: ParameterScope.Value)],
        title: SourceInstances.Title
    ) {
        let entry = use.tree.nodes[0]
        // A parameter is looked up and entered, which costs several times as much as a copy.
        let copied = expansion.globalScope.values.count + 8 * module.parameters.count + bound.count
        guard spendInstance(at: entry, origin: use.place.origin),
            spendScope(copied, at: entry, origin: use.place.origin)
        else { return }
        let parent = SourceLocation(file: use.place.origin, line: entry.line, column: entry.column)
        var place = use.place
        if !bound.isEmpty, use.with != nil || use.override != nil {
            place.scope = place.scope.adding(bound)
            // What the entry itself says lies in its file, and what the module says in the module's.
            let file = diagnostics.instances.place(of: parent).file
            place.origin = diagnostics.instances.add(
                SourceInstances.Instance(file: file, parent: parent, title: title)
            )
        }
        guard let scope = scope(of: module, use, bound, title, at: place) else { return }
        var overrides = Overrides()
        if let override = use.override {
            overrides = reading(use.tree, of: place.origin) { $0.decodeOverrides(override, at: place) }
        }
        let inner = diagnostics.instances.add(
            SourceInstances.Instance(file: module.file, parent: parent, title: title)
        )
        let body = Body(source: module.tree, node: module.body)
        let bodyPlace = EmissionPlace(scope: scope, origin: inner)
        var tree = expanded(body, at: bodyPlace, overrides: &overrides, in: expansion.takeRoom())
        guard !expansion.isExhausted else { return }
        for (section, unused) in overrides.unused {
            reportNode(
                "\(quoted(module.name.value)) has no \(section.rawValue.dropLast()) \(quoted(symbols.text(unused.name.value)))",
                at: unused.name,
                origin: unused.origin,
                hint: "an instance overrides what its module declares"
            )
        }
        reading(&tree, of: inner) { decoder in
            decoder.beginDocument()
            decoder.decodeDefinition(0)
        }
        expansion.giveBack(consume tree)
        decodeUses(of: body, at: bodyPlace)
    }

    /// The values of the parameters of an instance; nil if one is wrong, which is reported.
    private mutating func scope(
        of module: ModuleDeclaration,
        _ use: Use,
        _ bound: [(name: UInt32, value: ParameterScope.Value)],
        _ title: SourceInstances.Title,
        at place: EmissionPlace
    ) -> ParameterScope? {
        // What the entry says itself; what is bound for this instance is looked for in its few values.
        var values: [UInt32: (value: ParameterScope.Value, node: DocumentTree.Node)] = [:]
        let names = module.parameterNames
        var isRight = true
        if let with = use.with {
            let entries = reading(use.tree, of: place.origin) {
                $0.entries(with.value, "a mapping of parameters") ?? []
            }
            for entry in entries {
                guard names.contains(entry.symbol) else {
                    reportParameter(entry.symbol, of: module, at: use.tree.nodes[entry.key], origin: place.origin)
                    isRight = false
                    continue
                }
                values[entry.symbol] = (value(entry.value, of: use.tree, at: place), use.tree.nodes[entry.value])
            }
        } else if !use.hasFreeColumns {
            for (name, _) in bound where !names.contains(name) {
                reportParameter(name, of: module, at: use.tree.nodes[0], origin: use.place.origin)
                isRight = false
            }
        }
        guard isRight else { return nil }
        var scope = expansion.globalScope
        scope.values.reserveCapacity(scope.values.count + names.count)
        for parameter in module.parameters {
            if let own = values.isEmpty ? nil : values[parameter.name] {
                if !check(own.value, parameter.type, at: own.node, origin: place.origin) { isRight = false }
                scope.values[parameter.name] = own.value
            } else if let given = bound.last(where: { $0.name == parameter.name })?.value {
                if case .broken = given { isRight = false }
                if let problem = problem(of: given, as: parameter.type) {
                    report(problem, ofValueFor: parameter.name, use, title)
                    isRight = false
                }
                scope.values[parameter.name] = given
            } else if let value = parameter.defaultValue {
                if case .broken = value { isRight = false }
                scope.values[parameter.name] = value
            } else {
                reportNode(
                    "the parameter \(quoted(symbols.text(parameter.name))) of \(quoted(module.name.value)) is missing",
                    at: use.tree.nodes[0],
                    origin: use.place.origin,
                    hint: "write `with: { \(symbols.text(parameter.name)): … }`"
                )
                isRight = false
            }
        }
        return isRight ? scope : nil
    }
}
