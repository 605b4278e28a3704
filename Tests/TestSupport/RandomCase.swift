package import DefinitionModel
package import MeshCore

/// A small network and a definition for it, both made from a seed. The records are consistent; the definition mixes
/// what the network has with what it does not have.
package struct RandomCase {
    /// The network as the database knows it.
    package internal(set) var network: MeshNetwork
    /// The definition for the network.
    package internal(set) var definition: Definition
    /// The compositions of devices, and of nodes whose composition the network does not know.
    package internal(set) var compositions: [DeviceUUID: Composition] = [:]
    /// The names that nodes of the definition will have, devices included.
    var nodeNames: [String] = []

    var random: SplitMix64
    /// Whether the simulated radio reaches every node throughout: the first node is a proxy and a relay in all subnets
    /// and stays one, nothing needs provisioning, and every node can be asked.
    let isReachable: Bool
    static let place = SourceLocation(file: 0, line: 1, column: 1)
    static let models: [ModelIdentifier] = [
        .sig(0x1000), .sig(0x1001), .sig(0x1002), .vendor(company: 0x59, model: 1),
    ]

    /// Makes the case of a seed.
    package init(seed: UInt64, isReachable: Bool = false) {
        random = SplitMix64(seed: seed)
        self.isReachable = isReachable
        let own = DeviceUUID(rawValue: Octets16(high: 9, low: 9))
        let provisioner = Provisioner(
            name: "we",
            uuid: own,
            unicastRanges: [0x0001...0x00FF],
            groupRanges: [0xC000...0xC00F]
        )
        network = MeshNetwork(
            uuid: Octets16(high: 0, low: 0),
            name: "random",
            ivIndex: IVIndex(value: 0),
            netKeys: [],
            provisioners: [provisioner],
            ownProvisioner: own,
            nodes: []
        )
        definition = Definition(network: Located("random", at: Self.place))
        makeNetwork()
        makeDefinition()
        makeManaged()
    }

    /// Marks what earlier definitions have asked for.
    private mutating func makeManaged() {
        for place in network.netKeys.indices { network.netKeys[place].isManaged = random.chance(50) }
        for place in network.appKeys.indices { network.appKeys[place].isManaged = random.chance(70) }
        for place in network.groups.indices { network.groups[place].isManaged = random.chance(70) }
        for node in network.nodes.indices where network.nodes[node].isManaged {
            for element in network.nodes[node].elements.indices {
                for place in network.nodes[node].elements[element].models.indices {
                    var model = network.nodes[node].elements[element].models[place]
                    model.managedBindings = random.some(of: model.bindings, 50)
                    model.managedSubscriptions =
                        random.chance(30) ? model.subscriptions : random.some(of: model.subscriptions, 50)
                    model.isPublicationManaged = model.publication != nil && random.chance(50)
                    network.nodes[node].elements[element].models[place] = model
                }
            }
        }
    }

    /// A constant key.
    package static func key() -> KeyMaterial { KeyMaterial(Octets16(high: 7, low: 7)) }

    func located<Value>(_ value: Value) -> Located<Value> { Located(value, at: Self.place) }

    mutating func number(_ range: ClosedRange<UInt16>) -> UInt16 { .random(in: range, using: &random) }

    // MARK: Network

    private mutating func makeNetwork() {
        network.netKeys = (0...number(0...2)).compactMap { NetKeyIndex(rawValue: $0) }
            .map { NetKey(index: $0, name: "subnet-\($0)", key: makeKey()) }
        for value in 0..<number(0...4) {
            guard let index = AppKeyIndex(rawValue: value * 2),
                let netKey = network.netKeys.randomElement(using: &random)
            else { continue }
            network.appKeys.append(
                AppKey(index: index, name: "key-\(index)", boundNetKey: netKey.index, key: makeKey())
            )
        }
        for value in 0..<number(0...4) {
            guard let address = GroupAddress(rawValue: 0xC000 + value * 2) else { continue }
            network.groups.append(Group(name: "group-\(value)", address: .group(address)))
        }
        if random.chance(50) {
            let label = LabelUUID(rawValue: Octets16(high: 1, low: 1))
            network.groups.append(Group(name: "alarm", address: .virtual(label)))
        }
        network.nodes = (1...number(1...3)).compactMap { makeNode($0) }
        if isReachable { addOwnNode() }
    }

    /// Adds the node that sends our messages.
    private mutating func addOwnNode() {
        var own = Node(
            uuid: network.ownProvisioner,
            name: "we",
            unicastAddress: .first,
            deviceKey: makeKey(),
            elements: [Element(models: [Model(identifier: .configurationClient)])],
            netKeys: network.netKeys.map { NodeKey(index: $0.index) }
        )
        own.features = Node.Features(relay: .notSupported, proxy: .notSupported, friend: .notSupported)
        network.nodes.insert(own, at: 0)
    }

    private mutating func makeKey() -> KeyMaterial {
        KeyMaterial(Octets16(high: random.next(), low: random.next()))
    }

    private mutating func makeNode(_ value: UInt16) -> Node? {
        guard let address = UnicastAddress(rawValue: value * 0x10) else { return nil }
        let isCarrier = isReachable && value == 1
        var netKeys = isCarrier ? network.netKeys.map(\.index) : random.some(of: network.netKeys.map(\.index), 60)
        if netKeys.isEmpty { netKeys = [network.netKeys[0].index] }
        let appKeys = random.some(of: network.appKeys.filter { netKeys.contains($0.boundNetKey) }, 60).map(\.index)
        var node = Node(
            uuid: DeviceUUID(rawValue: Octets16(high: 1, low: UInt64(value))),
            name: "node-\(value)",
            unicastAddress: address,
            deviceKey: makeKey(),
            netKeys: netKeys.map { NodeKey(index: $0) },
            appKeys: appKeys.map { NodeKey(index: $0) }
        )
        for _ in 0..<(random.chance(80) ? 2 : 1) { node.elements.append(makeElement(appKeys)) }
        node.isManaged = random.chance(70)
        node.removalPolicy = random.chance(30) ? .reset : .forget
        node.features = Node.Features(relay: feature(), proxy: feature(), friend: feature())
        node.defaultTTL = random.chance(50) ? 5 : nil
        node.secureNetworkBeacon = random.chance(50) ? random.chance(50) : nil
        node.networkTransmit = random.chance(50) ? TransmitParameters(octet: UInt8(number(0...255))) : nil
        node.relayRetransmit = random.chance(50) ? TransmitParameters(octet: UInt8(number(0...255))) : nil
        if isCarrier {
            node.features.relay = .enabled
            node.features.proxy = .enabled
        }
        addFoundation(to: &node)
        if isReachable { return node }
        if random.chance(15) {
            compositions[node.uuid] = composition(node.elements, node.features)
            node.elements = random.chance(50) ? [] : node.elements.map { _ in Element() }
        } else if random.chance(10) {
            compositions[node.uuid] = composition(node.elements, node.features)
            node.unprovisionedSeenAt = Timestamp(rawValue: 1)
        }
        return node
    }

    func composition(_ elements: [Element], _ features: Node.Features) -> Composition {
        var supported: FeatureSet = []
        if features.relay != .notSupported { supported.insert(.relay) }
        if features.proxy != .notSupported { supported.insert(.proxy) }
        if features.friend != .notSupported { supported.insert(.friend) }
        return Composition(
            company: 1,
            product: 2,
            version: 3,
            replayListSize: 4,
            features: supported,
            elements: elements.map { element in
                CompositionElement(
                    location: 0,
                    models: [.configurationServer]
                        + element.models.map(\.identifier).filter { $0 != .configurationServer }
                )
            }
        )
    }

    mutating func feature() -> FeatureState? {
        // A simulated node may turn out not to support a feature whose state is unknown.
        let unknown: FeatureState? = isReachable ? .disabled : nil
        return [.disabled, .disabled, .enabled, .enabled, unknown, .disabled, .enabled, .notSupported].randomElement(
            using: &random
        ) ?? nil
    }

    mutating func makeElement(_ appKeys: [AppKeyIndex]) -> Element {
        let models = random.some(of: Self.models, 97).map { identifier in
            var model = Model(identifier: identifier, bindings: random.some(of: appKeys))
            model.subscriptions = random.some(of: network.groups.map(\.address), 60)
            if let key = model.bindings.randomElement(using: &random), random.chance(50) {
                model.publication = Publication(
                    address: .group(.allNodes),
                    appKeyIndex: key,
                    ttl: UInt8(number(2...6)),
                    period: PublishPeriod(octet: UInt8(number(0...255)))
                )
            }
            return model
        }
        return Element(models: models)
    }
}
