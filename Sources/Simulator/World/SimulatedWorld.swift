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

    package let settings: WorldSettings
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
    var newestIVIndex: UInt32 = 0
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
    func trace(_ octets: [UInt8], at index: Int) { trace(SharedNetworkPDU(octets).digest, at: index) }

    /// Adds the digest of something that was heard to ``traceHash``.
    func trace(_ digest: UInt64, at index: Int) {
        var hash = traceHash
        Self.mix(UInt64(bitPattern: now.microseconds), into: &hash)
        Self.mix(UInt64(truncatingIfNeeded: index), into: &hash)
        Self.mix(digest, into: &hash)
        traceHash = hash
    }

    private static func mix(_ word: UInt64, into hash: inout UInt64) {
        hash = (hash ^ word) &* 0x0000_0100_0000_01B3
        hash ^= hash >> 29
    }

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
    package var packetsFromClient = 0
    package var packetsToClient = 0
    /// Configuration requests that nodes acted on or refused.
    package var requests = 0
}

extension SimulatedWorld {
    /// The beacons that tell clients the IV index and the key refresh of all subnets of a node.
    func beaconsForClients(of node: Int) -> [[UInt8]] {
        nodes[node].state.hidesFromClients ? privateBeacons(of: node) : secureNetworkBeacons(of: node)
    }

    /// The beacons that a node advertises; both kinds may be on (Mesh Protocol 1.1, 4.2.44).
    func beaconsOnAir(of node: Int) -> [[UInt8]] {
        let state = nodes[node].state
        return (state.secureNetworkBeacon ? secureNetworkBeacons(of: node) : [])
            + (state.foundation.isPrivateBeaconEnabled ? privateBeacons(of: node) : [])
    }

    private func secureNetworkBeacons(of node: Int) -> [[UInt8]] {
        nodes[node].state.netKeys.compactMap { nodes[node].stack.secureNetworkBeacon($0.index) }
    }

    private func privateBeacons(of node: Int) -> [[UInt8]] {
        nodes[node].state.netKeys.compactMap { key in
            guard let material = nodes[node].state.transmitKey(key.index),
                let random = privateBeaconRandom(of: node, in: key.index)
            else { return nil }
            let beacon = MeshPrivateBeacon(
                isKeyRefreshing: key.phase == .usingNewKeys,
                ivIndex: nodes[node].stack.ivIndex,
                random: random
            )
            return beacon.encoded(with: schedules.subnet(material))
        }
    }

    /// A random value that changes with the random update interval, or with every beacon if the interval is 0
    /// (4.2.44.2). It has a generator of its own, so that beacons affect nothing else.
    private func privateBeaconRandom(of node: Int, in subnet: NetKeyIndex) -> Nonce? {
        let state = nodes[node].state
        let steps = Int64(state.foundation.randomUpdateIntervalSteps)
        var period = UInt64(bitPattern: now.microseconds / max(steps * 10_000_000, 1))
        if steps == 0 {
            nodes[node].privateBeaconCount += 1
            period = nodes[node].privateBeaconCount
        }
        let place = surroundings(of: state.uuid) ^ UInt64(subnet.rawValue) << 8 ^ UInt64(steps)
        var mixer = SeededGenerator(seed: place &+ period &* 0x2545_F491_4F6C_DD1D)
        let octets = Octets16(high: mixer.next(), low: mixer.next())
        return Nonce(octets.bytes.prefix(13))
    }
}

extension SimulatedWorld {
    /// The sender of a PDU that is checked.
    enum Sender {
        case node(Int)
        case client(LinkIdentifier)
    }

    func check(_ reading: NetworkObserver.Reading, _ octets: [UInt8], by sender: Sender) {
        let pdu = reading.pdu
        let stream = reading.stream
        switch audit.observe(octets, sequence: pdu.sequence, of: stream) {
        case .repetition: return
        case .reuse:
            report(
                "sequence number \(pdu.sequence) of \(stream.source) under IV index \(stream.ivIndex) was used twice"
            )
        case .new:
            _ = recorder(.used(stream, pdu.sequence...pdu.sequence))
        }
        guard case .client = sender else { return }
        if let owner = owners[pdu.source.rawValue], nodes[owner].state.isProvisioned {
            report("the client uses \(pdu.source), an address of \(nodes[owner].state.name)")
        }
        if let owner = owners[pdu.destination.rawValue], nodes[owner].state.isProvisioned {
            if !nodes[owner].state.knows(reading.key), !isBridged(pdu, under: reading.key) {
                report("a PDU to \(nodes[owner].state.name) is secured with a NetKey that the node does not have")
            }
        }
    }
}

/// What reaches devices and nodes without the radio, and takes no time.
extension SimulatedWorld {
    /// Whether no device or node departs from the specification or has a fault.
    package var areAllOrdinary: Bool {
        !settings.sharesSubscriptionLists
            && nodes.allSatisfy { node in
                node.faults.quirks.isEmpty && node.description?.sharesSubscriptionLists != true
            }
    }

    /// How many elements a device has that is in no network; nil if there is no such device.
    package func elementCount(ofDevice uuid: DeviceUUID) -> Int? {
        guard let node = positions[uuid], nodes[node].isProvisionable else { return nil }
        return Int(nodes[node].device.capabilities.elementCount)
    }

    /// Makes a device a node, as if it had just been provisioned.
    ///
    /// - Returns: false if there is no such device, or if it cannot be recorded.
    package func provision(_ uuid: DeviceUUID, with data: ProvisioningData, deviceKey: KeyMaterial) -> Bool {
        guard let node = positions[uuid], nodes[node].isProvisionable else { return false }
        return becomeNode(node, with: data, deviceKey: deviceKey)
    }

    /// Hands a message to a node's models, as its stack would. Nothing is encrypted or relayed, and the node remembers
    /// no sequence number of it.
    ///
    /// - Returns: the access payload of the answer; nil if the node does not answer, or leaves the network with it.
    package func answer(
        of uuid: DeviceUUID,
        to payload: [UInt8],
        from source: UnicastAddress,
        for destination: UnicastAddress,
        under security: MessageSecurity,
        through subnet: NetKeyIndex
    ) -> [UInt8]? {
        guard let node = positions[uuid], nodes[node].isAlive, nodes[node].state.netKey(subnet) != nil else {
            return nil
        }
        directAnswer = .awaited
        defer { directAnswer = nil }
        switch security {
        case .device: configure(node, payload, from: source, through: subnet, ttl: 0)
        case .application(let key):
            let message = ApplicationMessage(
                source: source,
                destination: destination.address,
                label: nil,
                payload: payload,
                key: key,
                netKeyIndex: subnet,
                ttl: 0
            )
            deliver(message, at: node)
        }
        guard case .given(let answer) = directAnswer else { return nil }
        return answer
    }

    /// The node answers after some time – or at once, if somebody waits for the answer beside the radio.
    func queueAnswer(_ answer: OutgoingMessage, of node: Int, thenReset: Bool, after delay: Duration) {
        guard directAnswer != nil else {
            queue.add(.answer(node: node, answer, thenReset: thenReset), at: now.advanced(by: delay))
            return
        }
        if !thenReset { directAnswer = .given(answer.payload) }
    }
}

/// The answer to a message that came without the radio.
enum DirectAnswer {
    case awaited
    case given([UInt8])
}

extension SimulatedWorld {
    /// The UUIDs of all nodes in the order of the database, then of all devices in the order of their descriptions.
    package var nodeIdentifiers: [DeviceUUID] { nodes.map(\.state.uuid) }

    /// The first node with a name; nil if there is none.
    package func identifier(named name: String) -> DeviceUUID? {
        nodes.first { $0.state.name == name }?.state.uuid
    }

    /// A node's present configuration; nil if there is no such node.
    package func node(_ uuid: DeviceUUID) -> NodeConfigurationState? {
        positions[uuid].map { nodes[$0].state }
    }

    /// Moves all nodes of networks to an IV index at once, as if time had passed without their clients, or as if they
    /// had been restored to an old state. A node whose IV index cannot be recorded keeps its old one.
    package func setIVIndex(_ ivIndex: IVIndex) {
        newestIVIndex = max(newestIVIndex, ivIndex.value)
        for node in nodes.indices where nodes[node].state.isProvisioned && nodes[node].stack.ivIndex != ivIndex {
            guard recorder(.ivIndex(nodes[node].state.uuid, ivIndex)) else { continue }
            nodes[node].stack.ivIndex = ivIndex
        }
        for node in nodes.indices where nodes[node].state.isProvisioned { announce(node) }
    }

    /// A node's faults; none if there is no such node.
    package func faults(of uuid: DeviceUUID) -> NodeFaults {
        positions[uuid].map { nodes[$0].faults } ?? NodeFaults()
    }

    /// Sets the faults of a node. A proxy that loses power loses its links.
    ///
    /// - Returns: false if there is no such node.
    @discardableResult
    package func setFaults(_ faults: NodeFaults, of uuid: DeviceUUID) -> Bool {
        guard let node = positions[uuid] else { return false }
        let hadPower = !nodes[node].faults.isOff
        if hadPower == faults.isOff { radioChanges(of: node) }
        nodes[node].faults = faults
        if faults.copyLoss != nil { isAnybodyLossy = true }
        if hadPower == faults.isOff { powerChanges(of: node) }
        if faults.isOff {
            stopRemoteProvisioning(of: node)
            endLinks(to: node, reason: "the node lost power")
            setAttention(of: node, seconds: 0)
        } else {
            scheduleWake(node)
        }
        return true
    }
}

extension SimulatedWorld {
    /// Enters the value that a device waits for.
    ///
    /// - Throws: ``DeviceInputError/unknownDevice`` if there is no such device, ``DeviceInputError/notAwaited`` if it
    ///   waits for nothing, ``DeviceInputError/value(_:)`` if the value is not a possible one.
    package func input(_ uuid: DeviceUUID, _ value: OutOfBandValue) throws(DeviceInputError) {
        let (link, node, _) = try awaitingInput(uuid)
        let actions: [ProvisioningDeviceAction]
        do throws(ProvisioningInputError) {
            actions = try links[link]?.provisioning?.device.supply(value, at: now) ?? []
        } catch {
            if case .value(let error) = error { throw .value(error) }
            throw .notAwaited
        }
        endPrompts(on: link)
        carryOut(actions, on: link, of: node)
    }

    /// Enters the value that a device waits for, as a person types or counts it: digits or characters.
    ///
    /// - Throws: ``DeviceInputError`` as ``input(_:_:)`` does, and ``DeviceInputError/value(_:)`` if the text is not a
    ///   value.
    package func input(_ uuid: DeviceUUID, text: String) throws(DeviceInputError) {
        let (_, _, input) = try awaitingInput(uuid)
        let value: OutOfBandValue
        do throws(OutOfBandValueError) {
            value = try input.action.format(size: input.size).parse(text)
        } catch { throw .value(error) }
        try self.input(uuid, value)
    }

    private func awaitingInput(
        _ uuid: DeviceUUID
    ) throws(DeviceInputError) -> (link: LinkIdentifier, node: Int, input: (action: InputAction, size: UInt8)) {
        guard let node = positions[uuid] else { throw .unknownDevice }
        // A device has at most one provisioning link.
        for (link, end) in links where end.node == node && !end.isEnding {
            if let input = end.provisioning?.awaitedInput { return (link, node, input) }
        }
        throw .notAwaited
    }

    /// Switches the power of a node or device; see ``NodeFaults/isOff``.
    ///
    /// - Returns: false if there is no such device.
    @discardableResult
    package func setPower(_ uuid: DeviceUUID, isOn: Bool) -> Bool {
        var faults = faults(of: uuid)
        faults.isOff = !isOn
        return setFaults(faults, of: uuid)
    }

    /// Makes a device draw attention for so many seconds from now on; 0 stops it (Mesh Protocol 4.2.10).
    func setAttention(of node: Int, seconds: UInt8) {
        if seconds == 0 {
            guard nodes[node].attentionEnd != nil else { return }
            nodes[node].attentionEnd = nil
            observe(.attentionEnded, of: node)
            return
        }
        let end = now.advanced(by: .seconds(Int64(seconds)))
        nodes[node].attentionEnd = end
        observe(.attentionStarted(seconds: seconds), of: node)
        queue.add(.endAttention(node: node), at: end)
    }

    /// The attention timer of a node may have expired.
    func endAttention(of node: Int) {
        guard let end = nodes[node].attentionEnd, end <= now else { return }
        setAttention(of: node, seconds: 0)
    }

    /// For how many more seconds a node draws attention, rounded up.
    func attention(of node: Int) -> UInt8 {
        guard let end = nodes[node].attentionEnd else { return 0 }
        let rest = max(0, now.duration(to: end).microseconds)
        return UInt8(clamping: (rest + 999_999) / 1_000_000)
    }

    /// Reports what a person near the device notices.
    func observe(_ event: DeviceObservation.Event, of node: Int) {
        let state = nodes[node].state
        let observation = DeviceObservation(time: now, uuid: state.uuid, name: state.name, event: event)
        if observations.count >= 2_000 { observations.removeFirst(1_000) }
        observations.append(observation)
        onObservation?(observation)
    }
}

/// A packet on the advertising bearer (Mesh Protocol 3.3.1): the data of one AD structure of a mesh type.
package enum AirPacket: Hashable, Sendable {
    /// A Network PDU: AD type 0x2A, Mesh Message.
    case message([UInt8])
    /// A beacon with its type: AD type 0x2B, Mesh Beacon.
    case beacon([UInt8])
}

/// Strangers are real nodes in the simulated radio. They stand beside the node that hops are counted from: they hear
/// that node and its neighbours, and these hear them.
extension SimulatedWorld {
    /// How often unprompted nodes send their beacons (Mesh Protocol 3.10.3.1: every 10 s if nobody else does).
    package static let beaconInterval = Duration.seconds(10)

    /// A packet of a stranger reaches the nodes that hear it.
    package func hear(_ packet: AirPacket) {
        let message: SharedNetworkPDU? = if case .message(let octets) = packet { SharedNetworkPDU(octets) } else { nil }
        for neighbour in strangersAudience where nodes[neighbour.node].isAlive {
            guard !generator.happens(strangerLoss(at: neighbour.node)) else {
                statistics.lost += 1
                continue
            }
            switch packet {
            case .message: if let message { queue.add(.hear(nodes: [neighbour.node], message), at: now) }
            case .beacon(let beacon): queue.add(.hearBeacon(node: neighbour.node, beacon), at: now)
            }
        }
    }

    /// Sends the beacons of the nodes beside the strangers, one for each subnet.
    package func sendBeaconsToStrangers() {
        guard onAir != nil else { return }
        var sent: Set<[UInt8]> = []
        for neighbour in strangersAudience where nodes[neighbour.node].isAlive && !nodes[neighbour.node].faults.isMute {
            for beacon in beaconsOnAir(of: neighbour.node) where sent.insert(beacon).inserted {
                queue.add(.leaveForStrangers(.beacon(beacon)), at: now)
            }
        }
    }

    /// Delivers a packet of a node to the strangers, if they are near it and not all copies are lost.
    ///
    /// - Parameter copies: when the node sends each copy.
    func tellStrangers(of packet: AirPacket, copies: [Instant], from node: Int) {
        guard onAir != nil, strangersAudience.contains(where: { $0.node == node }) else { return }
        let loss = strangerLoss(at: node)
        guard let arrival = copies.first(where: { _ in !generator.happens(loss) }) else {
            statistics.lost += 1
            return
        }
        queue.add(.leaveForStrangers(packet), at: arrival)
    }

    /// The node that the strangers stand beside, and its neighbours.
    private var strangersAudience: [RadioNeighbours.Neighbour] {
        let root = rootNode
        guard nodes.indices.contains(root) else { return [] }
        return [RadioNeighbours.Neighbour(node: root)] + audience(of: root)
    }

    private func strangerLoss(at node: Int) -> Double {
        copyLoss(from: node, to: RadioNeighbours.Neighbour(node: node))
    }
}
