import DefinitionModel
import MeshCore

extension CheckDefinition {
    /// A check: `every lamp has a room: { nodes: { kind: lamp }, have: { tags: room } }`.
    static let mapping = MappingType<CheckDefinition>(
        "check",
        as: "a check",
        "What nodes must have, or how many nodes have it.",
        [
            .nodes(\.nodes, "The nodes that are looked at; all by default.", isWrittenForAll: false),
            .allowEmpty(\.nodes),
            .scalar(
                .forEach,
                \.forEach,
                Scalars.name(of: "a tag"),
                """
                A tag: the nodes are counted for each of its values, also for values that no such node has.
                """
            ),
            .vital(.have, .ref("requirement")) { decoder, entry, check in
                // If a part of it cannot be read, the rest would say something else.
                let before = decoder.diagnostics.errorCount
                var requirement = CheckRequirement()
                let type = CheckRequirement.mapping
                guard decoder.decode(entry.value, type, blamed: entry.key, into: &requirement),
                    decoder.diagnostics.errorCount == before
                else { return false }
                check.requirement = requirement
                return true
            } written: { check in
                check.requirement.isEmpty ? nil : CheckRequirement.mapping.value(check.requirement)
            },
            .vital(
                .count,
                .anyOf([["type": "integer", "minimum": 0, "maximum": 65535], .ref("check_count")]),
                "How many of the nodes must have it: a number, or limits. Left out, all of them."
            ) { decoder, entry, check in
                check.count = decoder.decodeCheckCount(entry)
                return check.count != nil
            } written: { check in
                check.count.map { count in
                    count.value.exactly.map { .word("\($0)") } ?? CheckCount.mapping.value(count.value)
                }
            },
            .plain(
                .severity,
                \.isWarning,
                Scalars.severity,
                "`warning` only warns; `error`, the default, refuses the definition."
            ),
        ]
    )
}

extension CheckRequirement {
    /// `have`: what a node must have.
    static let mapping = MappingType<CheckRequirement>(
        "requirement",
        as: "a mapping of what nodes have",
        "What a node must have once profiles, defaults and rules are applied: all of it.",
        [
            .custom(
                .tags,
                .anyOf([
                    .ref("name_reference"), .list(of: .ref("name_reference"), atLeast: 1),
                    [
                        "type": "object", "propertyNames": .ref("name"),
                        "additionalProperties": .anyOf([.ref("tag_value"), .list(of: .ref("tag_value"), atLeast: 1)]),
                    ],
                ]),
                """
                A tag, a list of tags, or tags with the value or values that they may have; `*` stands for \
                anything.
                """
            ) { decoder, entry, requirement in
                requirement.tags = decoder.decodeCheckedTags(entry.value)
            } written: { requirement in
                requirement.writtenTags
            },
            .several(
                .profile,
                \.profiles,
                Scalars.name(of: "a profile"),
                "The profile of the node, or several of which it has one."
            ),
            .part(.features, .features(\.relay, \.proxy, \.friend)),
            .custom(
                .model,
                .ref("model_reference"),
                """
                A model that the node has. Keys, subscriptions and publications are then those of this model.
                """
            ) { decoder, entry, requirement in
                requirement.model = decoder.model(entry.value)
            } written: { requirement in
                requirement.model.map { .word($0.value.name) }
            },
            .several(
                .keys,
                \.keys,
                Scalars.name(of: "an application key"),
                "Application keys that are bound to the model, or to any."
            ),
            .several(.subscribe, \.subscribe, Scalars.checkedGroup, "Groups that the model, or any, subscribes to."),
            .several(.publish, \.publish, Scalars.checkedGroup, "Groups that the model, or any, publishes to."),
        ]
    )

    private var writtenTags: DefinitionValue? {
        guard tags.contains(where: { !$0.values.isEmpty }) else {
            return .oneOrSeveral(tags.map { .text($0.name.value) })
        }
        return .fields(
            tags.map { tag in
                let values = tag.values.map { DefinitionValue.text($0.value) }
                return DefinitionValue.Field(
                    DefinitionValue.quotedIfNeeded(tag.name.value),
                    .oneOrSeveral(values) ?? .text("*")
                )
            }
        )
    }
}

extension CheckCount {
    /// `count`, unless it is a number.
    static let mapping = MappingType<CheckCount>(
        "check_count",
        as: "a number of nodes",
        "Limits of a number of nodes.",
        isStrict: true,
        where: ["minProperties": 1],
        [
            .optional(.atLeast, \.atLeast, Scalars.numberOfNodes, "The least number."),
            .optional(.atMost, \.atMost, Scalars.numberOfNodes, "The greatest number."),
        ]
    )
}

extension DefinitionValue {
    /// A value as it is, several as a list; nil for none.
    static func oneOrSeveral(_ values: [DefinitionValue]) -> DefinitionValue? {
        values.count > 1 ? .list(values) : values.first
    }
}

extension DocumentDecoder {
    /// `checks`: each says what nodes must have, or how many nodes have it.
    mutating func decodeChecks(_ section: MappingEntry) {
        for entry in entries(section.value, "a mapping of checks") ?? [] {
            guard let name = scalar(entry.key, "the name of a check", Words.title),
                let entries = fields(entry.value, CheckDefinition.mapping.record, blamed: entry.key)
            else { continue }
            var check = CheckDefinition(name: name, nodes: NodeSelector(location: name.location))
            guard decode(entries, CheckDefinition.mapping, into: &check) else { continue }
            report(check, of: entry, entries)
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

    /// The entries of a list, or the node itself.
    mutating func oneOrSeveral(_ node: Int) -> [Int] {
        guard tree.nodes[node].kind == .sequence else { return [node] }
        return Array(list(node, "a list") ?? ListEntries())
    }

    /// `room`, `[room, floor]`, or `{ room: [kitchen, hall] }`.
    fileprivate mutating func decodeCheckedTags(_ node: Int) -> [CheckedTag] {
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

    /// A number, or `{ at_least: 2, at_most: 8 }`.
    fileprivate mutating func decodeCheckCount(_ entry: MappingEntry) -> Located<CheckCount>? {
        let place = location(entry.value)
        guard tree.nodes[entry.value].kind == .mapping else {
            return scalar(entry.value, Scalars.numberOfNodes)
                .map { Located(CheckCount(atLeast: $0.value, atMost: $0.value), at: place) }
        }
        let example: Advice = "write `{ at_least: 2 }`, `{ at_most: 8 }`, or the number itself"
        var count = CheckCount(atLeast: nil, atMost: nil)
        guard decode(entry.value, CheckCount.mapping, blamed: entry.key, into: &count) else { return nil }
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
}
