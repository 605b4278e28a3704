import DefinitionModel
import MeshCore

/// What a plan says of a node that has not told yet what it is made of.
extension NodeDiffer {
    /// Adds what will be done if the node is made as its product is described, or else as the definition takes it to
    /// be. It is found in the same way as later with the true composition, so that a plan counts what a run will do.
    func addExpected(_ desired: DesiredNode, node: Node, _ difference: inout NodeDifference) {
        // What it finds is only a guess: nobody is told of it. Emptied first, because changes would copy the lists.
        var quiet = self
        quiet.diagnostics = CountedDiagnostics()
        quiet.guards = GuardReports()
        quiet.claims = []
        quiet.refreshingNodes = [:]
        var desired = desired
        var node = node
        if let product = desired.described {
            node.record(product.composition)
        } else {
            quiet.prepareStates(&desired, node: node)
            node.suppose(what: desired)
        }
        for (number, rule) in desired.rules.enumerated() {
            var place = ModelRule.Place(rule: desired.name.location, model: desired.name.location)
            place.origin = if case .state = rule.effect { .defaults(0) } else { .publication(number) }
            _ = rule.expand(on: node, models: &desired.models, at: place)
        }
        quiet.preflight(&desired, node: node)
        var expected = NodeDifference(origin: desired.origin, name: desired.name.value)
        quiet.compare(desired, node: node, &expected)
        expected.leaveOut(difference)
        difference.expected = [expected]
    }
}

extension NodeDifference {
    /// Leaves out what another difference of the node has already.
    fileprivate mutating func leaveOut(_ other: NodeDifference) {
        addedNetKeys.removeAll(where: other.addedNetKeys.contains)
        addedAppKeys.removeAll(where: other.addedAppKeys.contains)
        deletedNetKeys.removeAll(where: other.deletedNetKeys.contains)
        deletedAppKeys.removeAll(where: other.deletedAppKeys.contains)
        if other.defaultTTL != nil { defaultTTL = nil }
        if other.secureNetworkBeacon != nil { secureNetworkBeacon = nil }
        if other.networkTransmit != nil { networkTransmit = nil }
    }
}

extension Node {
    /// Takes the node to have what its own lines and those of its profile ask for. Defaults and rules for many nodes
    /// leave out who lacks the model, so they show nothing; a rule is taken to mean one model all the same, unless it
    /// is a default. Stock firmware relays and is a proxy, and is no friend.
    fileprivate mutating func suppose(what desired: DesiredNode) {
        var models = desired.models.map(\.address)
        for rule in desired.rules {
            if case .state = rule.effect { continue }
            let isThere = models.contains { $0.model == rule.model && (rule.element ?? $0.element) == $0.element }
            if !isThere { models.append(ModelAddress(element: rule.element ?? 0, model: rule.model)) }
        }
        for state in desired.settings.states where !state.origin.isDefault && !state.value.isOff {
            models.append(ModelAddress(element: 0, model: state.value.kind.model))
        }
        if let table = desired.settings.bridgingTable, !table.origin.isDefault {
            models.append(ModelAddress(element: 0, model: .bridgeConfigurationServer))
        }
        let last: UInt8 = models.map(\.element).max() ?? 0
        elements = (0...last).map { index in
            let identifiers = models.filter { $0.element == index }.map(\.model).sortedUnique()
            return Element(models: identifiers.map { Model(identifier: $0) })
        }
        if features.friend == nil, desired.settings.friend.map({ !$0.value || $0.origin.isDefault }) ?? true {
            features.friend = .notSupported
        }
    }
}
