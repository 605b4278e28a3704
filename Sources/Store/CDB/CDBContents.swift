package import MeshCore

/// The parts of a network that an export holds.
package struct CDBContents: Hashable, Sendable {
    /// The subnets that the file may tell of; nil for all.
    package var subnets: Set<NetKeyIndex>?
    /// Which keys it holds.
    package var keys: Keys

    /// Which keys an export holds.
    package enum Keys: Hashable, Sendable {
        /// All keys: anybody with the file can configure the nodes.
        case all
        /// NetKeys and AppKeys: anybody with the file can use the network but not configure it.
        case network
        /// No keys, and no members that the network model does not know, since they might hold some. The file is for
        /// reading and comparing; no tool can work with it.
        case none
    }

    package init(subnets: Set<NetKeyIndex>? = nil, keys: Keys = .all) {
        self.subnets = subnets
        self.keys = keys
    }

    /// Whether the file must say that something is missing from it.
    package var isPartial: Bool { subnets != nil || keys != .all }
}

extension MeshNetwork {
    /// The part of the network that concerns some of its subnets.
    ///
    /// Nodes and keys of other subnets are left out, and so is everything that refers to them. Provisioners and
    /// exclusions stay, because nobody may give out their addresses. The groups that the remaining nodes use stay, too,
    /// with their parents.
    package func limited(to subnets: Set<NetKeyIndex>) -> MeshNetwork {
        var part = self
        part.netKeys.removeAll { !subnets.contains($0.index) }
        part.appKeys.removeAll { !subnets.contains($0.boundNetKey) }
        let appKeys = Set(part.appKeys.map(\.index))
        part.nodes = nodes.compactMap { $0.limited(to: subnets, appKeys: appKeys) }
        part.groups = part.groupsInUse
        let addresses = Set(part.nodes.lazy.flatMap(\.addresses))
        part.scenes = scenes.compactMap { scene in
            var scene = scene
            scene.addresses.removeAll { !addresses.contains($0.rawValue) }
            return scene.addresses.isEmpty ? nil : scene
        }
        part.pendingProvisionings.removeAll { !subnets.contains($0.netKeyIndex) }
        for pending in pendingProvisionings where !subnets.contains(pending.netKeyIndex) {
            part.exclude(pending.addresses)
        }
        return part
    }

    /// The groups that nodes use, with their parents.
    private var groupsInUse: [Group] {
        let parents = Dictionary(groups.map { ($0.address, $0.parent) }, uniquingKeysWith: { first, _ in first })
        var used: Set<SubscriptionAddress> = []
        func use(_ address: SubscriptionAddress) {
            var next: SubscriptionAddress? = address
            while let address = next, used.insert(address).inserted { next = parents[address] ?? nil }
        }
        for model in nodes.lazy.flatMap(\.elements).flatMap(\.models) {
            for address in model.subscriptions { use(address) }
            switch model.publication?.address {
            case .group(let group): use(.group(group))
            case .virtual(let label): use(.virtual(label))
            case .unicast, .unknownLabel, nil: break
            }
        }
        return groups.filter { used.contains($0.address) }
    }
}

extension Node {
    /// The node without the keys of other subnets and without what refers to them. Nil if it is in none of the subnets.
    fileprivate func limited(to subnets: Set<NetKeyIndex>, appKeys known: Set<AppKeyIndex>) -> Node? {
        var node = self
        for key in netKeys where !subnets.contains(key.index) { node.forgetStates(of: key.index) }
        node.netKeys.removeAll { !subnets.contains($0.index) }
        guard !node.netKeys.isEmpty else { return nil }
        node.appKeys.removeAll { !known.contains($0.index) }
        for element in node.elements.indices {
            for model in node.elements[element].models.indices {
                node.elements[element].models[model].bindings.removeAll { !known.contains($0) }
                if let publication = node.elements[element].models[model].publication,
                    !known.contains(publication.appKeyIndex)
                {
                    node.elements[element].models[model].publication = nil
                }
            }
        }
        return node
    }
}
