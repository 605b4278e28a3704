package import MeshCore

/// Which nodes and models a definition names, for those who ask whether something still matters.
package struct DeclaredParts {
    /// The models of each node; nil where rules may add any that its composition brings.
    private var models: [DeviceUUID: Set<ModelAddress>?] = [:]
    /// Whether nothing can be told, since the definition is wrong.
    private let isUnknown: Bool

    /// The parts of a definition as it stands for a network.
    package init(_ definition: Definition, in network: MeshNetwork) {
        var diagnostics = DiagnosticCollector()
        let desired = Resolver.resolve(definition, against: network, diagnostics: &diagnostics)
        isUnknown = diagnostics.hasErrors
        for node in desired.nodes {
            let declared = node.rules.isEmpty ? Set(node.models.map(\.address)) : nil
            models.updateValue(declared, forKey: node.order?.uuid ?? node.baseline(in: network).uuid)
        }
    }

    /// Whether an action is about a node and, if about one, a model that the definition names. That a node is to leave the
    /// network is for those that it does not name.
    package func declares(_ action: ConfigurationAction, on node: DeviceUUID) -> Bool {
        guard !isUnknown, action != .resetNode else { return true }
        guard let declared = models[node] else { return false }
        guard let model = action.model, let declared else { return true }
        return declared.contains(model)
    }
}

extension ConfigurationAction {
    /// The model that it is about, nil if it is about the node as a whole.
    package var model: ModelAddress? {
        switch self {
        case .bind(let model, _), .unbind(let model, _), .addSubscription(let model, _),
            .deleteSubscription(let model, _), .overwriteSubscriptions(let model, _),
            .deleteAllSubscriptions(let model), .setPublication(let model, _):
            model
        default: nil
        }
    }
}
