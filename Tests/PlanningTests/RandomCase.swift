import MeshCore
import TestSupport

/// A small network and a definition for it, both made from a seed: consistent records, and definitions that mix what
/// the network has with what it has not.
struct RandomCase {
    private(set) var network: MeshNetwork
    private(set) var definition: Definition
    /// What devices and nodes are made of of which the network does not know it.
    private(set) var compositions: [DeviceUUID: Composition] = [:]
    /// The names that nodes of the definition will have, devices included.
    private var nodeNames: [String] = []

    private var random: SplitMix64
    private static let place = SourceLocation(file: 0, line: 1, column: 1)
    private static let models: [ModelIdentifier] = [
        .sig(0x1000), .sig(0x1001), .sig(0x1002), .vendor(company: 0x59, model: 1),
    ]

    init(seed: UInt64) {
        random = SplitMix64(seed: seed)
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

    /// What earlier definitions have asked for.
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

    static func key() -> KeyMaterial { KeyMaterial(Octets16(high: 7, low: 7)) }

    private func located<Value>(_ value: Value) -> Located<Value> { Located(value, at: Self.place) }

    private mutating func number(_ range: ClosedRange<UInt16>) -> UInt16 { .random(in: range, using: &random) }

    // The network.

    private mutating func makeNetwork() {
        network.netKeys = (0...number(0...2)).compactMap { NetKeyIndex(rawValue: $0) }
            .map { NetKey(index: $0, name: "subnet-\($0)", key: Self.key()) }
        for value in 0..<number(0...4) {
            guard let index = AppKeyIndex(rawValue: value * 2),
                let netKey = network.netKeys.randomElement(using: &random)
            else { continue }
            network.appKeys.append(
                AppKey(index: index, name: "key-\(index)", boundNetKey: netKey.index, key: Self.key())
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
    }

    private mutating func makeNode(_ value: UInt16) -> Node? {
        guard let address = UnicastAddress(rawValue: value * 0x10) else { return nil }
        var netKeys = random.some(of: network.netKeys.map(\.index), 60)
        if netKeys.isEmpty { netKeys = [network.netKeys[0].index] }
        let appKeys = random.some(of: network.appKeys.filter { netKeys.contains($0.boundNetKey) }, 60).map(\.index)
        var node = Node(
            uuid: DeviceUUID(rawValue: Octets16(high: 1, low: UInt64(value))),
            name: "node-\(value)",
            unicastAddress: address,
            deviceKey: Self.key(),
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
        if random.chance(15) {
            compositions[node.uuid] = composition(node.elements, node.features)
            node.elements = random.chance(50) ? [] : node.elements.map { _ in Element() }
        } else if random.chance(10) {
            compositions[node.uuid] = composition(node.elements, node.features)
            node.unprovisionedSeenAt = Timestamp(rawValue: 1)
        }
        return node
    }

    private func composition(_ elements: [Element], _ features: Node.Features) -> Composition {
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
                CompositionElement(location: 0, models: [.configurationServer] + element.models.map(\.identifier))
            }
        )
    }

    private mutating func feature() -> FeatureState? {
        [.disabled, .disabled, .enabled, .enabled, nil, .disabled, .enabled, .notSupported].randomElement(
            using: &random
        ) ?? nil
    }

    private mutating func makeElement(_ appKeys: [AppKeyIndex]) -> Element {
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

    // The definition.

    private mutating func makeDefinition() {
        for (position, key) in network.netKeys.enumerated() where random.chance(80) || position == 0 {
            // Matched by index under a name of its own, or by name.
            definition.subnets.append(
                random.chance(50)
                    ? SubnetDefinition(name: located("net-\(position)"), index: located(key.index))
                    : SubnetDefinition(name: located(key.name))
            )
        }
        if random.chance(30) { definition.subnets.append(SubnetDefinition(name: located("new-net"))) }
        makeKeysAndGroups()
        let included = network.nodes.filter { _ in random.chance(80) }
        let devices = (0..<number(0...2)).map { DeviceUUID(rawValue: Octets16(high: 2, low: UInt64($0))) }
        nodeNames = included.map { "my-\($0.name)" } + devices.indices.map { "my-device-\($0)" }
        for number in 0..<Int(number(0...2)) {
            definition.profiles.append(
                ProfileDefinition(name: located("profile-\(number)"), settings: makeSettings())
            )
        }
        for node in included { makeNodeDefinition(node.uuid, name: node.name) }
        for (number, uuid) in devices.enumerated() { makeDevice(uuid, number: UInt16(number)) }
        makeRules()
    }

    private mutating func makeKeysAndGroups() {
        for key in network.appKeys where random.chance(80) {
            guard let place = network.netKeys.firstIndex(where: { $0.index == key.boundNetKey }),
                let subnet = definition.subnets.first(where: {
                    $0.index?.value == key.boundNetKey || $0.name.value == network.netKeys[place].name
                })
            else { continue }
            definition.applicationKeys.append(
                ApplicationKeyDefinition(name: located(key.name), subnet: subnet.name)
            )
        }
        if random.chance(50), let subnet = definition.subnets.randomElement(using: &random) {
            definition.applicationKeys.append(
                ApplicationKeyDefinition(name: located("new-key"), subnet: subnet.name)
            )
        }
        for group in network.groups where random.chance(80) {
            definition.groups.append(
                random.chance(50)
                    ? GroupDefinition(name: located("my-\(group.name)"), address: located(group.address))
                    : GroupDefinition(name: located(group.name))
            )
        }
        if random.chance(60) {
            let parent = definition.groups.randomElement(using: &random)?.name
            definition.groups.append(GroupDefinition(name: located("new-group"), parent: parent))
        }
    }

    /// A device that is to be provisioned, sometimes once more.
    private mutating func makeDevice(_ uuid: DeviceUUID, number value: UInt16) {
        let elements = (0..<(random.chance(80) ? 2 : 1)).map { _ in makeElement([]) }
        compositions[uuid] = composition(
            elements,
            Node.Features(relay: feature(), proxy: feature(), friend: feature())
        )
        let isFixed = random.chance(30)
        if !isFixed, random.chance(20), let address = UnicastAddress(rawValue: 0x60 + value * 8) {
            network.recordAttempt(
                PendingProvisioning(
                    uuid: uuid,
                    name: "device-\(value)",
                    address: address,
                    elementCount: UInt8(number(1...3)),
                    deviceKeys: [Self.key()],
                    netKeyIndex: network.netKeys[0].index,
                    isSecurelyProvisioned: false,
                    attemptedAt: Timestamp(rawValue: 1)
                )
            )
        }
        makeNodeDefinition(uuid, name: "device-\(value)")
        if isFixed, let address = UnicastAddress(rawValue: 0x80 + value * 8) {
            definition.nodes[definition.nodes.count - 1].address = located(address)
        }
    }

    private mutating func makeNodeDefinition(_ uuid: DeviceUUID, name: String) {
        var entry = NodeDefinition(name: located("my-\(name)"), uuid: located(uuid))
        entry.settings = makeSettings()
        entry.profile = definition.profiles.randomElement(using: &random)?.name
        if random.chance(50) { entry.tags["room"] = located(random.chance(50) ? "kitchen" : "hall") }
        if random.chance(30) { entry.isProtected = located(random.chance(50)) }
        if random.chance(30) { entry.removalPolicy = located(random.chance(50) ? .reset : .forget) }
        definition.nodes.append(entry)
    }

    private mutating func makeSettings() -> NodeSettings {
        var settings = NodeSettings()
        let keyNames = definition.applicationKeys.map(\.name)
        if random.chance(30) { settings.applicationKeys = located(random.some(of: keyNames)) }
        if random.chance(30) { settings.subnets = located(random.some(of: definition.subnets.map(\.name), 90)) }
        if random.chance(50) { settings.defaultTTL = located(UInt8(number(4...6))) }
        if random.chance(50) { settings.relay = located(random.chance(50)) }
        if random.chance(30) { settings.proxy = located(random.chance(50)) }
        if random.chance(30) { settings.friend = located(random.chance(50)) }
        if random.chance(30) { settings.secureNetworkBeacon = located(random.chance(50)) }
        if random.chance(30) { settings.networkTransmit = located(TransmitParameters(octet: UInt8(number(0...9)))) }
        if settings.relay != nil, random.chance(50) {
            settings.relayRetransmit = located(TransmitParameters(octet: UInt8(number(0...9))))
        }
        for element in UInt8(0)...1 where random.chance(50) {
            settings.elements[element] = ElementDefinition(
                location: Self.place,
                models: random.some(of: Self.models, 40).map { makeModel($0) }
            )
        }
        return settings
    }

    private mutating func makeModel(_ identifier: ModelIdentifier) -> ModelDefinition {
        var model = ModelDefinition(identifier: located(identifier))
        let keys = definition.applicationKeys.map(\.name)
        if random.chance(60) { model.keys = located(random.some(of: keys)) }
        if random.chance(60) { model.subscribe = located(random.some(of: definition.groups.map(\.name))) }
        guard random.chance(40) else { return model }
        if random.chance(30) {
            model.publish = located(nil)
        } else if let key = (model.keys?.value ?? keys).randomElement(using: &random) {
            model.publish = located(makePublication(key))
        }
        return model
    }

    private mutating func makePublication(_ key: Located<String>) -> PublishSettings {
        var target = PublishTarget.name("all-relays")
        if let group = definition.groups.randomElement(using: &random) { target = .name(group.name.value) }
        if let node = nodeNames.randomElement(using: &random), random.chance(40) {
            target = random.chance(70) ? .name(node) : .element(node: node, index: 0)
        }
        var settings = PublishSettings(target: located(target))
        settings.key = key
        if random.chance(50) { settings.ttl = located(UInt8(number(2...6))) }
        if random.chance(50) { settings.retransmit = located(PublishRetransmit(octet: UInt8(number(0...255)))) }
        return settings
    }

    private mutating func makeRules() {
        if random.chance(50), !definition.groups.isEmpty {
            var selector = NodeSelector(location: Self.place)
            if random.chance(70) { selector.tags["room"] = located("k*") }
            definition.subscriptions.append(
                SubscriptionDefinition(
                    groups: random.some(of: definition.groups.map(\.name), 70),
                    models: random.some(of: Self.models, 60).map { located($0) },
                    nodes: selector,
                    location: Self.place
                )
            )
        }
        if random.chance(30), let key = definition.applicationKeys.randomElement(using: &random)?.name {
            var selector = NodeSelector(location: Self.place)
            selector.tags["room"] = located("hall")
            definition.publications.append(
                PublicationDefinition(
                    nodes: selector,
                    model: located(.sig(0x1001)),
                    settings: makePublication(key),
                    location: Self.place
                )
            )
        }
    }
}
