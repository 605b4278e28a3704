package import MeshCore

/// A mesh network in a computer: virtual nodes that speak the whole protocol to each other and to a client, through a
/// modelled radio, in virtual time.
///
/// Nothing happens by itself: ``advance(to:)`` lets time pass, ``inject(_:on:)`` brings in what a client writes,
/// ``drain()`` takes out what it is notified of. The same network, settings, seed and inputs give the same outcome to
/// the octet. One thread owns a world.
package final class SimulatedWorld {
    /// Takes a record of a change before anything that tells of the change leaves a node; false if it could not be
    /// stored, and then the node stays silent.
    package typealias Recorder = (StateRecord) -> Bool

    /// How the radio behaves.
    package let settings: WorldSettings
    /// The present instant.
    package internal(set) var now: Instant = .zero
    /// What went against the rules so far, in sentences, at most a thousand of them.
    package internal(set) var violations: [String] = []
    /// What happened so far, for people and benchmarks.
    package internal(set) var statistics = WorldStatistics()
    /// A digest of everything that was heard and notified, with its time: equal for equal runs.
    package internal(set) var traceHash: UInt64 = 0xCBF2_9CE4_8422_2325
    /// What people near the devices noticed, in order, the last thousand or two of it.
    package internal(set) var observations: [DeviceObservation] = []
    /// Called with everything that people near the devices notice, as it happens.
    package var onObservation: ((DeviceObservation) -> Void)?
    /// Called with what strangers hear, as it is sent; see ``hear(_:)``. Without it there are none.
    package var onAir: ((AirPacket) -> Void)?

    var nodes: [SimulatedNode] = []
    var positions: [DeviceUUID: Int] = [:]
    var owners: [UInt16: Int] = [:]
    var radio: RadioNeighbours
    /// Whether who hears whom has to be worked out anew; see ``presentRadio``.
    var isRadioStale = false
    /// Where nodes stand, none where the links are given one by one.
    var places: [RadioPlace] = []
    /// The node that hops are counted from, nil where the links are given one by one.
    var radioRoot: Int?
    /// The addresses of provisioners, with their names.
    var provisionerAddresses: [(addresses: ClosedRange<UInt16>, name: String)] = []
    var queue = EventQueue<WorldEvent>()
    var generator: SeededGenerator
    /// Draws the secrets of devices: numbers of its own, lest a provisioner that counts from the same seed meets its
    /// own public key.
    var secretGenerator: SeededGenerator
    var links: [LinkIdentifier: ProxyLink] = [:]
    /// Where links lead that are not open yet.
    var connecting: [LinkIdentifier: LinkTarget] = [:]
    var nextLink: UInt32 = 0
    var outbox: [BearerEvent] = []
    var scan: ScanState
    var audit: SequenceAudit
    var observer: NetworkObserver
    /// The newest IV index that any node is at.
    var newestIVIndex: UInt32 = 0
    let schedules: KeySchedules
    let recorder: Recorder
    var sequenceNumbers: NodeSequenceNumbers

    /// A world of the nodes of a network that are no provisioners and not excluded, and of devices.
    ///
    /// - Parameters:
    ///   - devices: what there is beside the nodes; the description of a node says what it is once it was reset.
    ///   - state: what earlier runs left. A node is as it was left if it was provisioned here, or if its address and
    ///     DeviceKey are still those of the database, else as the database says. A device is as it was left. What was
    ///     provisioned here, or reset, is there even if neither the network nor the devices name it any more.
    ///   - recorder: stores what changes; by default nobody does.
    package init(
        network: MeshNetwork,
        devices: [DeviceDescription] = [],
        settings: WorldSettings = .ideal,
        seed: UInt64,
        state: SimulatorState = SimulatorState(),
        recorder: @escaping Recorder = { _ in true }
    ) {
        self.settings = settings
        self.recorder = recorder
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
        makeRadio(state: state)
    }

    /// When something happens next, nil if never. What waits in ``drain()`` has happened already.
    package var nextEventTime: Instant? { queue.nextTime }

    /// Lets everything happen that is due until `time`, which becomes the present; time never goes back.
    package func advance(to time: Instant) {
        while let (due, event) = queue.take(until: time) {
            now = max(now, due)
            handle(event)
        }
        now = max(now, time)
    }

    /// Takes out what the links have for the client, in order.
    package func drain() -> [BearerEvent] {
        defer { outbox.removeAll(keepingCapacity: true) }
        return outbox
    }

    private func handle(_ event: WorldEvent) {
        switch event {
        case .hear(let node, let pdu): hear(pdu, at: node)
        case .hearBeacon(let node, let beacon):
            guard nodes[node].isAlive, !nodes[node].faults.isDeaf else { return }
            perform(nodes[node].stack.receive(beacon: beacon, at: now), at: node, from: .air)
        case .advertise(let node, let pdu, let transmit): advertise(pdu, transmit, from: node)
        case .wake(let node): wake(node)
        case .leaveForStrangers(let packet): onAir?(packet)
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
        perform(nodes[node].stack.advance(to: now), at: node, from: .itself)
    }

    /// Sees to it that a node is woken when its stack wants it.
    func scheduleWake(_ node: Int) {
        guard let deadline = nodes[node].stack.nextDeadline, deadline != .distantFuture else { return }
        if let planned = nodes[node].wakeAt, planned <= deadline { return }
        nodes[node].wakeAt = max(deadline, now)
        queue.add(.wake(node: node), at: max(deadline, now))
    }

    /// Takes note of something that was heard, for ``traceHash``.
    func trace(_ octets: [UInt8], at place: Int) {
        var hash = traceHash
        for word in [UInt64(bitPattern: now.microseconds), UInt64(truncatingIfNeeded: place)] {
            hash = (hash ^ word) &* 0x0000_0100_0000_01B3
        }
        for octet in octets { hash = (hash ^ UInt64(octet)) &* 0x0000_0100_0000_01B3 }
        traceHash = hash
    }

    /// Takes note of something that must not be.
    func report(_ violation: String) {
        if violations.count < 1_000 { violations.append(violation) }
    }
}

/// Counts of what happened in a world.
package struct WorldStatistics: Hashable, Sendable {
    /// Network PDUs that nodes put on the air, relayed ones included, copies not.
    package var advertised = 0
    /// PDUs that reached a node over the air for the first time.
    package var heard = 0
    /// Receptions lost with all their copies.
    package var lost = 0
    /// PDUs that found an advertising queue full.
    package var dropped = 0
    /// Packets that the client wrote.
    package var packetsFromClient = 0
    /// Packets that the client was notified of.
    package var packetsToClient = 0
    /// Configuration requests that nodes acted on or refused.
    package var requests = 0
}
