import MeshCore
import Planning

/// Our node's stack over proxy links: it sets links up and takes what comes over them.
///
/// What its owner has to do comes out as events, in order.
struct LinkTransport {
    /// What the owner must do.
    enum Event {
        /// Tell the owner of the client.
        case output(ClientOutput)
        /// Carry out what the stack has told about a packet of a link.
        case stack([StackAction], LinkTarget)
        /// Tell the link that a message of the mesh came over it.
        case carried(LinkTarget)
        /// Carry out what the keeper of the links demands.
        case links([LinkKeeper.Action])
        /// Nothing can be sent at all, because there are no sequence numbers: end the requests with this.
        case unsendable(StackError)
    }

    /// The address of the client's only element.
    let address: UnicastAddress
    /// The TTL of messages that nodes may relay.
    let ttl: UInt8
    var stack: MeshStack
    var keeper: LinkKeeper
    /// Sources that were heard and whose replay entries were not taken yet.
    var heard: Set<UnicastAddress> = []

    /// The TTL of messages to a node over a link. It is 0 if the link leads directly to the node. Then neither messages
    /// nor answers are relayed, because nodes answer a message that came with TTL 0 with TTL 0 (Mesh Protocol
    /// 3.5.2.3.1, 3.7.2), and they take no other node's air time.
    func ttl(to node: UnicastAddress, over link: ProxyLink) -> UInt8 { link.isDirect(to: node) ? 0 : ttl }

    /// The IV index if it is known; nil if it is only a supposition, under which nothing is sent.
    var knownIVIndex: IVIndex? { stack.isIVIndexKnown ? stack.ivIndex : nil }

    /// The replay entries of sources that were heard since the last call.
    mutating func takeReplayEntries() -> [ReplayProtection.Entry] {
        defer { heard = [] }
        return heard.sorted().compactMap { stack.replay[$0] }
    }

    /// The link for a PDU, see ``ClientRoutes``.
    func route(to destination: Address, for exchanges: Exchanges, arrivedOn arrival: LinkTarget?) -> ProxyLink? {
        keeper.routes.link(to: destination, among: keeper.links, for: exchanges, arrivedOn: arrival)
    }

    // MARK: Events of the bearer

    /// The bearer has begun to connect.
    ///
    /// - Returns: whether the link is still wanted.
    mutating func connecting(_ identifier: LinkIdentifier, to target: LinkTarget) -> Bool {
        guard let index = keeper.links.firstIndex(where: { $0.target == target && $0.identifier == nil }) else {
            return false
        }
        keeper.links[index].connecting(as: identifier)
        return true
    }

    /// An event of the bearer.
    ///
    /// - Returns: what follows; nil if the event concerns others, or changes nothing yet.
    mutating func handle(_ event: BearerEvent, _ exchanges: inout Exchanges, at now: Instant) -> [Event]? {
        var events: [Event] = []
        switch event {
        case .opened(let identifier, let size, let times):
            guard let index = keeper.links.place(of: identifier) else { return nil }
            let isKnown = stack.isIVIndexKnown
            change(keeper.links[index].target, at: now, &exchanges, into: &events) { link in
                link.opened(maximumPacketSize: size, times, isIVIndexKnown: isKnown, at: now)
            }
        case .closed(let identifier, let error):
            guard let index = keeper.links.place(of: identifier) else { return nil }
            change(keeper.links[index].target, at: now, &exchanges, into: &events) { _ in [.lost(LinkFailure(error))] }
        case .received(let identifier, let packet):
            guard let index = keeper.links.place(of: identifier) else { return nil }
            let target = keeper.links[index].target
            do throws(ProxyProtocolError) {
                if let pdu = try keeper.links[index].reassembler.receive(packet, at: now) {
                    receive(pdu, on: target, at: now, &exchanges, into: &events)
                }
            } catch {
                change(target, at: now, &exchanges, into: &events) { _ in [.close, .lost(.peerBrokeProtocol)] }
            }
        case .heard(let advertisement):
            guard keeper.hears(advertisement, for: exchanges, at: now) else { return nil }
        }
        return events
    }

    private mutating func receive(
        _ pdu: ProxyPDU,
        on target: LinkTarget,
        at now: Instant,
        _ exchanges: inout Exchanges,
        into events: inout [Event]
    ) {
        switch pdu.type {
        case .network:
            let actions = stack.receive(networkPDU: pdu.payload, at: now)
            let isAuthentic = actions.allSatisfy { if case .dropped(.network) = $0 { false } else { true } }
            events.append(.stack(actions, target))
            if isAuthentic { events.append(.carried(target)) }
        case .beacon: receive(beacon: pdu.payload, on: target, at: now, &exchanges, into: &events)
        case .configuration:
            receive(proxyConfiguration: pdu.payload, on: target, at: now, &exchanges, into: &events)
        case .provisioning: break
        }
    }

    private mutating func receive(
        beacon bytes: [UInt8],
        on target: LinkTarget,
        at now: Instant,
        _ exchanges: inout Exchanges,
        into events: inout [Event]
    ) {
        guard let beacon = try? AuthenticBeacon(bytes, under: stack.keys) else {
            change(target, at: now, &exchanges, into: &events) { link in
                link.foreignBeacon()
                return []
            }
            return
        }
        events.append(.stack(stack.receive(beacon: bytes, at: now), target))
        let ours = stack.ivIndex
        let verdict = stack.ivIndexVerdict(on: beacon, at: now)
        let recovery = keeper.policy.ivIndexRecovery
        change(target, at: now, &exchanges, into: &events) { link in
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
        _ exchanges: inout Exchanges,
        into events: inout [Event]
    ) {
        let received: IncomingProxyConfiguration
        do throws(ProxyConfigurationRefusal) {
            received = try stack.receive(proxyConfiguration: pdu)
        } catch {
            if error.reason == .network(.notAuthentic), stack.isUnderNextIVIndex(proxyConfiguration: pdu) {
                let ours = stack.ivIndex
                change(target, at: now, &exchanges, into: &events) { $0.answeredAhead(of: ours) }
            }
            return
        }
        guard case .filterStatus(let type, let listSize) = received.message else { return }
        heard.insert(received.source)
        // A node at another IV index could not have answered.
        events.append(.stack(stack.confirmIVIndex(), target))
        if keeper.nodes.isExcluded(received.source) {
            if case .proxy(let advertiser) = target { keeper.selection.refuse(advertiser) }
            change(target, at: now, &exchanges, into: &events) { _ in [.close, .lost(.excludedProxy)] }
            return
        }
        if case .proxy(let advertiser) = target { keeper.selection.learn(received.source, behind: advertiser) }
        if let expected = keeper.links.expectedNode(of: target, keeper.policy), expected != received.source {
            change(target, at: now, &exchanges, into: &events) { _ in [.close, .lost(.otherNode(received.source))] }
            return
        }
        let known = keeper.nodes.netKeys(of: received.source)
        let isFilling = keeper.filters[target] != nil
        change(target, at: now, &exchanges, into: &events) { link in
            link.filterStatus(
                from: received.source,
                in: received.netKeyIndex,
                knownIn: known,
                isAcceptList: type == .acceptList,
                count: Int(listSize),
                at: now
            )
        }
        guard isFilling else { return }
        filterStatus(isAcceptList: type == .acceptList, count: Int(listSize), over: target, at: now, into: &events)
    }

    /// Changes a link, and carries out the actions that it returns.
    mutating func change(
        _ target: LinkTarget,
        at now: Instant,
        _ exchanges: inout Exchanges,
        into events: inout [Event],
        _ event: (inout ProxyLink) -> [ProxyLink.Action]
    ) {
        guard let index = keeper.links.place(of: target) else { return }
        for action in event(&keeper.links[index]) {
            switch action {
            case .close:
                if let identifier = keeper.links[index].identifier { events.append(.output(.closeLink(identifier))) }
            case .setFilterType(let attempt):
                let link = keeper.links[index]
                let keys = link.filterTypeKeys(attempt, of: stack.keys)
                configure(.setFilterType(.acceptList), in: keys, over: link, into: &events)
                keeper.links[index].sentTypeRequests(keys)
            case .addAddresses:
                let message = ProxyConfigurationMessage.addAddresses([address.address])
                let link = keeper.links[index]
                configure(message, in: [link.configurationKey], over: link, into: &events)
            case .tryMessage: tryMessage(over: target, at: now, &exchanges, into: &events)
            case .ready:
                let link = keeper.links[index]
                let up = link.directNode.map { ClientOutput.directLinkUp($0, link.times) }
                events.append(.output(up ?? .linkUp(proxy: link.proxy, link.times)))
                beginWatching(over: target, at: now, into: &events)
            case .lost(let failure):
                events.append(.links(keeper.lose(index, failure, &exchanges, at: now)))
                return
            }
        }
    }

    /// Sends a proxy configuration message under each of these keys.
    mutating func configure(
        _ message: ProxyConfigurationMessage,
        in keys: [ProxyLink.ConfigurationKey],
        over link: ProxyLink,
        into events: inout [Event]
    ) {
        for key in keys {
            do throws(StackError) {
                let pdu = try stack.encode(message, netKeyIndex: key.index, usesOldNetKey: key.isOld)
                events += link.writing(ProxyPDU(type: .configuration, payload: pdu)).map { .output($0) }
            } catch { events.append(.unsendable(error)) }
        }
    }

    /// Asks the proxy itself for something that changes nothing. The answer shows that its filter lets messages for us
    /// through.
    private mutating func tryMessage(
        over target: LinkTarget,
        at now: Instant,
        _ exchanges: inout Exchanges,
        into events: inout [Event]
    ) {
        guard let link = keeper.links.link(to: target), let proxy = link.proxy, stack.keys.hasDeviceKey(of: proxy)
        else {
            change(target, at: now, &exchanges, into: &events) { $0.cannotTry(at: now) }
            return
        }
        let key = link.configurationKey
        var message = OutgoingMessage(
            source: address,
            destination: .unicast(proxy),
            payload: ConfigDefaultTTLGet().encoded,
            security: .device(node: proxy),
            netKeyIndex: key.index,
            ttl: ttl
        )
        message.usesOldNetKey = key.isOld
        do throws(StackError) {
            for action in try stack.send(message, at: now).1 {
                guard case .transmit(let pdu, destination: _) = action else { continue }
                events += link.writing(ProxyPDU(type: .network, payload: pdu)).map { .output($0) }
            }
        } catch { events.append(.unsendable(error)) }
    }

    /// Sends an access message under a node's DeviceKey, once.
    ///
    /// - Parameter limit: its TTL, unless the link leads directly to the node; nil for the usual one.
    /// - Returns: what the stack does, and the link; nil if no ready link reaches the node.
    /// - Throws: ``StackError`` if neither this message nor others can be sent.
    mutating func post(
        _ payload: [UInt8],
        to node: UnicastAddress,
        subnets: [NetKeyIndex],
        ttl limit: UInt8? = nil,
        at now: Instant
    ) throws(StackError) -> (actions: [StackAction], link: LinkTarget)? {
        let (links, accustomed) = (keeper.links, keeper.routes[node])
        guard let index = links.place(forMessageTo: node, in: subnets, keeper.nodes, accustomed: accustomed) else {
            return nil
        }
        let link = links[index]
        let message = OutgoingMessage(
            source: address,
            destination: .unicast(node),
            payload: payload,
            security: .device(node: node),
            netKeyIndex: subnets.first(where: link.subnets.contains) ?? .primary,
            ttl: link.isDirect(to: node) ? 0 : limit ?? ttl
        )
        let (_, actions) = try stack.send(message, at: now)
        keeper.links[index].usedAt = now
        keeper.routes.use(link.target, for: node)
        return (actions, link.target)
    }

    /// Adds or replaces a node.
    mutating func set(_ node: Node) {
        if let key = node.deviceKey { stack.keys.setDeviceKey(key, of: node.unicastAddress) }
        let wasProxy = keeper.nodes.isProxy(node.unicastAddress)
        keeper.nodes.set(node)
        if node.isExcluded {
            // The node gets no new keys, so nothing would get through it any longer.
            for link in keeper.links where link.proxy == node.unicastAddress {
                if let advertiser = link.advertiser { keeper.selection.refuse(advertiser) }
            }
            keeper.selection.forgetHeard()
            keeper.links.leave(node.unicastAddress)
        } else if wasProxy, !keeper.nodes.isProxy(node.unicastAddress), keeper.policy.proxy == nil {
            // Switching its GATT proxy off ends its links, which is no failure (Mesh Protocol 4.2.12). If a proxy is
            // required, no other could take over.
            //
            // The client may not know which advertiser is this node. So all must be heard again before it connects to
            // one. They advertise about once a second, and connecting to one that does not takes long to fail.
            keeper.selection.forgetHeard()
            keeper.links.leave(node.unicastAddress)
        }
        keeper.links.keep(node.netKeys.map(\.index), of: node.unicastAddress)
    }
}
