import DefinitionModel
import MeshCore

/// Checks: `every lamp has a room: { nodes: { kind: lamp }, have: { tags: room } }`.
extension DocumentDecoder {
    /// `checks`: each says what nodes must have, or how many nodes have it.
    mutating func decodeChecks(_ section: MappingEntry) {
        for entry in entries(section.value, "a mapping of checks") ?? [] {
            guard let name = scalar(entry.key, "the name of a check", Words.title),
                let fields = fields(entry.value, .check, "a check", blamed: entry.key)
            else { continue }
            var check = CheckDefinition(name: name, nodes: NodeSelector(location: name.location))
            var isWhole = true
            var mayBeEmpty = false
            for field in fields {
                switch field.keyword {
                case .nodes:
                    if let nodes = decodeSelector(field) { check.nodes = nodes } else { isWhole = false }
                case .allowEmpty: mayBeEmpty = allowsEmpty(field)
                case .have:
                    guard let requirement = decodeRequirement(field) else {
                        isWhole = false
                        continue
                    }
                    check.requirement = requirement
                case .forEach: check.forEach = scalar(field.value, "the name of a tag", Words.name)
                case .count:
                    check.count = decodeCheckCount(field)
                    if check.count == nil { isWhole = false }
                case .severity:
                    check.isWarning = scalar(field.value, "error or warning", Self.isWarning)?.value ?? false
                default: break
                }
            }
            check.nodes.mayBeEmpty = mayBeEmpty
            guard isWhole else { continue }
            report(check, of: entry, fields)
            fragment.definition.checks.append(check)
        }
    }

    /// Reports a check that demands nothing.
    private mutating func report(_ check: CheckDefinition, of entry: MappingEntry, _ fields: MappingEntries) {
        if let each = fields.first(where: { $0.keyword == .forEach }), check.count == nil {
            report(
                "`for_each` says for which values nodes are counted, but nothing is counted",
                at: each.key,
                hint: "add for example `count: { at_least: 2 }`"
            )
        } else if check.count == nil, check.requirement.isEmpty {
            report(
                "the check demands nothing",
                at: entry.key,
                hint: "write for example `{ nodes: { kind: lamp }, have: { tags: room } }`, "
                    + "or count nodes: `count: { at_least: 2 }`"
            )
        }
    }

    /// `have`: what a node must have; nil if a part of it cannot be read, because the rest would say something else.
    private mutating func decodeRequirement(_ entry: MappingEntry) -> CheckRequirement? {
        let expected = "a mapping of what nodes have"
        guard let fields = fields(entry.value, .requirement, expected, blamed: entry.key) else { return nil }
        var requirement = CheckRequirement()
        let before = diagnostics.errorCount
        for field in fields {
            switch field.keyword {
            case .tags: requirement.tags = decodeCheckedTags(field.value)
            case .profile:
                requirement.profiles = oneOrSeveral(field.value).compactMap {
                    scalar($0, "the name of a profile", Words.name)
                }
            case .features:
                var settings = NodeSettings()
                decodeFeatures(field, into: &settings)
                requirement.relay = settings.relay
                requirement.proxy = settings.proxy
                requirement.friend = settings.friend
            case .model: requirement.model = model(field.value)
            case .keys:
                requirement.keys = oneOrSeveral(field.value).compactMap {
                    scalar($0, "the name of an application key", Words.name)
                }
            case .subscribe: requirement.subscribe = decodeCheckedGroups(field.value)
            case .publish: requirement.publish = decodeCheckedGroups(field.value)
            default: break
            }
        }
        return diagnostics.errorCount == before ? requirement : nil
    }

    /// The entries of a list, or the node itself.
    private mutating func oneOrSeveral(_ node: Int) -> [Int] {
        guard tree.nodes[node].kind == .sequence else { return [node] }
        return Array(list(node, "a list") ?? ListEntries())
    }

    /// `room`, `[room, floor]`, or `{ room: [kitchen, hall] }`.
    private mutating func decodeCheckedTags(_ node: Int) -> [CheckedTag] {
        guard tree.nodes[node].kind == .mapping else {
            return oneOrSeveral(node).compactMap { scalar($0, "the name of a tag", Words.name) }
                .map { CheckedTag(name: $0) }
        }
        return (entries(node, "a mapping of tags") ?? []).compactMap { entry in
            guard let name = scalar(entry.key, "the name of a tag", Words.name) else { return nil }
            let nodes = oneOrSeveral(entry.value)
            guard nodes.count <= Self.mostValues else {
                report(
                    "more than \(Self.mostValues) values",
                    at: entry.value,
                    hint: "write `tags: \(name.value)` for any, or give nodes a tag that these values have in common"
                )
                return nil
            }
            let values = nodes.compactMap { scalar($0, "the value of a tag", Self.checkedValue) }
            guard !values.isEmpty else {
                if tree.nodes[entry.value].kind == .sequence {
                    report("no value is allowed here", at: entry.value, hint: "write `tags: \(name.value)` for any")
                }
                return nil
            }
            return CheckedTag(name: name, values: values)
        }
    }

    /// The most values of a tag in a check. Each node is compared with all of them.
    private static let mostValues = 1_000

    /// Any text without a reference. Only the groups of a check refer to tags.
    private static func checkedValue(_ text: String) throws(ScalarProblem) -> String {
        guard let name = TestVariable.names(in: text).first else { return text }
        throw ScalarProblem(
            "`$(\(name))` stands for nothing here",
            hint: "in a check, tags of the node stand in the groups of `subscribe` and `publish` only"
        )
    }

    private mutating func decodeCheckedGroups(_ node: Int) -> [Located<CheckedGroup>] {
        oneOrSeveral(node).compactMap { scalar($0, "the name of a group", Self.checkedGroup) }
    }

    private static func checkedGroup(_ text: String) throws(ScalarProblem) -> CheckedGroup {
        if let group = CheckedGroup(text) { return group }
        let referring = text.replacing("<", with: "$(").replacing(">", with: ")")
        throw ScalarProblem(
            "\(quoted(text)) is not the name of a group",
            hint: text.contains("<") && CheckedGroup(referring) != nil
                ? "write `\(referring)`, as in modules and tests"
                : "write a group, or `$(room)` for the group that is named by the node's own tag `room`"
        )
    }

    /// A number, or `{ at_least: 2, at_most: 8 }`.
    private mutating func decodeCheckCount(_ entry: MappingEntry) -> Located<CheckCount>? {
        let place = location(entry.value)
        guard tree.nodes[entry.value].kind == .mapping else {
            return scalar(entry.value, "a number of nodes", Self.numberOfNodes)
                .map { Located(CheckCount(atLeast: $0.value, atMost: $0.value), at: place) }
        }
        let example: Advice = "write `{ at_least: 2 }`, `{ at_most: 8 }`, or the number itself"
        guard let fields = fields(entry.value, .checkCount, "a number of nodes", blamed: entry.key) else { return nil }
        var count = CheckCount(atLeast: nil, atMost: nil)
        for field in fields {
            guard let number = scalar(field.value, "a number of nodes", Self.numberOfNodes) else { return nil }
            if field.keyword == .atLeast { count.atLeast = number.value } else { count.atMost = number.value }
        }
        guard count.atLeast != nil || count.atMost != nil else {
            report("no number is given", at: entry.value, hint: example)
            return nil
        }
        if let low = count.atLeast, let high = count.atMost, low > high {
            report("no number is at least \(low) and at most \(high)", at: entry.value, hint: example)
            return nil
        }
        return Located(count, at: place)
    }

    private static func numberOfNodes(_ text: String) throws(ScalarProblem) -> Int {
        try Numbers.decimal(text, in: 0...Int(UInt16.max), "a number of nodes")
    }

    private static func isWarning(_ text: String) throws(ScalarProblem) -> Bool {
        switch text {
        case "error": return false
        case "warning": return true
        default:
            throw ScalarProblem("\(quoted(text)) is not a severity", hint: "write error (the default) or warning")
        }
    }

    /// `nlc`: the short names of profiles, each once.
    mutating func decodeLightingProfiles(_ node: Int) -> Located<[Located<NLCProfile>]>? {
        guard let items = list(node, "a list of profiles of Networked Lighting Control") else { return nil }
        var profiles: [Located<NLCProfile>] = []
        for item in items {
            guard let profile = scalar(item, "the name of a profile", Self.lightingProfile) else { continue }
            guard !profiles.contains(where: { $0.value == profile.value }) else {
                report("\(quoted(profile.value.word)) occurs twice in this list", at: item, severity: .warning)
                continue
            }
            profiles.append(profile)
        }
        return Located(profiles, at: location(node))
    }

    private static func lightingProfile(_ text: String) throws(ScalarProblem) -> NLCProfile {
        if let profile = NLCProfile(word: text) { return profile }
        let words = NLCProfile.allCases.map(\.word)
        throw ScalarProblem(
            "\(quoted(text)) is not a profile of Networked Lighting Control",
            hint: Suggestion.hint(for: text, among: words, are: "profiles are")
        )
    }
}
