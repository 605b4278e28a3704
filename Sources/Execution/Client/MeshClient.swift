package import MeshCore

/// A Configuration Client over one proxy link: requests in, answers out, with everything between, which is
/// encryption, segmentation, retries, the proxy's filter, and the link's recovery.
///
/// It is a value without input or output of its own. Its owner feeds it events and time and carries out what it
/// returns, in order. To one node at most one request is outstanding.
package struct MeshClient {
    /// What its owner is to do or to know.
    package enum Output {
        /// Open a link of the bearer, then call ``linkOpened(_:maximumPacketSize:at:)`` or ``linkFailed(_:at:)``.
        case openLink
        /// Write a packet to a link.
        case send([UInt8], on: LinkIdentifier)
        /// Close a link.
        case closeLink(LinkIdentifier)
        /// The link is ready. The address is that of the proxy node, as far as it told.
        case linkUp(proxy: UnicastAddress?)
        /// The link is gone; it is opened again after the delay, nil if never. Without a link no request is
        /// answered or given up.
        case linkDown(LinkFailure, retryIn: Duration?)
        /// A request was sent; counts its transmissions from 1.
        case sent(RequestIdentifier, transmissions: Int)
        /// A request was answered; counts its transmissions.
        case answered(RequestIdentifier, ConfigurationVerdict, transmissions: Int)
        /// A request was given up at its deadline.
        case unanswered(RequestIdentifier)
        /// A request could not be sent, and neither can others.
        case unsendable(RequestIdentifier, StackError)
        /// A beacon brought another IV index, which is to be stored.
        case ivIndexChanged(IVIndex)
        /// A beacon brought another key refresh phase, which is to be stored.
        case keyRefreshPhaseChanged(NetKeyIndex, KeyRefreshPhase)
    }

    /// The default ATT_MTU of 23 octets less the 3 of a write's header; no link carries less.
    private static let minimumPacketSize = 20

    /// Our address.
    package let address: UnicastAddress
    private let policy: RetryPolicy
    private var stack: MeshStack
    private let sequenceNumbers: any SequenceNumberSource
    private var link: ProxyLink
    private var maximumPacketSize = 0
    private var reassembler = ProxyReassembler()
    private var proxy: UnicastAddress?
    /// The subnets of which the proxy has sent a beacon, sorted; it relays for no others.
    private var proxySubnets: [NetKeyIndex] = []
    private var exchanges: [UnicastAddress: Exchange] = [:]
    private var transmissionNodes: [TransmissionIdentifier: UnicastAddress] = [:]
    private var nextRequest: UInt64 = 0
    private var roundTrip = RoundTripEstimate()
    private var heard: [UnicastAddress] = []

    /// A client without a link.
    ///
    /// - Parameters:
    ///   - address: our element; its sequence numbers come from `sequenceNumbers` alone.
    ///   - replay: what earlier runs accepted.
    package init(
        address: UnicastAddress,
        ivIndex: IVIndex,
        keys: KeyRing,
        sequenceNumbers: any SequenceNumberSource,
        replay: ReplayProtection = ReplayProtection(),
        retryPolicy: RetryPolicy = RetryPolicy(),
        linkPolicy: LinkPolicy = LinkPolicy()
    ) {
        self.address = address
        self.sequenceNumbers = sequenceNumbers
        policy = retryPolicy
        link = ProxyLink(policy: linkPolicy)
        stack = MeshStack(
            address: address,
            elementCount: 1,
            ivIndex: ivIndex,
            keys: keys,
            sequenceNumbers: sequenceNumbers,
            replay: replay
        )
        stack.defaultTTL = retryPolicy.ttl
    }

    /// The keys in use; the owner adds those it makes.
    package var keys: KeyRing {
        get { stack.keys }
        set { stack.keys = newValue }
    }

    /// Whether there is a link that carries messages.
    package var isLinkReady: Bool { link.isReady }

    /// Requests that are neither answered nor given up.
    package var outstandingCount: Int { exchanges.count }

    /// When ``advance(to:)`` wants to be called; nil if nothing is due ever.
    package var nextDeadline: Instant? {
        var earliest: Instant?
        for deadline in [stack.nextDeadline, link.nextDeadline, reassembler.nextDeadline] {
            earliest = MeshClient.earlier(earliest, deadline)
        }
        for exchange in exchanges.values { earliest = MeshClient.earlier(earliest, exchange.nextDeadline) }
        return earliest
    }

    /// The replay entries of sources that were heard since this was last asked, to be stored.
    package mutating func takeReplayEntries() -> [ReplayProtection.Entry] {
        defer { heard = [] }
        return Set(heard).sorted().compactMap { stack.replay[$0] }
    }

    // MARK: Requests

    /// Sends a request to a node as soon as there is a link.
    ///
    /// A request to a node that has one outstanding is a programming error.
    ///
    /// - Parameters:
    ///   - node: the address of the node's primary element.
    ///   - subnets: those in which the node takes messages, sorted, at least one; the first that the proxy relays is used.
    ///   - deadline: how long to wait; nil for the policy's.
    package mutating func request(
        _ inquiry: ConfigurationInquiry,
        to node: UnicastAddress,
        subnets: [NetKeyIndex],
        deadline: Duration? = nil,
        at now: Instant
    ) -> (RequestIdentifier, [Output]) {
        precondition(exchanges[node] == nil, "one outstanding request a node")
        let identifier = RequestIdentifier(rawValue: nextRequest)
        nextRequest += 1
        let limit = deadline ?? policy.deadline
        exchanges[node] = Exchange(
            identifier: identifier,
            node: node,
            inquiry: inquiry,
            subnets: subnets,
            deadline: now.advanced(by: limit),
            remaining: link.isReady ? nil : limit,
            timeout: policy.firstTimeout(segments: inquiry.extraSegments, roundTrip: roundTrip)
        )
        var outputs: [Output] = []
        if link.isReady {
            transmit(to: node, at: now, into: &outputs)
        } else {
            perform(link.demand(), at: now, into: &outputs)
        }
        return (identifier, outputs)
    }

    /// Gives all requests up and closes the link.
    package mutating func shutDown(at now: Instant) -> [Output] {
        for node in exchanges.keys.sorted() { remove(node) }
        var outputs: [Output] = []
        perform(link.shutDown(), at: now, into: &outputs)
        return outputs
    }

    /// A subnet that reaches the node and that the proxy relays: the primary one if possible.
    private func preferredSubnet(among candidates: [NetKeyIndex]) -> NetKeyIndex {
        candidates.first(where: proxySubnets.contains) ?? candidates.first ?? .primary
    }

    private mutating func transmit(to node: UnicastAddress, at now: Instant, into outputs: inout [Output]) {
        guard let exchange = exchanges[node] else { return }
        let message = OutgoingMessage(
            source: address,
            destination: .unicast(node),
            payload: exchange.inquiry.payload,
            security: .device(node: node),
            netKeyIndex: preferredSubnet(among: exchange.subnets),
            ttl: policy.ttl
        )
        do {
            let (transmission, actions) = try stack.send(message, at: now)
            exchanges[node]?.transmissions += 1
            exchanges[node]?.transmission = transmission
            exchanges[node]?.nextTransmission = nil
            transmissionNodes[transmission] = node
            outputs.append(.sent(exchange.identifier, transmissions: exchange.transmissions + 1))
            perform(actions, at: now, into: &outputs)
        } catch {
            remove(node)
            outputs.append(.unsendable(exchange.identifier, error))
        }
    }

    /// Ends an exchange and what is still under way of it.
    private mutating func remove(_ node: UnicastAddress) {
        guard let exchange = exchanges.removeValue(forKey: node) else { return }
        cancelTransmission(of: exchange)
    }

    private mutating func cancelTransmission(of exchange: Exchange) {
        guard let transmission = exchange.transmission else { return }
        transmissionNodes[transmission] = nil
        stack.cancel(transmission)
    }

    // MARK: Events

    /// A link was opened that writes at most so many octets at once.
    package mutating func linkOpened(_ identifier: LinkIdentifier, maximumPacketSize: Int, at now: Instant) -> [Output]
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

    /// A link could not be opened.
    package mutating func linkFailed(_ error: BearerError, at now: Instant) -> [Output] {
        var outputs: [Output] = []
        perform(link.openFailed(error, at: now), at: now, into: &outputs)
        return outputs
    }

    /// Something came from the bearer.
    package mutating func handle(_ event: BearerEvent, at now: Instant) -> [Output] {
        var outputs: [Output] = []
        switch event {
        case .closed(let identifier, let reason):
            perform(link.closed(identifier, reason: reason, at: now), at: now, into: &outputs)
        case .received(let identifier, let packet):
            guard identifier == link.identifier else { break }
            do throws(ProxyProtocolError) {
                if let pdu = try reassembler.receive(packet, at: now) { receive(pdu, at: now, into: &outputs) }
            } catch {
                let failure = LinkFailure(reason: "the proxy broke the rules of the Proxy protocol", hint: nil)
                perform(link.abandon(failure, at: now), at: now, into: &outputs)
            }
        }
        return outputs
    }

    /// Time has passed.
    package mutating func advance(to now: Instant) -> [Output] {
        var outputs: [Output] = []
        do throws(ProxyProtocolError) {
            try reassembler.advance(to: now)
        } catch {
            let failure = LinkFailure(reason: "the proxy left a Proxy PDU unfinished", hint: nil)
            perform(link.abandon(failure, at: now), at: now, into: &outputs)
        }
        perform(link.advance(to: now), at: now, into: &outputs)
        if let deadline = stack.nextDeadline, deadline <= now {
            perform(stack.advance(to: now), at: now, into: &outputs)
        }
        let due = exchanges.values.filter { exchange in exchange.nextDeadline.map { $0 <= now } ?? false }
        for node in due.map(\.node).sorted() { advance(node, to: now, into: &outputs) }
        return outputs
    }

    private mutating func advance(_ node: UnicastAddress, to now: Instant, into outputs: inout [Output]) {
        guard let exchange = exchanges[node], exchange.remaining == nil else { return }
        if exchange.deadline <= now {
            remove(node)
            if let contradiction = exchange.contradiction {
                outputs.append(
                    .answered(exchange.identifier, contradiction, transmissions: exchange.transmissions)
                )
            } else {
                outputs.append(.unanswered(exchange.identifier))
            }
        } else if let instant = exchange.nextTransmission, instant <= now {
            exchanges[node]?.timeout = policy.doubled(exchange.timeout)
            transmit(to: node, at: now, into: &outputs)
        }
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
        guard let beacon = try? SecureNetworkBeacon(decoding: bytes),
            let index = stack.keys.netKeyIndex(authenticating: beacon)
        else {
            link.foreignBeacon()
            return
        }
        perform(stack.receive(beacon: bytes, at: now), at: now, into: &outputs)
        guard MeshClient.understandEachOther(stack.ivIndex, beacon.ivIndex) else {
            perform(link.unusableIVIndex(beacon.ivIndex, known: stack.ivIndex, at: now), at: now, into: &outputs)
            return
        }
        if !proxySubnets.contains(index) { proxySubnets.append(index) }
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
        heard.append(received.source)
        let actions = link.filterStatus(isAcceptList: type == .acceptList, count: Int(listSize), at: now)
        perform(actions, at: now, into: &outputs)
    }

    // MARK: What the parts ask for

    private mutating func perform(_ actions: [StackAction], at now: Instant, into outputs: inout [Output]) {
        for action in actions {
            switch action {
            case .transmit(let pdu, destination: _): write(ProxyPDU(type: .network, payload: pdu), into: &outputs)
            case .deliver(let message): deliver(message, at: now, into: &outputs)
            case .completed(let transmission):
                guard let node = transmissionNodes.removeValue(forKey: transmission), let exchange = exchanges[node]
                else {
                    continue
                }
                exchanges[node]?.transmission = nil
                exchanges[node]?.awaitedSince = now
                exchanges[node]?.nextTransmission = now.advanced(by: exchange.timeout)
            case .failed(let transmission, _):
                guard let node = transmissionNodes.removeValue(forKey: transmission), let exchange = exchanges[node]
                else {
                    continue
                }
                exchanges[node]?.transmission = nil
                exchanges[node]?.nextTransmission = now.advanced(by: exchange.timeout)
            case .ivIndexChanged(let ivIndex): outputs.append(.ivIndexChanged(ivIndex))
            case .keyRefreshPhaseChanged(let index, let phase): outputs.append(.keyRefreshPhaseChanged(index, phase))
            case .relay, .dropped, .control, .heartbeat: break
            }
        }
    }

    private mutating func deliver(_ message: IncomingMessage, at now: Instant, into outputs: inout [Output]) {
        heard.append(message.source)
        guard case .device(message.source) = message.security, message.destination == address.address,
            let exchange = exchanges[message.source], exchange.transmissions > 0,
            let verdict = exchange.inquiry.verdict(on: message.payload)
        else { return }
        link.proved()
        if case .differs = verdict {
            exchanges[message.source]?.contradiction = verdict
            return
        }
        if exchange.transmissions == 1, let start = exchange.awaitedSince { roundTrip.measure(start.duration(to: now)) }
        remove(message.source)
        outputs.append(.answered(exchange.identifier, verdict, transmissions: exchange.transmissions))
    }

    private mutating func perform(_ actions: [ProxyLink.Action], at now: Instant, into outputs: inout [Output]) {
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

    /// The deadlines of requests count time with a link only.
    private mutating func pause(at now: Instant) {
        for (node, exchange) in exchanges where exchange.remaining == nil {
            cancelTransmission(of: exchange)
            exchanges[node]?.transmission = nil
            exchanges[node]?.nextTransmission = nil
            exchanges[node]?.remaining = max(now.duration(to: exchange.deadline), .zero)
        }
    }

    private mutating func resume(at now: Instant, into outputs: inout [Output]) {
        for node in exchanges.keys.sorted() {
            guard let exchange = exchanges[node], let remaining = exchange.remaining else { continue }
            exchanges[node]?.remaining = nil
            exchanges[node]?.deadline = now.advanced(by: remaining)
            transmit(to: node, at: now, into: &outputs)
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

    private func write(_ pdu: ProxyPDU, into outputs: inout [Output]) {
        guard let identifier = link.identifier else { return }
        for packet in ProxySegmenter.packets(of: pdu, maximumSize: maximumPacketSize) {
            outputs.append(.send(packet, on: identifier))
        }
    }

    private static func earlier(_ left: Instant?, _ right: Instant?) -> Instant? {
        guard let left, let right else { return left ?? right }
        return min(left, right)
    }
}
