package import DefinitionModel
package import MeshCore

/// A return to a former state of a network: a definition that asks for that state, and notes about what no plan can
/// restore.
package struct Restoration: Sendable {
    /// The former state as a definition. It uses the former names where definitions can.
    package var definition: Definition
    /// What is not, or cannot be, as before; one sentence each.
    package var notes: [String]
    /// The present network. A name that differs only because definitions cannot express the former one is replaced by
    /// the definition's name, because that is no reason for a change.
    package var present: MeshNetwork

    /// How many items one note names at most.
    private static let limit = 5

    /// Returns to a former state.
    ///
    /// Leaves out nodes that are unchanged and that no definition managed then or manages now.
    ///
    /// - Parameters:
    ///   - former: the network's former state.
    ///   - present: the network's present state in the database.
    ///   - name: the network's name.
    package init(to former: MeshNetwork, from present: MeshNetwork, named name: String) {
        let nodes = Dictionary(present.nodes.map { ($0.uuid, $0) }) { first, _ in first }
        var source = former
        var gone: [String] = []
        var excluded: [String] = []
        var disowned: [String] = []
        source.nodes = former.nodes.filter { node in
            guard node.uuid != former.ownProvisioner else { return true }
            guard let now = nodes[node.uuid] else {
                if !node.isManaged { gone.append(node.name) }
                return node.isManaged
            }
            guard !now.isExcluded || node.isExcluded else {
                excluded.append(node.name)
                return false
            }
            if now.isManaged, !node.isManaged { disowned.append(node.name) }
            return node.isManaged || now.isManaged || Self.isOther(node, than: now)
        }
        // What had no title gets none.
        let adoption = Adoption.make(of: source, named: name, keepsNamesAsTitles: false)
        definition = adoption.definition
        self.present = Self.named(present, like: former, in: adoption.definition)
        notes = []
        note(gone, "is gone and was in no definition: put it into one to have it back", "are gone and were in none")
        note(excluded, "is excluded from the network, which is for good", "are excluded from the network, for good")
        note(
            disowned,
            "was in no definition then and is no longer managed",
            "were in no definition then and are no longer managed"
        )
        for key in former.netKeys {
            guard let now = present.netKeys.first(where: { $0.index == key.index }), now.key != key.key else {
                continue
            }
            notes.append("The key of subnet \(now.name) has been refreshed since then; it stays as it is.")
        }
        for key in former.appKeys {
            guard let now = present.appKeys.first(where: { $0.index == key.index }), now.key != key.key else {
                continue
            }
            notes.append("The application key \(now.name) has had another value since then; it stays as it is.")
        }
    }

    /// Notes what would still differ after a plan that was made from ``present``.
    package mutating func noteRest(of plan: Plan, for former: MeshNetwork) {
        let left = Self.leftOtherwise(former, plan.outcome(on: present))
        guard !left.isEmpty else { return }
        let names = Self.list(left.map(\.resource))
        notes.append("\(names) cannot be restored: a definition cannot express the former value.")
    }

    /// A network with the definition's names for items whose names have not changed since the former state.
    private static func named(
        _ present: MeshNetwork,
        like former: MeshNetwork,
        in definition: Definition
    ) -> MeshNetwork {
        var network = present
        let subnets = definition.subnets.compactMap { key in key.index.map { ($0.value, key.name.value) } }
        let subnetNames = Dictionary(subnets) { first, _ in first }
        for index in network.netKeys.indices {
            let key = network.netKeys[index]
            guard former.netKeys.contains(where: { $0.index == key.index && $0.name == key.name }) else { continue }
            network.netKeys[index].name = subnetNames[key.index] ?? key.name
        }
        let keys = definition.applicationKeys.compactMap { key in key.index.map { ($0.value, key.name.value) } }
        let keyNames = Dictionary(keys) { first, _ in first }
        for index in network.appKeys.indices {
            let key = network.appKeys[index]
            guard former.appKeys.contains(where: { $0.index == key.index && $0.name == key.name }) else { continue }
            network.appKeys[index].name = keyNames[key.index] ?? key.name
        }
        let groups = definition.groups.compactMap { group in group.address.map { ($0.value, group.name.value) } }
        let groupNames = Dictionary(groups) { first, _ in first }
        let formerGroups = Dictionary(former.groups.map { ($0.address, $0.name) }) { first, _ in first }
        for index in network.groups.indices {
            let group = network.groups[index]
            guard formerGroups[group.address] == group.name else { continue }
            network.groups[index].name = groupNames[group.address] ?? group.name
        }
        let nodeNames = Dictionary(definition.nodes.map { ($0.uuid.value, $0.name.value) }) { first, _ in first }
        let formerNodes = Dictionary(former.nodes.map { ($0.uuid, $0.name) }) { first, _ in first }
        for index in network.nodes.indices {
            let node = network.nodes[index]
            guard formerNodes[node.uuid] == node.name else { continue }
            network.nodes[index].name = nodeNames[node.uuid] ?? node.name
        }
        return network
    }

    /// Makes missing keys in a definition take their values from an earlier serial, instead of new values.
    package func takingKeys(of serial: UInt64, missingIn present: MeshNetwork, for definition: Definition) -> Definition
    {
        var definition = definition
        let subnets = Set(present.netKeys.map(\.index))
        for place in definition.subnets.indices {
            guard let index = definition.subnets[place].index, !subnets.contains(index.value) else { continue }
            definition.subnets[place].key = Located(.formerNetKey(index.value, serial: serial), at: index.location)
        }
        let keys = Set(present.appKeys.map(\.index))
        for place in definition.applicationKeys.indices {
            guard let index = definition.applicationKeys[place].index, !keys.contains(index.value) else { continue }
            definition.applicationKeys[place].key = Located(
                .formerAppKey(index.value, serial: serial),
                at: index.location
            )
        }
        return definition
    }

    private mutating func note(_ names: [String], _ one: String, _ many: String) {
        guard !names.isEmpty else { return }
        notes.append("\(Self.list(names)) \(names.count == 1 ? one : many).")
    }

    private static func list(_ names: [String]) -> String {
        let more = names.count > limit ? " and \(names.count - limit) more" : ""
        return names.prefix(limit).joined(separator: ", ") + more
    }

    /// Whether the configuration of a node differs from that in another record of it.
    static func isOther(_ node: Node, than other: Node) -> Bool {
        NodeDrift(recorded: node, observed: other, at: Timestamp(rawValue: 0)) != nil
    }
}

extension MeshNetwork {
    /// Marks as managed what a former state had as managed: what definitions asked for then and is still there, and
    /// what the present ones ask for and was not there then.
    ///
    /// - Returns: the nodes that differ because of this, and the network if it differs.
    package func managed(asIn former: MeshNetwork) -> (nodes: [Node], network: MeshNetwork?) {
        let formerNodes = Dictionary(former.nodes.map { ($0.uuid, $0) }) { first, _ in first }
        let changed = nodes.compactMap { node -> Node? in
            guard let old = formerNodes[node.uuid], node.uuid != ownProvisioner else { return nil }
            let managed = node.managed(asIn: old)
            return managed == node ? nil : managed
        }
        var network = self
        for index in network.netKeys.indices {
            guard let old = former.netKeys.first(where: { $0.index == network.netKeys[index].index }) else { continue }
            network.netKeys[index].isManaged = old.isManaged
            network.netKeys[index].isProtected = old.isProtected
            network.netKeys[index].name = old.name
        }
        for index in network.appKeys.indices {
            guard let old = former.appKeys.first(where: { $0.index == network.appKeys[index].index }) else { continue }
            network.appKeys[index].isManaged = old.isManaged
            network.appKeys[index].isProtected = old.isProtected
            network.appKeys[index].name = old.name
        }
        for index in network.groups.indices {
            guard let old = former.groups.first(where: { $0.address == network.groups[index].address }) else {
                continue
            }
            network.groups[index] = old
        }
        let isOther =
            network.netKeys != netKeys || network.appKeys != appKeys || network.groups != groups
        return (changed, isOther ? network : nil)
    }
}

extension Node {
    fileprivate func managed(asIn former: Node) -> Node {
        var node = self
        node.name = former.name
        node.isManaged = former.isManaged
        node.isProtected = former.isProtected
        node.removalPolicy = former.removalPolicy
        guard elements.count == former.elements.count else { return node }
        for element in elements.indices {
            for index in elements[element].models.indices {
                let model = elements[element].models[index]
                guard let old = former.elements[element].models.first(where: { $0.identifier == model.identifier })
                else { continue }
                node.elements[element].models[index].managedBindings = model.bindings.filter {
                    old.managedBindings.contains($0)
                        || model.managedBindings.contains($0) && !old.bindings.contains($0)
                }
                node.elements[element].models[index].managedSubscriptions = model.subscriptions.filter {
                    old.managedSubscriptions.contains($0)
                        || model.managedSubscriptions.contains($0) && !old.subscriptions.contains($0)
                }
                if model.publication == old.publication {
                    node.elements[element].models[index].isPublicationManaged = old.isPublicationManaged
                }
            }
        }
        return node
    }
}
