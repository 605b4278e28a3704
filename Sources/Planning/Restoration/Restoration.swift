package import MeshCore

/// The way back to a former state of a network: a definition that asks for what there was, and what no plan can bring
/// back.
package struct Restoration: Sendable {
    /// What there was, as a definition; its names are those of the former state where definitions can use them.
    package var definition: Definition
    /// What is not, or cannot be, as it was; a sentence each.
    package var notes: [String]

    /// The most nodes that one note names.
    private static let limit = 5

    /// The way back.
    ///
    /// Nodes that no definition managed then or manages now, and that are as they were, are left out.
    ///
    /// - Parameters:
    ///   - former: What there was.
    ///   - present: What the database knows now.
    ///   - name: What the network is called.
    package init(to former: MeshNetwork, from present: MeshNetwork, named name: String) {
        let nodes = Dictionary(present.nodes.map { ($0.uuid, $0) }) { first, _ in first }
        var source = former
        var gone: [String] = []
        var excluded: [String] = []
        var changed: Set<String> = []
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
            let isOther = Self.isOther(node, than: now)
            if isOther { changed.insert(DefinitionDraft.subject(node)) }
            return node.isManaged || now.isManaged || isOther
        }
        let adoption = Adoption.make(of: source, named: name)
        definition = adoption.definition
        notes = []
        note(gone, "is gone and was in no definition: put it into one to have it back", "are gone and were in none")
        note(excluded, "is excluded from the network, which is for good", "are excluded from the network, for good")
        let left = adoption.leftOut.filter { changed.contains($0.subject) }
        for text in Set(left.map(\.text)).sorted() {
            let subjects = left.filter { $0.text == text }.map(\.subject)
            notes.append("Left as it is: \(Self.list(subjects)), for \(text).")
        }
        for noted in adoption.notes where changed.contains(noted.subject) {
            notes.append("Left as it is: of \(noted.subject) \(noted.text).")
        }
        for key in former.netKeys {
            guard let now = present.netKeys.first(where: { $0.index == key.index }), now.key != key.key else { continue }
            notes.append("The key of subnet \(now.name) was refreshed since; it stays as it is.")
        }
        for key in former.appKeys {
            guard let now = present.appKeys.first(where: { $0.index == key.index }), now.key != key.key else { continue }
            notes.append("The application key \(now.name) has another value since; it stays as it is.")
        }
    }

    /// Says of keys that are gone that their values are those of a serial, not new ones.
    package func takingKeys(of serial: UInt64, missingIn present: MeshNetwork, for definition: Definition) -> Definition {
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

    /// Whether a node is configured otherwise than another record of it.
    static func isOther(_ node: Node, than other: Node) -> Bool {
        NodeDrift(recorded: node, observed: other, at: Timestamp(rawValue: 0)) != nil
    }
}

extension MeshNetwork {
    /// What is managed, as it was in a former state: what definitions asked for then and is there now, and what they ask
    /// for now and was not there then.
    ///
    /// - Returns: the nodes that are otherwise by that, and the network if it is.
    package func managed(asIn former: MeshNetwork) -> (nodes: [Node], network: MeshNetwork?) {
        let formerNodes = Dictionary(former.nodes.map { ($0.uuid, $0) }) { first, _ in first }
        let changed = nodes.compactMap { node -> Node? in
            guard let old = formerNodes[node.uuid], node.uuid != ownProvisioner else { return nil }
            let managed = node.managed(asIn: old)
            return managed == node ? nil : managed
        }
        var network = self
        for place in network.netKeys.indices {
            guard let old = former.netKeys.first(where: { $0.index == network.netKeys[place].index }) else { continue }
            network.netKeys[place].isManaged = old.isManaged
            network.netKeys[place].isProtected = old.isProtected
            network.netKeys[place].name = old.name
        }
        for place in network.appKeys.indices {
            guard let old = former.appKeys.first(where: { $0.index == network.appKeys[place].index }) else { continue }
            network.appKeys[place].isManaged = old.isManaged
            network.appKeys[place].isProtected = old.isProtected
            network.appKeys[place].name = old.name
        }
        for place in network.groups.indices {
            guard let old = former.groups.first(where: { $0.address == network.groups[place].address }) else { continue }
            network.groups[place] = old
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
            for place in elements[element].models.indices {
                let model = elements[element].models[place]
                guard let old = former.elements[element].models.first(where: { $0.identifier == model.identifier })
                else { continue }
                node.elements[element].models[place].managedBindings = model.bindings.filter {
                    old.managedBindings.contains($0)
                        || model.managedBindings.contains($0) && !old.bindings.contains($0)
                }
                node.elements[element].models[place].managedSubscriptions = model.subscriptions.filter {
                    old.managedSubscriptions.contains($0)
                        || model.managedSubscriptions.contains($0) && !old.subscriptions.contains($0)
                }
                if model.publication == old.publication {
                    node.elements[element].models[place].isPublicationManaged = old.isPublicationManaged
                }
            }
        }
        return node
    }
}
