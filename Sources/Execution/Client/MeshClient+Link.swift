package import MeshCore

/// The client's side of the link: opening it, the Proxy PDUs it carries, and the proxy's filter.
extension MeshClient {
    /// The default ATT_MTU of 23 octets less the 3 of a write's header; no link carries less.
    private static let minimumPacketSize = 20

    /// The bearer connects; events of that link follow.
    package mutating func linkConnecting(_ identifier: LinkIdentifier) {
        link.connecting(identifier)
    }

    /// A link was opened that writes at most so many octets at once.
    private mutating func linkOpened(_ identifier: LinkIdentifier, maximumPacketSize: Int, at now: Instant) -> [Output]
    {
        var outputs: [Output] = []
        guard maximumPacketSize >= MeshClient.minimumPacketSize else {
            outputs.append(.closeLink(identifier))
            let error = BearerError(
                "the link carries only \(maximumPacketSize) octets at once, too few for a Proxy PDU"
            )
            perform(link.openFailed(error, at: now), at: now, into: &outputs)
            return outputs
        }
        self.maximumPacketSize = maximumPacketSize
        reassembler = ProxyReassembler()
        proxy = nil
        proxySubnets = []
        link.opened(identifier, at: now)
        return outputs
    }

    /// The bearer can connect to nothing.
    package mutating func linkFailed(_ error: BearerError, at now: Instant) -> [Output] {
        var outputs: [Output] = []
        perform(link.openFailed(error, at: now), at: now, into: &outputs)
        return outputs
    }

    /// Something came from the bearer.
    package mutating func handle(_ event: BearerEvent, at now: Instant) -> [Output] {
        var outputs: [Output] = []
        switch event {
        case .opened(let identifier, let size):
            guard identifier == link.connecting else { break }
            outputs = linkOpened(identifier, maximumPacketSize: size, at: now)
        case .closed(let identifier, let error):
            perform(link.closed(identifier, error, at: now), at: now, into: &outputs)
        case .received(let identifier, let packet):
            guard identifier == link.identifier else { break }
            do throws(ProxyProtocolError) {
                if let pdu = try reassembler.receive(packet, at: now) { receive(pdu, at: now, into: &outputs) }
            } catch {
                let failure = LinkFailure(reason: "the proxy broke the rules of the Proxy protocol", hint: nil)
                perform(link.abandon(failure, at: now), at: now, into: &outputs)
            }
        case .heard: break
        }
        return outputs
    }

    private mutating func receive(_ pdu: ProxyPDU, at now: Instant, into outputs: inout [Output]) {
        switch pdu.type {
        case .network: perform(stack.receive(networkPDU: pdu.payload, at: now), at: now, into: &outputs)
        case .beacon: receive(beacon: pdu.payload, at: now, into: &outputs)
        case .configuration: receive(proxyConfiguration: pdu.payload, at: now, into: &outputs)
        case .provisioning: break
        }
    }

    private mutating func receive(beacon bytes: [UInt8], at now: Instant, into outputs: inout [Output]) {
        guard let beacon = try? AuthenticBeacon(bytes, under: stack.keys) else {
            link.foreignBeacon()
            return
        }
        perform(stack.receive(beacon: bytes, at: now), at: now, into: &outputs)
        guard MeshClient.understandEachOther(stack.ivIndex, beacon.ivIndex) else {
            perform(link.unusableIVIndex(beacon.ivIndex, known: stack.ivIndex, at: now), at: now, into: &outputs)
            return
        }
        if !proxySubnets.contains(beacon.netKeyIndex) { proxySubnets.append(beacon.netKeyIndex) }
        perform(link.authenticBeacon(at: now), at: now, into: &outputs)
    }

    /// Whether two participants take each other's messages: each accepts its own IV index and the one before
    /// (Mesh Protocol 3.11.5).
    private static func understandEachOther(_ left: IVIndex, _ right: IVIndex) -> Bool {
        func accepts(_ receiver: IVIndex, _ sender: IVIndex) -> Bool {
            let sent = sender.transmitValue
            return sent == receiver.value || receiver.value > 0 && sent == receiver.value - 1
        }
        return accepts(left, right) && accepts(right, left)
    }

    private mutating func receive(proxyConfiguration pdu: [UInt8], at now: Instant, into outputs: inout [Output]) {
        guard let received = try? stack.receive(proxyConfiguration: pdu) else { return }
        guard case .filterStatus(let type, let listSize) = received.message else { return }
        proxy = received.source
        heard.insert(received.source)
        let actions = link.filterStatus(isAcceptList: type == .acceptList, count: Int(listSize), at: now)
        perform(actions, at: now, into: &outputs)
    }

    /// Carries out what the link's state machine asks for.
    mutating func perform(_ actions: [ProxyLink.Action], at now: Instant, into outputs: inout [Output]) {
        for action in actions {
            switch action {
            case .open: outputs.append(.openLink)
            case .close(let identifier): outputs.append(.closeLink(identifier))
            case .setFilterType: configure(.setFilterType(.acceptList), at: now, into: &outputs)
            case .addAddresses: configure(.addAddresses([address.address]), at: now, into: &outputs)
            case .ready:
                outputs.append(.linkUp(proxy: proxy))
                resume(at: now, into: &outputs)
            case .lost(let failure, let instant):
                pause(at: now)
                outputs.append(.linkDown(failure, retryIn: instant.map { now.duration(to: $0) }))
            }
        }
    }

    private mutating func configure(
        _ message: ProxyConfigurationMessage,
        at now: Instant,
        into outputs: inout [Output]
    ) {
        do throws(StackError) {
            let pdu = try stack.encode(message, netKeyIndex: preferredSubnet(among: proxySubnets.sorted()))
            write(ProxyPDU(type: .configuration, payload: pdu), into: &outputs)
        } catch {
            // Without sequence numbers nothing can be sent at all; the requests that wait for the link tell so.
            for node in exchanges.keys.sorted() {
                guard let exchange = exchanges[node] else { continue }
                remove(node)
                outputs.append(.unsendable(exchange.identifier, error))
            }
        }
    }

    /// Sends a Proxy PDU in as many packets as it takes; nothing without a link.
    func write(_ pdu: ProxyPDU, into outputs: inout [Output]) {
        guard let identifier = link.identifier else { return }
        for packet in ProxySegmenter.packets(of: pdu, maximumSize: maximumPacketSize) {
            outputs.append(.send(packet, on: identifier))
        }
    }
}
