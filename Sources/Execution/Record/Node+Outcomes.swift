import MeshCore
import Planning

extension Node {
    /// Records what an answer says that confirms an action.
    mutating func record(_ action: ConfigurationAction, in network: MeshNetwork, at now: Timestamp) {
        apply(action, appKeys: network.appKeys, sharing: network.sharedLists(of: self))
        settleDoubts(by: action)
        observedAt = now
        unprovisionedSeenAt = nil
        // If the network already uses the new key, a node that is given the key gets only the new one.
        switch action {
        case .addNetKey(let index) where network.usesNewKeys(of: index): confirm(.revoked, of: index)
        case .addAppKey(let index, boundTo: let netKey) where network.usesNewKeys(of: netKey): confirmUpdate(of: index)
        default: break
        }
    }

    /// Records that nobody knows whether an action has taken effect. A single value becomes unknown, so that a plan
    /// that wants it sets it. Lists and publications stay as recorded, because adding an existing entry and removing a
    /// missing one change nothing; but they are marked as unconfirmed. The time of the last read-back no longer counts.
    mutating func leaveUnknown(_ action: ConfigurationAction) {
        readBackAt = nil
        switch action {
        case .setDefaultTTL: defaultTTL = nil
        case .setSecureNetworkBeacon: secureNetworkBeacon = nil
        case .setRelay(let isOn, _):
            relayRetransmit = nil
            // If the state is already as recorded, only the retransmit was to change.
            if features.relay != (isOn ? .enabled : .disabled) { features.relay = nil }
        case .setProxy: features.proxy = nil
        case .setFriend: features.friend = nil
        case .setNetworkTransmit: networkTransmit = nil
        case .set(let state): states.removeAll { $0.kind == state.kind }
        case .setModelState(let set): forgetModelState(set.state.form.name, of: set.model)
        case .holdState, .setBriefly, .restoreState: break
        default: doubt(action)
        }
    }

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
