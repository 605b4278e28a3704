import MeshCore

/// The networks that the tests of the simulator play with. All keys are test keys.
enum TestNetwork {
    static let onOffServer = ModelIdentifier.sig(0x1000)
    static let onOffClient = ModelIdentifier.sig(0x1001)
    static let levelServer = ModelIdentifier.sig(0x1002)
    static let vendorModel = ModelIdentifier.vendor(company: 0x0059, model: 0x0001)
    static let clientAddress = address(0x0001)
    static let clientUUID = uuid(0xFFFF)

    static func address(_ value: UInt16) -> UnicastAddress {
        guard let address = UnicastAddress(rawValue: value) else { preconditionFailure("no unicast address") }
        return address
    }

    static func group(_ value: UInt16) -> GroupAddress {
        guard let group = GroupAddress(rawValue: value) else { preconditionFailure("no group address") }
        return group
    }

    static func netKey(_ value: UInt16) -> NetKeyIndex {
        guard let index = NetKeyIndex(rawValue: value) else { preconditionFailure("no key index") }
        return index
    }

    static func appKey(_ value: UInt16) -> AppKeyIndex {
        guard let index = AppKeyIndex(rawValue: value) else { preconditionFailure("no key index") }
        return index
    }

    static func key(_ value: UInt64) -> KeyMaterial {
        KeyMaterial(Octets16(high: 0x1122_3344_5566_7788, low: value))
    }

    static func label(_ value: UInt64) -> LabelUUID {
        LabelUUID(rawValue: Octets16(high: 0x0073_E7E4_D8B9_440F, low: value))
    }

    static func uuid(_ value: UInt64) -> DeviceUUID {
        DeviceUUID(rawValue: Octets16(high: 0xA0, low: value))
    }

    /// A node of two elements with every feature but Low Power, at 0x0010 + 16 · number, known to the last value.
    static func node(_ number: Int, relay: FeatureState = .enabled, proxy: FeatureState = .disabled) -> Node {
        var node = Node(
            uuid: uuid(UInt64(number)),
            name: "node-\(number)",
            unicastAddress: address(UInt16(0x10 + 0x10 * number)),
            deviceKey: key(0xD000 + UInt64(number)),
            elements: [
                Element(
                    location: 0x0100,
                    models: [
                        Model(identifier: .configurationServer), Model(identifier: .healthServer),
                        Model(identifier: onOffServer), Model(identifier: onOffClient),
                        Model(identifier: .sig(0x1007)),
                    ]
                ),
                Element(location: 0x0101, models: [Model(identifier: levelServer), Model(identifier: vendorModel)]),
            ],
            netKeys: [NodeKey(index: .primary)]
        )
        node.product = Node.Product(company: 0x0059, product: 1, version: 2, replayListSize: 40)
        node.features = Node.Features(relay: relay, proxy: proxy, friend: .disabled, lowPower: .notSupported)
        node.defaultTTL = 5
        node.secureNetworkBeacon = true
        node.networkTransmit = TransmitParameters(octet: 0x0A)
        node.relayRetransmit = TransmitParameters(octet: 0x0A)
        return node
    }

    /// The client as provisioner and the given nodes; NetKeys 0 and 1, AppKeys 0 and 1 bound to NetKey 0 and 2 bound
    /// to NetKey 1.
    static func network(_ nodes: [Node]) -> MeshNetwork {
        MeshNetwork(
            uuid: Octets16(high: 1, low: 2),
            name: "test",
            ivIndex: IVIndex(value: 5),
            netKeys: [
                NetKey(index: .primary, name: "primary", key: key(0x10)),
                NetKey(index: netKey(1), name: "guests", key: key(0x11)),
            ],
            appKeys: [
                AppKey(index: appKey(0), name: "a", boundNetKey: .primary, key: key(0x20)),
                AppKey(index: appKey(1), name: "b", boundNetKey: .primary, key: key(0x21)),
                AppKey(index: appKey(2), name: "c", boundNetKey: netKey(1), key: key(0x22)),
            ],
            provisioners: [
                Provisioner(name: "client", uuid: clientUUID, unicastRanges: [0x0001...0x7FFF])
            ],
            ownProvisioner: clientUUID,
            nodes: [
                Node(uuid: clientUUID, name: "client", unicastAddress: clientAddress, deviceKey: key(0xC0))
            ] + nodes
        )
    }

    /// A proxy without relay and `count` relays.
    static func network(relays count: Int) -> MeshNetwork {
        network([node(0, relay: .disabled, proxy: .enabled)] + (0..<count).map { node($0 + 1) })
    }
}
