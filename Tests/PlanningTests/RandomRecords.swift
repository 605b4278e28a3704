import DefinitionModel
import MeshCore
import TestSupport

/// Random records of networks as other tools and read-backs leave them: the networks of ``RandomCase`` with states of the
/// foundation models, bridging tables, heartbeats and publications to elements, and, unless they are to be sound, with
/// what no definition can say.
struct RandomRecords {
    private(set) var network: MeshNetwork
    private var random: SplitMix64
    private let isSound: Bool

    init(seed: UInt64, isSound: Bool) {
        network = RandomCase(seed: seed).network
        random = SplitMix64(seed: seed &* 31 &+ 7)
        self.isSound = isSound
        // As after an import: nobody has asked for anything yet.
        for place in network.netKeys.indices { network.netKeys[place].isManaged = false }
        for place in network.appKeys.indices { network.appKeys[place].isManaged = false }
        for place in network.groups.indices { network.groups[place].isManaged = false }
        network.pendingProvisionings = []
        for place in network.nodes.indices { change(place) }
        if random.chance(70) { addTwins() }
        if random.chance(50) { addOwnNode() }
        // In some networks hardly anything is wrong.
        if !isSound { spoil(random.chance(50) ? 1 : 10) }
    }

    private mutating func number(_ range: ClosedRange<UInt8>) -> UInt8 { .random(in: range, using: &random) }

    private mutating func change(_ place: Int) {
        var node = network.nodes[place]
        node.isManaged = false
        node.unprovisionedSeenAt = nil
        node.name = random.chance(50) ? "Lamp \(place)" : random.chance(50) ? "Küche, \u{1F4A1}" : "null"
        for element in node.elements.indices {
            for model in node.elements[element].models.indices {
                node.elements[element].models[model].managedBindings = []
                node.elements[element].models[model].managedSubscriptions = []
                node.elements[element].models[model].isPublicationManaged = false
            }
        }
        if node.isCompositionKnown {
            addFoundation(to: &node)
            publishToElements(&node)
        }
        network.nodes[place] = node
    }

    private mutating func addFoundation(to node: inout Node) {
        let models: [ModelIdentifier] = [
            .bridgeConfigurationServer, .privateBeaconServer, .onDemandPrivateProxyServer, .sarConfigurationServer,
        ]
        node.elements[0].models.append(Model(identifier: .configurationServer))
        for model in random.some(of: models, 70) { node.elements[0].models.append(Model(identifier: model)) }
        let subnet = node.netKeys[0].index
        var states: [FoundationState] = [heartbeatPublication(of: node), heartbeatSubscription(of: node)]
        states.append(.nodeIdentity(subnet, .stopped))
        if node.hasPrimary(.sarConfigurationServer) {
            var transmitter = SARTransmitterState.standard
            transmitter.segmentIntervalStep = number(0...15)
            transmitter.unicastRetransmissionsIntervalIncrement = number(0...15)
            var receiver = SARReceiverState.standard
            receiver.discardTimeout = number(0...15)
            states += [.sarTransmitter(transmitter), .sarReceiver(receiver)]
        }
        if node.hasPrimary(.privateBeaconServer) {
            let steps = random.chance(50) ? number(0...255) : nil
            let state = PrivateBeaconState(isEnabled: random.chance(50), randomUpdateIntervalSteps: steps)
            states += [.privateBeacon(state), .privateNodeIdentity(subnet, .stopped)]
            states.append(.privateGATTProxy(node.features.proxy == .disabled ? .enabled : .disabled))
        }
        if node.hasPrimary(.onDemandPrivateProxyServer) {
            states.append(.onDemandPrivateProxy(seconds: random.chance(50) ? 0 : number(1...255)))
        }
        if node.hasPrimary(.bridgeConfigurationServer) {
            states.append(.subnetBridge(random.chance(50)))
            node.bridgingTable = bridges(of: node)
        }
        for state in random.some(of: states, 70) { node.record(state) }
    }

    private mutating func heartbeatPublication(of node: Node) -> FoundationState {
        let subnet = node.netKeys.randomElement(using: &random)?.index ?? .primary
        if random.chance(30) { return .heartbeatPublication(.off(netKeyIndex: subnet)) }
        let isPeriodic = random.chance(70)
        let counts = [HeartbeatPublicationCountLog.endless, HeartbeatPublicationCountLog(rawValue: number(1...17))]
        let destinations = [Address(rawValue: 0xC000), Address(rawValue: 0xC123), Address(rawValue: 0xFFFE)]
        return .heartbeatPublication(
            HeartbeatPublication(
                destination: element() ?? destinations.randomElement(using: &random) ?? .unassigned,
                countLog: isPeriodic ? counts.randomElement(using: &random) ?? nil : .off,
                periodLog: isPeriodic ? HeartbeatPeriodLog(rawValue: number(1...17)) ?? .off : .off,
                ttl: number(0...127),
                features: isPeriodic && random.chance(50) ? [] : [.relay, .lowPower],
                netKeyIndex: subnet
            )
        )
    }

    private mutating func heartbeatSubscription(of node: Node) -> FoundationState {
        guard random.chance(70), let source = element() else { return .heartbeatSubscription(.off) }
        return .heartbeatSubscription(
            HeartbeatSubscription(
                source: UnicastAddress(rawValue: source.rawValue),
                destination: random.chance(50) ? node.unicastAddress.address : Address(rawValue: 0xC002),
                periodLog: HeartbeatPeriodLog(rawValue: number(1...17))
            )
        )
    }

    private mutating func bridges(of node: Node) -> [BridgingTableEntry]? {
        guard node.netKeys.count > 1 else { return random.chance(50) ? [] : nil }
        let subnets = NetKeyIndexPair(first: node.netKeys[0].index, second: node.netKeys[1].index)
        var entries: Set<BridgingTableEntry> = []
        for low in 0..<UInt16(number(0...2)) {
            guard let first = UnicastAddress(rawValue: 0x0010 + low) else { continue }
            let isGroup = random.chance(50)
            let addresses = BridgedAddresses(
                first: first,
                second: Address(rawValue: isGroup ? 0xC000 : 0x0020),
                directions: isGroup || random.chance(50) ? .oneWay : .bothWays
            )
            entries.insert(BridgingTableEntry(subnets: subnets, addresses: addresses))
        }
        return entries.sorted()
    }

    /// The address of some element, of our own provisioner, or of nobody.
    private mutating func element() -> Address? {
        guard random.chance(60) else { return nil }
        if random.chance(20) { return Address(rawValue: random.chance(50) ? 0x0001 : 0x7ABC) }
        return network.nodes.randomElement(using: &random).map { node in
            Address(rawValue: UInt16.random(in: node.addresses, using: &random))
        }
    }

    private mutating func publishToElements(_ node: inout Node) {
        for element in node.elements.indices {
            for place in node.elements[element].models.indices {
                guard let address = self.element(), let unicast = UnicastAddress(rawValue: address.rawValue),
                    node.elements[element].models[place].publication != nil
                else { continue }
                node.elements[element].models[place].publication?.address = .unicast(unicast)
                node.elements[element].models[place].publication?.retransmit = PublishRetransmit(octet: number(0...255))
                node.elements[element].models[place].publication?.usesFriendshipCredentials = random.chance(50)
            }
        }
    }

    /// Nodes that are nearly as one that is there.
    private mutating func addTwins() {
        guard let original = network.nodes.randomElement(using: &random) else { return }
        for low in 0..<UInt16(number(2...8)) {
            guard let address = UnicastAddress(rawValue: 0x0100 + low * 0x10) else { continue }
            var twin = original
            twin.uuid = DeviceUUID(rawValue: Octets16(high: 3, low: UInt64(low)))
            twin.name = random.chance(80) ? "Lamp \(low)" : original.name
            twin.unicastAddress = address
            twin.states = (random.chance(90) ? twin.states : random.some(of: twin.states)).map { state in
                guard case .heartbeatSubscription(var heartbeat) = state, heartbeat.destination.kind == .unicast else {
                    return state
                }
                heartbeat.destination = address.address
                return .heartbeatSubscription(heartbeat)
            }
            if random.chance(20) { twin.defaultTTL = UInt8(number(2...9)) }
            if random.chance(10) { twin.defaultTTL = nil }
            if random.chance(10), twin.bridgingTable != nil { twin.bridgingTable = [] }
            for element in twin.elements.indices {
                for place in twin.elements[element].models.indices {
                    var model = twin.elements[element].models[place]
                    if random.chance(20) { model.subscriptions = random.some(of: network.groups.map(\.address)) }
                    if random.chance(10) { model.bindings = random.some(of: twin.appKeys.map(\.index)).sorted() }
                    if random.chance(20) { model.publication = nil }
                    if random.chance(10), let key = model.bindings.first {
                        model.publication = Publication(address: .group(.allRelays), appKeyIndex: key, ttl: 3)
                    }
                    if let key = model.publication?.appKeyIndex, !model.bindings.contains(key) {
                        model.publication = nil
                    }
                    // The foundation has no groups and keys.
                    if ModelCatalogue.model(model.identifier)?.supportsSubscription == false {
                        model.subscriptions = []
                    }
                    if ModelCatalogue.model(model.identifier)?.supportsAppKeyBinding == false {
                        model.bindings = []
                        model.publication = nil
                    }
                    if ModelCatalogue.model(model.identifier)?.supportsPublication == false { model.publication = nil }
                    twin.elements[element].models[place] = model
                }
            }
            network.nodes.append(twin)
        }
        network.nodes.sort { $0.unicastAddress < $1.unicastAddress }
    }

    private mutating func addOwnNode() {
        guard let address = UnicastAddress(rawValue: 0x0001) else { return }
        network.nodes.insert(
            Node(
                uuid: network.ownProvisioner,
                name: "we",
                unicastAddress: address,
                deviceKey: RandomCase.key(),
                elements: [Element(models: [Model(identifier: .configurationClient)])]
            ),
            at: 0
        )
    }

    // MARK: What no definition can say

    private mutating func spoil(_ chance: Int) {
        for place in network.nodes.indices where network.nodes[place].uuid != network.ownProvisioner {
            if random.chance(chance) { network.nodes[place].isExcluded = true }
            if random.chance(chance) { network.nodes[place].deviceKey = nil }
            if random.chance(chance) { network.nodes[place].defaultTTL = 1 }
            if random.chance(chance), let key = AppKeyIndex(rawValue: 99) {
                network.nodes[place].appKeys.append(NodeKey(index: key))
            }
            if random.chance(chance), let key = NetKeyIndex(rawValue: 99) {
                network.nodes[place].netKeys.append(NodeKey(index: key))
                network.nodes[place].record(.nodeIdentity(key, .stopped))
            }
            if random.chance(chance) { network.nodes[place].record(.onDemandPrivateProxy(seconds: 3)) }
            if random.chance(chance) { network.nodes[place].bridgingTable = [] }
            if random.chance(2 * chance) { spoilHeartbeats(place) }
            for element in network.nodes[place].elements.indices {
                for position in network.nodes[place].elements[element].models.indices {
                    var model = network.nodes[place].elements[element].models[position]
                    spoil(&model, chance)
                    network.nodes[place].elements[element].models[position] = model
                }
            }
        }
        for place in network.groups.indices where random.chance(2 * chance) {
            network.groups[place].parent = GroupAddress(rawValue: 0xC0FF).map { .group($0) }
        }
        if random.chance(3 * chance) { network.groups.removeAll { _ in random.chance(50) } }
        if random.chance(2 * chance), let node = network.nodes.last {
            network.provisioners.append(Provisioner(name: "they", uuid: node.uuid, unicastRanges: []))
        }
    }

    private mutating func spoilHeartbeats(_ place: Int) {
        guard let source = UnicastAddress(rawValue: 0x0010) else { return }
        var publication = HeartbeatPublication.off(netKeyIndex: .primary)
        publication.destination = Address(rawValue: 0xC000)
        publication.countLog = random.chance(50) ? nil : .endless
        network.nodes[place].record(.heartbeatPublication(publication))
        network.nodes[place].record(
            .heartbeatSubscription(
                HeartbeatSubscription(
                    source: source,
                    destination: Address(rawValue: random.chance(50) ? 0xC000 : 0x0666),
                    periodLog: random.chance(50) ? nil : .off
                )
            )
        )
    }

    private mutating func spoil(_ model: inout Model, _ chance: Int) {
        if random.chance(chance), let key = AppKeyIndex(rawValue: UInt16(number(0...99))) {
            model.bindings = Set(model.bindings + [key]).sorted()
        }
        if random.chance(chance), let virtual = VirtualAddress(rawValue: 0x8123) {
            model.subscriptions = Set(model.subscriptions + [.unknownLabel(virtual)]).sorted()
        }
        if random.chance(chance), let group = GroupAddress(rawValue: random.chance(50) ? 0xC777 : 0xFF10) {
            model.subscriptions = Set(model.subscriptions + [.group(group)]).sorted()
        }
        if random.chance(chance) { model.subscriptions = Set(model.subscriptions + [.virtual(label)]).sorted() }
        guard random.chance(2 * chance), let key = AppKeyIndex(rawValue: UInt16(number(0...8))) else { return }
        let addresses: [PublishAddress?] = [
            VirtualAddress(rawValue: 0x8123).map { .unknownLabel($0) }, .virtual(label),
            GroupAddress(rawValue: 0xFF10).map { .group($0) }, GroupAddress(rawValue: 0xC555).map { .group($0) },
        ]
        guard let address = addresses.randomElement(using: &random) ?? nil else { return }
        model.publication = Publication(address: address, appKeyIndex: key)
    }

    private var label: LabelUUID { LabelUUID(rawValue: Octets16(high: 5, low: 5)) }
}
