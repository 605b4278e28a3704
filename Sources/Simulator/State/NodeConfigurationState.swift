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
    /// The Secure Network Beacon state.
    package var secureNetworkBeacon: Bool
    /// The Default TTL state, 0 or 2...127.
    package var defaultTTL: UInt8
    /// The Relay state.
    package var relay: FeatureState
    /// The GATT Proxy state.
    package var proxy: FeatureState
    /// The Friend state.
    package var friend: FeatureState
    /// Whether it can be a Low Power node.
    package var isLowPowerSupported: Bool
    /// The Network Transmit state.
    package var networkTransmit: TransmitParameters
    /// The Relay Retransmit state.
    package var relayRetransmit: TransmitParameters
    /// The Heartbeat Publication state.
    package var heartbeatPublication: HeartbeatPublicationSettings
    /// The Heartbeat Subscription state.
    package var heartbeatSubscription: HeartbeatSubscriptionSettings
    /// The elements in order of their indexes, at least one.
    package var elements: [Element]
    /// The states of the foundation models of version 1.1.
    package var foundation = FoundationStates()
    /// How far it has come with its heartbeats.
    package internal(set) var heartbeats = HeartbeatProgress()

    /// The subnet with that index; nil if the node does not have it.
    package func netKey(_ index: NetKeyIndex) -> NodeNetKey? { netKeys.first { $0.index == index } }

    /// The AppKey with that index; nil if the node does not have it.
    package func appKey(_ index: AppKeyIndex) -> NodeAppKey? { appKeys.first { $0.index == index } }

    /// The addresses of all elements.
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
    /// The key's index.
    package var index: NetKeyIndex
    /// The key; during a key refresh, the new one.
    package var key: KeyMaterial
    /// The key being replaced; set only during a key refresh.
    package var oldKey: KeyMaterial?
    /// The node's phase in the key refresh.
    package var phase: KeyRefreshPhase
    /// Whether the node advertises with its Node Identity in this subnet.
    package var isIdentityRunning = false
    /// Whether the node advertises with its Private Node Identity in this subnet.
    package var isPrivateIdentityRunning = false

    package init(index: NetKeyIndex, key: KeyMaterial, oldKey: KeyMaterial? = nil, phase: KeyRefreshPhase = .normal) {
        self.index = index
        self.key = key
        self.oldKey = oldKey
        self.phase = phase
    }
}

/// An AppKey on a node.
package struct NodeAppKey: Hashable, Sendable {
    /// The key's index.
    package var index: AppKeyIndex
    /// The NetKey it is bound to.
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
