package import MeshCore

extension NodeConfigurationState {
    /// A device as it leaves the factory, in no network. Its address has no meaning.
    package init(unprovisioned device: DeviceDescription) {
        self.init(
            device.composition,
            uuid: device.uuid,
            name: device.name,
            address: .first,
            deviceKey: nil,
            netKeys: []
        )
        isProvisioned = false
        foundation.compositionPages = device.compositionPages
    }

    /// A device that has just accepted provisioning data (Mesh Protocol 5.4.2.5): a node in one subnet without AppKeys.
    /// If it can be a proxy, it advertises with its Node Identity (7.2.2.2.3).
    ///
    /// In phase 2 of a key refresh it knows only the new key, and uses it as the old key too.
    package init(_ device: DeviceDescription, provisionedWith data: ProvisioningData, deviceKey: KeyMaterial) {
        var netKey = NodeNetKey(index: data.netKeyIndex, key: data.netKey)
        if data.isKeyRefreshing {
            netKey.oldKey = data.netKey
            netKey.phase = .usingNewKeys
        }
        netKey.isIdentityRunning = device.composition.features.contains(.proxy)
        self.init(
            device.composition,
            uuid: device.uuid,
            name: device.name,
            address: data.address,
            deviceKey: deviceKey,
            netKeys: [netKey]
        )
        foundation.compositionPages = device.compositionPages
    }

    /// The initial states of the firmware: supported features on, Secure Network Beacon on, Default TTL 7, and two
    /// retransmissions 20 ms apart for both Network Transmit and Relay Retransmit.
    private init(
        _ composition: Composition,
        uuid: DeviceUUID,
        name: String,
        address: UnicastAddress,
        deviceKey: KeyMaterial?,
        netKeys: [NodeNetKey]
    ) {
        func state(_ feature: FeatureSet) -> FeatureState {
            composition.features.contains(feature) ? .enabled : .notSupported
        }
        self.init(
            uuid: uuid,
            name: name,
            address: address,
            isProvisioned: true,
            deviceKey: deviceKey,
            product: Node.Product(
                company: composition.company,
                product: composition.product,
                version: composition.version,
                replayListSize: composition.replayListSize
            ),
            netKeys: netKeys,
            appKeys: [],
            secureNetworkBeacon: true,
            defaultTTL: 7,
            relay: state(.relay),
            proxy: state(.proxy),
            friend: state(.friend),
            isLowPowerSupported: composition.features.contains(.lowPower),
            networkTransmit: TransmitParameters(octet: 0x0A),
            relayRetransmit: TransmitParameters(octet: 0x0A),
            heartbeatPublication: .off,
            heartbeatSubscription: .off,
            elements: composition.simulatedElements
        )
    }

    /// The device behind a node without a description: what its composition says, and no out-of-band methods.
    package var derivedDescription: DeviceDescription {
        var device = DeviceDescription(
            uuid: uuid,
            name: name,
            composition: composition,
            capabilities: ProvisioningCapabilities(elementCount: UInt8(clamping: elements.count))
        )
        device.compositionPages = foundation.compositionPages
        return device
    }

    /// Takes the composition from a device's description, for a node whose composition the database does not know.
    mutating func takeComposition(of device: DeviceDescription) {
        let fresh = NodeConfigurationState(unprovisioned: device)
        product = fresh.product
        elements = fresh.elements
        isLowPowerSupported = fresh.isLowPowerSupported
        if fresh.relay == .notSupported { relay = .notSupported }
        if fresh.proxy == .notSupported { proxy = .notSupported }
        if fresh.friend == .notSupported { friend = .notSupported }
    }
}

extension Composition {
    /// Its elements without any configuration, 1...255. A device without elements gets a primary one. A model that is
    /// listed twice occurs once.
    fileprivate var simulatedElements: [Element] {
        let elements = self.elements.prefix(255).map { element in
            var seen: Set<ModelIdentifier> = []
            return Element(
                location: element.location,
                models: element.models.filter { seen.insert($0).inserted }.map { Model(identifier: $0) }
            )
        }
        guard elements.isEmpty else { return elements }
        return [Element(models: [Model(identifier: .configurationServer), Model(identifier: .healthServer)])]
    }
}
