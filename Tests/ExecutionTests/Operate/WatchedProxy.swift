import MeshCore
import TestSupport

@testable import Execution

/// A client that watches, a proxy with a filter of its own, and a node behind it, on a manual clock.
final class WatchedProxy {
    static let light = AppKeyIndex(rawValue: 3) ?? AppKeyIndex.first

    var client: MeshClient
    private(set) var now = Instant.zero
    /// What was heard, in order.
    private(set) var heard: [WatchEvent] = []
    /// Links that opened.
    private(set) var links = 0
    /// What became of the search.
    private(set) var losses: [String] = []
    private var proxy: MeshStack
    private var node: MeshStack
    private var filter: ProxyFilter
    private let capacity: Int
    private var reassembler = ProxyReassembler()
    private var link: LinkIdentifier?
    /// Whether the bearer can connect.
    var isInReach = true

    init(capacity: Int = 64, label: LabelUUID? = nil) throws {
        self.capacity = capacity
        filter = ProxyFilter(capacity: capacity)
        var keys = KeyRing()
        keys.set(NetKey(index: .primary, name: "home", key: secret(1)))
        keys.set(AppKey(index: Self.light, name: "light", boundNetKey: .primary, key: secret(4)))
        client = MeshClient(
            address: try unicast(0x0001),
            ivIndex: IVIndex(value: 5),
            keys: keys,
            sequenceNumbers: InMemorySequenceNumbers()
        )
        if let label { keys.add(label) }
        proxy = MeshStack(
            address: try unicast(0x0100),
            elementCount: 1,
            ivIndex: IVIndex(value: 5),
            keys: keys,
            sequenceNumbers: InMemorySequenceNumbers()
        )
        node = MeshStack(
            address: try unicast(0x0010),
            elementCount: 2,
            ivIndex: IVIndex(value: 5),
            keys: keys,
            sequenceNumbers: InMemorySequenceNumbers()
        )
    }

    /// The access messages that were heard.
    var messages: [IncomingMessage] {
        heard.compactMap { if case .message(let message) = $0 { message } else { nil } }
    }

    /// What the last filter came to.
    var coverage: WatchLink.Coverage? {
        heard.compactMap { if case .listening(let link) = $0 { link.coverage } else { nil } }.last
    }

    func watch(_ addresses: [UInt16], labels: [LabelUUID] = []) {
        let addresses = addresses.map { Address(rawValue: $0) }
        take(client.watch(WatchWish(addresses: addresses, labels: labels, subnets: [.primary]), at: now))
    }

    /// Lets time pass.
    func run(for duration: Duration) throws {
        let end = now.advanced(by: duration)
        while let due = [client.nextDeadline, node.nextDeadline].compactMap(\.self).min(), due <= end {
            now = max(now, due)
            if let deadline = node.nextDeadline, deadline <= now { radiate(node.advance(to: now)) }
            if let deadline = client.nextDeadline, deadline <= now { take(client.advance(to: now)) }
        }
        now = end
    }

    /// The node sends an access message under the AppKey; returns its Network PDUs.
    @discardableResult
    func say(_ payload: [UInt8], to destination: Destination, element: UInt8 = 0) throws -> [[UInt8]] {
        let message = OutgoingMessage(
            source: try required(node.address.element(element)),
            destination: destination,
            payload: payload,
            security: .application(Self.light),
            ttl: 5
        )
        let (_, actions) = try node.send(message, at: now)
        radiate(actions)
        return actions.compactMap { if case .transmit(let pdu, destination: _) = $0 { pdu } else { nil } }
    }

    /// The node sends a heartbeat that has come over some hops when the proxy hears it.
    func heartbeat(to destination: UInt16, initialTTL: UInt8, hopsToProxy: UInt8) throws {
        let message = OutgoingControlMessage(
            source: node.address,
            destination: Address(rawValue: destination),
            opcode: Heartbeat.opcode,
            parameters: Heartbeat(initialTTL: initialTTL, features: 0b11).parameters,
            ttl: initialTTL - (hopsToProxy - 1)
        )
        radiate(try node.send(message, at: now).1)
    }

    /// The proxy hears a PDU and forwards it, if its filter lets it through.
    func hear(_ pdu: [UInt8]) {
        for action in proxy.receive(networkPDU: pdu, at: now) {
            guard case .relay(let forwarded, source: _, destination: let destination) = action else { continue }
            if filter.passes(destination) { notify(.network, forwarded) }
        }
    }

    /// What a client that forwards to us twice would do: the same PDU comes again.
    func notify(_ type: ProxyPDU.MessageType, _ payload: [UInt8]) {
        guard let link else { return }
        for packet in ProxySegmenter.packets(of: ProxyPDU(type: type, payload: payload), maximumSize: 20) {
            take(client.handle(.received(link, packet), at: now))
        }
    }

    func dropLink() {
        guard let dropped = link else { return }
        link = nil
        take(client.handle(.closed(dropped, BearerError("out of range")), at: now))
    }

    private func radiate(_ actions: [StackAction]) {
        for case .transmit(let pdu, destination: _) in actions { hear(pdu) }
    }

    private func take(_ outputs: [MeshClient.Output]) {
        for output in outputs {
            switch output {
            case .scan(let isOn): if isOn { take(client.scanFailed(at: now)) }
            case .connect(let target): connect(target)
            case .send(let packet, on: let target):
                guard target == link, let pdu = try? reassembler.receive(packet, at: now) else { continue }
                receive(pdu)
            case .closeLink(let closed): if closed == link { link = nil }
            case .watch(let event): heard.append(event)
            case .linkDown(let failure, let delay):
                losses.append(failure.reason + (delay == nil ? ", for good" : ""))
            default: continue
            }
        }
    }

    private func connect(_ target: LinkTarget) {
        guard isInReach else { return take(client.connectFailed(target, BearerError("nobody there"), at: now)) }
        let opened = LinkIdentifier(rawValue: UInt32(links))
        links += 1
        link = opened
        reassembler = ProxyReassembler()
        filter = ProxyFilter(capacity: capacity)
        take(client.connecting(opened, to: target, at: now))
        take(client.handle(.opened(opened, maximumPacketSize: 20), at: now))
        if let beacon = proxy.secureNetworkBeacon(.primary) { notify(.beacon, beacon) }
    }

    private func receive(_ pdu: ProxyPDU) {
        guard pdu.type == .configuration,
            let received = try? proxy.receive(proxyConfiguration: pdu.payload)
        else { return }
        filter.clientSent(from: received.source)
        guard let answer = filter.handle(received.message), let status = try? proxy.encode(answer) else { return }
        notify(.configuration, status)
    }
}
