import MeshCore

/// One virtual node: what it is configured to, its protocol stack, its radio and what is wrong with it.
struct SimulatedNode {
    /// What it was described as, nil if it came from a database.
    var description: DeviceDescription?
    /// The states of its foundation models.
    var state: NodeConfigurationState
    /// Network to access layer.
    var stack: MeshStack
    /// What sends its PDUs on the advertising bearer.
    var advertiser: Advertiser
    /// How busy the air around it is.
    var load = AirLoad()
    /// What is wrong with it.
    var faults = NodeFaults()
    /// Whether its GATT proxy was switched off and its links end with the answer that says so.
    var endsLinks = false
    /// The answer after which it ends its links, or leaves the network, while its segments are under way.
    var lastAnswer: (identifier: TransmissionIdentifier, isReset: Bool)?
    /// When a wake event for its timers waits in the queue.
    var wakeAt: Instant?
    /// The PDUs heard last, octet by octet: copies and what two relays send alike cost no decryption.
    var heard = RecentPDUs()

    /// When it draws attention no longer; nil if it does not.
    var attentionEnd: Instant?
    /// When it ceases to advertise with its Node Identity in a subnet.
    var identityEnds: [NetKeyIndex: Instant] = [:]
    /// When it ceases to advertise with its Private Node Identity in a subnet.
    var privateIdentityEnds: [NetKeyIndex: Instant] = [:]
    /// How many private beacons it made that each have a random of their own.
    var privateBeaconCount: UInt64 = 0
    /// Its Remote Provisioning Server, which does nothing unless its composition has the model.
    var remote = RemoteProvisioningModel()
    /// The DeviceKey that takes over with the first message under it.
    var deviceKeyCandidate: KeyMaterial?
    /// What it sent from one subnet into another, lest somebody else makes it do so again.
    var bridged = ReplayProtection()

    /// What it is as a device without a network.
    var device: DeviceDescription { description ?? state.derivedDescription }
    /// Whether it is in no network and has power.
    var isProvisionable: Bool { !state.isProvisioned && !faults.isOff }
    /// Whether it takes part in the network at all.
    var isAlive: Bool { state.isProvisioned && !faults.isOff }
    /// Whether it forwards what it hears on the advertising bearer.
    var isRelay: Bool { isAlive && state.relay == .enabled }
    /// Whether it forwards between links and the advertising bearer.
    var isProxy: Bool { isAlive && state.isGATTProxyOn }
    /// Whether it forwards from one subnet into another.
    var isBridge: Bool {
        state.foundation.isSubnetBridgeEnabled && isAlive && state.hasPrimary(.bridgeConfigurationServer)
    }
}

/// A few of the last PDUs a node heard.
struct RecentPDUs: Sendable {
    private static let capacity = 32
    /// A few octets of each PDU as a number, obfuscated and encrypted and so as good as a hash.
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

    /// Remembers a PDU; false if it is remembered already.
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

/// What happens in a simulated world.
enum WorldEvent {
    /// A node hears a network PDU.
    case hear(node: Int, [UInt8])
    /// A node hears a secure network beacon or a mesh private beacon.
    case hearBeacon(node: Int, [UInt8])
    /// A node hands a PDU to its advertiser.
    case advertise(node: Int, [UInt8], TransmitParameters)
    /// What is sent reaches those who are no simulated nodes.
    case leaveForStrangers(AirPacket)
    /// A timer of a node's stack ends.
    case wake(node: Int)
    /// A node answers a request.
    case answer(node: Int, OutgoingMessage, thenReset: Bool)
    /// A node does at last what Node Reset told it to do, unless that life is over.
    case lateReset(node: Int, life: KeyMaterial?)
    /// A node's Node Identity has been advertised for 60 s.
    case stopIdentity(node: Int, NetKeyIndex)
    /// A node's Private Node Identity has been advertised for 60 s.
    case stopPrivateIdentity(node: Int, NetKeyIndex)
    /// A device advertises to those who scan.
    case tick(AdvertisingTick)
    /// A node's attention timer may have run down.
    case endAttention(node: Int)
    /// A device's provisioning PDU leaves it.
    case sendProvisioning(LinkIdentifier, [UInt8])
    /// The timer of a provisioning session ends.
    case wakeProvisioning(LinkIdentifier)
    /// Something of Remote Provisioning.
    case remote(RemoteProvisioningEvent)
    /// Connecting takes no longer.
    case connect(LinkIdentifier)
    /// A packet of the client reaches the proxy.
    case write(LinkIdentifier, [UInt8])
    /// A packet of the proxy reaches the client.
    case notify(LinkIdentifier, [UInt8])
    /// The proxy ends a link.
    case disconnect(LinkIdentifier, reason: String)
}
