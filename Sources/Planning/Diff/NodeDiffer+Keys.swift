internal import MeshCore

extension NodeDiffer {
    /// Compares the NetKeys and AppKeys of a node.
    ///
    /// Needed are the keys of managed bindings and publications and what the node lists itself. Others are left alone,
    /// unless the node has a list: then it says all.
    mutating func compareKeys(_ desired: DesiredNode, node: Node, _ difference: inout NodeDifference) {
        var neededAppKeys: [AppKeyIndex] = []
        for model in desired.models {
            for key in model.bindings?.value ?? [] { neededAppKeys.insertSorted(key) }
            if let key = model.publicationKey { neededAppKeys.insertSorted(key) }
        }
        // Whether a rule that waits for the composition needs its key is not known yet, so that one may stay.
        let possibleAppKeys = desired.rules.compactMap(\.publicationKey).sortedUnique()
        let listed = desired.settings.applicationKeys
        for key in listed?.value ?? [] { neededAppKeys.insertSorted(key) }
        for key in neededAppKeys where !node.knows(key) {
            difference.addedAppKeys.append(key)
            check(names.appKey(key), of: boundNetKeys[key], in: desired, needing: key)
        }
        compareNetKeys(
            desired,
            node: node,
            neededAppKeys: neededAppKeys,
            possibleAppKeys: possibleAppKeys,
            &difference
        )
        guard listed != nil else { return }
        difference.deletedAppKeys = node.appKeys.map(\.index).sortedUnique().subtracting(neededAppKeys)
            .subtracting(possibleAppKeys)
        // Who deletes an AppKey has to say which NetKey it is bound to; a note tells of those that stay for that.
        difference.deletedAppKeys.removeAll { boundNetKeys[$0] == nil && node.onlyNetKey == nil }
    }

    private mutating func compareNetKeys(
        _ desired: DesiredNode,
        node: Node,
        neededAppKeys: [AppKeyIndex],
        possibleAppKeys: [AppKeyIndex],
        _ difference: inout NodeDifference
    ) {
        // Without missing AppKeys and without a list nothing can differ.
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
            for key in node.appKeys where !leaving.appKeys.contains(key.index) {
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
                    hint: "List the node's `application_keys` to have the others deleted, and then the subnet"
                )
            }
        }
        for key in possibleAppKeys {
            if let netKey = boundNetKeys[key] { kept.insertSorted(netKey) }
        }
        difference.deletedNetKeys = recorded.subtracting(kept)
        guardNetKeys(desired, node: node, at: list.location, &difference)
    }

    /// Says that a node is given a subnet that its list does not have.
    private mutating func noteUnlisted(_ key: NetKeyIndex, of desired: DesiredNode, _ neededAppKeys: [AppKeyIndex]) {
        guard let list = desired.settings.subnets, !list.value.contains(key) else { return }
        let appKey = neededAppKeys.first { boundNetKeys[$0] == key }
        let reason = appKey.map { "application key `\(names.appKey($0))` lies in it" } ?? "one of its states needs it"
        diagnostics.report("unlisted subnet \(key)", at: list.location) {
            Diagnostic(
                .note,
                "node `\(desired.name.value)` gets subnet `\(names.netKey(key))`, too, which its `subnets` do not list: \(reason)",
                at: list.location,
                resource: "node." + desired.name.value
            )
        }
    }

    /// Watches over the NetKey without which the node could not be reached.
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

    /// Looks at a key that a node is to be given while its subnet is in a key refresh.
    ///
    /// While new keys are only being distributed, all send with the present ones; a node that gets those is one of the
    /// nodes that the refresh has yet to reach (Mesh Protocol 3.11.4.1). In phase 2 it gets the new ones alone. Only who
    /// has missed the new NetKey cannot be given an AppKey, for it could not use it.
    mutating func check(_ key: String, of netKey: NetKeyIndex?, in desired: DesiredNode, needing: AppKeyIndex?) {
        guard let netKey, let phase = refreshing[netKey] else { return }
        let node = desired.baseline(in: network)
        guard phase == .usingNewKeys else {
            refreshingNodes[netKey, default: []].insert(node.uuid)
            return
        }
        guard node.hasMissedNewKey(netKey) else { return }
        let location = location(of: desired, needing: needing)
        diagnostics.report("refresh \(key)", at: location) {
            Diagnostic(
                .error,
                "node `\(desired.name.value)` cannot be given application key `\(key)`: "
                    + "it has missed the new key of subnet `\(names.netKey(netKey))`",
                at: location,
                resource: "node." + desired.name.value,
                hint: "Finish the key refresh first: meshplan keys refresh \(names.netKey(netKey))"
            )
        }
    }

    /// Where the definition asks for a key: at a list of the node or at the first model.
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
    /// The NetKey that all its AppKeys are bound to; nil if it has several, so that nobody knows.
    var onlyNetKey: NetKeyIndex? { netKeys.count == 1 ? netKeys[0].index : nil }

    /// Whether the node knows a NetKey, but not the new one of its refresh.
    func hasMissedNewKey(_ index: NetKeyIndex) -> Bool {
        netKeys.contains { $0.index == index && !$0.isUpdated }
    }

    /// The record of a model, nil if the node does not have it.
    func model(_ address: ModelAddress) -> Model? {
        let index = Int(address.element)
        guard index < elements.count else { return nil }
        return elements[index].models.first { $0.identifier == address.model }
    }
}
