import DefinitionModel
import MeshCore

extension RandomCase {
    mutating func makeDefinition() {
        for (position, key) in network.netKeys.enumerated() where random.chance(80) || position == 0 {
            // Some match by index and have a new name, others match by name.
            definition.subnets.append(
                random.chance(50)
                    ? SubnetDefinition(name: located("net-\(position)"), index: located(key.index))
                    : SubnetDefinition(name: located(key.name))
            )
        }
        if random.chance(30) { definition.subnets.append(SubnetDefinition(name: located("new-net"))) }
        makeKeysAndGroups()
        let others = network.nodes.filter { $0.uuid != network.ownProvisioner }
        let included = others.enumerated().filter { isReachable && $0.offset == 0 || random.chance(80) }.map(\.element)
        let devices = (0..<(isReachable ? 0 : number(0...2))).map {
            DeviceUUID(rawValue: Octets16(high: 2, low: UInt64($0)))
        }
        nodeNames = included.map { "my-\($0.name)" } + devices.indices.map { "my-device-\($0)" }
        for number in 0..<Int(number(0...2)) {
            definition.profiles.append(
                ProfileDefinition(name: located("profile-\(number)"), settings: makeSettings())
            )
        }
        makeDefaults()
        for node in included { makeNodeDefinition(node.uuid, name: node.name) }
        for (number, uuid) in devices.enumerated() { makeDevice(uuid, number: UInt16(number)) }
        makeRules()
        renameSome()
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

    /// Adds a device to be provisioned, sometimes one that was tried before.
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
        addStates(to: &entry.settings, of: network.nodes.first { $0.uuid == uuid })
        entry.profile = definition.profiles.randomElement(using: &random)?.name
        if random.chance(50) { entry.tags["room"] = located(random.chance(50) ? "kitchen" : "hall") }
        if random.chance(30) { entry.isProtected = located(random.chance(50)) }
        if random.chance(30) { entry.removalPolicy = located(random.chance(50) ? .reset : .forget) }
        if isReachable, definition.nodes.isEmpty { keepCarrying(&entry) }
        definition.nodes.append(entry)
    }

    mutating func makeSettings() -> NodeSettings {
        var settings = NodeSettings()
        let keyNames = definition.applicationKeys.map(\.name)
        if random.chance(30) { settings.applicationKeys = located(random.some(of: keyNames)) }
        if !isReachable, random.chance(30) {
            settings.subnets = located(random.some(of: definition.subnets.map(\.name), 90))
        }
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
            // The selector may be empty, because no node may be in such a room.
            selector.mayBeEmpty = true
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
            selector.mayBeEmpty = true
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
