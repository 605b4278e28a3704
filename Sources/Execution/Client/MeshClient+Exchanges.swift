import MeshCore
import Planning

/// The messages of requests: sending, answers, time-outs.
extension MeshClient {
    /// Sends a request over the link that carries it.
    mutating func transmit(to node: UnicastAddress, at now: Instant, into outputs: inout [Output]) {
        guard let exchange = exchanges[node], let carrier = exchange.carrier,
            let link = transport.keeper.links.link(to: carrier)
        else { return }
        let subnet = exchange.subnets.first(where: link.subnets.contains) ?? exchange.subnets.first ?? .primary
        var message = OutgoingMessage(
            source: address,
            destination: .unicast(exchange.destination),
            payload: exchange.inquiry.payload(at: now),
            security: exchange.inquiry.security(of: node),
            netKeyIndex: subnet,
            ttl: transport.ttl(to: exchange.host, over: link)
        )
        message.usesOldNetKey = exchange.oldKeySubnets.contains(subnet)
        do {
            let (transmission, actions) = try transport.stack.send(message, at: now)
            let count = exchanges.sent(node, as: transmission)
            outputs.append(.sent(exchange.identifier, transmissions: count))
            perform(actions, arrivedOn: nil, at: now, into: &outputs)
        } catch {
            remove(node, at: now)
            outputs.append(.unsendable(exchange.identifier, error))
        }
    }

    /// Ends an exchange and everything of it that is still being sent.
    @discardableResult
    mutating func remove(_ node: UnicastAddress, at now: Instant) -> Exchange? {
        guard let exchange = exchanges.remove(node) else { return nil }
        if let transmission = exchange.transmission { transport.stack.cancel(transmission) }
        if let carrier = exchange.carrier { transport.keeper.links.unload(carrier, at: now) }
        return exchange
    }

    private mutating func end(
        _ node: UnicastAddress,
        _ ending: Exchanges.Ending,
        at now: Instant,
        into outputs: inout [Output]
    ) {
        if let exchange = remove(node, at: now) { outputs += ending.outputs(for: exchange) }
    }

    /// A request is due.
    mutating func advance(_ node: UnicastAddress, to now: Instant, into outputs: inout [Output]) {
        if let carrier = exchanges[node]?.carrier, exchanges.takeDoubt(node, at: now) {
            transport.keeper.doubtForwarding(of: carrier)
        }
        switch exchanges.advance(node, to: now) {
        case .nothing: break
        case .transmission: transmit(to: node, at: now, into: &outputs)
        case .end(let ending): end(node, ending, at: now, into: &outputs)
        }
    }

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
                guard let link = transport.route(to: destination, for: exchanges, arrivedOn: arrival) else { continue }
                outputs += link.writing(ProxyPDU(type: .network, payload: pdu))
            case .deliver(let message): deliver(message, arrivedOn: arrival, at: now, into: &outputs)
            case .completed(let transmission): exchanges.completed(transmission, at: now)
            case .failed(let transmission, let failure):
                let isRefused = failure == .cancelledByReceiver
                if let node = exchanges.failed(transmission, isRefused: isRefused, at: now) {
                    end(node, .unanswered, at: now, into: &outputs)
                }
            case .ivIndexChanged(let ivIndex):
                let isCorrection = transport.stack.ivIndexTimes.changedAt == nil
                outputs.append(.ivIndexChanged(ivIndex, isCorrection: isCorrection))
            case .keyRefreshPhaseChanged(let index, let phase):
                if let key = transport.stack.keys.netKey(index) { transport.keeper.nodes.set(key) }
                outputs.append(.keyRefreshPhaseChanged(index, phase))
            case .dropped(.alreadySeen): duplicateCount += 1
            case .heartbeat(let heartbeat, let message):
                report(heartbeat, message, arrivedOn: arrival, into: &outputs)
            case .relay, .dropped, .control, .deviceKeyActivated: break
            }
        }
    }

    private mutating func deliver(
        _ message: IncomingMessage,
        arrivedOn arrival: LinkTarget?,
        at now: Instant,
        into outputs: inout [Output]
    ) {
        transport.heard.insert(message.source)
        hear(message, arrivedOn: arrival, into: &outputs)
        report(message, arrivedOn: arrival, into: &outputs)
        guard message.destination == address.address, let hearing = exchanges.hearing(of: message) else { return }
        guard let node = exchanges.node(asking: message.source) else { return }
        let exchange = exchanges[node]
        for target in [exchange?.carrier, arrival] { transport.keeper.prove(target) }
        if let exchange,
            let proxy = transport.keeper.links.proveForwarding(to: exchange.host, by: exchange.carrier)
        {
            nodesInMesh.insert(exchange.host)
            forwarders.insert(proxy)
        }
        arrivedTTLs[node] = message.ttl
        if let ending = exchanges.hear(hearing, in: message, at: now) {
            end(node, ending, at: now, into: &outputs)
        }
    }
}
