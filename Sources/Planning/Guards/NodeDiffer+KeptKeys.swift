import DefinitionModel
import MeshCore

extension NodeDiffer {
    /// Guards AppKeys that a node would lose although bindings or publications that the definition leaves alone use
    /// them. Deleting an AppKey deletes those, too (Mesh Protocol 4.4.1.2, AppKey List).
    mutating func guardApplicationKeys(_ desired: DesiredNode, node: Node, _ difference: inout NodeDifference) {
        var kept: Set<AppKeyIndex> = []
        for (index, element) in node.elements.enumerated() {
            guard let index = UInt8(exactly: index) else { break }
            for model in element.models {
                let address = ModelAddress(element: index, model: model.identifier)
                let index = desired.models.place(of: address)
                let managed =
                    index < desired.models.count && desired.models[index].address == address
                    ? desired.models[index] : nil
                // What earlier definitions asked for is removed with the keys.
                var bound = managed?.bindings == nil ? model.bindings : []
                bound.removeAll(where: model.managedBindings.contains)
                let isPublicationKept = managed?.publication == nil && !model.isPublicationManaged
                let published = isPublicationKept ? model.publication?.appKeyIndex : nil
                // Each key once, however the model uses it.
                for key in (bound + [published].compactMap { $0 }).sortedUnique()
                where difference.deletedAppKeys.contains(key) {
                    kept.insert(key)
                    let uses = Uses(isBound: bound.contains(key), isPublished: published == key)
                    report(key, keptFor: address, uses, of: desired, in: difference)
                }
            }
        }
        guard leavesOut(.applicationKeyInUse) else { return }
        difference.deletedAppKeys.removeAll(where: kept.contains)
        difference.deletedNetKeys.removeAll { netKey in kept.contains { boundNetKeys[$0] == netKey } }
    }

    /// How a model uses a key that the definition leaves alone.
    private struct Uses {
        var isBound: Bool
        var isPublished: Bool

        /// What the definition must say about the model to release the key.
        var release: String {
            switch (isBound, isPublished) {
            case (true, true): "`keys` without it and `publish: none`"
            case (false, true): "`publish: none`"
            default: "`keys` without it"
            }
        }
    }

    private mutating func report(
        _ key: AppKeyIndex,
        keptFor model: ModelAddress,
        _ uses: Uses,
        of desired: DesiredNode,
        in difference: NodeDifference
    ) {
        let name = desired.name.value
        let appKey = names.appKey(key)
        let subnet = boundNetKeys[key].flatMap { difference.deletedNetKeys.contains($0) ? names.netKey($0) : nil }
        let prefix = "node.\(name).\(model.path(names))"
        let list = subnet == nil ? desired.settings.applicationKeys?.location : desired.settings.subnets?.location
        guards.report(
            GuardFinding(
                .applicationKeyInUse,
                "node `\(name)` would lose application key `\(appKey)`"
                    + (subnet.map { " with subnet `\($0)`" } ?? "")
                    + ", which `\(names.model(model.model))` on element \(model.element) uses",
                nodes: [name],
                resources: ["node.\(name).application_key.\(appKey)", "\(prefix).binding.\(appKey)"]
            ),
            cause: "\(appKey) \(model) \(uses.release)",
            at: list ?? desired.name.location,
            hint: "Keep the key on the node, or give the model \(uses.release) in the definition"
        )
    }
}
