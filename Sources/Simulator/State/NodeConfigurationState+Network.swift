package import MeshCore

extension NodeConfigurationState {
    /// The state that a node of the database would report, with defaults for what the database does not know.
    ///
    /// The defaults: features are not supported. If nothing is known of the node's composition, relay, proxy and friend
    /// are supported and off. Default TTL 7, Secure Network Beacon on, two retransmissions 20 ms apart for both Network
    /// Transmit and Relay Retransmit, and a primary element with Configuration Server and Health Server.
    package init(of node: Node, in network: MeshNetwork) {
        let unknownFeature: FeatureState = node.isCompositionKnown ? .notSupported : .disabled
        uuid = node.uuid
        name = node.name
        address = node.unicastAddress
        isProvisioned = true
        deviceKey = node.deviceKey
        product = node.product ?? Node.Product(company: 0xFFFF, product: 0, version: 0, replayListSize: 32)
        netKeys = node.netKeys.compactMap { known in
            network.netKeys.first { $0.index == known.index }.map { NodeNetKey($0, progress: known.progress) }
        }
        appKeys = node.appKeys.compactMap { known in
            network.appKeys.first { $0.index == known.index }.map { NodeAppKey($0, isUpdated: known.isUpdated) }
        }
        secureNetworkBeacon = node.secureNetworkBeacon ?? true
        defaultTTL = node.defaultTTL ?? 7
        relay = node.features.relay ?? unknownFeature
        proxy = node.features.proxy ?? unknownFeature
        friend = node.features.friend ?? unknownFeature
        isLowPowerSupported = node.features.lowPower.map { $0 != .notSupported } ?? false
        networkTransmit = node.networkTransmit ?? TransmitParameters(octet: 0x0A)
        relayRetransmit = node.relayRetransmit ?? TransmitParameters(octet: 0x0A)
        heartbeatPublication = .off
        heartbeatSubscription = .off
        elements =
            node.isCompositionKnown
            ? node.elements
            : [Element(models: [Model(identifier: .configurationServer), Model(identifier: .healthServer)])]
        for key in Set(appKeys.map(\.index)).symmetricDifference(node.appKeys.map(\.index)).sorted() {
            // The database names a key that it does not hold, so nobody can use that key.
            removeAppKey(key)
        }
        for state in node.states { set(state) }
        foundation.bridgingTable = node.bridgingTable ?? []
        foundation.compositionPages = node.compositionPages ?? [:]
    }

    /// Takes a recorded state. If the database does not know the count of a heartbeat publication, the publication is
    /// endless. If it does not know how long a heartbeat subscription counts, the subscription is over.
    private mutating func set(_ state: FoundationState) {
        switch state {
        case .heartbeatPublication(var heartbeat):
            heartbeat.countLog = heartbeat.countLog ?? (heartbeat.isOff ? .off : .endless)
            heartbeatPublication = heartbeat.settings ?? .off
        case .heartbeatSubscription(var heartbeat):
            heartbeat.periodLog = heartbeat.periodLog ?? .off
            heartbeatSubscription = heartbeat.settings ?? .off
        case .sarTransmitter(let state): foundation.sarTransmitter = state
        case .sarReceiver(let state): foundation.sarReceiver = state
        case .privateBeacon(let state):
            foundation.isPrivateBeaconEnabled = state.isEnabled
            if let steps = state.randomUpdateIntervalSteps { foundation.randomUpdateIntervalSteps = steps }
        case .privateGATTProxy(let state): foundation.isPrivateGATTProxyEnabled = state == .enabled
        case .onDemandPrivateProxy(let seconds): foundation.onDemandPrivateProxySeconds = seconds
        case .subnetBridge(let isOn): foundation.isSubnetBridgeEnabled = isOn
        // A recorded identity no longer runs.
        case .nodeIdentity, .privateNodeIdentity: break
        }
    }
}

extension NodeNetKey {
    /// What a node has of a NetKey of the network. In a key refresh, a node that is not updated has only the old key. A
    /// node that is updated is in the network's phase. A node that has revoked the old key has left the refresh.
    init(_ key: NetKey, progress: KeyRefreshProgress) {
        guard key.phase != .normal, let old = key.oldKey, progress != .revoked else {
            self.init(index: key.index, key: key.key)
            return
        }
        if progress >= .updated {
            self.init(index: key.index, key: key.key, oldKey: old, phase: key.phase)
        } else {
            self.init(index: key.index, key: old)
        }
    }
}

extension NodeAppKey {
    /// What a node has of an AppKey of the network. In a key refresh, a node that is not updated has only the old key.
    init(_ key: AppKey, isUpdated: Bool) {
        guard let old = key.oldKey else {
            self.init(index: key.index, boundNetKey: key.boundNetKey, key: key.key)
            return
        }
        if isUpdated {
            self.init(index: key.index, boundNetKey: key.boundNetKey, key: key.key, oldKey: old)
        } else {
            self.init(index: key.index, boundNetKey: key.boundNetKey, key: old)
        }
    }
}
