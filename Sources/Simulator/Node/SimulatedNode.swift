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
    /// How long one channel was busy at its place, with what it sent and what its neighbours sent; in microseconds.
    var airtime: Int64 = 0
    var faults = NodeFaults()
    /// Whether its links end after the answer that says its GATT proxy was switched off.
    var endsLinks = false
    /// The segmented answer under way after which the node ends its links or leaves the network.
    var lastAnswer: (identifier: TransmissionIdentifier, isReset: Bool)?
    /// When the wake event for its timers is due; nil if none is in the queue.
    var wakeAt: Instant?
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
    /// When it sends its next periodic heartbeat; nil for never.
    var heartbeatAt: Instant?
    /// Until when it counts the heartbeats of its subscription; nil if it counts none.
    var heartbeatsUntil: Instant?
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

/// What happens for every PDU on air. These are mutating, although some change nothing, because a call that does not
/// mutate would first copy the node. For the same reason they look at stored values only.
extension SimulatedNode {
    /// Hears a PDU over the air, and lets the network layer handle it. A node that has more to do with PDUs for others
    /// than to relay them takes the long way.
    ///
    /// - Parameters:
    ///   - node: the number of the node.
    ///   - heard: what the nodes have heard.
    ///   - isShared: whether nodes share what they compute alike.
    /// - Returns: what is left to do; nil if the node cannot hear, or has heard the PDU before.
    mutating func hear(
        _ pdu: SharedNetworkPDU,
        _ news: inout HeardPDU,
        _ node: Int,
        in heard: SharedRecency,
        _ isShared: Bool
    ) -> SharedPassage? {
        guard state.isProvisioned, !faults.isOff, !faults.isDeaf, news.reach(node, in: heard) else { return nil }
        guard isShared, !state.foundation.isSubnetBridgeEnabled || !isBridge, remote.underWay.isEmpty else {
            return .arrival
        }
        return stack.pass(pdu)
    }

    mutating func canSend() -> Bool { state.isProvisioned && !faults.isOff && !faults.isMute }

    /// When a PDU leaves that the node forwards, and whether it forwards PDUs on the advertising bearer and to links;
    /// nil if it does not send.
    mutating func prepareRelay(
        at now: Instant,
        _ turnaround: ClosedRange<Int64>,
        using generator: inout SeededGenerator
    ) -> (time: Instant, isRelay: Bool, isProxy: Bool)? {
        guard canSend() else { return nil }
        let time = Instant(microseconds: now.microseconds + generator.microseconds(in: turnaround))
        forwardsAt = max(time, forwardsAt)
        return (forwardsAt, state.relay == .enabled, state.isGATTProxyOn)
    }

    /// Whether it forwards PDUs between subnets.
    mutating func isBridging() -> Bool { state.foundation.isSubnetBridgeEnabled && isBridge }

    /// Whether its Remote Provisioning Server waits for the end of transmissions.
    mutating func awaitsTransmissions() -> Bool { !remote.underWay.isEmpty }

    /// Plans the wake event for its stack: when to add it to the queue; nil if there already is one in time, or nothing
    /// to wake for.
    mutating func planWake(at now: Instant) -> Instant? {
        guard let deadline = stack.nextDeadline, deadline != .distantFuture else { return nil }
        if let planned = wakeAt, planned <= deadline { return nil }
        wakeAt = max(deadline, now)
        return wakeAt
    }
}

/// Events of a simulated world.
enum WorldEvent {
    /// Nodes hear a network PDU, one after the other.
    case hear(nodes: [Int], SharedNetworkPDU)
    /// A node hears a secure network beacon or a mesh private beacon.
    case hearBeacon(node: Int, [UInt8])
    case advertise(node: Int, SharedNetworkPDU, TransmitParameters)
    /// A packet reaches the strangers, which are not simulated nodes.
    case leaveForStrangers(AirPacket)
    /// A timer of a node's stack is due.
    case wake(node: Int)
    /// A timer of a node's application models is due.
    case wakeModels(node: Int)
    /// A model of a node publishes its state by its period, unless its publication has changed.
    case publish(node: Int, StatePublication)
    /// A node's periodic heartbeat may be due.
    case heartbeat(node: Int)
    /// A node sends a heartbeat because a feature was switched.
    case heartbeatOfFeature(node: Int)
    /// A node may have counted heartbeats for as long as it should.
    case endHeartbeats(node: Int)
    case send(node: Int, OutgoingMessage)
    case answer(node: Int, OutgoingMessage, thenReset: Bool)
    /// A node carries out a postponed Node Reset, unless that life is over.
    case lateReset(node: Int, life: KeyMaterial?)
    /// A node's Node Identity has been advertised for 60 s.
    case stopIdentity(node: Int, NetKeyIndex)
    /// A node's Private Node Identity has been advertised for 60 s.
    case stopPrivateIdentity(node: Int, NetKeyIndex)
    case tick(AdvertisingTick)
    /// A node's attention timer may have expired.
    case endAttention(node: Int)
    case sendProvisioning(LinkIdentifier, [UInt8])
    /// The timer of a provisioning session is due.
    case wakeProvisioning(LinkIdentifier)
    case remote(RemoteProvisioningEvent)
    case connect(LinkIdentifier)
    /// A packet of the client reaches the proxy.
    case write(LinkIdentifier, [UInt8])
    /// A packet of the proxy reaches the client.
    case notify(LinkIdentifier, [UInt8])
    case disconnect(LinkIdentifier, reason: String)
}
