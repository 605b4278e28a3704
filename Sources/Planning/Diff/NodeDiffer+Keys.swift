import DefinitionModel
import MeshCore

extension NodeDiffer {
    /// Compares the NetKeys and AppKeys of a node.
    ///
    /// A node needs the keys of managed bindings and publications, and the keys that it lists. Other keys are left
    /// alone, unless the node has a list; then the list is complete. Without a list it loses the keys for which only
    /// earlier definitions had a use.
    mutating func compareKeys(_ desired: DesiredNode, node: Node, _ difference: inout NodeDifference) {
        var neededAppKeys: [AppKeyIndex] = []
        for model in desired.models {
            for key in model.bindings?.value ?? [] { neededAppKeys.insertSorted(key) }
            if let key = model.publicationKey { neededAppKeys.insertSorted(key) }
            if let key = model.stateKey { neededAppKeys.insertSorted(key) }
        }
        // A rule that waits for the composition may need its key, so the key stays.
        let possibleAppKeys = desired.rules.compactMap(\.publicationKey).sortedUnique()
        let listed = desired.settings.applicationKeys
        for key in listed?.value ?? [] { neededAppKeys.insertSorted(key) }
        for key in neededAppKeys where !node.knows(key) {
            difference.addedAppKeys.append(key)
            check(names.appKey(key), of: boundNetKeys[key], in: desired, needing: key)
        }
        let needless = node.appKeys.map(\.index).sortedUnique().subtracting(neededAppKeys).subtracting(possibleAppKeys)
        difference.deletedAppKeys = listed != nil ? needless : outlivedKeys(among: needless, desired, node: node)
        // The message that deletes an AppKey must name the NetKey that it is bound to. A note lists the AppKeys that
        // stay for this reason.
        difference.deletedAppKeys.removeAll { boundNetKeys[$0] == nil && node.onlyNetKey == nil }
        compareNetKeys(
            desired,
            node: node,
            neededAppKeys: neededAppKeys,
            possibleAppKeys: possibleAppKeys,
            &difference
        )
    }

    /// The keys whose every binding on the node was asked for by an earlier definition and goes now.
    ///
    /// Deleting an AppKey ends its bindings and publications (Mesh Protocol 4.4.1.2), so one message does what
    /// unbinding it from each model would, and no key stays on a node that has no use for it. A key with a binding that
    /// somebody else made, or with none, may serve others.
    private func outlivedKeys(
        among keys: [AppKeyIndex],
        _ desired: DesiredNode,
        node: Node
    ) -> [AppKeyIndex] {
        guard removesDropped, !keys.isEmpty else { return [] }
        var bound: Set<AppKeyIndex> = []
        var staying: Set<AppKeyIndex> = []
        for (element, recorded) in node.elements.enumerated() {
            guard let element = UInt8(exactly: element) else { break }
            for model in recorded.models where !model.bindings.isEmpty || model.publication != nil {
                let address = ModelAddress(element: element, model: model.identifier)
                let index = desired.models.place(of: address)
                let isMentioned = index < desired.models.count && desired.models[index].address == address
                let wanted =
                    isMentioned
                    ? desired.models[index] : DesiredModel(address: address, location: desired.name.location)
                let dropped = droppedBindings(of: model, besides: wanted)
                for key in model.bindings {
                    bound.insert(key)
                    let goes = wanted.bindings == nil ? dropped.contains(key) : model.managedBindings.contains(key)
                    if !goes { staying.insert(key) }
                }
                // Somebody else's publication, which a partial record may show without its binding.
                if wanted.publication == nil, !model.isPublicationManaged, let publication = model.publication {
                    staying.insert(publication.appKeyIndex)
                }
            }
        }
        return keys.filter { bound.contains($0) && !staying.contains($0) }
    }

    private mutating func compareNetKeys(
        _ desired: DesiredNode,
        node: Node,
        neededAppKeys: [AppKeyIndex],
        possibleAppKeys: [AppKeyIndex],
        _ difference: inout NodeDifference
    ) {
        // Without missing AppKeys and without a list, nothing can differ.
        let subnetsOfStates = desired.settings.subnetsOfStates + desired.subnetsOfWaitingStates
        guard !difference.addedAppKeys.isEmpty || desired.settings.subnets != nil || !subnetsOfStates.isEmpty else {
            return
        }
        var needed = ((desired.settings.subnets?.value ?? []) + subnetsOfStates).sortedUnique()
        for key in neededAppKeys {
            if let netKey = boundNetKeys[key] { needed.insertSorted(netKey) }
        }
        for key in needed where !node.knows(key) {
            difference.addedNetKeys.append(key)
            check(names.netKey(key), of: key, in: desired, needing: nil)
            noteUnlisted(key, of: desired, neededAppKeys)
        }
        guard let list = desired.settings.subnets else { return }
        var kept = needed
        if desired.settings.applicationKeys == nil {
            // AppKeys that are left alone keep their subnets.
            for key in node.appKeys
            where !leaving.appKeys.contains(key.index) && !difference.deletedAppKeys.contains(key.index) {
                if let netKey = boundNetKeys[key.index] { kept.insertSorted(netKey) }
            }
        }
        let recorded = node.netKeys.map(\.index).sortedUnique()
        for key in kept.subtracting(needed) where node.knows(key) {
            diagnostics.report("kept subnet \(key)", at: list.location) {
                Diagnostic(
                    .warning,
                    "node `\(desired.name.value)` keeps subnet `\(names.netKey(key))` for an application key",
                    at: list.location,
                    resource: "node." + desired.name.value,
                    hint: "List the node's `application_keys`: then the others are deleted, and the subnet with them"
                )
            }
        }
        for key in possibleAppKeys {
            if let netKey = boundNetKeys[key] { kept.insertSorted(netKey) }
        }
        difference.deletedNetKeys = recorded.subtracting(kept)
        guardNetKeys(desired, node: node, at: list.location, &difference)
    }

    /// Notes that a node gets a subnet that its list does not contain.
    private mutating func noteUnlisted(_ key: NetKeyIndex, of desired: DesiredNode, _ neededAppKeys: [AppKeyIndex]) {
        guard let list = desired.settings.subnets, !list.value.contains(key) else { return }
        let appKey = neededAppKeys.first { boundNetKeys[$0] == key }
        let reason = appKey.map { "application key `\(names.appKey($0))` lies in it" } ?? "one of its states needs it"
        diagnostics.report("unlisted subnet \(key)", at: list.location) {
            Diagnostic(
                .note,
                "node `\(desired.name.value)` also gets subnet `\(names.netKey(key))`, which its `subnets` do not "
                    + "list: \(reason)",
                at: list.location,
                resource: "node." + desired.name.value
            )
        }
    }

    /// Guards the NetKey without which the node could not be reached.
    mutating func guardNetKeys(
        _ desired: DesiredNode,
        node: Node,
        at location: SourceLocation,
        _ difference: inout NodeDifference
    ) {
        guard let transport = node.transportNetKey, difference.deletedNetKeys.contains(transport) else { return }
        let isLast = difference.deletedNetKeys.count == node.netKeys.count && difference.addedNetKeys.isEmpty
        let name = desired.name.value
        let subnet = names.netKey(transport)
        guards.report(
            GuardFinding(
                isLast ? .lastNetKey : .transportNetKey,
                isLast
                    ? "node `\(name)` would lose its last NetKey, that of subnet `\(subnet)`"
                    : "node `\(name)` would lose subnet `\(subnet)`, which secures the messages to it",
                nodes: [name],
                resources: ["node.\(name).subnet.\(subnet)"]
            ),
            cause: "transport \(transport)",
            at: location,
            hint: leaving.netKeys.contains(transport)
                ? "Keep the subnet until the node has another one that secures the messages to it"
                : "Add `\(subnet)` to the node's `subnets`"
        )
        if leavesOut(isLast ? .lastNetKey : .transportNetKey) {
            difference.deletedNetKeys.removeAll { $0 == transport }
        }
    }

    /// Checks a key that a node will get while its subnet is in a key refresh.
    ///
    /// While new keys are distributed, everybody sends with the present ones. A node that gets those becomes one of the
    /// nodes that the refresh must still reach (Mesh Protocol 3.11.4.1). In phase 2 a node gets only the new keys, and
    /// so does a device with its provisioning data. Only a node that has missed the new NetKey cannot get an AppKey,
    /// because it could not use it.
    mutating func check(_ key: String, of netKey: NetKeyIndex?, in desired: DesiredNode, needing: AppKeyIndex?) {
        guard let netKey, let phase = refreshing[netKey] else { return }
        let node = desired.baseline(in: network)
        guard phase == .usingNewKeys else {
            refreshingNodes[netKey, default: []].insert(node.uuid)
            return
        }
        if case .device = desired.origin { return }
        guard node.hasMissedNewKey(netKey) else { return }
        let location = location(of: desired, needing: needing)
        diagnostics.report("refresh \(key)", at: location) {
            Diagnostic(
                .error,
                "node `\(desired.name.value)` cannot get application key `\(key)`: "
                    + "it has missed the new key of subnet `\(names.netKey(netKey))`",
                at: location,
                resource: "node." + desired.name.value,
                hint:
                    """
                    Finish the key refresh first: \(command: .refreshKeys(subnet: names.netKey(netKey))). If the node was \
                    reset meanwhile: \(command: .recordReset(node: node.name))
                    """
            )
        }
    }

    /// The location that asks for a key: a list of the node, or the first model that needs it.
    private func location(of desired: DesiredNode, needing key: AppKeyIndex?) -> SourceLocation {
        if let key {
            for model in desired.models {
                if let bindings = model.bindings, bindings.value.contains(key) { return bindings.location }
                if let publication = model.publication, publication.value?.key == key { return publication.location }
            }
        }
        let list = key == nil ? desired.settings.subnets?.location : desired.settings.applicationKeys?.location
        return list ?? desired.name.location
    }

}

extension Node {
    /// The NetKey of all its AppKeys; nil if the node has several NetKeys, so that it is unknown.
    var onlyNetKey: NetKeyIndex? { netKeys.count == 1 ? netKeys[0].index : nil }

    /// Whether the node knows a NetKey, but not the new one of its refresh.
    func hasMissedNewKey(_ index: NetKeyIndex) -> Bool {
        netKeys.contains { $0.index == index && !$0.isUpdated }
    }

    func model(_ address: ModelAddress) -> Model? {
        let index = Int(address.element)
        guard index < elements.count else { return nil }
        return elements[index].models.first { $0.identifier == address.model }
    }
}
