import DefinitionModel
import MeshCore

/// Finds the parts of a definition that repeat with a number in their names: `lamp-101-door`, `lamp-102-door` …
///
/// A name may hold several numbers; the one counts by which most names are alike. Units are equal if all of their parts
/// are, in everything but the number. The search decides nothing by chance, and looks at every name a few times only.
struct UnitSearch {
    private let definition: Definition
    /// Stands in the place of the number. It is a name in itself, so that everything with it is written like a name.
    let mark: String
    private var units: [String: RepeatedUnit] = [:]

    /// Nil if the definition holds the mark already.
    init?(_ definition: Definition) {
        self.definition = definition
        let mark = "N..-..N"
        self.mark = mark
        let names = definition.nodes.map(\.name.value) + definition.groups.map(\.name.value)
        let titles =
            definition.nodes.compactMap(\.wording.title?.value)
            + definition.groups.compactMap(\.wording.title?.value)
        guard !(names + titles).contains(where: { $0.contains(mark) || $0.contains("T..") }) else { return nil }
    }

    /// The equal units for which a module saves lines, in the order of the definition.
    mutating func found() -> [RepeatedUnits] {
        takeNodes()
        takeGroups()
        takeRules()
        var order: [[String]] = []
        var equal: [[String]: [RepeatedUnit]] = [:]
        let sorted = units.values.filter { !$0.nodes.isEmpty }.sorted {
            ($0.nodes[0], $0.number) < ($1.nodes[0], $1.number)
        }
        for unit in sorted {
            let texts = texts(of: unit)
            if equal[texts] == nil { order.append(texts) }
            equal[texts, default: []].append(unit)
        }
        return order.compactMap { texts in
            let units = (equal[texts] ?? []).sorted { Self.precedes($0.number, $1.number) }
            let repeated = repeated(units)
            return units.count > 1 && repeated.savedLines > 0 ? repeated : nil
        }
    }

    /// Equal units, with what their titles have in common besides the number.
    private func repeated(_ units: [RepeatedUnit]) -> RepeatedUnits {
        let marked = units.map { titles(of: $0) }
        var constant: [String: String] = [:]
        var own: [(mark: String, values: [String])] = []
        for key in marked[0].keys.sorted() {
            let titles = marked.compactMap { $0[key] }
            if Set(titles.map(\.marked)).count == 1 {
                constant[key] = titles[0].marked
            } else {
                own.append((key, titles.map(\.plain)))
            }
        }
        return RepeatedUnits(units: units, template: template(of: units[0], titles: constant), titles: own)
    }

    /// The mark of the title of a group or node, which is known by its marked name.
    private func titleMark(_ kind: String, _ name: Located<String>, _ number: String) -> String {
        "T..\(kind)-\(NumberedName.marked(name.value, number, mark: mark) ?? name.value)..T"
    }

    /// The titles in a unit by their marks: as they are, and with a mark in the place of the number.
    private func titles(of unit: RepeatedUnit) -> [String: (plain: String, marked: String)] {
        var titles: [String: (plain: String, marked: String)] = [:]
        func take(_ kind: String, _ name: Located<String>, _ wording: Wording) {
            guard let title = wording.title?.value else { return }
            titles[titleMark(kind, name, unit.number)] = (
                title, NumberedName.marked(title, unit.number, mark: mark) ?? title
            )
        }
        for group in unit.groups.map({ definition.groups[$0] }) { take("group", group.name, group.wording) }
        for node in unit.nodes { take("node", definition.nodes[node].name, definition.nodes[node].wording) }
        return titles
    }

    private static func precedes(_ first: String, _ second: String) -> Bool {
        let (one, other) = (Int(first) ?? 0, Int(second) ?? 0)
        return one == other ? first.utf8.count < second.utf8.count : one < other
    }

    // MARK: Who belongs together

    private mutating func takeNodes() {
        let writer = DefinitionWriter(definition)
        let plain = definition.nodes.map { writer.node(Self.untitled(Self.place(of: $0))).value.flow }
        for (position, number) in Self.numbers(definition.nodes.map(\.name.value), plain) {
            units[number, default: RepeatedUnit(number: number)].nodes.append(position)
        }
    }

    private mutating func takeGroups() {
        let writer = DefinitionWriter(definition)
        let plain = definition.groups.map { (group) -> String? in
            // A label cannot be allocated anew, so such a group is no part of a unit.
            if let address = group.address?.value, case .virtual = address { return nil }
            return writer.group(Self.untitled(Self.unaddressed(group))).value.flow
        }
        for (position, number) in Self.numbers(definition.groups.map(\.name.value), plain) where units[number] != nil {
            units[number]?.groups.append(position)
        }
    }

    /// The number that counts in each name that is like others, with the position of the name.
    ///
    /// - Parameter texts: what is said under each name, which has to be equal; nil if a name does not count.
    private static func numbers(_ names: [String], _ texts: [String?]) -> [(Int, String)] {
        struct Family: Hashable {
            let name: NumberedName
            let text: String
        }
        var sizes: [Family: Int] = [:]
        let readings = names.map(NumberedName.readings(of:))
        for (reading, text) in zip(readings, texts) {
            guard let text else { continue }
            for candidate in reading { sizes[Family(name: candidate.name, text: text), default: 0] += 1 }
        }
        return zip(readings, texts).enumerated().compactMap { position, entry in
            guard let text = entry.1 else { return nil }
            var best: (size: Int, number: String)?
            for candidate in entry.0 {
                let size = sizes[Family(name: candidate.name, text: text)] ?? 0
                if size > max(best?.size ?? 1, 1) { best = (size, candidate.number) }
            }
            return best.map { (position, $0.number) }
        }
    }

    private mutating func takeRules() {
        for (position, rule) in definition.subscriptions.enumerated() {
            if let number = number(of: rule.nodes) { units[number]?.subscriptions.append(position) }
        }
        for (position, rule) in definition.publications.enumerated() {
            if let number = number(of: rule.nodes) { units[number]?.publications.append(position) }
        }
    }

    /// The number of the unit to which a rule for these nodes belongs; nil if it is for nodes of several units.
    private func number(of nodes: NodeSelector) -> String? {
        guard let names = nodes.names, nodes.tags.isEmpty, let first = names.first else { return nil }
        return NumberedName.readings(of: first.value).map { $0.number }.first { number in
            units[number] != nil
                && names.allSatisfy { NumberedName.marked($0.value, number, mark: mark) != nil }
        }
    }

    // MARK: What is equal

    /// The parts of a unit as text, with marks, sorted.
    private func texts(of unit: RepeatedUnit) -> [String] {
        let writer = DefinitionWriter(template(of: unit))
        let fields =
            writer.definition.groups.map { writer.group($0) } + writer.definition.nodes.map { writer.node($0) }
        let rules =
            writer.definition.subscriptions.map { "s " + writer.subscription($0).flow }
            + writer.definition.publications.map { "p " + writer.publication($0).flow }
        return fields.map { "\($0.key): \($0.value.flow)" }.sorted() + rules.sorted()
    }

    /// The parts of a unit, with marks.
    ///
    /// - Parameter titles: what stands in the place of some titles, by their marks.
    private func template(of unit: RepeatedUnit, titles: [String: String] = [:]) -> Definition {
        var template = Definition(network: definition.network)
        template.modelNames = definition.modelNames
        func marked(_ name: Located<String>) -> Located<String> {
            Located(NumberedName.marked(name.value, unit.number, mark: mark) ?? name.value, at: name.location)
        }
        func titled(_ kind: String, _ name: Located<String>, _ wording: Wording) -> Located<String>? {
            wording.title.map { title in
                let mark = titleMark(kind, name, unit.number)
                return Located(titles[mark] ?? mark, at: title.location)
            }
        }
        func marked(_ nodes: NodeSelector) -> NodeSelector {
            var nodes = nodes
            nodes.names = nodes.names?.map(marked)
            return nodes
        }
        template.groups = unit.groups.map { position in
            var group = Self.unaddressed(definition.groups[position])
            group.wording.title = titled("group", group.name, group.wording)
            group.name = marked(group.name)
            return group
        }
        template.nodes = unit.nodes.map { position in
            var node = Self.place(of: definition.nodes[position])
            node.wording.title = titled("node", node.name, node.wording)
            node.name = marked(node.name)
            return node
        }
        template.subscriptions = unit.subscriptions.map { position in
            var rule = definition.subscriptions[position]
            rule.groups = rule.groups.map(marked)
            rule.nodes = marked(rule.nodes)
            return rule
        }
        template.publications = unit.publications.map { position in
            var rule = definition.publications[position]
            rule.nodes = marked(rule.nodes)
            let location = rule.settings.target.location
            switch rule.settings.target.value {
            case .name(let name):
                rule.settings.target = Located(.name(marked(Located(name, at: location)).value), at: location)
            case .element(let node, let index):
                let node = marked(Located(node, at: location)).value
                rule.settings.target = Located(.element(node: node, index: index), at: location)
            case .address: break
            }
            return rule
        }
        return template
    }

    /// The node without what people call it, which may hold the number, too.
    private static func untitled(_ node: NodeDefinition) -> NodeDefinition {
        var node = node
        node.wording.title = nil
        return node
    }

    /// The group without what people call it.
    private static func untitled(_ group: GroupDefinition) -> GroupDefinition {
        var group = group
        group.wording.title = nil
        return group
    }

    /// The node without its device, which stands in the file of assignments.
    private static func place(of node: NodeDefinition) -> NodeDefinition {
        var node = node
        node.awaitsDevice = true
        node.address = nil
        return node
    }

    /// The group without its address, which the database knows by its name.
    private static func unaddressed(_ group: GroupDefinition) -> GroupDefinition {
        var group = group
        group.address = nil
        return group
    }
}
