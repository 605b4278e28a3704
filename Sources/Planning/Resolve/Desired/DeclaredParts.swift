package import DefinitionModel
package import MeshCore

/// The nodes and models that a definition names, to check whether something still matters.
package struct DeclaredParts {
    /// The models of each node; nil if rules may add any model of an unknown composition.
    private var models: [DeviceUUID: Set<ModelAddress>?] = [:]
    /// Whether nothing is known, because the definition is wrong.
    private let isUnknown: Bool

    package init(_ definition: Definition, in network: MeshNetwork) {
        var diagnostics = CountedDiagnostics()
        let desired = Resolver.resolve(definition, against: network, diagnostics: &diagnostics)
        isUnknown = diagnostics.hasErrors
        for node in desired.nodes {
            let declared = node.rules.isEmpty ? Set(node.models.map(\.address)) : nil
            models.updateValue(declared, forKey: node.order?.uuid ?? node.baseline(in: network).uuid)
        }
    }

    /// Whether the definition names the node of an action, and its model if it has one. A reset always counts, because
    /// it is for nodes that the definition does not name.
    package func declares(_ action: ConfigurationAction, on node: DeviceUUID) -> Bool {
        guard !isUnknown, action != .resetNode else { return true }
        guard let declared = models[node] else { return false }
        guard let model = action.model, let declared else { return true }
        return declared.contains(model)
    }
}

extension ConfigurationAction {
    /// The model that the action concerns; nil if it concerns the node as a whole.
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
