import MeshCore
import Simulator
import TestSupport

/// A configuration client as simple as can be: one request at a time, sent again when no answer comes.
final class TestClient {
    let bearer: any Bearer
    var stack: MeshStack
    private(set) var link = LinkIdentifier(rawValue: 0)
    private(set) var isClosed = false
    /// Secure network beacons that the proxy sent.
    private(set) var beacons: [[UInt8]] = []
    /// Filter Status messages that the proxy sent.
    private(set) var filterStatuses: [ProxyConfigurationMessage] = []
    /// Access messages that arrived.
    private(set) var messages: [IncomingMessage] = []
    /// Heartbeats that arrived.
    private(set) var heartbeats: [HeardHeartbeat] = []
    /// Network PDUs that were notified, whatever they are.
    private(set) var networkPDUs = 0
    /// The longest packet that was notified.
    private(set) var longestPacket = 0
    /// How many packets came on other links of the same bearer.
    private(set) var foreignPackets: [LinkIdentifier: Int] = [:]
    private var maximumPacketSize = 0
    private var reassembler = ProxyReassembler()

    init(
        _ bearer: any Bearer,
        network: MeshNetwork,
        address: UnicastAddress = TestNetwork.clientAddress,
        sequenceNumbers: any SequenceNumberSource = InMemorySequenceNumbers()
    ) {
        self.bearer = bearer
        stack = MeshStack(
            address: address,
            elementCount: 1,
            ivIndex: network.ivIndex,
            keys: KeyRing(network),
            sequenceNumbers: sequenceNumbers
        )
    }

    /// A client that is connected and has put its address into the proxy's filter.
    static func connected(
        to world: SimulatedWorld,
        network: MeshNetwork,
        sequenceNumbers: any SequenceNumberSource = InMemorySequenceNumbers()
    ) throws -> TestClient {
        let client = TestClient(SimulatedBearer(world), network: network, sequenceNumbers: sequenceNumbers)
        try client.open()
        return client
    }

    func open(_ target: LinkTarget = .anyProxy, filter: Bool = true) throws {
        (link, maximumPacketSize) = try bearer.opened(target)
        isClosed = false
        reassembler = ProxyReassembler()
        guard filter else { return }
        try configure(.setFilterType(.acceptList))
        try configure(.addAddresses([stack.address.address]))
    }

    func configure(_ message: ProxyConfigurationMessage) throws {
        let pdu = ProxyPDU(type: .configuration, payload: try stack.encode(message))
        try write(pdu)
        let before = filterStatuses.count
        let deadline = bearer.now.advanced(by: .seconds(1))
        while filterStatuses.count == before, bearer.now < deadline, !isClosed { try step(until: deadline) }
    }

    func write(_ pdu: ProxyPDU) throws {
        for packet in ProxySegmenter.packets(of: pdu, maximumSize: maximumPacketSize) {
            try bearer.send(packet, on: link)
        }
    }

    /// Sends a request up to `attempts` times, waiting `patience` for the answer each time.
    func request<Request: ConfigurationRequest>(
        _ request: Request,
        of node: Node,
        netKeyIndex: NetKeyIndex = .primary,
        ttl: UInt8 = 5,
        attempts: Int = 1,
        patience: Duration = .seconds(4)
    ) throws -> Request.Status? {
        for _ in 0..<attempts {
            let seen = messages.count
            let (_, actions) = try stack.send(
                OutgoingMessage(
                    source: stack.address,
                    destination: .unicast(node.unicastAddress),
                    payload: request.encoded,
                    security: .device(node: node.unicastAddress),
                    netKeyIndex: netKeyIndex,
                    ttl: ttl
                ),
                at: bearer.now
            )
            try perform(actions)
            let deadline = bearer.now.advanced(by: patience)
            while bearer.now < deadline, !isClosed {
                try step(until: deadline)
                for message in messages[seen...] where message.source == node.unicastAddress {
                    var reader = ByteReader(message.payload)
                    guard try Opcode(decoding: &reader) == Request.Status.opcode else { continue }
                    let status = try Request.Status(parameters: reader.readRest())
                    if request.isAnswered(by: status) { return status }
                }
            }
        }
        return nil
    }

    /// Sends an access message to an element.
    func send(_ payload: [UInt8], to destination: UnicastAddress, under security: MessageSecurity) throws {
        try send(payload, to: .unicast(destination), under: security)
    }

    /// Sends an access message.
    func send(_ payload: [UInt8], to destination: Destination, under security: MessageSecurity) throws {
        let message = OutgoingMessage(
            source: stack.address,
            destination: destination,
            payload: payload,
            security: security,
            ttl: 5
        )
        try perform(stack.send(message, at: bearer.now).1)
    }

    /// Lets time pass.
    func wait(_ duration: Duration) throws {
        let deadline = bearer.now.advanced(by: duration)
        while bearer.now < deadline { try step(until: deadline) }
    }

    private func step(until deadline: Instant) throws {
        let next = min(stack.nextDeadline ?? .distantFuture, deadline)
        switch try bearer.next(until: next) {
        case .received(link, let packet):
            longestPacket = max(longestPacket, packet.count)
            guard let pdu = try reassembler.receive(packet, at: bearer.now) else { break }
            switch pdu.type {
            case .network:
                networkPDUs += 1
                try perform(stack.receive(networkPDU: pdu.payload, at: bearer.now))
            case .beacon:
                beacons.append(pdu.payload)
                try perform(stack.receive(beacon: pdu.payload, at: bearer.now))
            case .configuration:
                filterStatuses.append(try stack.receive(proxyConfiguration: pdu.payload).message)
            case .provisioning: break
            }
        case .received(let other, _): foreignPackets[other, default: 0] += 1
        case .closed(link, _): isClosed = true
        default: break
        }
        if let due = stack.nextDeadline, due <= bearer.now { try perform(stack.advance(to: bearer.now)) }
    }

    private func perform(_ actions: [StackAction]) throws {
        for action in actions {
            switch action {
            case .transmit(let pdu, _): try write(ProxyPDU(type: .network, payload: pdu))
            case .deliver(let message): messages.append(message)
            case .heartbeat(let heartbeat, let message):
                heartbeats.append(HeardHeartbeat(time: bearer.now, heartbeat: heartbeat, message: message))
            default: break
            }
        }
    }
}

/// A heartbeat that a client heard.
struct HeardHeartbeat {
    let time: Instant
    let heartbeat: Heartbeat
    let message: IncomingControlMessage

    var hops: Int { heartbeat.hops(receivedTTL: message.ttl) }
}

/// A bearer told neither that a link is open nor that it is closed.
struct MissingEvent: Error {}

extension Bearer {
    /// Connects and waits until the link is open; events of other links meanwhile are lost.
    func opened(_ target: LinkTarget) throws -> (link: LinkIdentifier, maximumPacketSize: Int) {
        let link = try connect(to: target)
        while let event = try next(until: now.advanced(by: .seconds(60))) {
            switch event {
            case .opened(link, let size, _): return (link, size)
            case .closed(link, let error): throw error
            default: continue
            }
        }
        throw MissingEvent()
    }
}
