import DefinitionModel
import MeshCore

extension Resolver {
    /// Adds the groups of the top-level subscriptions to the models of the selected nodes.
    mutating func applySubscriptions(_ selection: NodeSelectorIndex) {
        for (number, rule) in definition.subscriptions.enumerated() {
            let groups = rule.groups.compactMap { group($0) }.sortedUnique()
            let selected = select(rule.nodes, selection: selection, of: "subscriptions")
            for model in rule.models {
                apply(
                    .subscribe(groups),
                    to: model,
                    element: rule.element,
                    selected: selected,
                    selector: rule.nodes,
                    at: rule.location,
                    from: .subscription(number)
                )
            }
        }
    }

    /// Sets the publications of the top level on the selected nodes.
    mutating func applyPublications(_ selection: NodeSelectorIndex) {
        for (number, rule) in definition.publications.enumerated() {
            let selected = select(rule.nodes, selection: selection, of: "publications")
            guard let publication = publication(rule.settings) else { continue }
            apply(
                .publish(publication),
                to: rule.model,
                element: rule.element,
                selected: selected,
                selector: rule.nodes,
                at: rule.location,
                from: .publication(number)
            )
        }
    }

    /// Guards the selectors of defaults. Nodes keep the settings of an entry that no longer selects them.
    mutating func checkDefaults(_ selection: NodeSelectorIndex) {
        for entry in definition.defaults {
            guard let selector = entry.nodes, !selection.matchesAny(selector) else { continue }
            reportEmpty(selector, of: "defaults")
        }
    }

    /// Reports a selector that selects no node. The reader refuses such a selector in a definition to apply. A
    /// definition that was applied before and is applied again gets here.
    private mutating func reportEmpty(_ selector: NodeSelector, of section: String) {
        guard !selector.mayBeEmpty, !selector.isAll else { return }
        let finding = GuardFinding(
            .emptySelector,
            "an entry of `\(section)` selects no node (`\(selector.text)`)"
                + (section == "defaults" ? "" : ", and nodes lose what it gave them")
        )
        let hint = "Compare its names and tags with those of the nodes, or write `allow_empty: true` beside them"
        state.findings.append(DesiredState.Finding(finding: finding, location: selector.location, hint: hint))
    }

    mutating func select(
        _ selector: NodeSelector,
        selection: NodeSelectorIndex,
        of section: String
    ) -> [Int] {
        for name in selector.names ?? [] where !name.value.contains("*") && nodeNumbers[name.value] == nil {
            reportUnknown("node", name, prefix: "node.")
        }
        let selected = selection.matches(selector)
        if selected.isEmpty { reportEmpty(selector, of: section) }
        return selected
    }

    /// Applies a rule for one model to the selected nodes. For unknown compositions it is kept for later.
    ///
    /// A node that was selected by a tag or a pattern may lack the model. A node that is named may not, and not all
    /// nodes may lack it.
    private mutating func apply(
        _ effect: ModelRule.Effect,
        to model: Located<ModelIdentifier>,
        element: Located<UInt8>?,
        selected: [Int],
        selector: NodeSelector,
        at location: SourceLocation,
        from origin: DeclarationOrigin
    ) {
        var rule = ModelRule(model: model.value, element: element?.value, isRequired: false, effect: effect)
        let place = ModelRule.Place(rule: location, model: model.location, origin: origin)
        lazy var names = Set((selector.names ?? []).map(\.value))
        var skipped = 0
        var applies = false
        for definitionNumber in selected {
            guard let number = desiredNumbers[definitionNumber] else {
                applies = true
                continue
            }
            guard case .recorded(let position) = state.nodes[number].origin, network.nodes[position].isCompositionKnown
            else {
                let isNamed = names.contains(state.nodes[number].name.value)
                let isMissing = state.nodes[number].described.map { !$0.composition.has(rule) } ?? false
                if !isMissing {
                    applies = true
                } else if isNamed {
                    reportMissing(rule, at: model.location, on: state.nodes[number])
                } else {
                    skipped += 1
                }
                if case .publish = effect, publishesItself(definitionNumber, model.value, element?.value) { continue }
                // The device may turn out to have it after all.
                rule.isRequired = isNamed && !isMissing
                state.nodes[number].rules.append(rule)
                continue
            }
            switch rule.expand(on: network.nodes[position], models: &state.nodes[number].models, at: place) {
            case .applied: applies = true
            case .conflicting(let address, let other):
                applies = true
                let name = state.nodes[number].name.value
                diagnostics.report("two publications", at: location) {
                    ModelRule.conflict(address, on: name, at: location, other: other, definition.modelNames)
                }
            case .missing:
                let name = state.nodes[number].name.value
                guard names.contains(name) else {
                    skipped += 1
                    continue
                }
                let missing = MissingModel(
                    model: model.value,
                    element: element?.value,
                    node: network.nodes[position],
                    name: name,
                    names: definition.modelNames
                )
                diagnostics.report("missing \(model.value)", at: model.location) {
                    missing.diagnostic(at: model.location)
                }
            }
        }
        if skipped > 0 { reportSkipped(skipped, of: selected.count, without: model, areAll: !applies) }
    }

    /// Reports a model that the description of a node's product lacks.
    private mutating func reportMissing(_ rule: ModelRule, at location: SourceLocation, on desired: DesiredNode) {
        guard let product = desired.described else { return }
        var node = desired.baseline(in: network)
        node.record(product.composition)
        let missing = MissingModel(
            model: rule.model,
            element: rule.element,
            node: node,
            name: desired.name.value,
            product: product,
            names: definition.modelNames
        )
        diagnostics.report("missing \(rule.model)", at: location) { missing.diagnostic(at: location) }
    }

    /// Whether a node's own entry says where a model publishes, so that no rule does. A rule without an element is
    /// about the first one that has the model.
    private func publishesItself(_ node: Int, _ model: ModelIdentifier, _ element: UInt8?) -> Bool {
        let own = definition.nodes[node].settings.elements[element ?? 0]
        return own?.models.contains { $0.identifier.value == model && $0.publish != nil } ?? false
    }

    private mutating func reportSkipped(
        _ skipped: Int,
        of selected: Int,
        without model: Located<ModelIdentifier>,
        areAll: Bool
    ) {
        let name = definition.modelNames.name(of: model.value)
        if areAll {
            diagnostics.report(
                Diagnostic(
                    .error,
                    "none of the selected nodes has `\(name)`",
                    at: model.location,
                    length: name.count,
                    hint: "Compare the selector and the models of the nodes"
                )
            )
            return
        }
        diagnostics.noteSkips(of: model.value) {
            Diagnostic(
                .note,
                "\(skipped) of \(selected) selected nodes \(skipped == 1 ? "has" : "have") no `\(name)` and "
                    + "\(skipped == 1 ? "is" : "are") skipped",
                at: model.location,
                length: name.count
            )
        }
    }
}
