import MeshCore

// These functions change the key lists of a Configuration Server. Their checks follow the order of the specification
// (Mesh Protocol 4.4.1.2). A request that would change nothing succeeds.

extension NodeConfigurationState {
    mutating func addNetKey(_ index: NetKeyIndex, _ key: KeyMaterial, limit: Int) -> ConfigStatusCode {
        if let stored = netKey(index) {
            return stored.key == key || stored.oldKey == key ? .success : .keyIndexAlreadyStored
        }
        guard netKeys.count < limit else { return .insufficientResources }
        netKeys.append(NodeNetKey(index: index, key: key))
        netKeys.sort { $0.index < $1.index }
        return .success
    }

    mutating func updateNetKey(_ index: NetKeyIndex, _ key: KeyMaterial) -> ConfigStatusCode {
        guard let position = netKeys.firstIndex(where: { $0.index == index }) else { return .invalidNetKeyIndex }
        switch netKeys[position].phase {
        case .normal where netKeys[position].key != key:
            netKeys[position].oldKey = netKeys[position].key
            netKeys[position].key = key
            netKeys[position].phase = .keyDistribution
            return .success
        case .keyDistribution where netKeys[position].key == key:
            return .success
        default:
            return .cannotUpdate
        }
    }

    /// Deletes a NetKey.
    ///
    /// - Parameter requestKey: the NetKey that secured the request. It cannot delete itself.
    mutating func deleteNetKey(
        _ index: NetKeyIndex,
        requestKey: NetKeyIndex,
        keepsBindings: Bool
    ) -> ConfigStatusCode {
        guard netKey(index) != nil else { return .success }
        guard index != requestKey, netKeys.count > 1 else { return .cannotRemove }
        if keepsBindings { appKeys.removeAll { $0.boundNetKey == index } }
        removeNetKey(index)
        return .success
    }

    mutating func moveKeyRefresh(_ index: NetKeyIndex, to transition: KeyRefreshTransition) -> ConfigStatusCode {
        guard let phase = netKey(index)?.phase else { return .invalidNetKeyIndex }
        switch (transition, phase) {
        case (.useNewKeys, .normal): return .cannotUpdate
        case (.useNewKeys, _): enterKeyRefreshPhase(index, .usingNewKeys)
        default: enterKeyRefreshPhase(index, .normal)
        }
        return .success
    }

    /// Enters a phase, as a request or a beacon demands. At the end the old keys are gone (Mesh Protocol 3.11.4).
    mutating func enterKeyRefreshPhase(_ index: NetKeyIndex, _ phase: KeyRefreshPhase) {
        guard let position = netKeys.firstIndex(where: { $0.index == index }) else { return }
        guard netKeys[position].phase != .normal else { return }
        netKeys[position].phase = phase
        guard phase == .normal else { return }
        netKeys[position].oldKey = nil
        for key in appKeys.indices where appKeys[key].boundNetKey == index { appKeys[key].oldKey = nil }
    }

    mutating func addAppKey(
        _ index: AppKeyIndex,
        boundTo netKeyIndex: NetKeyIndex,
        _ key: KeyMaterial,
        limit: Int
    ) -> ConfigStatusCode {
        guard netKey(netKeyIndex) != nil else { return .invalidNetKeyIndex }
        if let stored = appKey(index) {
            guard stored.boundNetKey == netKeyIndex else { return .invalidNetKeyIndex }
            return stored.key == key ? .success : .keyIndexAlreadyStored
        }
        guard appKeys.count < limit else { return .insufficientResources }
        appKeys.append(NodeAppKey(index: index, boundNetKey: netKeyIndex, key: key))
        appKeys.sort { $0.index < $1.index }
        return .success
    }

    mutating func updateAppKey(
        _ index: AppKeyIndex,
        boundTo netKeyIndex: NetKeyIndex,
        _ key: KeyMaterial
    ) -> ConfigStatusCode {
        guard let subnet = netKey(netKeyIndex) else { return .invalidNetKeyIndex }
        guard let position = appKeys.firstIndex(where: { $0.index == index }) else { return .invalidAppKeyIndex }
        guard appKeys[position].boundNetKey == netKeyIndex else { return .invalidBinding }
        guard subnet.phase == .keyDistribution else { return .cannotUpdate }
        if appKeys[position].oldKey != nil {
            return appKeys[position].key == key ? .success : .keyIndexAlreadyStored
        }
        appKeys[position].oldKey = appKeys[position].key
        appKeys[position].key = key
        return .success
    }

    mutating func deleteAppKey(
        _ index: AppKeyIndex,
        boundTo netKeyIndex: NetKeyIndex,
        keepsBindings: Bool
    ) -> ConfigStatusCode {
        guard netKey(netKeyIndex) != nil else { return .invalidNetKeyIndex }
        guard let stored = appKey(index) else { return .success }
        guard stored.boundNetKey == netKeyIndex else { return .invalidBinding }
        if keepsBindings { appKeys.removeAll { $0.index == index } } else { removeAppKey(index) }
        return .success
    }

    /// Starts or stops Node Identity advertising. Without an active GATT proxy neither is possible (4.2.11.1).
    mutating func setNodeIdentity(_ index: NetKeyIndex, isRunning: Bool) -> ConfigStatusCode {
        guard let position = netKeys.firstIndex(where: { $0.index == index }) else { return .invalidNetKeyIndex }
        switch proxy {
        case .notSupported: return .featureNotSupported
        case .disabled: return .temporarilyUnableToChangeState
        case .enabled:
            netKeys[position].isIdentityRunning = isRunning
            // Open Node Identity advertising in one subnet ends the private one in all subnets (4.2.46.1).
            if isRunning {
                for key in netKeys.indices { netKeys[key].isPrivateIdentityRunning = false }
            }
            return .success
        }
    }
}
