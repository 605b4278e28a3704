import DefinitionModel
import MeshCore

/// What nodes lose because the definition no longer asks for it.
///
/// Each recorded binding, subscription and publication says whether a definition asked for it. If the definition lists
/// a state of a model, the list is complete. If it does not, what earlier definitions asked for is removed, and what
/// others configured is left alone.
extension NodeDiffer {
    /// Adds the keys that leave the network to the keys that the node loses.
    mutating func compareLeavingKeys(_ desired: DesiredNode, node: Node, _ difference: inout NodeDifference) {
        for key in node.appKeys where leaving.appKeys.contains(key.index) {
            difference.deletedAppKeys.insertSorted(key.index)
        }
        let count = difference.deletedNetKeys.count
        for key in node.netKeys where leaving.netKeys.contains(key.index) {
            difference.deletedNetKeys.insertSorted(key.index)
        }
        if difference.deletedNetKeys.count > count {
            guardNetKeys(desired, node: node, at: desired.name.location, &difference)
        }
    }

    /// Whether a model that the definition does not mention may lose something.
    func mayLose(_ model: Model, _ lost: [AppKeyIndex]) -> Bool {
        if removesDropped, model.isManaged { return true }
        if !lost.isEmpty {
            if model.bindings.contains(where: lost.contains) { return true }
            if let publication = model.publication, lost.contains(publication.appKeyIndex) { return true }
        }
        guard !leaving.groups.isEmpty else { return false }
        return model.subscriptions.contains(where: leaving.groups.contains)
            || model.publication.map { leaving.holds($0.address) } ?? false
    }

    /// The bindings that only earlier definitions asked for. A binding that somebody else's publication uses stays,
    /// because removing it would end the publication.
    func droppedBindings(of recorded: Model, besides desired: DesiredModel) -> [AppKeyIndex] {
        guard removesDropped, !recorded.managedBindings.isEmpty else { return [] }
        let isForeign = desired.publication == nil && !recorded.isPublicationManaged
        let used = isForeign ? recorded.publication?.appKeyIndex : nil
        return recorded.managedBindings.filter {
            $0 != used && $0 != desired.stateKey && recorded.bindings.contains($0)
        }
    }

    /// Removes the subscriptions that only earlier definitions asked for, and those to groups that leave.
    func compareDroppedSubscriptions(of recorded: Model, _ difference: inout ModelDifference) {
        let dropped = removesDropped ? recorded.managedSubscriptions : []
        guard !dropped.isEmpty || !leaving.groups.isEmpty else { return }
        let existing = recorded.subscriptions.sortedUnique()
        let target = existing.filter { !leaving.groups.contains($0) }.subtracting(dropped)
        guard target != existing else { return }
        difference.subscriptions = (existing, target)
        // If a definition asked for everything in the list, nobody else uses the list.
        difference.keepsUnknownSubscriptions = dropped != existing
    }

    /// Whether a publication that the definition does not mention is removed.
    func isDropped(_ publication: Publication, of recorded: Model) -> Bool {
        removesDropped && recorded.isPublicationManaged || leaving.holds(publication.address)
    }

    /// Records what the definition asks for and the node already has, although no definition has managed it so far.
    mutating func claim(_ model: DesiredModel, recorded: Model, on node: Node) {
        var claim = ModelClaim(address: model.address)
        // A binding that only a publication needs may belong to somebody else.
        if let list = model.bindings?.value {
            claim.bindings = list.claimed(of: recorded.bindings, managed: recorded.managedBindings)
        }
        if let list = model.subscriptions?.value {
            claim.subscriptions = list.claimed(of: recorded.subscriptions, managed: recorded.managedSubscriptions)
        }
        claim.publication = !recorded.isPublicationManaged && isWanted(recorded.publication, by: model)
        guard !claim.isEmpty else { return }
        if claims.last?.node == node.uuid {
            claims[claims.count - 1].models.append(claim)
        } else {
            var models: [ModelClaim] = []
            // Whoever claims one of its models mostly claims them all.
            models.reserveCapacity(node.elements.reduce(0) { $0 + $1.models.count })
            models.append(claim)
            claims.append(NodeClaim(node: node.uuid, models: models))
        }
    }

    /// Whether the definition asks for exactly this publication.
    private func isWanted(_ publication: Publication?, by model: DesiredModel) -> Bool {
        guard let publication, let wanted = model.publication?.value, let key = model.publicationKey,
            case .address(let address) = wanted.target
        else { return false }
        return publication.isEquivalent(to: wanted.publication(to: address, key: key))
    }
}

extension Model {
    /// Whether a definition asked for part of this model's configuration.
    var isManaged: Bool { !managedSubscriptions.isEmpty || !managedBindings.isEmpty || isPublicationManaged }
}

extension Array where Element: Equatable {
    /// The entries of this list that are recorded and not yet managed.
    fileprivate func claimed(of recorded: [Element], managed: [Element]) -> [Element] {
        if managed == recorded { return [] }
        if managed.isEmpty, self == recorded { return self }
        return filter { recorded.contains($0) && !managed.contains($0) }
    }
}
