import DefinitionModel
import MeshCore

/// Checks that what `defaults` name exists, and that entries of the same rank do not give a node different values.
///
/// If the later entry won, the result would depend on the order of files, which nobody sees.
enum DefaultsChecks {
    /// The most values that are compared, where a pair of entries counts as much as ten values. Further pairs are not
    /// checked.
    private static let workLimit = 2_000_000

    static func run(_ network: CheckedNetwork, into diagnostics: inout DiagnosticCollector) {
        let definition = network.definition
        guard !definition.defaults.isEmpty else { return }
        for entry in definition.defaults {
            NodeChecks.checkNames(entry.settings, "defaults", network, &diagnostics)
        }
        let selection = DefaultsSelection(definition, nodes: network.selectors)
        let sizes = definition.defaults.map(\.size)
        var remaining = workLimit
        compare(selection.general, node: nil, definition, sizes, &remaining, &diagnostics)
        for (node, entries) in selection.combinations {
            compare(entries, node: definition.nodes[node].name.value, definition, sizes, &remaining, &diagnostics)
        }
    }

    private static func compare(
        _ entries: [Int],
        node: String?,
        _ definition: Definition,
        _ sizes: [Int],
        _ remaining: inout Int,
        _ diagnostics: inout DiagnosticCollector
    ) {
        for (index, later) in entries.enumerated() {
            for earlier in entries[..<index] {
                remaining -= 10 + sizes[later] + sizes[earlier]
                guard remaining > 0 else { return }
                let conflicts = definition.defaults[later].conflicts(with: definition.defaults[earlier])
                for (key, location, other) in conflicts {
                    diagnostics.report(
                        "two entries of `defaults` give \(node.map(quoted) ?? "every node") different values for `\(key)`",
                        at: location,
                        hint: node == nil
                            ? "keep one of them; an entry that selects `nodes:` wins over one for all"
                            : "change the selectors so that only one entry applies to it, or set the value in the node",
                        related: [Diagnostic.Related(message: "the other value", location: other)]
                    )
                }
            }
        }
    }
}

extension DefaultsDefinition {
    /// How many values of its lists are compared with those of another entry.
    fileprivate var size: Int {
        let lists = [settings.subnets?.value.count, settings.applicationKeys?.value.count]
        return inherited.tags.count + settings.states.count + (settings.bridgingTable?.value.count ?? 0)
            + lists.reduce(0) { $0 + ($1 ?? 0) } + models.reduce(0) { $0 + ($1.states?.value.count ?? 0) }
    }

    /// The values in which this entry and another one differ, each with its key, its place here and its place there.
    fileprivate func conflicts(
        with other: DefaultsDefinition
    ) -> [(key: String, here: SourceLocation, there: SourceLocation)] {
        var conflicts = settings.conflicts(with: other.settings)
        conflicts += stateConflicts(with: other)
        for (tag, value) in inherited.tags.sorted(by: { $0.key < $1.key }) {
            guard let there = other.inherited.tags[tag], there.value != value.value else { continue }
            conflicts.append(("tags.\(tag)", value.location, there.location))
        }
        if let here = inherited.isProtected, let there = other.inherited.isProtected, here.value != there.value {
            conflicts.append((Keyword.protect.rawValue, here.location, there.location))
        }
        if let here = inherited.removalPolicy, let there = other.inherited.removalPolicy, here.value != there.value {
            conflicts.append((Keyword.onRemove.rawValue, here.location, there.location))
        }
        guard let own = provisioning, let others = other.provisioning else { return conflicts }
        func compare<Value: Equatable>(_ keyword: Keyword, _ left: Located<Value>?, _ right: Located<Value>?) {
            guard let left, let right, left.value != right.value else { return }
            conflicts.append(("provisioning.\(keyword.rawValue)", left.location, right.location))
        }
        compare(.outOfBand, own.method, others.method)
        compare(.algorithm, own.algorithm, others.algorithm)
        compare(.attention, own.attention, others.attention)
        compare(.via, own.route, others.route)
        return conflicts
    }
}

extension DefaultsDefinition {
    /// The states of models that both entries give, with different values.
    private func stateConflicts(
        with other: DefaultsDefinition
    ) -> [(key: String, here: SourceLocation, there: SourceLocation)] {
        guard !models.isEmpty, !other.models.isEmpty else { return [] }
        let others = Dictionary(grouping: other.models.lazy.flatMap { $0.states?.value ?? [] }) { $0.value.state.form }
        var conflicts: [(key: String, here: SourceLocation, there: SourceLocation)] = []
        for here in models.flatMap({ $0.states?.value ?? [] }) {
            for there in others[here.value.state.form] ?? [] where there.value.state != here.value.state {
                conflicts.append(("states.\(here.value.path)", here.location, there.location))
            }
        }
        return conflicts
    }
}

extension NodeSettings {
    /// The values in which these and other settings differ. Elements are not compared.
    fileprivate func conflicts(
        with other: NodeSettings
    ) -> [(key: String, here: SourceLocation, there: SourceLocation)] {
        var conflicts: [(key: String, here: SourceLocation, there: SourceLocation)] = []
        func compare<Value: Equatable>(
            _ key: String,
            _ path: KeyPath<NodeSettings, Located<Value>?>,
            areSame: (Value, Value) -> Bool = { $0 == $1 }
        ) {
            guard let left = self[keyPath: path], let right = other[keyPath: path] else { return }
            if !areSame(left.value, right.value) { conflicts.append((key, left.location, right.location)) }
        }
        let areSameNames = { (left: [Located<String>], right: [Located<String>]) in
            Set(left.map(\.value)) == Set(right.map(\.value))
        }
        compare(Keyword.ttl.rawValue, \.defaultTTL)
        compare("features.relay", \.relay)
        compare("features.proxy", \.proxy)
        compare("features.friend", \.friend)
        compare(Keyword.secureNetworkBeacon.rawValue, \.secureNetworkBeacon)
        compare(Keyword.networkTransmit.rawValue, \.networkTransmit)
        compare(Keyword.relayRetransmit.rawValue, \.relayRetransmit)
        let others = states.isEmpty ? [:] : Dictionary(grouping: other.states) { $0.value.path }
        for state in states {
            for there in others[state.value.path] ?? [] where !state.value.isSame(as: there.value) {
                conflicts.append((state.value.path, state.location, there.location))
            }
        }
        compare("subnet_bridge.table", \.bridgingTable) { left, right in
            left.count == right.count && zip(left, right).allSatisfy { $0.isSame(as: $1) }
        }
        compare(Keyword.subnets.rawValue, \.subnets, areSame: areSameNames)
        compare(Keyword.applicationKeys.rawValue, \.applicationKeys, areSame: areSameNames)
        return conflicts
    }
}
