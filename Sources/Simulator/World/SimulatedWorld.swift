package import Catalogue
package import MeshCore

/// A mesh network in a computer: virtual nodes that speak the whole protocol with each other and with a client, over a
/// simulated radio, in virtual time.
///
/// Nothing happens by itself: ``advance(to:)`` lets time pass, ``inject(_:on:)`` delivers what a client writes,
/// ``drain()`` returns the events for the client. The same network, settings, seed and inputs give the same octets. One
/// thread owns a world.
package final class SimulatedWorld {
    /// Stores the record of a change, before a node sends anything that reveals the change. Returns false if that
    /// failed; then the node stays silent.
    package typealias Recorder = (StateRecord) -> Bool

    /// The settings of the radio.
    package let settings: WorldSettings
    /// The present instant.
    package internal(set) var now: Instant = .zero
    /// Violations of the rules so far, as sentences, at most a thousand.
    package internal(set) var violations: [String] = []
    /// Counts of what happened so far, for people and benchmarks.
    package internal(set) var statistics = WorldStatistics()
    /// A digest of everything heard and notified, with its times; equal for equal runs.
    package internal(set) var traceHash: UInt64 = 0xCBF2_9CE4_8422_2325
    /// What people near the devices noticed, in order; keeps the last one or two thousand.
    package internal(set) var observations: [DeviceObservation] = []
    /// Called with each observation as it happens.
    package var onObservation: ((DeviceObservation) -> Void)?
    /// Called with each packet that strangers hear, as it is sent; see ``hear(_:)``. Without it there are no strangers.
    package var onAir: ((AirPacket) -> Void)?
    /// Called with each network PDU that a node hears for the first time, before the node acts on it.
    package var onHearing: ((HeardMessage) -> Void)?
    /// Called with each element whose model publishes a change of its states.
    package var onPublishing: ((_ uuid: DeviceUUID, _ element: Int, _ model: ModelIdentifier) -> Void)?
    /// Called with each heartbeat that reaches a node which it is for, with the number of its hops.
    package var onHeartbeat: ((_ uuid: DeviceUUID, _ source: UnicastAddress, _ hops: Int) -> Void)?
    /// From whom nodes will hear PDUs, if somebody follows messages.
    var senders: [PDUArrival: (node: Int, time: Instant)] = [:]

    /// Whether nodes share what they compute alike for a PDU. It saves work and changes nothing else.
    var sharesWork = true
    var nodes: [SimulatedNode] = []
    var positions: [DeviceUUID: Int] = [:]
    var owners: [UInt16: Int] = [:]
    var radio: RadioNeighbours
    /// Whether ``radio`` has yet to be worked out for all nodes; see ``audience(of:)``.
    var isRadioStale = false
    /// The nodes that have changed since ``radio`` was worked out.
    var changedStations: Set<Int> = []
    /// The answers of ``audience(of:)`` that still hold.
    var audiences: [Int: [RadioNeighbours.Neighbour]] = [:]
    /// The nodes that the client was connected to when those answers were found.
    var audienceGuests: [Int] = []
    /// Whether a link has changed since ``audienceGuests`` were found.
    var areGuestsStale = false
    /// The last PDUs that nodes heard.
    var heard = SharedRecency(members: 0, capacity: HeardPDU.capacity)
    /// The network message caches of all nodes.
    var caches = SharedRecency(members: 0, capacity: MeshStack.cacheCapacity)
    /// Whether the faults of some node ever made it lose more copies than others. If not, nobody looks.
    var isAnybodyLossy = false
    /// The places of the nodes; empty if the settings list the links.
    var places: [RadioPlace] = []
    /// The node that hops are counted from; nil if the settings list the links.
    var radioRoot: Int?
    /// The addresses of provisioners, with the provisioners' names.
    var provisionerAddresses: [(addresses: ClosedRange<UInt16>, name: String)] = []
    var queue = EventQueue<WorldEvent>()
    var generator: SeededGenerator
    /// Draws the secrets of devices. It is a separate generator, so that a provisioner with the same seed does not meet
    /// its own public key.
    var secretGenerator: SeededGenerator
    var links: [LinkIdentifier: ServedLink] = [:] { didSet { areGuestsStale = true } }
    /// The targets of links that are not open yet.
    var connecting: [LinkIdentifier: LinkTarget] = [:]
    var nextLink: UInt32 = 0
    var outbox: [BearerEvent] = []
    var scan: ScanState
    var audit: SequenceAudit
    var observer: NetworkObserver
    /// Identifies the commands of switches that were pressed.
    var pressCount: Int64 = 0
    /// The answer to the message that a node has just got without the radio; nil if it got none.
    var directAnswer: DirectAnswer?
    /// The newest IV index of any node.
    var newestIVIndex: UInt32 = 0
    /// How nodes advertise.
    let advertising: AdvertisingRules
    let schedules: KeySchedules
    let recorder: Recorder
    /// The models of companies that nodes simulate.
    let vendorModels: VendorModels
    var sequenceNumbers: NodeSequenceNumbers

    /// A world with devices and with the nodes of a network, except provisioners and excluded nodes.
    ///
    /// - Parameters:
    ///   - devices: the devices beside the nodes. The description of a node says what it is after a reset.
    ///   - state: the state from earlier runs. A node keeps it if it was provisioned here, or if its address and
    ///     DeviceKey still match the database; otherwise the database counts. A device always keeps it. What was
    ///     provisioned or reset here exists even if neither the network nor the devices name it any more.
    ///   - vendorModels: the models of companies that nodes with them simulate.
    ///   - recorder: stores changes; by default nobody does.
    package init(
        network: MeshNetwork,
        devices: [DeviceDescription] = [],
        settings: WorldSettings = .ideal,
        seed: UInt64,
        state: SimulatorState = SimulatorState(),
        vendorModels: [VendorModel] = [],
        recorder: @escaping Recorder = { _ in true }
    ) {
        self.settings = settings
        advertising = AdvertisingRules(settings)
        self.recorder = recorder
        self.vendorModels = VendorModels(vendorModels)
        generator = SeededGenerator(seed: seed)
        scan = ScanState(seed: seed)
        secretGenerator = SeededGenerator(seed: seed ^ 0xDE71_CE5E_C4E7_0001)
        schedules = KeySchedules()
        audit = SequenceAudit(used: state.used)
        observer = NetworkObserver(schedules: schedules)
        radio = RadioNeighbours(nodeCount: 0)
        sequenceNumbers = NodeSequenceNumbers(reservedEnds: state.reservations) { stream, end in
            recorder(.reservation(stream, end: end))
        }
        for key in network.netKeys {
            observer.learn(key.key)
            if let old = key.oldKey { observer.learn(old) }
        }
        populate(network, devices, state)
        heard = SharedRecency(members: nodes.count, capacity: HeardPDU.capacity)
        caches = SharedRecency(members: nodes.count, capacity: MeshStack.cacheCapacity)
        for node in nodes.indices { nodes[node].stack.shareCache(caches, member: node) }
        makeRadio(state: state)
    }

    /// When the next event happens; nil if never. Events that wait for ``drain()`` have already happened.
    package var nextEventTime: Instant? { queue.nextTime }

    /// Lets everything happen that is due until `time`, which becomes the present. Time never goes back.
    package func advance(to time: Instant) {
        while let (due, event) = queue.next(until: time) {
            now = max(now, due)
            handle(event)
        }
        now = max(now, time)
    }

    /// Returns and removes the events for the client, in order.
    package func drain() -> [BearerEvent] {
        defer { outbox.removeAll(keepingCapacity: true) }
        return outbox
    }

    private func handle(_ event: WorldEvent) {
        switch event {
        case .hear(let nodes, let pdu): hear(pdu, at: nodes)
        case .hearBeacon(let node, let beacon):
            guard nodes[node].isAlive, !nodes[node].faults.isDeaf else { return }
            carryOut(nodes[node].stack.receive(beacon: beacon, at: now), at: node, from: .air)
        case .advertise(let node, let pdu, let transmit): advertise(pdu, transmit, from: node)
        case .wake(let node): wake(node)
        case .leaveForStrangers(let packet): onAir?(packet)
        case .wakeModels(let node): wakeModels(node)
        case .publish(let node, let publication): publishByPeriod(publication, of: node)
        case .heartbeat(let node): sendPeriodicHeartbeat(of: node)
        case .heartbeatOfFeature(let node): sendHeartbeat(of: node)
        case .endHeartbeats(let node): endHeartbeatSubscription(of: node)
        case .send(let node, let message): answer(message, from: node, thenReset: false)
        case .answer(let node, let message, let thenReset): answer(message, from: node, thenReset: thenReset)
        case .lateReset(let node, let life):
            let state = nodes[node].state
            if state.isProvisioned, state.deviceKey == life { factoryReset(state.uuid) }
        case .stopIdentity(let node, let key): stopIdentity(of: node, key)
        case .stopPrivateIdentity(let node, let key): stopPrivateIdentity(of: node, key)
        case .endAttention(let node): endAttention(of: node)
        case .sendProvisioning(let link, let pdu): sendProvisioning(pdu, on: link)
        case .wakeProvisioning(let link): wakeProvisioning(link)
        case .tick(let tick): self.tick(tick)
        case .remote(let event): handle(event)
        case .connect(let link): finishConnecting(link)
        case .write(let link, let packet): receive(packet, on: link)
        case .notify(let link, let packet):
            guard links[link] != nil else { return }
            trace(packet, at: 0x1_0000 | Int(link.rawValue))
            outbox.append(.received(link, packet))
        case .disconnect(let link, let reason):
            guard links.removeValue(forKey: link) != nil else { return }
            outbox.append(.closed(link, BearerError(reason)))
        }
    }

    private func wake(_ node: Int) {
        guard nodes[node].wakeAt.map({ $0 <= now }) ?? false else { return }
        nodes[node].wakeAt = nil
        guard nodes[node].isAlive else { return }
        carryOut(nodes[node].stack.advance(to: now), at: node, from: .itself)
    }

    /// Schedules the wake event for a node's stack.
    func scheduleWake(_ node: Int) {
        if let time = nodes[node].planWake(at: now) { queue.add(.wake(node: node), at: time) }
    }

    /// Adds something that was heard to ``traceHash``.
    func trace(_ octets: [UInt8], at place: Int) { trace(SharedNetworkPDU(octets).digest, at: place) }

    /// Adds the digest of something that was heard to ``traceHash``.
    func trace(_ digest: UInt64, at place: Int) {
        var hash = traceHash
        Self.mix(UInt64(bitPattern: now.microseconds), into: &hash)
        Self.mix(UInt64(truncatingIfNeeded: place), into: &hash)
        Self.mix(digest, into: &hash)
        traceHash = hash
    }

    private static func mix(_ word: UInt64, into hash: inout UInt64) {
        hash = (hash ^ word) &* 0x0000_0100_0000_01B3
        hash ^= hash >> 29
    }

    /// Records a violation.
    func report(_ violation: String) {
        if violations.count < 1_000 { violations.append(violation) }
    }
}

/// Counts of events in a world.
package struct WorldStatistics: Hashable, Sendable {
    /// Network PDUs that nodes advertised; relayed ones count, copies do not.
    package var advertised = 0
    /// PDUs that reached a node over the air for the first time.
    package var heard = 0
    /// Receptions for which all copies were lost.
    package var lost = 0
    /// PDUs that found an advertising queue full.
    package var dropped = 0
    /// Packets that the client wrote.
    package var packetsFromClient = 0
    /// Packets that the client received.
    package var packetsToClient = 0
    /// Configuration requests that nodes acted on or refused.
    package var requests = 0
}
