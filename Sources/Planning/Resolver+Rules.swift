internal import MeshCore

extension Resolver {
    /// Adds the groups of the top-level subscriptions to the models of the selected nodes.
    mutating func applySubscriptions(_ selection: NodeSelectorIndex) {
        for rule in definition.subscriptions {
            let addresses = rule.groups.compactMap { group($0) }
            for (model, models) in places(of: rule, selection: selection) {
                for (number, address) in models {
                    state.nodes[number].models.update(address, at: model.location) { desired in
                        var list = desired.subscriptions ?? Located([], at: rule.location)
                        for address in addresses { list.value.insertSorted(address) }
                        desired.subscriptions = list
                    }
                }
            }
        }
    }

    /// Sets the publications of the top level on the selected nodes.
    mutating func applyPublications(_ selection: NodeSelectorIndex) {
        for rule in definition.publications {
            let selected = select(rule.nodes, selection: selection)
            let placed = places(
                of: rule.model,
                element: rule.element,
                onlyFirst: true,
                selected: selected,
                selector: rule.nodes
            )
            guard let publication = publication(rule.settings) else { continue }
            for (number, address) in placed {
                let name = state.nodes[number].name.value
                var other: SourceLocation?
                state.nodes[number].models.update(address, at: rule.model.location) { desired in
                    if let present = desired.publication, present.value != publication { other = present.location }
                    desired.publication = Located(publication, at: rule.location)
                }
                guard let other else { continue }
                diagnostics.report("two publications", at: rule.location) {
                    Diagnostic(
                        .error,
                        "`\(address.model.name)` on element \(address.element) of node `\(name)` has two publications",
                        at: rule.location,
                        resource: "node." + name,
                        hint: "A model publishes to one address; keep one of the two",
                        related: [Diagnostic.Related(message: "the other one is here", location: other)]
                    )
                }
            }
        }
    }

    private mutating func select(_ selector: NodeSelector, selection: NodeSelectorIndex) -> [Int] {
        for name in selector.names ?? [] where !name.value.contains("*") && nodeNumbers[name.value] == nil {
            reportUnknown("node", name, prefix: "node.")
        }
        let selected = selection.matches(selector)
        if selected.isEmpty {
            diagnostics.report(
                Diagnostic(.warning, "this selects no node", at: selector.location, hint: "Compare names and tags")
            )
        }
        return selected
    }

    private mutating func places(
        of rule: SubscriptionDefinition,
        selection: NodeSelectorIndex
    ) -> [(model: Located<ModelIdentifier>, places: [(number: Int, address: ModelAddress)])] {
        let selected = select(rule.nodes, selection: selection)
        return rule.models.map { model in
            (
                model,
                places(of: model, element: rule.element, onlyFirst: false, selected: selected, selector: rule.nodes)
            )
        }
    }

    /// Where the selected nodes have the model.
    ///
    /// A node that was selected by a tag or a pattern may lack the model; one that is named may not, and neither may
    /// all of them.
    private mutating func places(
        of model: Located<ModelIdentifier>,
        element: Located<UInt8>?,
        onlyFirst: Bool,
        selected: [Int],
        selector: NodeSelector
    ) -> [(number: Int, address: ModelAddress)] {
        var places: [(number: Int, address: ModelAddress)] = []
        var skipped = 0
        var isWaiting = false
        for definitionNumber in selected {
            guard let number = desiredNumbers[definitionNumber] else {
                isWaiting = true
                continue
            }
            let node = network.nodes[state.nodes[number].position]
            guard node.isCompositionKnown else {
                isWaiting = true
                continue
            }
            let elements = node.elements(with: model.value, on: element?.value)
            for element in onlyFirst ? elements.prefix(1) : elements[...] {
                places.append((number, ModelAddress(element: element, model: model.value)))
            }
            guard elements.isEmpty else { continue }
            let name = state.nodes[number].name.value
            if selector.names?.contains(where: { $0.value == name }) ?? false {
                diagnostics.report("missing \(model.value)", at: model.location) {
                    MissingModel(model: model.value, element: element?.value, node: node, name: name)
                        .diagnostic(at: model.location)
                }
            } else {
                skipped += 1
            }
        }
        if skipped > 0 {
            reportSkipped(skipped, of: selected.count, without: model, areAll: places.isEmpty && !isWaiting)
        }
        return places
    }

    private mutating func reportSkipped(
        _ skipped: Int,
        of selected: Int,
        without model: Located<ModelIdentifier>,
        areAll: Bool
    ) {
        let name = model.value.name
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

extension Node {
    /// Indexes of the elements that have the model, ascending.
    func elements(with model: ModelIdentifier, on only: UInt8?) -> [UInt8] {
        if let only {
            return has(model, on: only) ? [only] : []
        }
        var result: [UInt8] = []
        for (index, element) in elements.enumerated() where element.models.contains(where: { $0.identifier == model }) {
            if let index = UInt8(exactly: index) { result.append(index) }
        }
        return result
    }

    /// Whether the element has the model.
    func has(_ model: ModelIdentifier, on element: UInt8) -> Bool {
        let index = Int(element)
        return index < elements.count && elements[index].models.contains { $0.identifier == model }
    }
}
