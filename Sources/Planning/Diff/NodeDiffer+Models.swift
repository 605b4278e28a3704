import DefinitionModel
import MeshCore

extension NodeDiffer {
    /// Compares bindings, subscriptions and publications.
    mutating func compareModels(_ desired: DesiredNode, node: Node, _ difference: inout NodeDifference) {
        for key in difference.deletedNetKeys {
            // Deleting a NetKey also deletes the AppKeys that nobody needs. Needed AppKeys keep their NetKey.
            for appKey in node.appKeys where boundNetKeys[appKey.index] == key {
                difference.deletedAppKeys.insertSorted(appKey.index)
            }
        }
        if !difference.deletedAppKeys.isEmpty { guardApplicationKeys(desired, node: node, &difference) }
        for index in desired.models.indices {
            guard let (element, position) = node.place(of: desired.models[index].address) else { continue }
            let (model, recorded) = (desired.models[index], node.elements[element].models[position])
            let change = compare(model, recorded: recorded, node: node, lost: difference.deletedAppKeys, in: desired)
            if !change.isEmpty { difference.models.append(change) }
            if removesDropped {
                claim(model, recorded: recorded, on: node)
                checkHearing(model, recorded: recorded, on: node, desired)
            }
        }
        let losesAnything = !difference.deletedAppKeys.isEmpty || !leaving.groups.isEmpty
        if losesAnything || removesDropped { addLosses(desired, node: node, &difference) }
        joinSharedLists(desired, node: node, &difference)
        findRooms(for: node, &difference)
    }

    private mutating func compare(
        _ model: DesiredModel,
        recorded: Model,
        node: Node,
        lost: [AppKeyIndex],
        in desired: DesiredNode
    ) -> ModelDifference {
        var difference = ModelDifference(address: model.address)
        let canPublish = checkPublication(of: model, in: desired)
        let publicationKey = canPublish ? model.publicationKey : nil
        var bindings = model.bindings?.value ?? []
        if let key = publicationKey { bindings.insertSorted(key) }
        if let key = model.stateKey { bindings.insertSorted(key) }
        for key in bindings where !recorded.bindings.contains(key) || !node.knows(key) {
            difference.boundKeys.append(key)
        }
        let recordedBindings = recorded.bindings.sortedUnique()
        let extra =
            model.bindings == nil ? droppedBindings(of: recorded, besides: model) : recordedBindings
        difference.states =
            droppedEntries(of: model, recorded: recorded, in: desired, node: node)
            + stateDifferences(of: model, recorded: recorded, in: desired)
        difference.unboundKeys = extra.isEmpty ? [] : extra.subtracting(bindings).subtracting(lost)
        if !lost.isEmpty { difference.lostBindings = recordedBindings.filter(lost.contains) }
        if let target = model.subscriptions?.value {
            if target != recorded.subscriptions {
                let existing = recorded.subscriptions.sortedUnique()
                if target != existing { difference.subscriptions = (existing, target) }
            }
        } else {
            compareDroppedSubscriptions(of: recorded, &difference)
        }
        let gone = difference.unboundKeys + lost
        if canPublish {
            comparePublication(model, recorded: recorded, key: publicationKey, gone: gone, &difference)
        }
        return difference
    }

    /// Whether there is a key to publish with, if the model publishes; reports it if not.
    @discardableResult
    mutating func checkPublication(of model: DesiredModel, in desired: DesiredNode) -> Bool {
        guard let publication = model.publication, publication.value != nil else { return true }
        guard let key = model.publicationKey else {
            reportMissingKey(of: model, in: desired, at: publication.location)
            return false
        }
        guard let given = model.bindings, !given.value.contains(key) else { return true }
        reportUnboundKey(key, of: model, in: desired, at: given.location)
        return false
    }

    private mutating func comparePublication(
        _ model: DesiredModel,
        recorded: Model,
        key: AppKeyIndex?,
        gone: [AppKeyIndex],
        _ difference: inout ModelDifference
    ) {
        let isLost = recorded.publication.map { gone.contains($0.appKeyIndex) } ?? false
        guard let managed = model.publication else {
            if isLost {
                difference.publication = PublicationDifference(
                    before: recorded.publication,
                    after: nil,
                    isImplied: true
                )
            } else if let publication = recorded.publication, isDropped(publication, of: recorded) {
                difference.publication = PublicationDifference(before: publication, after: nil, isImplied: false)
            }
            return
        }
        guard let wanted = managed.value else {
            guard recorded.publication != nil else { return }
            difference.publication = PublicationDifference(
                before: recorded.publication,
                after: nil,
                isImplied: isLost
            )
            return
        }
        guard let key else { return }
        guard case .address(let address) = wanted.target else {
            if let node = wanted.awaitedNode {
                var after = wanted
                after.key = key
                difference.awaited = AwaitedPublication(node: node, before: recorded.publication, after: after)
            }
            return
        }
        let publication = wanted.publication(to: address, key: key)
        if let present = recorded.publication, present.isEquivalent(to: publication) { return }
        difference.publication = PublicationDifference(
            before: recorded.publication,
            after: publication,
            isImplied: false
        )
    }

    /// Adds the losses of models that the definition does not mention: with AppKeys of the node, with groups that
    /// leave, and of what earlier definitions asked for.
    private mutating func addLosses(_ desired: DesiredNode, node: Node, _ difference: inout NodeDifference) {
        let lost = difference.deletedAppKeys
        let losesAnything = !lost.isEmpty || !leaving.groups.isEmpty
        var isAdded = false
        for number in node.elements.indices {
            guard let index = UInt8(exactly: number) else { break }
            for place in node.elements[number].models.indices {
                // Checked before the model is copied, because copying takes longer.
                guard losesAnything || node.elements[number].models[place].isManaged else { continue }
                let model = node.elements[number].models[place]
                guard mayLose(model, lost) else { continue }
                let address = ModelAddress(element: index, model: model.identifier)
                let index = desired.models.place(of: address)
                let isManaged = index < desired.models.count && desired.models[index].address == address
                guard !isManaged else { continue }
                let unmentioned = DesiredModel(address: address, location: desired.name.location)
                let change = compare(unmentioned, recorded: model, node: node, lost: lost, in: desired)
                guard !change.isEmpty else { continue }
                difference.models.append(change)
                isAdded = true
            }
        }
        if isAdded { difference.models.sort { $0.address < $1.address } }
    }

    private mutating func reportUnboundKey(
        _ key: AppKeyIndex,
        of model: DesiredModel,
        in desired: DesiredNode,
        at location: SourceLocation
    ) {
        let name = names.appKey(key)
        let model = names.model(model.address.model)
        diagnostics.report("unbound \(model) \(name)", at: location) {
            Diagnostic(
                .error,
                "`\(model)` publishes with application key `\(name)`, which is not among its keys",
                at: location,
                resource: "node." + desired.name.value,
                hint: "Add `\(name)` to the `keys` of the model"
            )
        }
    }

    private mutating func reportMissingKey(of model: DesiredModel, in desired: DesiredNode, at location: SourceLocation)
    {
        let name = names.model(model.address.model)
        diagnostics.report("no key \(name)", at: location) {
            Diagnostic(
                .error,
                "the publication of `\(name)` needs a key",
                at: location,
                resource: "node." + desired.name.value,
                hint: "Name it with `key:`; it may be left out only where the model has exactly one"
            )
        }
    }
}

extension Publication {
    /// Whether a model behaves the same with both: the unit of the period, and the interval of repetitions that do not
    /// happen, make no difference.
    func isEquivalent(to other: Publication) -> Bool {
        var left = self
        var right = other
        left.normalise()
        right.normalise()
        return left == right
    }

    private mutating func normalise() {
        period = PublishPeriod(milliseconds: period.milliseconds) ?? period
        if retransmit.count == 0 { retransmit = .none }
    }
}
