/// A resource of the network itself that a definition names and nodes use.
package enum NetworkResource: Hashable, Sendable {
    case netKey(NetKeyIndex)
    case appKey(AppKeyIndex)
    case group(SubscriptionAddress)
}

extension MeshNetwork {
    /// Marks a resource as managed; does nothing if it does not exist.
    package mutating func manage(_ resource: NetworkResource) {
        switch resource {
        case .netKey(let index):
            if let place = netKeys.firstIndex(where: { $0.index == index }) { netKeys[place].isManaged = true }
        case .appKey(let index):
            if let place = appKeys.firstIndex(where: { $0.index == index }) { appKeys[place].isManaged = true }
        case .group(let address):
            if let index = groups.firstIndex(where: { $0.address == address }) { groups[index].isManaged = true }
        }
    }

    /// Sets whether a resource is protected; does nothing if it does not exist.
    package mutating func protect(_ resource: NetworkResource, _ isProtected: Bool) {
        switch resource {
        case .netKey(let index):
            if let place = netKeys.firstIndex(where: { $0.index == index }) { netKeys[place].isProtected = isProtected }
        case .appKey(let index):
            if let place = appKeys.firstIndex(where: { $0.index == index }) { appKeys[place].isProtected = isProtected }
        case .group(let address):
            if let index = groups.firstIndex(where: { $0.address == address }) {
                groups[index].isProtected = isProtected
            }
        }
    }

    /// Removes a resource and its title from the network itself, but not from the records of nodes. Groups in a removed
    /// group no longer belong to any.
    package mutating func remove(_ resource: NetworkResource) {
        switch resource {
        case .netKey(let index):
            netKeys.removeAll { $0.index == index }
            titles[.netKey(index)] = nil
        case .appKey(let index):
            appKeys.removeAll { $0.index == index }
            titles[.appKey(index)] = nil
        case .group(let address):
            groups.removeAll { $0.address == address }
            titles[.group(address)] = nil
            for index in groups.indices where groups[index].parent == address { groups[index].parent = nil }
        }
    }
}
