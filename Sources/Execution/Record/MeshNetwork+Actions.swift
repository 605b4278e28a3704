import DefinitionModel
import MeshCore
import Planning

/// What actions mean to a node of the network. The network need not contain its nodes.
extension MeshNetwork {
    /// The subnets in which a node takes messages, sorted. The one that the action deletes is left out if there is
    /// another: a node does not remove the key that secures the request (Mesh Protocol 4.4.1.2, NetKey List).
    ///
    /// - Parameter action: nil for a question that belongs to none.
    func subnets(of node: Node, for action: ConfigurationAction? = nil) -> [NetKeyIndex] {
        var accepted: [NetKeyIndex] = []
        for key in node.netKeys {
            if netKeys.contains(where: { $0.index == key.index }) { accepted.append(key.index) }
        }
        guard case .deleteNetKey(let deleted) = action, accepted.contains(where: { $0 != deleted }) else {
            return accepted
        }
        return accepted.filter { $0 != deleted }
    }

    /// Whether the record already has an action's effect.
    func hasEffect(_ action: ConfigurationAction, on node: Node) -> Bool {
        switch action {
        case .readComposition(let page): return page == 0 && node.isCompositionKnown
        case .bind(let model, _), .unbind(let model, _), .addSubscription(let model, _),
            .deleteSubscription(let model, _), .overwriteSubscriptions(let model, _),
            .deleteAllSubscriptions(let model), .setPublication(let model, _):
            // Nothing is known of a model without a record, so nothing can be skipped.
            let element = Int(model.element)
            guard node.elements.indices.contains(element),
                node.elements[element].models.contains(where: { $0.identifier == model.model })
            else { return false }
        case .resetNode:
            // A node that is reset has no record any longer.
            return false
        // The change that a key refresh was to make is there once it is over.
        case .updateNetKey(let index), .updateAppKey(_, boundTo: let index), .setKeyRefreshPhase(let index, _):
            if netKeys.contains(where: { $0.index == index && $0.phase == .normal }) { return true }
        case .set(let state): return state.agrees(with: node.state(state.kind))
        case .holdState(let request): return node.held(like: request.state) != nil
        case .setBriefly: return false
        case .restoreState(let request): return node.held(like: request.state) == nil
        case .setModelState(let set) where set.state.isRemoval:
            return node.model(at: set.model)?.state(named: set.state.form.name) == nil
        case .setModelState(let set):
            guard let known = node.model(at: set.model)?.state(named: set.state.form.name) else { return false }
            return known.form == set.state.form && set.state.isShown(by: known.status)
        // Nothing is known of a bridging table without a record.
        case .removeBridging, .removeAllBridging:
            if node.bridgingTable == nil { return false }
        case .read: return false
        default: break
        }
        var after = node
        after.apply(action, appKeys: appKeys, sharing: sharedLists(of: node))
        return after.hasConfiguration(of: node)
    }
}
