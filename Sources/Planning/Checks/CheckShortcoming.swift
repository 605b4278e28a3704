import DefinitionModel
import MeshCore

/// What a node lacks that a check demands.
struct CheckShortcoming: Hashable {
    /// What is missing, in a few words: "no tag `room`".
    var text: String
    /// How to mend it, without a full stop.
    var hint: String
}

/// Compares nodes with what checks demand.
struct CheckComparison {
    let definition: Definition
    /// The nodes by their positions in the definition; nil for those that cannot be placed in the database.
    private let nodes: [CheckedNode?]
    private let groups: [String: SubscriptionAddress]
    private let keys: [String: AppKeyIndex]

    init(_ definition: Definition, _ desired: DesiredState, in network: MeshNetwork) {
        self.definition = definition
        var places: [String: Int] = [:]
        for (index, node) in desired.nodes.enumerated() { places[node.name.value] = index }
        nodes = definition.nodes.map { node in
            places[node.name.value].map { CheckedNode(desired.nodes[$0], in: network) }
        }
        groups = Dictionary(firstOf: desired.groups.map { ($0.group.name, $0.group.address) })
        keys = Dictionary(firstOf: desired.applicationKeys.map { ($0.name.value, $0.index) })
    }

    /// The first thing that a node lacks, with what it should be in this node if others need something else; nil if it
    /// lacks nothing.
    func shortcoming(
        of place: Int,
        for required: CheckRequirement
    ) -> (what: CheckShortcoming, detail: String?)? {
        guard let node = nodes[place] else { return nil }
        if let lack = tagShortcoming(of: place, required) { return lack }
        if let lack = profileShortcoming(of: place, required) { return (lack, nil) }
        if let lack = featureShortcoming(of: node, required) { return (lack, nil) }
        if let model = required.model?.value, !node.has(model) { return (lacking(model), nil) }
        for key in required.keys {
            guard let index = keys[key.value], !node.binds(index, to: required.model?.value) else { continue }
            return (unbound(key.value, required.model?.value), nil)
        }
        for group in required.subscribe {
            let lack = groupShortcoming(of: place, group.value, required.model?.value, "subscribe") {
                node.subscribes(to: $0, with: required.model?.value)
            }
            if let lack { return lack }
        }
        for group in required.publish {
            let lack = groupShortcoming(of: place, group.value, required.model?.value, "publish") {
                node.publishes(to: $0, with: required.model?.value)
            }
            if let lack { return lack }
        }
        return nil
    }

    private func tagShortcoming(
        of index: Int,
        _ required: CheckRequirement
    ) -> (what: CheckShortcoming, detail: String?)? {
        for tag in required.tags {
            let name = tag.name.value
            guard let value = definition.nodes[index].tags[name]?.value else { return (missing(name), nil) }
            guard !tag.values.isEmpty, !tag.values.contains(where: { Glob($0.value).matches(value) }) else { continue }
            let allowed = tag.values.map { "`\($0.value)`" }.joined(separator: ", ")
            let what = CheckShortcoming(
                text: "tag `\(name)` is not \(tag.values.count == 1 ? "" : "one of ")\(allowed)",
                hint: "Give the tag `\(name)` one of these values, or add the value to the check"
            )
            return (what, value)
        }
        return nil
    }

    private func missing(_ tag: String) -> CheckShortcoming {
        CheckShortcoming(
            text: "no tag `\(tag)`",
            hint: "Add `tags: { \(tag): … }` to the node, or select fewer nodes with `nodes`"
        )
    }

    private func profileShortcoming(of index: Int, _ required: CheckRequirement) -> CheckShortcoming? {
        guard let first = required.profiles.first else { return nil }
        let own = definition.nodes[index].profile?.value
        if required.profiles.contains(where: { $0.value == own }) { return nil }
        let names = required.profiles.map { "`\($0.value)`" }.joined(separator: ", ")
        return CheckShortcoming(
            text: "profile is not \(required.profiles.count == 1 ? "" : "one of ")\(names)",
            hint: "Write `profile: \(first.value)` in the node"
        )
    }

    private func featureShortcoming(of node: CheckedNode, _ required: CheckRequirement) -> CheckShortcoming? {
        let settings = node.desired.settings
        let features = [
            ("relay", required.relay, settings.relay), ("proxy", required.proxy, settings.proxy),
            ("friend", required.friend, settings.friend),
        ]
        for (name, wanted, declared) in features {
            guard let wanted, declared?.value != wanted.value else { continue }
            let state = wanted.value ? "on" : "off"
            return CheckShortcoming(
                text: "`\(name)` is not \(state)",
                hint: "Write `features: { \(name): \(state) }` in the node or its profile"
            )
        }
        return nil
    }

    private func lacking(_ model: ModelIdentifier) -> CheckShortcoming {
        let name = definition.modelNames.name(of: model)
        return CheckShortcoming(
            text: "no `\(name)`",
            hint: "Declare `\(name)` in an element of the node or its profile"
        )
    }

    private func unbound(_ key: String, _ model: ModelIdentifier?) -> CheckShortcoming {
        let name = model.map { "`\(definition.modelNames.name(of: $0))`" }
        return CheckShortcoming(
            text: "key `\(key)` is not bound" + (name.map { " to \($0)" } ?? ""),
            hint: "Add `keys: [\(key)]` to \(name ?? "a model of the node")"
        )
    }

    private func groupShortcoming(
        of index: Int,
        _ group: CheckedGroup,
        _ model: ModelIdentifier?,
        _ verb: String,
        _ holds: (SubscriptionAddress) -> Bool
    ) -> (what: CheckShortcoming, detail: String?)? {
        let tags = definition.nodes[index].tags
        guard let name = group.name(for: tags) else {
            return (missing(group.tags.first { tags[$0] == nil } ?? group.text), nil)
        }
        let address = groups[name] ?? GroupAddress(fixedName: name).map { .group($0) }
        if let address, holds(address) { return nil }
        let title = model.map { "`\(definition.modelNames.name(of: $0))` does" } ?? "does"
        let section = verb == "subscribe" ? "subscriptions" : "publications"
        let what = CheckShortcoming(
            text: "\(title) not \(verb) to `\(group.text)`",
            hint: verb == "subscribe"
                ? "Add the group to `subscribe` of \(model == nil ? "a model" : "the model"), or to `\(section)`"
                : "Write `publish: { to: … }` in \(model == nil ? "a model" : "the model"), or add it to `\(section)`"
        )
        guard !group.tags.isEmpty else { return (what, nil) }
        return (what, address == nil ? "\(name): no such group" : name)
    }
}
