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
            definition.profiles.lazy.filter { $0.inherited != nothing }.map { ($0.name.value, $0.inherited) },
            uniquingKeysWith: { first, _ in first }
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
    var heads: [Field] { [Field("network", .text(definition.network.value))] + fields(of: definition.wording) }

    private func fields(of wording: Wording) -> [Field] {
        var fields: [Field] = []
        if let title = wording.title { fields.append(Field("title", .text(title.value))) }
        if let description = wording.description { fields.append(Field("description", .text(description.value))) }
        return fields
    }

    var sections: [Field] {
        var sections: [Field] = []
        if let removals = definition.removals {
            sections.append(Field("limits", .fields([Field("removals", .word("\(removals.value)%"))])))
        }
        if let rules = definition.provisioning {
            let requirement = rules.requirement.map { Field("require", .word($0.value.rawValue)) }
            sections.append(Field("provisioning", .fields(requirement.map { [$0] } ?? [])))
        }
        func add(_ key: String, _ fields: [Field]) {
            if !fields.isEmpty { sections.append(Field(key, .section(fields))) }
        }
        add("subnets", definition.subnets.map(subnet))
        add("application_keys", definition.applicationKeys.map(applicationKey))
        add("groups", definition.groups.map(group))
        if let defaults { sections.append(Field("defaults", defaults)) }
        add("floors", definition.floors.map(floor))
        add("scenes", definition.scenes.map { named($0.name, .word("\($0.number.value)")) })
        add("profiles", definition.profiles.map(profile))
        add("nodes", definition.nodes.map(node))
        addRules(to: &sections)
        add("checks", definition.checks.map(check))
        if let zone = definition.timeZone {
            sections.append(Field("time_zone", .text(ScheduleWords.timeZone(zone.value))))
        }
        add("schedules", definition.schedules.map(schedule))
        add("tests", definition.tests.map(test))
        return sections
    }

    func named(_ name: Located<String>, _ value: Value) -> Field {
        Field(Value.quotedIfNeeded(name.value), value)
    }

    // MARK: Keys and groups

    private func subnet(_ subnet: SubnetDefinition) -> Field {
        var fields = fields(of: subnet.wording)
        if let index = subnet.index { fields.append(Field("index", .word("\(index.value)"))) }
        if let source = subnet.key { add(source.value, to: &fields) }
        addProtection(subnet.isProtected, to: &fields)
        return named(subnet.name, .fields(fields))
    }

    private func applicationKey(_ key: ApplicationKeyDefinition) -> Field {
        var fields = fields(of: key.wording) + [Field("subnet", .text(key.subnet.value))]
        if let index = key.index { fields.append(Field("index", .word("\(index.value)"))) }
        if let source = key.key { add(source.value, to: &fields) }
        addProtection(key.isProtected, to: &fields)
        return named(key.name, .fields(fields))
    }

    /// Adds where a key comes from. A key that was made, or existed before, has no source to write.
    private func add(_ source: KeySource, to fields: inout [Field]) {
        switch source {
        case .generated, .formerNetKey, .formerAppKey: break
        case .file(let path): fields.append(Field("key", .fields([Field("file", .text(path))])))
        case .environment(let name): fields.append(Field("key", .fields([Field("env", .text(name))])))
        }
    }

    private func addProtection(_ isProtected: Located<Bool>?, to fields: inout [Field]) {
        if let isProtected { fields.append(Field("protect", .state(isProtected.value))) }
    }

    func group(_ group: GroupDefinition) -> Field {
        var fields = fields(of: group.wording)
        switch group.address?.value {
        case .group(let address): fields.append(Field("address", .word(address.description)))
        case .virtual(let label): fields.append(Field("label", .word(label.rawValue.hyphenated.lowercased())))
        // A definition cannot declare a group whose label is unknown.
        case .unknownLabel, nil: break
        }
        if let parent = group.parent { fields.append(Field("parent", .text(parent.value))) }
        addProtection(group.isProtected, to: &fields)
        return named(group.name, .fields(fields))
    }

    // MARK: Settings

    /// One mapping if it is for all nodes, otherwise a list.
    private var defaults: Value? {
        let entries = definition.defaults.map { entry in
            var fields: [Field] = []
            if let nodes = entry.nodes { fields += selection(nodes) }
            addInherited(entry.inherited, to: &fields)
            if let settings = entry.provisioning { fields.append(provisioning(settings)) }
            fields += Value.stateFields(entry.settings)
            if !entry.models.isEmpty { fields.append(Field("states", Value.modelStates(of: entry.models))) }
            return Value.fields(fields)
        }
        guard let first = entries.first else { return nil }
        return entries.count == 1 && definition.defaults[0].nodes == nil ? first : .list(entries)
    }

    private func profile(_ profile: ProfileDefinition) -> Field {
        var fields: [Field] = []
        if let product = profile.product { fields.append(Field("product", .word(product.value.description))) }
        addInherited(profile.inherited, to: &fields)
        if let settings = profile.provisioning { fields.append(provisioning(settings)) }
        fields += Value.stateFields(profile.settings)
        if let elements = Value.elements(profile.settings.elements, isSection: true) { fields.append(elements) }
        return named(profile.name, .section(fields))
    }

    func node(_ node: NodeDefinition) -> Field {
        var fields = fields(of: node.wording)
        if !node.awaitsDevice { fields.append(Field("uuid", .word(node.uuid.value.description.lowercased()))) }
        if let product = node.product { fields.append(Field("product", .word(product.value.description))) }
        if let profile = node.profile { fields.append(Field("profile", .text(profile.value))) }
        if let address = node.address { fields.append(Field("address", .word(address.value.description))) }
        if let position = node.position?.value { fields.append(self.position(position)) }
        addInherited(ownValues(of: node), to: &fields)
        if let settings = node.provisioning { fields.append(provisioning(settings)) }
        fields += Value.stateFields(node.settings)
        if let elements = Value.elements(node.settings.elements, isSection: false) { fields.append(elements) }
        return named(node.name, .fields(fields))
    }

    private func addInherited(_ values: InheritedValues, to fields: inout [Field]) {
        if !values.tags.isEmpty { fields.append(Field("tags", tags(values.tags))) }
        addProtection(values.isProtected, to: &fields)
        if let policy = values.removalPolicy { fields.append(Field("on_remove", .word(policy.value.rawValue))) }
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

    private func tags(_ tags: [String: Located<String>]) -> Value {
        .fields(tags.sorted { $0.key < $1.key }.map { Field(Value.quotedIfNeeded($0.key), .text($0.value.value)) })
    }

    private func provisioning(_ settings: ProvisioningSettings) -> Field {
        var fields: [Field] = []
        if let method = settings.method { fields.append(Field("oob", .word(ProvisioningWords.word(method.value)))) }
        switch settings.staticValue?.value {
        case .file(let path): fields.append(Field("static", .fields([Field("file", .text(path))])))
        case .environment(let name): fields.append(Field("static", .fields([Field("env", .text(name))])))
        case nil: break
        }
        if let path = settings.publicKeyFile {
            fields.append(Field("public_key", .fields([Field("file", .text(path.value))])))
        }
        if let algorithm = settings.algorithm { fields.append(Field("algorithm", .word(algorithm.value.name))) }
        switch settings.route?.value {
        case .node(let name): fields.append(Field("via", .fields([Field("node", .text(name))])))
        case .some(let route): fields.append(Field("via", .word(ProvisioningWords.word(route))))
        case nil: break
        }
        if let attention = settings.attention { fields.append(Field("attention", .word("\(attention.value)s"))) }
        return Field("provisioning", .fields(fields))
    }

    // MARK: Rules

    private func addRules(to sections: inout [Field]) {
        if !definition.subscriptions.isEmpty {
            sections.append(Field("subscriptions", .list(definition.subscriptions.map(subscription))))
        }
        if !definition.publications.isEmpty {
            sections.append(Field("publications", .list(definition.publications.map(publication))))
        }
        guard !definition.moved.isEmpty else { return }
        let entries = definition.moved.map { entry in
            Value.fields([
                Field("from", .word("\(entry.kind.rawValue).\(entry.from.value)")),
                Field("to", .word("\(entry.kind.rawValue).\(entry.to.value)")),
            ])
        }
        sections.append(Field("moved", .list(entries)))
    }

    func subscription(_ rule: SubscriptionDefinition) -> Value {
        var fields = [
            Field("groups", .texts(rule.groups.map(\.value))),
            Field("models", .list(rule.models.map { .word($0.value.name) })),
        ]
        if let element = rule.element { fields.append(Field("element", .word("\(element.value)"))) }
        return .fields(fields + selection(rule.nodes))
    }

    func publication(_ rule: PublicationDefinition) -> Value {
        var fields: [Field] = []
        if let names = rule.nodes.names, names.count == 1, Name.isValid(names[0].value) {
            fields.append(Field("node", .text(names[0].value)))
        } else {
            fields += selection(rule.nodes)
        }
        fields.append(Field("model", .word(rule.model.value.name)))
        if let element = rule.element { fields.append(Field("element", .word("\(element.value)"))) }
        return .fields(fields + Value.publicationFields(rule.settings))
    }

    func selection(_ selector: NodeSelector) -> [Field] {
        [Field("nodes", self.selector(selector))] + (selector.mayBeEmpty ? [Field("allow_empty", .word("true"))] : [])
    }

    func selector(_ selector: NodeSelector) -> Value {
        guard let names = selector.names else { return selector.tags.isEmpty ? .word("all") : tags(selector.tags) }
        // The word `all` means every node, so a node of that name goes into a list.
        if names.count == 1, names[0].value != "all" { return pattern(names[0].value) }
        return .list(names.map { pattern($0.value) })
    }

    /// A pattern. It needs no quotes if it begins with a letter.
    private func pattern(_ text: String) -> Value {
        guard text.contains("*"), let first = text.unicodeScalars.first, ("a"..."z").contains(first) else {
            return .text(text)
        }
        return .word(text)
    }
}

extension DefinitionWriter {
    /// A check under its name.
    func check(_ check: CheckDefinition) -> Field {
        var fields = check.nodes.isAll && !check.nodes.mayBeEmpty ? [] : selection(check.nodes)
        if let tag = check.forEach { fields.append(Field("for_each", .text(tag.value))) }
        if !check.requirement.isEmpty { fields.append(Field("have", requirement(check.requirement))) }
        if let count = check.count { fields.append(Field("count", self.count(count.value))) }
        if check.isWarning { fields.append(Field("severity", .word("warning"))) }
        return Field(Value.text(check.name.value).flow, .fields(fields))
    }

    private func requirement(_ required: CheckRequirement) -> Value {
        var fields: [Field] = []
        if !required.tags.isEmpty { fields.append(Field("tags", checkedTags(required.tags))) }
        if !required.profiles.isEmpty { fields.append(Field("profile", oneOrSeveral(required.profiles.map(\.value)))) }
        let features = [("relay", required.relay), ("proxy", required.proxy), ("friend", required.friend)]
            .compactMap { name, isOn in isOn.map { Field(name, .state($0.value)) } }
        if !features.isEmpty { fields.append(Field("features", .fields(features))) }
        if let model = required.model { fields.append(Field("model", .word(model.value.name))) }
        if !required.keys.isEmpty { fields.append(Field("keys", oneOrSeveral(required.keys.map(\.value)))) }
        for (key, groups) in [("subscribe", required.subscribe), ("publish", required.publish)] where !groups.isEmpty {
            fields.append(Field(key, oneOrSeveral(groups.map(\.value.text))))
        }
        return .fields(fields)
    }

    private func checkedTags(_ tags: [CheckedTag]) -> Value {
        guard tags.contains(where: { !$0.values.isEmpty }) else { return oneOrSeveral(tags.map(\.name.value)) }
        return .fields(
            tags.map { tag in
                let values = tag.values.isEmpty ? ["*"] : tag.values.map(\.value)
                return Field(Value.quotedIfNeeded(tag.name.value), oneOrSeveral(values))
            }
        )
    }

    private func oneOrSeveral(_ texts: [String]) -> Value {
        texts.count == 1 ? .text(texts[0]) : .texts(texts)
    }

    private func count(_ count: CheckCount) -> Value {
        if let exactly = count.exactly { return .word("\(exactly)") }
        let limits = [("at_least", count.atLeast), ("at_most", count.atMost)]
        return .fields(limits.compactMap { key, number in number.map { Field(key, .word("\($0)")) } })
    }
}

/// Floors and positions.
extension DefinitionWriter {
    func floor(_ floor: FloorDefinition) -> Field {
        var fields: [Field] = []
        if let title = floor.title { fields.append(Field("title", .text(title.value))) }
        if let plan = floor.plan { fields.append(Field("plan", .text(plan.value))) }
        if let positions = floor.positions { fields.append(Field("positions", .text(positions.value))) }
        if let width = floor.width { fields.append(Field("width", length(width.value))) }
        if let height = floor.height { fields.append(Field("height", length(height.value))) }
        return named(floor.name, .fields(fields))
    }

    /// What counts from a corner is written as counted from that of the floor.
    func position(_ position: NodePosition) -> Field {
        let fields = [
            Field("floor", .text(position.floor.value)), Field("x", length(position.x)), Field("y", length(position.y)),
        ]
        return Field("position", .fields(fields))
    }

    private func length(_ millimetres: Int) -> Value { .word(LengthText.text(millimetres: millimetres)) }
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
            let places = places(in: section.key)
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

    /// Where the entries of a section stand, in their order; empty for a section whose entries are not marked.
    private func places(in section: String) -> [SourceLocation] {
        switch Keyword(rawValue: section) {
        case .subnets: definition.subnets.map(\.name.location)
        case .applicationKeys: definition.applicationKeys.map(\.name.location)
        case .groups: definition.groups.map(\.name.location)
        case .profiles: definition.profiles.map(\.name.location)
        case .nodes: definition.nodes.map(\.name.location)
        case .subscriptions: definition.subscriptions.map(\.location)
        case .publications: definition.publications.map(\.location)
        case .checks: definition.checks.map(\.name.location)
        case .tests: definition.tests.map(\.name.location)
        default: []
        }
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
        let fields = [Field("when", .text(schedule.time.value.words)), Field("do", .text(deed))]
        return named(schedule.name, .fields(fields + selection(schedule.nodes)))
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
}

extension DefinitionWriter {
    /// A test under its name.
    func test(_ test: TestDefinition) -> Field {
        let steps = Value.list(test.steps.map(step))
        let name = Value.text(test.name.value).flow
        guard let variation = test.variation else { return Field(name, steps) }
        return Field(name, .section([Field("for_each", .fields(fields(variation))), Field("steps", steps)]))
    }

    private func fields(_ variation: TestVariation) -> [Field] {
        switch variation {
        case .withoutRelay: [Field("without", .word("relays"))]
        case .without(let nodes): [Field("without", selector(nodes))]
        case .tag(let tag, let nodes):
            [Field("tag", .text(tag.value))] + (nodes.map { [Field("nodes", selector($0))] } ?? [])
        case .node(let nodes): [Field("node", selector(nodes))]
        }
    }

    private func step(_ step: TestStep) -> Value {
        var fields: [Field] = []
        if let action = step.action {
            if case .power(let nodes, isOn: _) = action {
                fields.append(Field(action.key, selector(nodes)))
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
        let nodes =
            expectation.isAtProvisioner ? .text(PublishTarget.provisionerName) : selector(expectation.nodes)
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
