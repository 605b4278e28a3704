package import DefinitionModel
import MeshCore

/// Writes definitions as YAML in one canonical form. Reading the text gives the definition again, and the same
/// definition always gives the same text.
///
/// A definition holds no secrets, only where to find them, so the text holds none either.
package struct DefinitionWriter {
    typealias Value = DefinitionValue
    typealias Field = DefinitionValue.Field

    let definition: Definition
    /// What nodes inherit, by the names of profiles; without profiles that say nothing about it.
    private let profiles: [String: InheritedValues]
    /// What nodes inherit from entries of the defaults.
    private let defaultValues: [InheritedValues]

    init(_ definition: Definition) {
        self.definition = definition
        let nothing = InheritedValues()
        profiles = Dictionary(
            firstOf: definition.profiles.lazy.filter { $0.inherited != nothing }.map { ($0.name.value, $0.inherited) }
        )
        defaultValues = definition.defaults.map(\.inherited).filter { $0 != nothing }
    }

    /// The definition as one document.
    ///
    /// - Parameters:
    ///   - definition: its names are valid, and its selectors have either names or tags, as the reader makes them.
    ///   - header: lines before it, as comments.
    ///   - footer: lines after it, as comments.
    package static func text(of definition: Definition, header: [String] = [], footer: [String] = []) -> String {
        let writer = DefinitionWriter(definition)
        return Self.text(writer.heads, writer.sections, header: header, footer: footer)
    }

    /// What a network is called, and the sections of its definition, as one document.
    static func text(_ heads: [Field], _ sections: [Field], header: [String], footer: [String]) -> String {
        var text = comment(header)
        text += "version: 1\n"
        for field in heads { write(field, to: &text) }
        for section in sections {
            text += "\n"
            write(section, to: &text, in: section.key)
        }
        if !footer.isEmpty { text += "\n" + comment(footer) }
        return text
    }

    /// Appends an entry of a section, or of the document itself.
    static func write(_ field: Field, to text: inout String, indent: Int = 0, in section: String = "") {
        var part = ""
        field.write(to: &part, indent: indent)
        text += escaped(part, in: section)
    }

    /// A part of a section in which no text is taken for a reference. Tests and checks have variables of their own,
    /// which stay as they are.
    static func escaped(_ part: String, in section: String = "") -> String {
        let hasVariables = section == Keyword.tests.rawValue || section == Keyword.checks.rawValue
        return hasVariables || !part.contains("$(") ? part : part.replacing("$(", with: "$$(")
    }

    /// Comments of one line each, whatever the texts contain.
    static func comment(_ lines: [String]) -> String {
        lines.map { line in
            let shown = String(String.UnicodeScalarView(line.unicodeScalars.map(printable)))
            return shown.isEmpty ? "#\n" : "# \(shown)\n"
        }
        .joined()
    }

    private static func printable(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: "\u{FFFD}"
        default: scalar
        }
    }

    /// The name of the network, and what it is called.
    var heads: [Field] { fields(of: Definition.sections.filter(\.isHead)) }

    /// What the network consists of.
    var sections: [Field] { fields(of: Definition.sections.filter { !$0.isHead }) }

    private func fields(of sections: [Section]) -> [Field] {
        sections.compactMap { section in
            section.written(self).map { Field(section.property.keyword.rawValue, $0) }
        }
    }

    func named(_ name: Located<String>, _ value: Value) -> Field {
        Field(Value.quotedIfNeeded(name.value), value)
    }

    func group(_ group: GroupDefinition) -> Field { named(group.name, GroupDefinition.mapping.value(group)) }

    func node(_ node: NodeDefinition) -> Field {
        let values = ownValues(of: node)
        var own = node
        (own.tags, own.isProtected, own.removalPolicy) = (values.tags, values.isProtected, values.removalPolicy)
        return named(node.name, NodeDefinition.mapping.value(own))
    }

    /// What a node says itself. What it has from its profile or `defaults` has their locations.
    private func ownValues(of node: NodeDefinition) -> InheritedValues {
        var own = InheritedValues()
        (own.tags, own.isProtected, own.removalPolicy) = (node.tags, node.isProtected, node.removalPolicy)
        for values in inherited(node.profile?.value) {
            own.tags = own.tags.filter { values.tags[$0.key]?.location != $0.value.location }
            if let location = values.isProtected?.location, location == own.isProtected?.location {
                own.isProtected = nil
            }
            if let location = values.removalPolicy?.location, location == own.removalPolicy?.location {
                own.removalPolicy = nil
            }
        }
        return own
    }

    private func inherited(_ profile: String?) -> [InheritedValues] {
        (profile.flatMap { name in profiles[name].map { [$0] } } ?? []) + defaultValues
    }

    func subscription(_ rule: SubscriptionDefinition) -> Value { SubscriptionDefinition.mapping.value(rule) }

    func publication(_ rule: PublicationDefinition) -> Value { PublicationDefinition.mapping.value(rule) }
}

extension DefinitionWriter {
    /// Definitions as one text, a document for each network, in which every part that comes from a module or a
    /// repetition has a comment that says from where. The files with vendor models and products that they name are
    /// named again.
    ///
    /// - Parameters:
    ///   - definitions: those of `reading`, with paths from the working folder.
    ///   - reading: what the files of the definitions say.
    package static func text(of definitions: [Definition], withOriginsIn reading: DefinitionReading) -> String {
        let surroundings = reading.surroundings
        var documents = definitions.enumerated().map { position, definition in
            DefinitionWriter(definition).document(position == 0 ? surroundings.sections : [], reading.files)
        }
        if let models = surroundings.ownSection {
            var text = ""
            models.write(to: &text)
            documents.append(escaped(text))
        }
        return documents.joined(separator: "---\n")
    }

    private func document(_ surroundings: [Field], _ files: SourceFiles) -> String {
        var text = "version: 1\n"
        for field in heads { Self.write(field, to: &text) }
        for section in surroundings + sections {
            text += "\n"
            let places = Definition.section(of: Keyword(rawValue: section.key))?.locations(definition) ?? []
            switch section.value {
            case .section(let fields) where fields.count == places.count:
                text += "\(section.key):\n"
                for (field, place) in zip(fields, places) {
                    text += Self.origin(of: place, in: files)
                    Self.write(field, to: &text, indent: 2, in: section.key)
                }
            case .list(let items) where items.count == places.count:
                text += "\(section.key):\n"
                for (item, place) in zip(items, places) {
                    text += Self.origin(of: place, in: files) + "  - \(Self.escaped(item.flow, in: section.key))\n"
                }
            default: Self.write(section, to: &text, in: section.key)
            }
        }
        return text
    }

    private static func origin(of location: SourceLocation, in files: SourceFiles) -> String {
        guard let title = files.instances.title(of: location) else { return "" }
        return "  " + comment(["\(files.path(of: location)):\(location.line), \(title)"])
    }
}

extension DefinitionWriter {
    func schedule(_ schedule: ScheduleDefinition) -> Field {
        var deed: String
        switch schedule.action.value {
        case .on: deed = "switch on"
        case .off: deed = "switch off"
        case .recall(let scene): deed = "recall \(scene)"
        }
        if schedule.transition != 0 {
            let milliseconds = TransitionWords.milliseconds(schedule.transition)
            deed += " over \(DurationText.text(milliseconds: milliseconds))"
        }
        var fields = [
            Field("when", .text(schedule.time.value.words)), Field("do", .text(deed)),
            Field("nodes", .selector(schedule.nodes)),
        ]
        if schedule.nodes.mayBeEmpty { fields.append(Field("allow_empty", .word("true"))) }
        return named(schedule.name, .fields(fields))
    }
}

/// Words of schedules as definitions write them.
enum ScheduleWords {
    /// `+01:00`, from steps of 15 minutes.
    static func timeZone(_ steps: Int) -> String {
        let minutes = abs(steps) * 15
        func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return (steps < 0 ? "-" : "+") + twoDigits(minutes / 60) + ":" + twoDigits(minutes % 60)
    }

    /// The time zone of nodes with schedules in steps of 15 minutes: `+01:00`, `-03:30`, `UTC`.
    static func timeZone(_ text: String) throws(ScalarProblem) -> Int {
        if text.lowercased() == "utc" { return 0 }
        let problem = ScalarProblem("\(quoted(text)) is not a time zone", hint: "write it like +01:00, -03:30 or UTC")
        guard let sign = text.first, sign == "+" || sign == "-" else { throw problem }
        let parts = text.dropFirst().split(separator: ":", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { $0.count == 2 && $0.utf8.allSatisfy(Numbers.isDigit) ? Int($0) : nil }
        guard parts.count == 2, numbers.count == 2, numbers[1] < 60 else { throw problem }
        let minutes = numbers[0] * 60 + numbers[1]
        guard minutes % 15 == 0, minutes <= 16 * 60 else {
            throw ScalarProblem(
                "\(quoted(text)) is a time zone that nodes cannot hold",
                hint: "they hold quarters of an hour up to 16 hours"
            )
        }
        return (sign == "-" ? -minutes : minutes) / 15
    }
}

extension DefinitionWriter {
    func test(_ test: TestDefinition) -> Field {
        let steps = Value.list(test.steps.map(step))
        let name = Value.text(test.name.value).flow
        guard let variation = test.variation else { return Field(name, steps) }
        return Field(name, .section([Field("for_each", .fields(fields(variation))), Field("steps", steps)]))
    }

    private func fields(_ variation: TestVariation) -> [Field] {
        switch variation {
        case .withoutRelay: [Field("without", .word("relays"))]
        case .without(let nodes): [Field("without", .selector(nodes))]
        case .tag(let tag, let nodes):
            [Field("tag", .text(tag.value))] + (nodes.map { [Field("nodes", .selector($0))] } ?? [])
        case .node(let nodes): [Field("node", .selector(nodes))]
        }
    }

    private func step(_ step: TestStep) -> Value {
        var fields: [Field] = []
        if let action = step.action {
            if case .power(let nodes, isOn: _) = action {
                fields.append(Field(action.key, .selector(nodes)))
            } else {
                fields.append(Field(action.key, .text(action.words ?? "")))
            }
        }
        if let within = step.within {
            fields.append(Field("within", .word(DurationText.text(milliseconds: within.value))))
        }
        let expectations = step.expectations.map(expectation)
        if let only = expectations.first, expectations.count == 1 {
            fields.append(Field("expect", only))
        } else if !expectations.isEmpty {
            fields.append(Field("expect", .list(expectations)))
        }
        let others = (step.keepsOthers ? ["unchanged"] : []) + (step.silencesOthers ? ["silent"] : [])
        if others.count > 1 {
            fields.append(Field("others", .list(others.map { .word($0) })))
        } else if let only = others.first {
            fields.append(Field("others", .word(only)))
        }
        return .fields(fields)
    }

    private func expectation(_ expectation: TestExpectation) -> Value {
        let nodes: Value =
            expectation.isAtProvisioner ? .text(PublishTarget.provisionerName) : .selector(expectation.nodes)
        var fields = [Field("nodes", nodes)]
        if let element = expectation.element { fields.append(Field("element", .word("\(element.value)"))) }
        fields += expectation.states.map { state in
            let isSwitch = state.value.text == "on" || state.value.text == "off"
            return Field(state.value.name, isSwitch ? .word(state.value.text) : .text(state.value.text))
        }
        if let faults = expectation.faults?.value {
            fields.append(Field("faults", faults.isEmpty ? .word("none") : .list(faults.map { .text($0) })))
        }
        if let heartbeat = expectation.heartbeat { fields.append(Field("heartbeat", .text(heartbeat.value))) }
        if let hops = expectation.hops { fields.append(Field("hops", .word("\(hops.value)"))) }
        for (key, duration) in [("arrives", expectation.arrives), ("within", expectation.within)] {
            if let duration { fields.append(Field(key, .word(DurationText.text(milliseconds: duration.value)))) }
        }
        return .fields(fields)
    }
}
