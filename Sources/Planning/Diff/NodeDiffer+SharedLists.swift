internal import MeshCore

/// Subscription lists that models are known to share: what is done to one is done to all, so that one message serves them.
///
/// Such a list has all the groups that the definition gives any of the models; that a model is to hear less than another
/// one with the same list cannot be had. What the record says of the models may be at odds where it comes from somebody
/// who did not know that they share: then only what stands in the records of all declared ones counts as there, and what
/// stands in any as to be deleted, which is never wrong.
extension NodeDiffer {
    /// Makes one difference of those of the models that share a list.
    mutating func joinSharedLists(_ desired: DesiredNode, node: Node, _ difference: inout NodeDifference) {
        guard let product = node.product, let sharing = sharedLists[product] else { return }
        for group in sharing.groups {
            let members = group.models.map { ModelAddress(element: group.element, model: $0) }
                .filter { node.model($0) != nil }
            guard members.count > 1 else { continue }
            join(members, desired, node: node, &difference)
        }
        difference.models.removeAll(where: \.isEmpty)
        difference.models.sort { $0.address < $1.address }
    }

    private mutating func join(
        _ members: [ModelAddress],
        _ desired: DesiredNode,
        node: Node,
        _ difference: inout NodeDifference
    ) {
        let declared = members.compactMap { address in
            desired.models.first { $0.address == address && $0.subscriptions != nil }
        }
        guard let list = sharedList(of: members, declared: declared, node: node) else { return }
        reportUnequal(declared, to: list.target, desired)
        for address in members {
            change(address, in: &difference) { model in
                model.subscriptions = nil
                model.keepsUnknownSubscriptions = false
            }
        }
        guard list.existing != list.target else { return }
        let differs = { (address: ModelAddress) in node.model(address)?.subscriptions.sortedUnique() != list.target }
        let lead = (declared.map(\.address).first(where: differs) ?? members.first(where: differs)) ?? members[0]
        change(lead, in: &difference) { model in
            model.subscriptions = (list.existing, list.target)
            model.keepsUnknownSubscriptions = list.keepsUnknown
        }
        for address in members where address != lead {
            guard let recorded = node.model(address) else { continue }
            // Of models that nobody has asked anything of, nothing is said.
            guard declared.contains(where: { $0.address == address }) || !recorded.managedSubscriptions.isEmpty else {
                continue
            }
            let existing = recorded.subscriptions.sortedUnique()
            guard existing != list.target else { continue }
            change(address, in: &difference) { $0.impliedSubscriptions = (existing, list.target) }
        }
    }

    /// What a shared list has and what it is to have; nil if it is left alone.
    private func sharedList(
        of members: [ModelAddress],
        declared: [DesiredModel],
        node: Node
    ) -> (existing: [SubscriptionAddress], target: [SubscriptionAddress], keepsUnknown: Bool)? {
        let recorded = members.compactMap { node.model($0) }
        let anywhere = recorded.flatMap(\.subscriptions).sortedUnique()
        guard declared.isEmpty else {
            let target = declared.flatMap { $0.subscriptions?.value ?? [] }.sortedUnique()
            let everywhere = target.filter { group in
                declared.allSatisfy { node.model($0.address)?.subscriptions.contains(group) ?? false }
            }
            return ((everywhere + anywhere.subtracting(target)).sortedUnique(), target, false)
        }
        let dropped = removesDropped ? recorded.flatMap(\.managedSubscriptions).sortedUnique() : []
        guard !dropped.isEmpty || !leaving.groups.isEmpty else { return nil }
        let target = anywhere.filter { !leaving.groups.contains($0) }.subtracting(dropped)
        return (anywhere, target, dropped != anywhere)
    }

    private func change(
        _ address: ModelAddress,
        in difference: inout NodeDifference,
        _ change: (inout ModelDifference) -> Void
    ) {
        if let place = difference.models.firstIndex(where: { $0.address == address }) {
            change(&difference.models[place])
        } else {
            var model = ModelDifference(address: address)
            change(&model)
            difference.models.append(model)
        }
    }

    private mutating func reportUnequal(
        _ declared: [DesiredModel],
        to target: [SubscriptionAddress],
        _ desired: DesiredNode
    ) {
        for model in declared {
            guard let list = model.subscriptions, list.value != target,
                let other = declared.first(where: { $0.subscriptions?.value.subtracting(list.value).isEmpty == false })
            else { continue }
            let name = model.address.model.name
            let groups = target.subtracting(list.value).map { "`\(names.group($0))`" }.joined(separator: ", ")
            diagnostics.report("shared list \(model.address)", at: list.location) {
                Diagnostic(
                    .note,
                    "`\(name)` on element \(model.address.element) will hear \(groups), too: on this product it shares one "
                        + "subscription list with `\(other.address.model.name)`",
                    at: list.location,
                    resource: "node." + desired.name.value
                )
            }
        }
    }
}
