package import DefinitionModel
package import MeshCore

extension MeshNetwork {
    /// Applies an edit.
    ///
    /// The effect is idempotent: a key that exists is never replaced, and an edit of something that does not exist
    /// changes nothing.
    ///
    /// - Parameters:
    ///   - edit: the edit.
    ///   - makeKey: makes or reads a new key; called only for a key that does not exist yet.
    /// - Throws: the error of `makeKey`; then the network is unchanged.
    package mutating func apply<Failure: Error>(
        _ edit: DatabaseEdit,
        makeKey: (KeySource) throws(Failure) -> KeyMaterial
    ) throws(Failure) {
        switch edit {
        case .createNetKey(let index, let name, let source):
            guard !netKeys.contains(where: { $0.index == index }) else { return }
            var key = NetKey(index: index, name: name, key: try makeKey(source))
            key.isManaged = true
            netKeys.insert(key, at: netKeys.firstIndex { $0.index > index } ?? netKeys.endIndex)
        case .createAppKey(let index, let name, boundTo: let boundNetKey, let source):
            guard !appKeys.contains(where: { $0.index == index }) else { return }
            var key = AppKey(index: index, name: name, boundNetKey: boundNetKey, key: try makeKey(source))
            key.isManaged = true
            appKeys.insert(key, at: appKeys.firstIndex { $0.index > index } ?? appKeys.endIndex)
        case .renameNetKey(let index, let name):
            guard let place = netKeys.firstIndex(where: { $0.index == index }) else { return }
            netKeys[place].name = name
            netKeys[place].isManaged = true
        case .renameAppKey(let index, let name):
            guard let place = appKeys.firstIndex(where: { $0.index == index }) else { return }
            appKeys[place].name = name
            appKeys[place].isManaged = true
        case .putGroup(let group): put(group)
        case .manage(let uuid, let name, let isProtected, let removalPolicy):
            guard let place = nodes.firstIndex(where: { $0.uuid == uuid }) else { return }
            nodes[place].isManaged = true
            nodes[place].name = name
            nodes[place].isProtected = isProtected
            nodes[place].removalPolicy = removalPolicy
        case .forget(let uuid):
            guard let place = nodes.firstIndex(where: { $0.uuid == uuid }) else { return }
            nodes[place].isManaged = false
            nodes[place].disownConfiguration()
        case .protect(let resource, let isProtected): protect(resource, isProtected)
        case .remove(let resource):
            remove(resource)
            // Only this provisioner's node and excluded nodes still have it.
            for index in nodes.indices { nodes[index].forget(resource) }
        case .refreshKeys(let index, let stage, replacing: let networkID):
            guard networkIDReplaced(in: index) == networkID else { return }
            switch stage {
            case .distribute: try beginKeyRefresh(of: index) { () throws(Failure) in try makeKey(.generated) }
            case .useNewKeys: useNewKeys(of: index)
            case .revokeOldKeys: break
            case .finish: endKeyRefresh(of: index)
            }
        case .exclude(let uuid): excludeNode(uuid)
        case .title(let resource, let title): titles[resource] = title
        }
    }

    private mutating func put(_ group: Group) {
        var group = group
        group.isManaged = true
        let index = groups.firstPlace { $0.address >= group.address }
        if index < groups.endIndex, groups[index].address == group.address {
            groups[index] = group
        } else {
            groups.insert(group, at: index)
        }
    }
}

extension DatabaseEdit {
    /// The node whose record the edit changes; nil for edits of the network.
    package var node: DeviceUUID? {
        switch self {
        case .manage(let uuid, name: _, isProtected: _, removalPolicy: _), .forget(let uuid),
            .exclude(let uuid):
            uuid
        default: nil
        }
    }
}
