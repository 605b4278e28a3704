package import MeshCore

/// Why a model of a node cannot be operated.
package enum OperatingProblem: Error, Hashable, Sendable {
    /// The models of the node are not known.
    case compositionUnknown
    case excluded
    case reset
    /// What became of a reprovisioning of the node is not known.
    case reprovisioning
    /// The model is none of the element.
    case noModel(ModelIdentifier)
    /// No application key is bound to the model.
    case noBinding(ModelIdentifier)
    /// Application keys are bound to the model, but the database has none of them, or not their subnet for the node.
    case noUsableKey(ModelIdentifier, [AppKeyIndex])
}

extension OperatingProblem {
    /// What is wrong, as a clause after the name of the node: `has no application key bound to …`.
    package var clause: String {
        switch self {
        case .compositionUnknown: "has a composition that is not known"
        case .excluded: "is excluded from the network"
        case .reset: "was reset"
        case .reprovisioning: "may have another DeviceKey or address since its last reprovisioning"
        case .noModel(let model): "has no \(Self.title(model)) there"
        case .noBinding(let model): "has no application key bound to its \(Self.title(model))"
        case .noUsableKey(let model, let keys):
            "binds its \(Self.title(model)) to no application key that is known here for one of its subnets "
                + "(key index \(keys.map { "\($0)" }.joined(separator: ", ")))"
        }
    }

    package var advice: Advice? {
        switch self {
        case .compositionUnknown: "Name it in the definition, then: \(command: .apply)"
        case .noBinding(let model):
            "Bind one in the definition (elements: { N: { \(model.name): { keys: [NAME] } } }), then: \(command: .apply)"
        case .noUsableKey: "Read the node's keys back with: \(command: .readBack())"
        case .reset, .reprovisioning: "Put it in order with: \(command: .apply)"
        case .excluded, .noModel: nil
        }
    }

    private static func title(_ model: ModelIdentifier) -> String {
        ModelCatalogue.model(model)?.title ?? model.description
    }
}

extension MeshNetwork {
    /// The AppKey under which a model of a node is operated: the first that is bound to it, that the database has, and
    /// in whose subnet the node is.
    ///
    /// - Throws: ``OperatingProblem`` that says what is missing.
    package func operatingKey(
        of model: ModelIdentifier,
        element: Int,
        on node: Node
    ) throws(OperatingProblem) -> AppKey {
        if let problem = operatingProblem(of: node) { throw problem }
        guard node.elements.indices.contains(element), let index = node.elements[element].place(of: model) else {
            throw .noModel(model)
        }
        let bindings = node.elements[element].models[index].bindings
        guard !bindings.isEmpty else { throw .noBinding(model) }
        for binding in bindings {
            guard let key = appKeys.first(where: { $0.index == binding }), node.knows(key.boundNetKey) else { continue }
            return key
        }
        throw .noUsableKey(model, bindings)
    }

    /// Why nothing of a node can be operated; nil if nothing is known against it.
    package func operatingProblem(of node: Node) -> OperatingProblem? {
        if node.isExcluded { return .excluded }
        if node.unprovisionedSeenAt != nil { return .reset }
        if pendingReprovisions[node.uuid] != nil { return .reprovisioning }
        return node.isCompositionKnown ? nil : .compositionUnknown
    }
}
