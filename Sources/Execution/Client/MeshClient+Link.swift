package import MeshCore
import Planning

/// Events of the bearer: links that open and close, and their Proxy PDUs.
extension MeshClient {
    /// The bearer has begun to connect, as ``Output/connect(_:)`` asked.
    package mutating func connecting(_ identifier: LinkIdentifier, to target: LinkTarget, at now: Instant) -> [Output] {
        guard let place = links.firstIndex(where: { $0.target == target && $0.identifier == nil }) else {
            // The link is no longer wanted.
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

    /// An event of the bearer; events that concern others than the client are ignored.
    package mutating func handle(_ event: BearerEvent, at now: Instant) -> [Output] {
        var outputs: [Output] = []
        switch event {
        case .opened(let identifier, let size, let times):
            guard let place = place(of: identifier) else { return [] }
            let isKnown = stack.isIVIndexKnown
            change(links[place].target, at: now, into: &outputs) { link in
                link.opened(maximumPacketSize: size, times, isIVIndexKnown: isKnown, at: now)
            }
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
            let actions = stack.receive(networkPDU: pdu.payload, at: now)
            let isAuthentic = actions.allSatisfy { if case .dropped(.network) = $0 { false } else { true } }
            perform(actions, arrivedOn: target, at: now, into: &outputs)
            if isAuthentic { change(target, at: now, into: &outputs) { $0.carried(at: now) } }
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
        let received: IncomingProxyConfiguration
        do throws(ProxyConfigurationRefusal) {
            received = try stack.receive(proxyConfiguration: pdu)
        } catch {
            if error.reason == .network(.notAuthentic), stack.isUnderNextIVIndex(proxyConfiguration: pdu) {
                let ours = stack.ivIndex
                change(target, at: now, into: &outputs) { $0.answeredAhead(of: ours) }
            }
            return
        }
        guard case .filterStatus(let type, let listSize) = received.message else { return }
        heard.insert(received.source)
        // A node at another IV index could not have answered.
        perform(stack.confirmIVIndex(), arrivedOn: target, at: now, into: &outputs)
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
        let known = nodes.netKeys(of: received.source)
        change(target, at: now, into: &outputs) { link in
            link.filterStatus(
                from: received.source,
                in: received.netKeyIndex,
                knownIn: known,
                isAcceptList: type == .acceptList,
                count: Int(listSize),
                at: now
            )
        }
    }

    /// The node that a link must lead to; nil if any node will do.
    private func expectedNode(of target: LinkTarget) -> UnicastAddress? {
        if let node = link(to: target)?.directNode { return node }
        guard case .node(let required, name: _) = linkPolicy.proxy else { return nil }
        return required
    }

    // MARK: Links

    /// The link to a target; nil if there is none.
    func link(to target: LinkTarget) -> ProxyLink? { links.first { $0.target == target } }

    /// The place of the link with this identifier of the bearer.
    func place(of identifier: LinkIdentifier) -> Int? { links.firstIndex { $0.identifier == identifier } }

    /// Changes a link, and carries out the actions that it returns.
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
            case .setFilterType(let attempt): setFilterType(over: target, attempt, at: now, into: &outputs)
            case .addAddresses:
                let message = ProxyConfigurationMessage.addAddresses([address.address])
                configure(message, in: key(for: links[place]), over: target, at: now, into: &outputs)
            case .tryMessage: tryMessage(over: target, at: now, into: &outputs)
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

    /// A key for a proxy configuration message.
    private struct ConfigurationKey {
        var index: NetKeyIndex
        /// Whether it is the old key, whatever the phase of the key refresh.
        var isOld = false
    }

    /// In how many subnets the client tries a proxy of which it knows nothing; each takes a sequence number.
    private static let maximumGuesses = 16

    private func key(for link: ProxyLink) -> ConfigurationKey {
        let subnet = link.subnets.first ?? .primary
        return ConfigurationKey(index: subnet, isOld: link.oldKeySubnets.contains(subnet))
    }

    /// Sets the filter type under the key of the proxy's beacon; without a beacon under the keys of the subnets that it
    /// advertised, or under all keys. A proxy that was left out of a key refresh has only the old key, so the client
    /// tries old and new keys in turn.
    private mutating func setFilterType(
        over target: LinkTarget,
        _ attempt: Int,
        at now: Instant,
        into outputs: inout [Output]
    ) {
        guard let link = link(to: target) else { return }
        var candidates = [key(for: link)]
        if link.subnets.isEmpty {
            let subnets = link.advertisedSubnets ?? stack.keys.netKeys.map(\.index)
            candidates = subnets.prefix(Self.maximumGuesses)
                .map { index in
                    let isRefreshing = stack.keys.netKey(index)?.phase == .usingNewKeys
                    return ConfigurationKey(index: index, isOld: isRefreshing && attempt.isMultiple(of: 2))
                }
        }
        for candidate in candidates {
            configure(.setFilterType(.acceptList), in: candidate, over: target, at: now, into: &outputs)
        }
        change(target, at: now, into: &outputs) { link in
            let isGuess = link.subnets.isEmpty
            link.sentTypeRequests(
                candidates.count,
                withOldKey: isGuess ? Set(candidates.filter(\.isOld).map(\.index)) : []
            )
            return []
        }
    }

    private mutating func configure(
        _ message: ProxyConfigurationMessage,
        in key: ConfigurationKey,
        over target: LinkTarget,
        at now: Instant,
        into outputs: inout [Output]
    ) {
        guard let link = link(to: target) else { return }
        do throws(StackError) {
            let pdu = try stack.encode(message, netKeyIndex: key.index, usesOldNetKey: key.isOld)
            write(ProxyPDU(type: .configuration, payload: pdu), over: link, into: &outputs)
        } catch { endSending(error, at: now, into: &outputs) }
    }

    /// Asks the proxy itself for something that changes nothing. The answer shows that its filter lets messages for us
    /// through.
    private mutating func tryMessage(over target: LinkTarget, at now: Instant, into outputs: inout [Output]) {
        guard let link = link(to: target), let proxy = link.proxy, stack.keys.hasDeviceKey(of: proxy) else {
            change(target, at: now, into: &outputs) { $0.cannotTry(at: now) }
            return
        }
        let key = key(for: link)
        var message = OutgoingMessage(
            source: address,
            destination: .unicast(proxy),
            payload: ConfigDefaultTTLGet().encoded,
            security: .device(node: proxy),
            netKeyIndex: key.index,
            ttl: policy.ttl
        )
        message.usesOldNetKey = key.isOld
        do throws(StackError) {
            for action in try stack.send(message, at: now).1 {
                guard case .transmit(let pdu, destination: _) = action else { continue }
                write(ProxyPDU(type: .network, payload: pdu), over: link, into: &outputs)
            }
        } catch { endSending(error, at: now, into: &outputs) }
    }

    /// Without sequence numbers nothing can be sent at all; the requests that wait for a link report it.
    private mutating func endSending(_ error: StackError, at now: Instant, into outputs: inout [Output]) {
        for node in exchanges.keys.sorted() {
            guard let exchange = exchanges[node] else { continue }
            remove(node, at: now)
            outputs.append(.unsendable(exchange.identifier, error))
        }
    }

    /// Sends a Proxy PDU in as many packets as it needs.
    func write(_ pdu: ProxyPDU, over link: ProxyLink, into outputs: inout [Output]) {
        guard let identifier = link.identifier else { return }
        for packet in ProxySegmenter.packets(of: pdu, maximumSize: link.maximumPacketSize) {
            outputs.append(.send(packet, on: identifier))
        }
    }

    /// A node has answered a request that a link carried.
    mutating func proveForwarding(to node: UnicastAddress, by carrier: LinkTarget?) {
        guard let place = links.firstIndex(where: { $0.target == carrier }), links[place].proxy != node else { return }
        links[place].proveForwarding()
    }

    /// An answer came over a link, or to a request that it carried.
    mutating func prove(_ target: LinkTarget?) {
        guard let place = links.firstIndex(where: { $0.target == target }) else { return }
        hasProvedLink = true
        if links[place].proved(), links[place].directNode == nil { search.failures = 0 }
    }
}
