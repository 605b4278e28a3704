package import MeshCore

/// The states of all foundation models of one virtual node: its Configuration Server, its keys and the configuration of
/// its models (Mesh Protocol 4.2). Holds secrets.
package struct NodeConfigurationState: Hashable, Sendable {
    /// The device; it stays the same when the device joins or leaves networks.
    package var uuid: DeviceUUID
    /// The name in the simulator's messages.
    package var name: String
    /// The address of the primary element. After a reset, the address in the last network.
    package var address: UnicastAddress
    /// Whether it is a node of a network. A device that was reset neither hears nor sends mesh messages.
    package var isProvisioned: Bool
    /// Secures Configuration messages; nil if nobody can talk to the node. Without use once the node was reset.
    package var deviceKey: KeyMaterial?
    /// Company, product, version and CRPL. The features and elements of page 0 follow from the other properties.
    package var product: Node.Product
    /// Its NetKeys, sorted by index.
    package var netKeys: [NodeNetKey]
    /// Its AppKeys, sorted by index.
    package var appKeys: [NodeAppKey]
    package var secureNetworkBeacon: Bool
    /// The Default TTL state, 0 or 2...127.
    package var defaultTTL: UInt8
    package var relay: FeatureState
    package var proxy: FeatureState
    package var friend: FeatureState
    package var isLowPowerSupported: Bool
    package var networkTransmit: TransmitParameters
    package var relayRetransmit: TransmitParameters
    package var heartbeatPublication: HeartbeatPublicationSettings
    package var heartbeatSubscription: HeartbeatSubscriptionSettings
    /// The elements in order of their indexes, at least one.
    package var elements: [Element]
    /// The states of the foundation models of version 1.1.
    package var foundation = FoundationStates()
    /// How far it has come with its heartbeats.
    package internal(set) var heartbeats = HeartbeatProgress()

    package func netKey(_ index: NetKeyIndex) -> NodeNetKey? { netKeys.first { $0.index == index } }

    package func appKey(_ index: AppKeyIndex) -> NodeAppKey? { appKeys.first { $0.index == index } }

    package var addresses: ClosedRange<UInt16> {
        let last = min(Int(address.rawValue) + max(elements.count, 1) - 1, Int(UnicastAddress.last.rawValue))
        return address.rawValue...UInt16(last)
    }

    /// Composition Data page 0 of the node.
    package var composition: Composition {
        var features: FeatureSet = []
        if relay != .notSupported { features.insert(.relay) }
        if proxy != .notSupported { features.insert(.proxy) }
        if friend != .notSupported { features.insert(.friend) }
        if isLowPowerSupported { features.insert(.lowPower) }
        return Composition(
            company: product.company,
            product: product.product,
            version: product.version,
            replayListSize: product.replayListSize,
            features: features,
            elements: elements.map { element in
                // Page 0 counts SIG and vendor models separately, so SIG models come first.
                CompositionElement(
                    location: element.location,
                    models: element.models.map(\.identifier).filter { !$0.isVendor }
                        + element.models.map(\.identifier).filter(\.isVendor)
                )
            }
        )
    }

    /// Removes an AppKey, with all bindings and publications that use it (Mesh Protocol 4.2.6, 4.3.1.4).
    package mutating func removeAppKey(_ index: AppKeyIndex) {
        appKeys.removeAll { $0.index == index }
        for element in elements.indices {
            for model in elements[element].models.indices {
                elements[element].models[model].bindings.removeAll { $0 == index }
                if elements[element].models[model].publication?.appKeyIndex == index {
                    elements[element].models[model].publication = nil
                }
            }
        }
    }

    /// Removes a NetKey, with its AppKeys and with the heartbeat publication and bridging table entries that use it.
    package mutating func removeNetKey(_ index: NetKeyIndex) {
        for key in appKeys where key.boundNetKey == index { removeAppKey(key.index) }
        netKeys.removeAll { $0.index == index }
        if heartbeatPublication.netKeyIndex == index {
            heartbeatPublication = .off
            heartbeats.left = 0
        }
        foundation.bridgingTable.removeAll { $0.subnets.first == index || $0.subnets.second == index }
    }

    /// Forgets the network, as Config Node Reset demands. What belongs to the device stays. The DeviceKey stays too,
    /// but only to tell the life that ended from one that a later provisioning begins.
    package mutating func reset() {
        isProvisioned = false
        netKeys = []
        appKeys = []
        heartbeatPublication = .off
        heartbeatSubscription = .off
        heartbeats = HeartbeatProgress()
        foundation.reset()
        for element in elements.indices {
            for model in elements[element].models.indices {
                elements[element].models[model].bindings = []
                elements[element].models[model].subscriptions = []
                elements[element].models[model].publication = nil
            }
        }
    }
}

/// A NetKey on a node.
package struct NodeNetKey: Hashable, Sendable {
    package var index: NetKeyIndex
    /// The key; during a key refresh, the new one.
    package var key: KeyMaterial
    /// The key being replaced; set only during a key refresh.
    package var oldKey: KeyMaterial?
    package var phase: KeyRefreshPhase = .normal
    /// Whether the node advertises with its Node Identity in this subnet.
    package var isIdentityRunning = false
    /// Whether the node advertises with its Private Node Identity in this subnet.
    package var isPrivateIdentityRunning = false
}

/// An AppKey on a node.
package struct NodeAppKey: Hashable, Sendable {
    package var index: AppKeyIndex
    package var boundNetKey: NetKeyIndex
    /// The key; once it was updated, the new one.
    package var key: KeyMaterial
    /// The key being replaced, from its update until the end of the key refresh.
    package var oldKey: KeyMaterial?

    package init(index: AppKeyIndex, boundNetKey: NetKeyIndex, key: KeyMaterial, oldKey: KeyMaterial? = nil) {
        self.index = index
        self.boundNetKey = boundNetKey
        self.key = key
        self.oldKey = oldKey
    }
}

extension HeartbeatPublicationSettings {
    /// Publishes nothing.
    static let off = HeartbeatPublicationSettings(
        destination: .unassigned,
        countLog: .off,
        periodLog: .off,
        ttl: 0,
        features: [],
        netKeyIndex: .primary
    )
}

extension HeartbeatSubscriptionSettings {
    /// Counts nothing.
    static let off = HeartbeatSubscriptionSettings(source: nil, destination: .unassigned, periodLog: .off)
}

extension NodeConfigurationState {
    /// The value of a state as the node would report it; nil if the primary element lacks the model, or the node lacks
    /// the subnet.
    package func foundationState(_ kind: FoundationState.Kind) -> FoundationState? {
        guard hasPrimary(kind.model) else { return nil }
        switch kind {
        case .heartbeatPublication: return .heartbeatPublication(HeartbeatPublication(heartbeatPublication))
        case .heartbeatSubscription: return .heartbeatSubscription(HeartbeatSubscription(heartbeatSubscription))
        case .nodeIdentity(let subnet):
            return identity(netKey(subnet)?.isIdentityRunning).map { .nodeIdentity(subnet, $0) }
        case .sarTransmitter: return .sarTransmitter(foundation.sarTransmitter)
        case .sarReceiver: return .sarReceiver(foundation.sarReceiver)
        case .privateBeacon:
            return .privateBeacon(
                PrivateBeaconState(
                    isEnabled: foundation.isPrivateBeaconEnabled,
                    randomUpdateIntervalSteps: foundation.randomUpdateIntervalSteps
                )
            )
        case .privateGATTProxy: return .privateGATTProxy(privateGATTProxy)
        case .onDemandPrivateProxy: return .onDemandPrivateProxy(seconds: foundation.onDemandPrivateProxySeconds)
        case .privateNodeIdentity(let subnet):
            return identity(netKey(subnet)?.isPrivateIdentityRunning).map { .privateNodeIdentity(subnet, $0) }
        case .subnetBridge: return .subnetBridge(foundation.isSubnetBridgeEnabled)
        }
    }

    private func identity(_ isRunning: Bool?) -> NodeIdentityState? {
        guard let isRunning else { return nil }
        return proxy == .notSupported ? .notSupported : isRunning ? .running : .stopped
    }
}

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
