import MeshCore

/// One virtual node: its configuration, its protocol stack, its radio and its faults.
struct SimulatedNode {
    /// Its description; nil if it came from a database.
    var description: DeviceDescription?
    /// The states of its foundation models.
    var state: NodeConfigurationState
    /// Its protocol stack, from the network layer to the access layer.
    var stack: MeshStack
    /// Sends its PDUs on the advertising bearer.
    var advertiser: Advertiser
    /// When what it is forwarding leaves; what it hears next does not leave before.
    var forwardsAt = Instant.zero
    /// How busy the air around it is.
    var load = AirLoad()
    /// Its faults.
    var faults = NodeFaults()
    /// Whether its links end after the answer that says its GATT proxy was switched off.
    var endsLinks = false
    /// The segmented answer under way after which the node ends its links or leaves the network.
    var lastAnswer: (identifier: TransmissionIdentifier, isReset: Bool)?
    /// When the wake event for its timers is due; nil if none is in the queue.
    var wakeAt: Instant?
    /// The last PDUs heard, octet by octet. Copies, and what two relays send alike, then need no decryption.
    var heard = RecentPDUs()

    /// When it stops drawing attention; nil if it does not draw attention.
    var attentionEnd: Instant?
    /// When it stops advertising with its Node Identity in a subnet.
    var identityEnds: [NetKeyIndex: Instant] = [:]
    /// When it stops advertising with its Private Node Identity in a subnet.
    var privateIdentityEnds: [NetKeyIndex: Instant] = [:]
    /// How many private beacons with a random value of their own it has made.
    var privateBeaconCount: UInt64 = 0
    /// Its Remote Provisioning Server. It does nothing unless the composition has the model.
    var remote = RemoteProvisioningModel()
    /// What its application models hold; nil as long as nobody has used them.
    var models: NodeModels?
    /// When the wake event for its application models is due; nil if none is in the queue.
    var modelWakeAt: Instant?
    /// The levels of its lamps that people nearby were told last; a lamp that is not listed was off.
    var toldLights: [Int: Int64] = [:]
    /// When its models publish by their period.
    var publicationsAt: [StatePublication: Instant] = [:]
    /// The DeviceKey that takes over with the first message under it.
    var deviceKeyCandidate: KeyMaterial?
    /// The messages that it forwarded between subnets, so that nobody can make it forward them again.
    var bridged = ReplayProtection()

    /// The device without a network.
    var device: DeviceDescription { description ?? state.derivedDescription }
    /// Whether it is in no network and has power.
    var isProvisionable: Bool { !state.isProvisioned && !faults.isOff }
    /// Whether it takes part in the network at all.
    var isAlive: Bool { state.isProvisioned && !faults.isOff }
    /// Whether it forwards PDUs that it hears on the advertising bearer.
    var isRelay: Bool { isAlive && state.relay == .enabled }
    /// Whether it forwards PDUs between links and the advertising bearer.
    var isProxy: Bool { isAlive && state.isGATTProxyOn }
    /// Whether it forwards PDUs between subnets.
    var isBridge: Bool {
        state.foundation.isSubnetBridgeEnabled && isAlive && state.hasPrimary(.bridgeConfigurationServer)
    }
}

/// The last few PDUs that a node heard.
struct RecentPDUs: Sendable {
    private static let capacity = 32
    /// A few octets of each PDU as a number. PDUs are obfuscated and encrypted, so this is as good as a hash.
    private var tags: [UInt64] = []
    private var pdus: [[UInt8]] = []
    private var oldest = 0

    /// Whether a PDU is remembered.
    func contains(_ pdu: [UInt8]) -> Bool { contains(pdu, Self.tag(of: pdu)) }

    private func contains(_ pdu: [UInt8], _ tag: UInt64) -> Bool {
        for index in tags.indices where tags[index] == tag && pdus[index] == pdu { return true }
        return false
    }

    private static func tag(of pdu: [UInt8]) -> UInt64 {
        var tag = UInt64(pdu.count)
        for index in 1..<max(min(pdu.count, 9), 1) { tag = tag << 8 ^ UInt64(pdu[index]) }
        return tag
    }

    /// Remembers a PDU; returns false if it was already remembered.
    mutating func insert(_ pdu: [UInt8]) -> Bool {
        let tag = Self.tag(of: pdu)
        guard !contains(pdu, tag) else { return false }
        if pdus.count < Self.capacity {
            tags.append(tag)
            pdus.append(pdu)
        } else {
            tags[oldest] = tag
            pdus[oldest] = pdu
            oldest = (oldest + 1) % Self.capacity
        }
        return true
    }
}

/// Events of a simulated world.
enum WorldEvent {
    /// A node hears a network PDU.
    case hear(node: Int, [UInt8])
    /// A node hears a secure network beacon or a mesh private beacon.
    case hearBeacon(node: Int, [UInt8])
    /// A node hands a PDU to its advertiser.
    case advertise(node: Int, [UInt8], TransmitParameters)
    /// A packet reaches the strangers, which are not simulated nodes.
    case leaveForStrangers(AirPacket)
    /// A timer of a node's stack is due.
    case wake(node: Int)
    /// A timer of a node's application models is due.
    case wakeModels(node: Int)
    /// A model of a node publishes its state by its period, unless its publication has changed.
    case publish(node: Int, StatePublication)
    /// A node sends a message that is no answer.
    case send(node: Int, OutgoingMessage)
    /// A node answers a request.
    case answer(node: Int, OutgoingMessage, thenReset: Bool)
    /// A node carries out a postponed Node Reset, unless that life is over.
    case lateReset(node: Int, life: KeyMaterial?)
    /// A node's Node Identity has been advertised for 60 s.
    case stopIdentity(node: Int, NetKeyIndex)
    /// A node's Private Node Identity has been advertised for 60 s.
    case stopPrivateIdentity(node: Int, NetKeyIndex)
    /// A device advertises to those who scan.
    case tick(AdvertisingTick)
    /// A node's attention timer may have expired.
    case endAttention(node: Int)
    /// A device sends a provisioning PDU.
    case sendProvisioning(LinkIdentifier, [UInt8])
    /// The timer of a provisioning session is due.
    case wakeProvisioning(LinkIdentifier)
    /// An event of Remote Provisioning.
    case remote(RemoteProvisioningEvent)
    /// The time for connecting is over.
    case connect(LinkIdentifier)
    /// A packet of the client reaches the proxy.
    case write(LinkIdentifier, [UInt8])
    /// A packet of the proxy reaches the client.
    case notify(LinkIdentifier, [UInt8])
    /// The proxy ends a link.
    case disconnect(LinkIdentifier, reason: String)
}
