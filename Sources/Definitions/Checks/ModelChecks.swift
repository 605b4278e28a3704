import DefinitionModel
import MeshCore

/// Checks that everything named in the managed models of nodes and profiles exists, and that the model can do it.
enum ModelChecks {
    static func run(_ network: CheckedNetwork, into diagnostics: inout DiagnosticCollector) {
        for profile in network.definition.profiles {
            check(profile.settings, "profile.\(profile.name.value)", network, &diagnostics)
        }
        let nodes = network.definition.nodes
        for index in nodes.indices {
            check(nodes[index].settings, "node.\(nodes[index].name.value)", network, &diagnostics)
        }
    }

    private static func check(
        _ settings: NodeSettings,
        _ resource: @autoclosure () -> String,
        _ network: CheckedNetwork,
        _ diagnostics: inout DiagnosticCollector
    ) {
        // Diagnostics are sorted at the end, so the order of the elements does not matter.
        for element in settings.elements.values {
            let models = element.models
            for index in models.indices {
                // Field by field, because to copy a model takes longer than the checks.
                let (keys, groups) = (models[index].keys?.value ?? [], models[index].subscribe?.value ?? [])
                for key in keys { checkKey(key, resource(), network, &diagnostics) }
                for group in groups { checkSubscription(group, resource(), network, &diagnostics) }
                let publish = models[index].publish?.value
                if let publish { checkPublication(publish, resource(), network, &diagnostics) }
                checkAbilities(
                    of: models[index].identifier,
                    hasKeys: !keys.isEmpty,
                    subscribes: !groups.isEmpty,
                    publishes: publish != nil,
                    resource(),
                    &diagnostics
                )
            }
        }
    }

    private static func checkKey(
        _ key: Located<String>,
        _ resource: @autoclosure () -> String?,
        _ network: CheckedNetwork,
        _ diagnostics: inout DiagnosticCollector
    ) {
        if network.applicationKeys[key.value] != nil { return }
        diagnostics.checkReference(key, to: .applicationKeys, "application key", in: network, resource: resource())
    }

    static func checkSubscription(
        _ group: Located<String>,
        _ resource: @autoclosure () -> String?,
        _ network: CheckedNetwork,
        _ diagnostics: inout DiagnosticCollector
    ) {
        // Most groups are declared, and a declared group never has the name of a fixed one.
        if network.groups[group.value] != nil || GroupAddress(fixedName: group.value)?.canBeSubscribedTo == true {
            return
        }
        guard group.value != "all-nodes" else {
            diagnostics.report(
                "no model can subscribe to `all-nodes`",
                at: group.location,
                length: group.value.utf8.count,
                resource: resource(),
                hint: "every node receives those messages without a subscription"
            )
            return
        }
        diagnostics.checkReference(group, to: .groups, "group", in: network, resource: resource())
    }

    static func checkPublication(
        _ publish: PublishSettings,
        _ resource: @autoclosure () -> String?,
        _ network: CheckedNetwork,
        _ diagnostics: inout DiagnosticCollector
    ) {
        if let key = publish.key { checkKey(key, resource(), network, &diagnostics) }
        checkTarget(publish.target, resource(), network, &diagnostics)
    }

    /// Checks that the source or destination of messages exists.
    static func checkTarget(
        _ target: Located<PublishTarget>,
        _ resource: @autoclosure () -> String?,
        _ network: CheckedNetwork,
        _ diagnostics: inout DiagnosticCollector
    ) {
        switch target.value {
        case .address: break
        case .element(let node, _):
            let name = Located(node, at: target.location)
            diagnostics.checkReference(name, to: .nodes, "node", in: network, resource: resource())
        case .name(let name):
            checkTarget(Located(name, at: target.location), resource(), network, &diagnostics)
        }
    }

    private static func checkTarget(
        _ name: Located<String>,
        _ resource: @autoclosure () -> String?,
        _ network: CheckedNetwork,
        _ diagnostics: inout DiagnosticCollector
    ) {
        // Most targets are groups that share their name with no node.
        if network.groups[name.value] != nil, !network.shared.contains(name.value) { return }
        if GroupAddress(fixedName: name.value) != nil || name.value == PublishTarget.provisionerName { return }
        let isGroup = network.declares(name.value, in: .groups)
        let isNode = network.declares(name.value, in: .nodes)
        if isGroup, isNode {
            diagnostics.report(
                "\(quoted(name.value)) is the name of a group and of a node",
                at: name.location,
                length: name.value.utf8.count,
                resource: resource(),
                hint: "write `\(name.value)/0` for the node's first element, or rename one of them"
            )
        } else if !isGroup, !isNode {
            diagnostics.report(
                "there is no group or node \(quoted(name.value))",
                at: name.location,
                length: name.value.utf8.count,
                resource: resource(),
                hint: targetHint(name.value, network)
            )
        }
    }

    private static func targetHint(_ name: String, _ network: CheckedNetwork) -> String? {
        if name.utf8.allSatisfy(Numbers.isDigit), let form = Addresses.form(for: name) { return form }
        let nearest = Suggestion.nearest(
            to: name,
            among: Array(network.groups.keys) + Array(network.nodes.keys) + GroupAddress.fixedGroups.map(\.name)
                + [PublishTarget.provisionerName]
        )
        if let nearest { return "did you mean `\(nearest)`?" }
        return Addresses.form(for: name)
            ?? "declare it under `groups:`, or write the name of a node or an address such as 0xC000"
    }

    /// Checks what a model can do. The Configuration models know only device keys (Mesh Protocol 4.4.1). For the others
    /// the catalogue decides. A node may be able to do more than the catalogue says, so that is only a warning.
    private static func checkAbilities(
        of model: Located<ModelIdentifier>,
        hasKeys: Bool,
        subscribes: Bool,
        publishes: Bool,
        _ resource: @autoclosure () -> String?,
        _ diagnostics: inout DiagnosticCollector
    ) {
        let identifier = model.value
        guard hasKeys || subscribes || publishes, let abilities = ModelCatalogue.abilities(of: identifier) else {
            return
        }
        let isConfiguration = identifier == .configurationServer || identifier == .configurationClient
        func check(_ isAsked: Bool, _ isKnown: Bool, _ verb: String) {
            guard isAsked, !isKnown || isConfiguration else { return }
            diagnostics.report(
                "the model \(identifier.name) never \(verb)",
                at: model.location,
                length: identifier.name.utf8.count,
                severity: isConfiguration ? .error : .warning,
                resource: resource(),
                hint: isConfiguration ? "Configuration messages are secured with the node's device key" : nil
            )
        }
        check(hasKeys, abilities.appKeyBinding ?? true, "has application keys")
        check(subscribes, abilities.subscription, "subscribes to groups")
        check(publishes, abilities.publication, "publishes")
    }
}
