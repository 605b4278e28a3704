import MeshCore
import Planning

/// What a run has seen of the subscription lists of one node, to find out which of its models share one.
///
/// If a group was added to the list of one model and another list does not contain it, the two lists are not shared. If
/// a group has newly appeared in a list although nothing was sent about this list, they are. The database does not
/// count, because it may be outdated.
struct SharedListEvidence {
    /// The content of lists when the node last told them, by model, unless a request about them was sent since.
    private var told: [ModelAddress: Set<Address>] = [:]
    /// The models to which groups were added while this was watching.
    private var added: [(model: ModelAddress, group: Address)] = []

    mutating func confirmed(_ action: ConfigurationAction) {
        switch action {
        case .addSubscription(let model, let group):
            told[model] = nil
            added.append((model, group.address))
        case .overwriteSubscriptions(let model, _), .deleteSubscription(let model, _),
            .deleteAllSubscriptions(let model):
            told[model] = nil
            // What is left of it on other models no longer proves anything.
            added.removeAll { $0.model.element == model.element }
        default: break
        }
    }

    /// The node has told the list of a model.
    ///
    /// - Returns: what that proves: other models of the element, and whether they share the list.
    mutating func heard(_ list: Set<Address>, of model: ModelAddress) -> [(model: ModelIdentifier, isShared: Bool)] {
        var proofs: [(model: ModelIdentifier, isShared: Bool)] = []
        for (other, group) in added where other.element == model.element && other != model {
            if !list.contains(group) {
                proofs.append((other.model, false))
            } else if let before = told[model], !before.contains(group),
                !added.contains(where: { $0.group == group && $0.model != other })
            {
                proofs.append((other.model, true))
            }
        }
        told[model] = list
        return proofs
    }
}
