package import MeshCore

/// A Configuration Client over one proxy link: requests in, answers out, with everything between, which is
/// encryption, segmentation, retries, the proxy's filter, and the link's recovery.
///
/// It is a value without input or output of its own. Its owner feeds it events and time and carries out what it
/// returns, in order. To one node at most one request is outstanding.
package struct MeshClient {
    /// What its owner is to do or to know.
    package enum Output {
        /// Connect the bearer to a proxy, then call ``linkConnecting(_:)`` or ``linkFailed(_:at:)``.
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

    /// The address of the client's only element.
    package let address: UnicastAddress
    private let policy: RetryPolicy
    var stack: MeshStack
    var link: ProxyLink
    /// Octets that the link carries at once.
    var maximumPacketSize = 0
    var reassembler = ProxyReassembler()
    /// The node at the other end of the link, once its filter status has come.
    var proxy: UnicastAddress?
    /// The subnets of which the proxy has sent a beacon, in that order; it relays for no others.
    var proxySubnets: [NetKeyIndex] = []
    var exchanges: [UnicastAddress: Exchange] = [:]
    private var transmissionNodes: [TransmissionIdentifier: UnicastAddress] = [:]
    private var nextRequest: UInt64 = 0
    /// Round trips with each node that was measured.
    private var roundTrips: [UnicastAddress: RoundTripEstimate] = [:]
    /// Round trips with all nodes, for those that were not measured yet.
    private var roundTrip = RoundTripEstimate()
    /// Sources that were heard and whose replay entries nobody has taken yet.
    var heard: Set<UnicastAddress> = []

    /// A client without a link.
    ///
    /// - Parameters:
    ///   - address: the client's element; its sequence numbers come from `sequenceNumbers` alone.
    ///   - isIVIndexKnown: false if `ivIndex` is only a supposition, which the first authentic beacon corrects.
    ///   - replay: what earlier runs accepted.
    package init(
        address: UnicastAddress,
        ivIndex: IVIndex,
        isIVIndexKnown: Bool = true,
        keys: KeyRing,
        sequenceNumbers: any SequenceNumberSource,
        replay: ReplayProtection = ReplayProtection(),
        retryPolicy: RetryPolicy = RetryPolicy(),
        linkPolicy: LinkPolicy = LinkPolicy()
    ) {
        self.address = address
        policy = retryPolicy
        link = ProxyLink(policy: linkPolicy)
        stack = MeshStack(
            address: address,
            elementCount: 1,
            ivIndex: ivIndex,
            isIVIndexKnown: isIVIndexKnown,
            keys: keys,
            sequenceNumbers: sequenceNumbers,
            sar: .configurationClient,
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
        return heard.sorted().compactMap { stack.replay[$0] }
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
            timeout: policy.firstTimeout(
                segments: inquiry.extraSegments,
                node: roundTrips[node] ?? RoundTripEstimate(),
                others: roundTrip
            )
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
    func preferredSubnet(among candidates: [NetKeyIndex]) -> NetKeyIndex {
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
    mutating func remove(_ node: UnicastAddress) {
        guard let exchange = exchanges.removeValue(forKey: node) else { return }
        cancelTransmission(of: exchange)
    }

    private mutating func cancelTransmission(of exchange: Exchange) {
        guard let transmission = exchange.transmission else { return }
        transmissionNodes[transmission] = nil
        stack.cancel(transmission)
    }

    // MARK: Time

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

    // MARK: Answers

    mutating func perform(_ actions: [StackAction], at now: Instant, into outputs: inout [Output]) {
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
                // The acknowledgment of segments has made the way already whose time is to be measured.
                if !exchange.inquiry.isSegmented { exchanges[node]?.awaitedSince = now }
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
        heard.insert(message.source)
        guard case .device(message.source) = message.security, message.destination == address.address,
            let exchange = exchanges[message.source], exchange.transmissions > 0,
            let verdict = exchange.inquiry.verdict(on: message.payload)
        else { return }
        link.proved()
        if case .differs = verdict {
            exchanges[message.source]?.contradiction = verdict
            return
        }
        learn(from: exchange, answeredAt: now)
        remove(message.source)
        outputs.append(.answered(exchange.identifier, verdict, transmissions: exchange.transmissions))
    }

    /// Takes the time that an exchange needed into the time-outs of later ones.
    private mutating func learn(from exchange: Exchange, answeredAt now: Instant) {
        if exchange.transmissions > 1 {
            roundTrips[exchange.node, default: RoundTripEstimate()].backOff(to: exchange.timeout)
        } else if let start = exchange.awaitedSince {
            let measured = start.duration(to: now)
            roundTrips[exchange.node, default: RoundTripEstimate()].measure(measured)
            roundTrip.measure(measured)
        }
    }

    /// The deadlines of requests count time with a link only.
    mutating func pause(at now: Instant) {
        for (node, exchange) in exchanges where exchange.remaining == nil {
            cancelTransmission(of: exchange)
            exchanges[node]?.transmission = nil
            exchanges[node]?.nextTransmission = nil
            exchanges[node]?.remaining = max(now.duration(to: exchange.deadline), .zero)
        }
    }

    /// Sends what waited for a link.
    mutating func resume(at now: Instant, into outputs: inout [Output]) {
        for node in exchanges.keys.sorted() {
            guard let exchange = exchanges[node], let remaining = exchange.remaining else { continue }
            exchanges[node]?.remaining = nil
            exchanges[node]?.deadline = now.advanced(by: remaining)
            transmit(to: node, at: now, into: &outputs)
        }
    }

    private static func earlier(_ left: Instant?, _ right: Instant?) -> Instant? {
        guard let left, let right else { return left ?? right }
        return min(left, right)
    }
}
