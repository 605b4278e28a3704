package import MeshCore

/// What bearers tell: links that open and close, and the Proxy PDUs that they carry.
extension MeshClient {
    /// The bearer has begun to connect, as ``Output/connect(_:)`` wanted.
    package mutating func connecting(_ identifier: LinkIdentifier, to target: LinkTarget, at now: Instant) -> [Output] {
        guard let place = links.firstIndex(where: { $0.target == target && $0.identifier == nil }) else {
            // It is not wanted any more.
            return [.closeLink(identifier)]
        }
        links[place].connecting(as: identifier)
        return []
    }

    /// The bearer cannot connect to anything.
    package mutating func connectFailed(_ target: LinkTarget, _ error: BearerError, at now: Instant) -> [Output] {
        var outputs: [Output] = []
        change(target, at: now, into: &outputs) { link in
            link.identifier == nil ? [.lost(LinkFailure(error))] : []
        }
        review(at: now, into: &outputs)
        return outputs
    }

    /// Something came from the bearer; what concerns others than the client is passed over.
    package mutating func handle(_ event: BearerEvent, at now: Instant) -> [Output] {
        var outputs: [Output] = []
        switch event {
        case .opened(let identifier, let size, let times):
            guard let place = place(of: identifier) else { return [] }
            change(links[place].target, at: now, into: &outputs) { $0.opened(maximumPacketSize: size, times, at: now) }
        case .closed(let identifier, let error):
            guard let place = place(of: identifier) else { return [] }
            change(links[place].target, at: now, into: &outputs) { _ in [.lost(LinkFailure(error))] }
        case .received(let identifier, let packet):
            guard let place = place(of: identifier) else { return [] }
            let target = links[place].target
            do throws(ProxyProtocolError) {
                if let pdu = try links[place].reassembler.receive(packet, at: now) {
                    receive(pdu, on: target, at: now, into: &outputs)
                }
            } catch {
                change(target, at: now, into: &outputs) { _ in [.close, .lost(.peerBrokeProtocol)] }
            }
        case .heard(let advertisement):
            guard hears(advertisement, at: now) else { return [] }
        }
        review(at: now, into: &outputs)
        return outputs
    }

    private mutating func receive(_ pdu: ProxyPDU, on target: LinkTarget, at now: Instant, into outputs: inout [Output])
    {
        switch pdu.type {
        case .network:
            perform(stack.receive(networkPDU: pdu.payload, at: now), arrivedOn: target, at: now, into: &outputs)
        case .beacon: receive(beacon: pdu.payload, on: target, at: now, into: &outputs)
        case .configuration: receive(proxyConfiguration: pdu.payload, on: target, at: now, into: &outputs)
        case .provisioning: break
        }
    }

    private mutating func receive(
        beacon bytes: [UInt8],
        on target: LinkTarget,
        at now: Instant,
        into outputs: inout [Output]
    ) {
        guard let beacon = try? AuthenticBeacon(bytes, under: stack.keys) else {
            change(target, at: now, into: &outputs) { link in
                link.foreignBeacon()
                return []
            }
            return
        }
        perform(stack.receive(beacon: bytes, at: now), arrivedOn: target, at: now, into: &outputs)
        let ours = stack.ivIndex
        let verdict = stack.ivIndexVerdict(on: beacon, at: now)
        let recovery = linkPolicy.ivIndexRecovery
        change(target, at: now, into: &outputs) { link in
            guard ours.isUnderstood(with: beacon.ivIndex) else {
                return link.unusableIVIndex(beacon.ivIndex, known: ours, verdict, recovery: recovery)
            }
            return link.authenticBeacon(of: beacon.netKeyIndex, isUnderOldKey: beacon.isUnderOldKey, at: now)
        }
    }

    private mutating func receive(
        proxyConfiguration pdu: [UInt8],
        on target: LinkTarget,
        at now: Instant,
        into outputs: inout [Output]
    ) {
        guard let received = try? stack.receive(proxyConfiguration: pdu) else { return }
        guard case .filterStatus(let type, let listSize) = received.message else { return }
        heard.insert(received.source)
        if nodes.isExcluded(received.source) {
            if case .proxy(let advertiser) = target { selection.refuse(advertiser) }
            change(target, at: now, into: &outputs) { _ in [.close, .lost(.excludedProxy)] }
            return
        }
        if case .proxy(let advertiser) = target { selection.learn(received.source, behind: advertiser) }
        if let expected = expectedNode(of: target), expected != received.source {
            change(target, at: now, into: &outputs) { _ in [.close, .lost(.otherNode(received.source))] }
            return
        }
        change(target, at: now, into: &outputs) { link in
            link.filterStatus(
                from: received.source,
                isAcceptList: type == .acceptList,
                count: Int(listSize),
                at: now
            )
        }
    }

    /// The node that a link has to lead to, if any will not do.
    private func expectedNode(of target: LinkTarget) -> UnicastAddress? {
        if let node = link(to: target)?.directNode { return node }
        guard case .node(let required, name: _) = linkPolicy.proxy else { return nil }
        return required
    }

    // MARK: Links

    /// The link to a target, nil if there is none.
    func link(to target: LinkTarget) -> ProxyLink? { links.first { $0.target == target } }

    /// The place of a link that the bearer calls so.
    func place(of identifier: LinkIdentifier) -> Int? { links.firstIndex { $0.identifier == identifier } }

    /// Lets something happen to a link and carries out what it asks for.
    mutating func change(
        _ target: LinkTarget,
        at now: Instant,
        into outputs: inout [Output],
        _ event: (inout ProxyLink) -> [ProxyLink.Action]
    ) {
        guard let place = links.firstIndex(where: { $0.target == target }) else { return }
        for action in event(&links[place]) {
            switch action {
            case .close: if let identifier = links[place].identifier { outputs.append(.closeLink(identifier)) }
            case .setFilterType: configure(.setFilterType(.acceptList), over: target, at: now, into: &outputs)
            case .addAddresses: configure(.addAddresses([address.address]), over: target, at: now, into: &outputs)
            case .ready:
                let link = links[place]
                outputs.append(
                    link.directNode.map { .directLinkUp($0, link.times) } ?? .linkUp(proxy: link.proxy, link.times)
                )
            case .lost(let failure):
                lose(place, failure, at: now, into: &outputs)
                return
            }
        }
    }

    private mutating func configure(
        _ message: ProxyConfigurationMessage,
        over target: LinkTarget,
        at now: Instant,
        into outputs: inout [Output]
    ) {
        guard let link = link(to: target) else { return }
        let subnet = link.subnets.first ?? .primary
        do throws(StackError) {
            let pdu = try stack.encode(
                message,
                netKeyIndex: subnet,
                usesOldNetKey: link.oldKeySubnets.contains(subnet)
            )
            write(ProxyPDU(type: .configuration, payload: pdu), over: link, into: &outputs)
        } catch {
            // Without sequence numbers nothing can be sent at all; the requests that wait for the link tell so.
            for node in exchanges.keys.sorted() {
                guard let exchange = exchanges[node] else { continue }
                remove(node, at: now)
                outputs.append(.unsendable(exchange.identifier, error))
            }
        }
    }

    /// Sends a Proxy PDU in as many packets as it takes.
    func write(_ pdu: ProxyPDU, over link: ProxyLink, into outputs: inout [Output]) {
        guard let identifier = link.identifier else { return }
        for packet in ProxySegmenter.packets(of: pdu, maximumSize: link.maximumPacketSize) {
            outputs.append(.send(packet, on: identifier))
        }
    }

    /// An answer came over a link, or to what it carried.
    mutating func prove(_ target: LinkTarget?) {
        guard let place = links.firstIndex(where: { $0.target == target }) else { return }
        hasProvedLink = true
        if links[place].proved(), links[place].directNode == nil { search.failures = 0 }
    }
}
