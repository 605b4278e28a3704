import MeshCore
import Planning

/// Requests in progress: sending, answers, time-outs, and pauses between two links.
extension MeshClient {
    /// Sends a request over the link that carries it.
    mutating func transmit(to node: UnicastAddress, at now: Instant, into outputs: inout [Output]) {
        guard let exchange = exchanges[node], let carrier = exchange.carrier, let link = link(to: carrier) else {
            return
        }
        let subnet = exchange.subnets.first(where: link.subnets.contains) ?? exchange.subnets.first ?? .primary
        var message = OutgoingMessage(
            source: address,
            destination: .unicast(node),
            payload: exchange.inquiry.payload,
            security: exchange.inquiry.security(of: node),
            netKeyIndex: subnet,
            ttl: ttl(to: node, over: link)
        )
        message.usesOldNetKey = exchange.oldKeySubnets.contains(subnet)
        do {
            let (transmission, actions) = try stack.send(message, at: now)
            exchanges[node]?.transmissions += 1
            exchanges[node]?.transmission = transmission
            exchanges[node]?.nextTransmission = nil
            transmissionNodes[transmission] = node
            outputs.append(.sent(exchange.identifier, transmissions: exchange.transmissions + 1))
            perform(actions, arrivedOn: nil, at: now, into: &outputs)
        } catch {
            remove(node, at: now)
            outputs.append(.unsendable(exchange.identifier, error))
        }
    }

    /// The TTL of messages to a node over a link. It is 0 if the link leads directly to the node. Then neither messages
    /// nor answers are relayed, because nodes answer a message that came with TTL 0 with TTL 0 (Mesh Protocol
    /// 3.5.2.3.1, 3.7.2), and they take no other node's air time.
    func ttl(to node: UnicastAddress, over link: ProxyLink) -> UInt8 {
        link.isDirect(to: node) ? 0 : policy.ttl
    }

    /// Ends an exchange and everything of it that is still being sent.
    mutating func remove(_ node: UnicastAddress, at now: Instant) {
        guard let exchange = exchanges.removeValue(forKey: node) else { return }
        cancelTransmission(of: exchange)
        if let carrier = exchange.carrier { unload(carrier, at: now) }
    }

    mutating func cancelTransmission(of exchange: Exchange) {
        guard let transmission = exchange.transmission else { return }
        transmissionNodes[transmission] = nil
        stack.cancel(transmission)
    }

    mutating func unload(_ carrier: LinkTarget, at now: Instant) {
        guard let place = links.firstIndex(where: { $0.target == carrier }) else { return }
        links[place].load -= 1
        links[place].usedAt = now
    }

    /// Puts a waiting request on a link, and sends it.
    mutating func carry(_ node: UnicastAddress, over place: Int, at now: Instant, into outputs: inout [Output]) {
        guard let exchange = exchanges[node], let remaining = exchange.remaining else { return }
        let target = links[place].target
        let isDirect = links[place].isDirect(to: node)
        if exchange.isDirect != isDirect {
            // Time-outs on another kind of route say nothing about this one.
            exchanges[node]?.isDirect = isDirect
            let timeout = firstTimeout(of: exchange.inquiry, to: node, isDirect: isDirect)
            exchanges[node]?.timeout = timeout
        }
        links[place].load += 1
        links[place].usedAt = now
        routes[node] = target
        exchanges[node]?.carrier = target
        exchanges[node]?.deadline = now.advanced(by: remaining)
        exchanges[node]?.remaining = nil
        if !isDirect, links[place].forwarding == .unknown {
            exchanges[node]?.doubtsAt = now.advanced(by: linkPolicy.forwardingPatience)
        }
        transmit(to: node, at: now, into: &outputs)
    }

    private func firstTimeout(
        of inquiry: ConfigurationInquiry,
        to node: UnicastAddress,
        isDirect: Bool
    ) -> Duration {
        let measured = isDirect ? directRoundTrips : roundTrips
        return policy.firstTimeout(
            // Sending a long request again during its long status would cost both of them.
            segments: inquiry.canBeDivided ? 2 * inquiry.extraSegments : inquiry.extraSegments,
            node: measured[node],
            others: measured.all,
            isDirect: isDirect
        )
    }

    /// Makes the requests of a link wait for another link; their deadlines count only time on a link.
    mutating func pause(carriedBy target: LinkTarget, at now: Instant) {
        for (node, exchange) in exchanges where exchange.carrier == target {
            cancelTransmission(of: exchange)
            exchanges[node]?.leaveLink(remaining: now.duration(to: exchange.deadline))
        }
    }

    /// A request is due.
    mutating func advance(_ node: UnicastAddress, to now: Instant, into outputs: inout [Output]) {
        guard let exchange = exchanges[node], let carrier = exchange.carrier else { return }
        if let instant = exchange.doubtsAt, instant <= now {
            exchanges[node]?.doubtsAt = nil
            doubtForwarding(of: carrier)
        }
        if exchange.deadline <= now {
            remove(node, at: now)
            if let contradiction = exchange.contradiction {
                outputs.append(
                    .answered(exchange.identifier, contradiction, transmissions: exchange.transmissions)
                )
            } else if let odd = exchange.odd {
                endOddly(exchange, odd.answer, at: now, into: &outputs)
            } else {
                outputs.append(.unanswered(exchange.identifier))
            }
        } else if let instant = exchange.nextTransmission, instant <= now {
            if let odd = exchange.odd, exchange.contradiction == nil,
                exchange.transmissions >= exchange.inquiry.oddLimit
            {
                return endOddly(exchange, odd.answer, at: now, into: &outputs)
            }
            exchanges[node]?.timeout = policy.doubled(exchange.timeout)
            transmit(to: node, at: now, into: &outputs)
        }
    }

    // MARK: What the stack does

    /// Carries out the stack's outputs.
    ///
    /// - Parameter arrival: the link of the packet that caused them, if one did.
    mutating func perform(
        _ actions: [StackAction],
        arrivedOn arrival: LinkTarget?,
        at now: Instant,
        into outputs: inout [Output]
    ) {
        for action in actions {
            switch action {
            case .transmit(let pdu, let destination):
                guard let link = route(to: destination, arrivedOn: arrival) else { continue }
                write(ProxyPDU(type: .network, payload: pdu), over: link, into: &outputs)
            case .deliver(let message): deliver(message, arrivedOn: arrival, at: now, into: &outputs)
            case .completed(let transmission):
                guard let node = transmissionNodes.removeValue(forKey: transmission), let exchange = exchanges[node]
                else {
                    continue
                }
                exchanges[node]?.transmission = nil
                // The acknowledgment of segments has already made the round trip that would be measured.
                if !exchange.inquiry.isSegmented { exchanges[node]?.awaitedSince = now }
                exchanges[node]?.nextTransmission = now.advanced(by: exchange.timeout)
            case .failed(let transmission, let failure):
                guard let node = transmissionNodes.removeValue(forKey: transmission), let exchange = exchanges[node]
                else {
                    continue
                }
                exchanges[node]?.transmission = nil
                if failure == .cancelledByReceiver, exchange.inquiry.canBeDivided {
                    remove(node, at: now)
                    outputs.append(.unanswered(exchange.identifier))
                    continue
                }
                exchanges[node]?.nextTransmission = now.advanced(by: exchange.timeout)
            case .ivIndexChanged(let ivIndex):
                let isCorrection = stack.ivIndexTimes.changedAt == nil
                outputs.append(.ivIndexChanged(ivIndex, isCorrection: isCorrection))
            case .keyRefreshPhaseChanged(let index, let phase):
                if let key = stack.keys.netKey(index) { nodes.set(key) }
                outputs.append(.keyRefreshPhaseChanged(index, phase))
            case .dropped(.alreadySeen): duplicateCount += 1
            case .relay, .dropped, .control, .heartbeat, .deviceKeyActivated: break
            }
        }
    }

    /// The link for a PDU: the link of the request to the node, else the link of the last message to the node, else the
    /// link of the message that is answered.
    private func route(to destination: Address, arrivedOn arrival: LinkTarget?) -> ProxyLink? {
        let node = UnicastAddress(rawValue: destination.rawValue)
        for target in [node.flatMap { exchanges[$0]?.carrier }, node.flatMap { routes[$0] }, arrival] {
            if let target, let link = link(to: target), link.isReady { return link }
        }
        return links.first(where: \.isReady)
    }

    private mutating func deliver(
        _ message: IncomingMessage,
        arrivedOn arrival: LinkTarget?,
        at now: Instant,
        into outputs: inout [Output]
    ) {
        heard.insert(message.source)
        hear(message, arrivedOn: arrival, into: &outputs)
        guard message.destination == address.address,
            let exchange = exchanges[message.source], exchange.transmissions > 0,
            message.security == exchange.inquiry.security(of: message.source),
            let hearing = exchange.inquiry.hearing(of: message.payload)
        else { return }
        for target in [exchange.carrier, arrival] { prove(target) }
        proveForwarding(to: message.source, by: exchange.carrier)
        switch hearing.verdict {
        case .differs:
            exchanges[message.source]?.contradiction = hearing.verdict
            return
        case .odd(let answer):
            if repeatedAnswers[message.source]?.contains(message.payload) == true { return }
            if let odd = exchange.odd, odd.transmission < exchange.transmissions {
                endOddly(exchange, answer, at: now, into: &outputs)
            } else {
                exchanges[message.source]?.odd = (answer, exchange.transmissions)
            }
            return
        default: break
        }
        learn(from: exchange, answeredAt: now)
        remove(message.source, at: now)
        if exchange.transmissions > 1 { rememberRepeated(message.payload, of: message.source) }
        if let habit = hearing.habit { outputs.append(.habit(exchange.identifier, habit)) }
        outputs.append(.answered(exchange.identifier, hearing.verdict, transmissions: exchange.transmissions))
    }

    /// Ends a request with an answer that cannot be one.
    private mutating func endOddly(
        _ exchange: Exchange,
        _ answer: OddAnswer,
        at now: Instant,
        into outputs: inout [Output]
    ) {
        remove(exchange.node, at: now)
        if let habit = answer.habit { outputs.append(.habit(exchange.identifier, habit)) }
        outputs.append(.answered(exchange.identifier, .odd(answer), transmissions: exchange.transmissions))
    }

    private mutating func rememberRepeated(_ answer: [UInt8], of node: UnicastAddress) {
        let most = 3
        repeatedAnswers[node] = (repeatedAnswers[node] ?? []).suffix(most - 1) + [answer]
    }

    /// Uses the round trip of an exchange for later time-outs.
    private mutating func learn(from exchange: Exchange, answeredAt now: Instant) {
        let node = exchange.node
        if exchange.transmissions > 1 {
            if exchange.isDirect == true {
                directRoundTrips.backOff(to: exchange.timeout, with: node)
            } else {
                roundTrips.backOff(to: exchange.timeout, with: node)
            }
        } else if let start = exchange.awaitedSince {
            let measured = start.duration(to: now)
            if exchange.isDirect == true {
                directRoundTrips.measure(measured, with: node)
            } else {
                roundTrips.measure(measured, with: node)
            }
        }
    }
}
