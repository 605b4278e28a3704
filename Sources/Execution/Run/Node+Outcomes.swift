import MeshCore
import Planning

extension Node {
    /// What an answer says that confirms an action.
    mutating func record(_ action: ConfigurationAction, in network: MeshNetwork, at now: Timestamp) {
        apply(action, appKeys: network.appKeys, sharing: network.sharedLists(of: self))
        settleDoubts(by: action)
        observedAt = now
        unprovisionedSeenAt = nil
        // A node that gets a key when the network already uses the new one gets the new one, and it alone.
        switch action {
        case .addNetKey(let index) where network.usesNewKeys(of: index): confirm(.revoked, of: index)
        case .addAppKey(let index, boundTo: let netKey) where network.usesNewKeys(of: netKey): confirmUpdate(of: index)
        default: break
        }
    }

    /// Nobody knows any more whether an action has taken effect: a single value is not known from now on, so that
    /// whoever wants one sets it. Lists and publications stay as they are recorded, since adding what is there and removing
    /// what is not changes nothing, and it is recorded that nobody knows; when the node was last read back counts no more.
    mutating func leaveUnknown(_ action: ConfigurationAction) {
        readBackAt = nil
        switch action {
        case .setDefaultTTL: defaultTTL = nil
        case .setSecureNetworkBeacon: secureNetworkBeacon = nil
        case .setRelay(let isOn, _):
            relayRetransmit = nil
            // The retransmit alone was to change where the state is recorded already.
            if features.relay != (isOn ? .enabled : .disabled) { features.relay = nil }
        case .setProxy: features.proxy = nil
        case .setFriend: features.friend = nil
        case .setNetworkTransmit: networkTransmit = nil
        case .set(let state): states.removeAll { $0.kind == state.kind }
        default: doubt(action)
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
