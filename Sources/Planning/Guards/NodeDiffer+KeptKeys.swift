internal import MeshCore

extension NodeDiffer {
    /// Watches over AppKeys that a node is to lose although bindings or publications that the definition leaves alone use
    /// them; a deleted AppKey takes those along (Mesh Protocol 4.4.1.2, AppKey List).
    mutating func guardApplicationKeys(_ desired: DesiredNode, node: Node, _ difference: inout NodeDifference) {
        var kept: Set<AppKeyIndex> = []
        for (index, element) in node.elements.enumerated() {
            guard let index = UInt8(exactly: index) else { break }
            for model in element.models {
                let address = ModelAddress(element: index, model: model.identifier)
                let place = desired.models.place(of: address)
                let managed =
                    place < desired.models.count && desired.models[place].address == address
                    ? desired.models[place] : nil
                // What earlier definitions asked for leaves with them.
                var used = managed?.bindings == nil ? model.bindings : []
                used.removeAll(where: model.managedBindings.contains)
                if managed?.publication == nil, !model.isPublicationManaged, let publication = model.publication {
                    used.append(publication.appKeyIndex)
                }
                for key in used where difference.deletedAppKeys.contains(key) {
                    kept.insert(key)
                    report(key, keptFor: address, of: desired, in: difference)
                }
            }
        }
        guard leavesOut(.applicationKeyInUse) else { return }
        difference.deletedAppKeys.removeAll(where: kept.contains)
        difference.deletedNetKeys.removeAll { netKey in kept.contains { boundNetKeys[$0] == netKey } }
    }

    private mutating func report(
        _ key: AppKeyIndex,
        keptFor model: ModelAddress,
        of desired: DesiredNode,
        in difference: NodeDifference
    ) {
        let name = desired.name.value
        let appKey = names.appKey(key)
        let subnet = boundNetKeys[key].flatMap { difference.deletedNetKeys.contains($0) ? names.netKey($0) : nil }
        let prefix = "node.\(name).element[\(model.element)].\(model.model.name)"
        let list = subnet == nil ? desired.settings.applicationKeys?.location : desired.settings.subnets?.location
        guards.report(
            GuardFinding(
                .applicationKeyInUse,
                "node `\(name)` would lose application key `\(appKey)`"
                    + (subnet.map { " with subnet `\($0)`" } ?? "")
                    + ", which `\(model.model.name)` on element \(model.element) uses",
                nodes: [name],
                resources: ["node.\(name).application_key.\(appKey)", "\(prefix).binding.\(appKey)"]
            ),
            cause: "\(appKey) \(model)",
            at: list ?? desired.name.location,
            hint: "Keep the key on the node, or say in the definition which keys the model is to have"
        )
    }
}
