import DefinitionModel
import MeshCore

/// Subscription lists that models are known to share. A change of one list changes all, so one message is enough.
///
/// A shared list contains all groups that the definition gives to any of its models; a model cannot hear less than
/// another one with the same list. Records of the models may contradict each other if they come from somebody who did
/// not know about the sharing. Then only groups in the records of all declared models count as present, and groups in
/// any record count as entries to delete, which is always safe.
extension NodeDiffer {
    /// Merges the differences of models that share a list into one.
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
            // Models that no definition has mentioned do not appear in the plan.
            guard declared.contains(where: { $0.address == address }) || !recorded.managedSubscriptions.isEmpty else {
                continue
            }
            let existing = recorded.subscriptions.sortedUnique()
            guard existing != list.target else { continue }
            change(address, in: &difference) { $0.impliedSubscriptions = (existing, list.target) }
        }
    }

    /// The present and the desired content of a shared list; nil if it is left alone.
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
        if let index = difference.models.firstIndex(where: { $0.address == address }) {
            change(&difference.models[index])
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
            let name = names.model(model.address.model)
            let groups = target.subtracting(list.value).map { "`\(names.group($0))`" }.joined(separator: ", ")
            diagnostics.report("shared list \(model.address)", at: list.location) {
                Diagnostic(
                    .note,
                    "`\(name)` on element \(model.address.element) will also hear \(groups): on this product it "
                        + "shares a subscription list with `\(names.model(other.address.model))`",
                    at: list.location,
                    resource: "node." + desired.name.value
                )
            }
        }
    }
}
