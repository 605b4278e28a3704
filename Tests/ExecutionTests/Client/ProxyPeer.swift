import DefinitionModel
import MeshCore
import Planning
import TestSupport

@testable import Execution

/// A proxy and the node that is asked beside it, on a manual clock: they speak the real protocol and do what
/// a test says.
final class ProxyPeer {
    static let clientAddress = UInt16(0x0001)
    static let nodeAddress = UInt16(0x0010)

    var client: MeshClient
    private(set) var now = Instant.zero
    /// The node's side.
    private var stack: MeshStack
    /// The proxy's.
    private var proxy: MeshStack
    private var reassembler = ProxyReassembler()
    private var link: LinkIdentifier?
    private var nextLink: UInt32 = 0
    /// What the client put out that is not a packet, with its time in milliseconds.
    private(set) var log: [String] = []
    /// Access payloads that reached the node.
    private(set) var requests: [[UInt8]] = []
    /// When the client handed a request over, in milliseconds.
    private(set) var transmissionTimes: [Int64] = []
    private(set) var answers: [ConfigurationVerdict] = []
    private(set) var networkPDUs = 0
    /// What was said to help with each link that came to nothing.
    private(set) var hints: [String] = []
    /// Proxy configuration PDUs that the client sent, whether the proxy could read them or not.
    private(set) var configurationPDUs = 0
    /// Messages of the client to the proxy itself.
    private(set) var trials = 0
    private(set) var lastRequest: RequestIdentifier?

    /// The beacons the proxy sends when a link opens.
    var beacons: [[UInt8]]
    var answersFilterMessages = true
    /// Whether it knows Add Addresses; if not, it neither obeys nor answers.
    var knowsAddAddresses = true
    /// Whether messages of the mesh and answers about its filter share one turn, as in BTstack's GATT bearer: of two
    /// that wait one goes out, and nobody takes the other's turn until there is another request.
    var losesTurns = false
    /// Messages of the mesh that wait for their turn.
    private var held: [[UInt8]] = []
    /// Whether the first of them has asked for a turn.
    private var wantsTurn = false
    /// The answer about the filter that waits for its turn.
    private var heldStatus: [UInt8]?
    /// Whether the last that went out was such an answer.
    private var hadStatusTurn = false
    /// What it answers to a proxy configuration message beside that: the type of its filter and the number of
    /// addresses.
    var filterStatus: (ProxyConfigurationMessage) -> ProxyConfigurationMessage = { message in
        let size: UInt16 = if case .addAddresses = message { 1 } else { 0 }
        return .filterStatus(.acceptList, listSize: size)
    }
    /// Whether it passes on to the client what comes for it.
    var forwards = true
    var opensLinks = true
    /// Whether network PDUs reach the node.
    var hears = true
    /// The node's answers to a request, after the delay.
    var answer: ([UInt8]) -> [[UInt8]] = { _ in [] }
    var answerDelay = Duration.milliseconds(100)
    private var waiting: [(Instant, [UInt8])] = []

    init(
        retry: RetryPolicy = RetryPolicy(),
        link: LinkPolicy = LinkPolicy(),
        clientIVIndex: IVIndex = IVIndex(value: 5),
        ivIndexCertainty: IVIndexMonitor.Certainty = .known,
        nodeIVIndex: IVIndex = IVIndex(value: 5),
        isProxyKnown: Bool = true
    ) throws {
        var keys = KeyRing()
        keys.set(NetKey(index: .primary, name: "home", key: secret(1)))
        keys.setDeviceKey(secret(2), of: try unicast(ProxyPeer.nodeAddress))
        if isProxyKnown { keys.setDeviceKey(secret(3), of: try unicast(0x0100)) }
        client = MeshClient(
            address: try unicast(ProxyPeer.clientAddress),
            ivIndex: clientIVIndex,
            ivIndexCertainty: ivIndexCertainty,
            keys: keys,
            sequenceNumbers: InMemorySequenceNumbers(),
            retryPolicy: retry,
            linkPolicy: link
        )
        stack = MeshStack(
            address: try unicast(ProxyPeer.nodeAddress),
            elementCount: 2,
            ivIndex: nodeIVIndex,
            keys: keys,
            sequenceNumbers: InMemorySequenceNumbers()
        )
        proxy = MeshStack(
            address: try unicast(0x0100),
            elementCount: 1,
            ivIndex: nodeIVIndex,
            keys: keys,
            sequenceNumbers: InMemorySequenceNumbers()
        )
        beacons = [try required(stack.secureNetworkBeacon(.primary))]
    }

    func request(_ inquiry: ConfigurationInquiry) throws {
        let (identifier, outputs) = client.request(
            inquiry,
            to: try unicast(ProxyPeer.nodeAddress),
            subnets: [.primary],
            at: now
        )
        lastRequest = identifier
        take(outputs)
    }

    /// The client hears what is sent to it.
    func watch() {
        take(client.watch(WatchWish(addresses: [], subnets: [.primary]), at: now))
    }

    /// Lets time pass, stopping wherever the client or the node wants to do something.
    func run(for duration: Duration) {
        let end = now.advanced(by: duration)
        while true {
            let due = [client.nextDeadline, stack.nextDeadline, waiting.first?.0].compactMap(\.self).min()
            guard let due, due <= end else { break }
            now = max(now, due)
            if let deadline = stack.nextDeadline, deadline <= now { takeNode(stack.advance(to: now)) }
            while let (instant, payload) = waiting.first, instant <= now {
                waiting.removeFirst()
                say(payload)
            }
            if let deadline = client.nextDeadline, deadline <= now { take(client.advance(to: now)) }
        }
        now = end
    }

    /// The node sends an access message to the client.
    func say(_ payload: [UInt8]) {
        guard let source = UnicastAddress(rawValue: ProxyPeer.nodeAddress),
            let target = UnicastAddress(rawValue: ProxyPeer.clientAddress),
            let (_, actions) = try? stack.send(
                OutgoingMessage(
                    source: source,
                    destination: .unicast(target),
                    payload: payload,
                    security: .device(node: source),
                    ttl: 5
                ),
                at: now
            )
        else { return }
        takeNode(actions)
    }

    func dropLink() {
        guard let dropped = link else { return }
        link = nil
        take(client.handle(.closed(dropped, BearerError("out of range")), at: now))
    }

    /// The proxy says that its filter is an accept list of so many addresses.
    func tellFilterStatus(_ size: UInt16) throws {
        notify(.configuration, try proxy.encode(.filterStatus(.acceptList, listSize: size)))
    }

    func notify(_ type: ProxyPDU.MessageType, _ payload: [UInt8]) {
        guard let link else { return }
        for packet in ProxySegmenter.packets(of: ProxyPDU(type: type, payload: payload), maximumSize: 20) {
            take(client.handle(.received(link, packet), at: now))
        }
    }

    private func note(_ text: String) {
        log.append("\(now.microseconds / 1_000) \(text)")
    }

    private func take(_ outputs: [MeshClient.Output]) {
        for output in outputs {
            switch output {
            case .scan(let isOn):
                if isOn { take(client.scanFailed(at: now)) }
            case .connect(let target):
                guard opensLinks else {
                    note("open refused")
                    take(client.connectFailed(target, BearerError("nobody there"), at: now))
                    continue
                }
                note("open")
                let opened = LinkIdentifier(rawValue: nextLink)
                nextLink += 1
                link = opened
                reassembler = ProxyReassembler()
                take(client.connecting(opened, to: target, at: now))
                take(client.handle(.opened(opened, maximumPacketSize: 20), at: now))
                for beacon in beacons { notify(.beacon, beacon) }
            case .send(let packet, on: let target):
                guard target == link, let pdu = try? reassembler.receive(packet, at: now) else { continue }
                receive(pdu)
            case .closeLink(let closed):
                note("close")
                if closed == link { link = nil }
            case .linkUp: note("up")
            case .linkDown(let failure, let delay):
                hints.append(failure.hint?.text ?? "")
                note("down: \(failure.reason)\(delay == nil ? ", for good" : "")")
            case .sent(_, let transmissions):
                transmissionTimes.append(now.microseconds / 1_000)
                note("sent \(transmissions)")
            case .answered(_, let verdict, _):
                answers.append(verdict)
                note("answered")
            case .unanswered: note("unanswered")
            case .unreachable: note("unreachable")
            case .unsendable: note("unsendable")
            case .ivIndexChanged(let ivIndex, isCorrection: _): note("IV index \(ivIndex.value)")
            case .directLinkUp, .directLinkDown: note("a direct link")
            case .said: note("said")
            case .watch(.message): note("heard a message")
            case .watch: note("heard")
            case .quirk(_, let quirk): note("quirk \(quirk.rawValue)")
            case .keyRefreshPhaseChanged: note("key refresh")
            }
        }
    }

    private func receive(_ pdu: ProxyPDU) {
        switch pdu.type {
        case .configuration:
            configurationPDUs += 1
            guard let received = try? proxy.receive(proxyConfiguration: pdu.payload) else { return }
            switch received.message {
            case .setFilterType: note("filter type")
            case .addAddresses(let addresses): note("filter addresses \(addresses.map(\.description))")
            default: return
            }
            guard answersFilterMessages else { return }
            if case .addAddresses = received.message, !knowsAddAddresses { return }
            if let status = try? proxy.encode(filterStatus(received.message)) {
                guard losesTurns else { return notify(.configuration, status) }
                heldStatus = status
                takeTurn()
            }
        case .network:
            networkPDUs += 1
            if hears { takeNode(stack.receive(networkPDU: pdu.payload, at: now)) }
            takeProxy(proxy.receive(networkPDU: pdu.payload, at: now))
        case .beacon, .provisioning: return
        }
    }

    /// The proxy itself answers everything with its Default TTL.
    private func takeProxy(_ actions: [StackAction]) {
        for case .deliver(let message) in actions {
            trials += 1
            let answer = OutgoingMessage(
                source: proxy.address,
                destination: .unicast(message.source),
                payload: ConfigDefaultTTLStatus(ttl: 7).encoded,
                security: .device(node: proxy.address),
                ttl: 5
            )
            guard forwards, let (_, actions) = try? proxy.send(answer, at: now) else { continue }
            for case .transmit(let pdu, destination: _) in actions { pass(pdu) }
        }
    }

    /// A message of the mesh is to go to the client.
    private func pass(_ pdu: [UInt8]) {
        guard losesTurns else { return notify(.network, pdu) }
        held.append(pdu)
        guard !wantsTurn else { return }
        wantsTurn = true
        // Without a link the turn never comes.
        if link != nil { takeTurn() }
    }

    /// One of what waits goes out: the two kinds in turn.
    private func takeTurn() {
        if wantsTurn, hadStatusTurn || heldStatus == nil {
            hadStatusTurn = false
            wantsTurn = false
            notify(.network, held.removeFirst())
            guard !held.isEmpty else { return }
            wantsTurn = true
            takeTurn()
        } else if let status = heldStatus {
            hadStatusTurn = true
            heldStatus = nil
            notify(.configuration, status)
        }
    }

    private func takeNode(_ actions: [StackAction]) {
        for action in actions {
            switch action {
            case .transmit(let pdu, destination: _): if forwards { pass(pdu) }
            case .deliver(let message):
                requests.append(message.payload)
                for payload in answer(message.payload) {
                    waiting.append((now.advanced(by: answerDelay), payload))
                }
            default: continue
            }
        }
    }
}
