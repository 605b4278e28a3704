import DefinitionModel
import MeshCore

extension NodeDiffer {
    /// Notes subscriptions of a model that has no application key and gets none. It hears nothing that is sent to its
    /// groups.
    ///
    /// Models of an element may share one subscription list (Mesh Protocol 4.2.4); then a subscription of one serves
    /// another that has a key. Only if no model of the element has a key, the subscription is certainly useless.
    mutating func checkHearing(_ model: DesiredModel, recorded: Model, on node: Node, _ desired: DesiredNode) {
        guard let list = model.subscriptions, !list.value.isEmpty, hasNoKey(model, recorded: recorded) else { return }
        guard ModelCatalogue.abilities(of: model.address.model)?.appKeyBinding != false else { return }
        // Skips a node without any key: this definition does not manage its keys, or not yet.
        guard
            node.elements.contains(where: { $0.models.contains { !$0.bindings.isEmpty } })
                || desired.models.contains(where: { $0.bindings?.value.isEmpty == false })
        else { return }
        let element = Int(model.address.element)
        guard node.elements.indices.contains(element) else { return }
        for other in node.elements[element].models where other.identifier != model.address.model {
            let address = ModelAddress(element: model.address.element, model: other.identifier)
            let place = desired.models.place(of: address)
            let isDesired = place < desired.models.count && desired.models[place].address == address
            let wanted = isDesired ? desired.models[place] : DesiredModel(address: address, location: list.location)
            guard hasNoKey(wanted, recorded: other) else { return }
        }
        let name = names.model(model.address.model)
        diagnostics.report("deaf \(model.address)", at: list.location) {
            Diagnostic(
                .note,
                "`\(name)` on element \(element) of node `\(desired.name.value)` subscribes without an application key, so it "
                    + "hears nothing; add `keys:` to the model, or `element:` to the rule",
                at: list.location,
                resource: "node." + desired.name.value
            )
        }
    }

    private func hasNoKey(_ model: DesiredModel, recorded: Model) -> Bool {
        guard model.publicationKey == nil else { return false }
        return model.bindings?.value.isEmpty ?? recorded.bindings.isEmpty
    }
}
