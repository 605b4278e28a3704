import DefinitionModel
import MeshCore

extension DesiredState {
    /// Keeps everything in the network; used for a plan for a part of the nodes.
    ///
    /// - Returns: how many subnets, application keys and groups would have left.
    mutating func keepAll() -> Int {
        let count = leaving.ordered.count
        leaving = LeavingResources()
        keptSubnets = []
        findings = []
        return count
    }

    /// Reduces the changes of the network to the keys and groups that changes of some nodes need.
    ///
    /// - Returns: how many changes of subnets, application keys and groups that leaves out.
    mutating func limitToNeeds(of differences: [NodeDifference]) -> Int {
        var needs = NetworkNeeds()
        for difference in differences { needs.add(difference) }
        for key in applicationKeys where needs.appKeys.contains(key.index) { needs.netKeys.insert(key.boundNetKey) }
        var parents = groups.filter { needs.groups.contains($0.group.address) }.compactMap(\.group.parent)
        let byAddress = Dictionary(firstOf: groups.map { ($0.group.address, $0.group) })
        while let parent = parents.popLast() {
            guard needs.groups.insert(parent).inserted, let next = byAddress[parent]?.parent else { continue }
            parents.append(next)
        }
        let before = changeCount
        subnets.removeAll { !($0.recordedName == nil && needs.netKeys.contains($0.index)) }
        applicationKeys.removeAll { !($0.recordedName == nil && needs.appKeys.contains($0.index)) }
        groups.removeAll { !($0.recorded == nil && needs.groups.contains($0.group.address)) }
        return before - changeCount
    }

    /// How many subnets, application keys and groups differ.
    private var changeCount: Int {
        func differs(_ key: some DesiredKey) -> Bool { key.recordedName != key.name.value || key.isProtectionChanged }
        return subnets.count(where: differs) + applicationKeys.count(where: differs) + groups.count(where: \.isChanged)
    }
}

/// What changes of nodes need from the network.
private struct NetworkNeeds {
    var netKeys: Set<NetKeyIndex> = []
    var appKeys: Set<AppKeyIndex> = []
    var groups: Set<SubscriptionAddress> = []

    mutating func add(_ difference: NodeDifference) {
        netKeys.formUnion(difference.addedNetKeys)
        appKeys.formUnion(difference.addedAppKeys)
        if let order = difference.order { netKeys.insert(order.netKeyIndex) }
        for model in difference.models {
            appKeys.formUnion(model.boundKeys)
            groups.formUnion(model.subscriptions?.target ?? [])
            if let after = model.publication?.after { add(after.address) }
            if let after = model.awaited?.after { add(after) }
        }
        guard let deferred = difference.deferred else { return }
        netKeys.formUnion(deferred.subnets ?? [])
        appKeys.formUnion(deferred.applicationKeys ?? [])
        for model in deferred.models {
            appKeys.formUnion(model.bindings ?? [])
            groups.formUnion(model.subscriptions ?? [])
            if case .on(let publication) = model.publication { add(publication) }
        }
        for rule in deferred.rules {
            switch rule.effect {
            case .subscribe(let addresses): groups.formUnion(addresses)
            case .publish(let publication): add(publication)
            case .state: break
            }
        }
    }

    private mutating func add(_ publication: DesiredPublication) {
        if let key = publication.key { appKeys.insert(key) }
        if case .address(let address) = publication.target { add(address) }
    }

    private mutating func add(_ address: PublishAddress) {
        switch address {
        case .group(let group): groups.insert(.group(group))
        case .virtual(let label): groups.insert(.virtual(label))
        case .unicast, .unknownLabel: break
        }
    }
}

extension Array where Element == NodeDifference {
    /// Removes publications to devices that these differences do not provision, because such devices will have no
    /// address.
    ///
    /// - Parameter places: nodes that have no device yet.
    /// - Returns: how many publications to devices that are left out, and how many to places.
    mutating func removeUnawaitable(of places: Set<DeviceUUID>) -> (leftOut: Int, places: Int) {
        let ordered = Set(lazy.compactMap { $0.order?.uuid })
        var count = 0
        var ofPlaces = 0
        for index in indices {
            for model in self[index].models.indices {
                guard let node = self[index].models[model].awaited?.node, !ordered.contains(node) else { continue }
                self[index].models[model].awaited = nil
                count += 1
                if places.contains(node) { ofPlaces += 1 }
            }
            if count > 0 { self[index].models.removeAll(where: \.isEmpty) }
        }
        removeAll(where: \.isEmpty)
        return (count - ofPlaces, ofPlaces)
    }
}
