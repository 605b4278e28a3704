import MeshCore
import Planning

extension Node {
    /// What an answer says that confirms an action.
    mutating func record(_ action: ConfigurationAction, in network: MeshNetwork, at now: Timestamp) {
        apply(action, appKeys: network.appKeys, sharing: network.sharedLists(of: self))
        observedAt = now
        unprovisionedSeenAt = nil
        // A node that gets a key when the network already uses the new one gets the new one, and it alone.
        switch action {
        case .addNetKey(let index) where network.usesNewKeys(of: index): confirm(.revoked, of: index)
        case .addAppKey(let index, boundTo: let netKey) where network.usesNewKeys(of: netKey): confirmUpdate(of: index)
        default: break
        }
    }

    /// Records that the node lacks the feature that an action is about.
    mutating func recordMissingFeature(of action: ConfigurationAction, at now: Timestamp) {
        switch action {
        case .setRelay: features.relay = .notSupported
        case .setProxy: features.proxy = .notSupported
        case .setFriend: features.friend = .notSupported
        case .set(let state):
            guard let notSupported = state.kind.notSupported else { return }
            record(notSupported)
        default: return
        }
        observedAt = now
    }
}
