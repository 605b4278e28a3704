package import MeshCore

extension SimulatedWorld {
    /// The largest packet on a link, header included: ATT_MTU - 3.
    package var maximumPacketSize: Int { max(settings.maximumPacketSize, 2) }

    /// Begins to connect. After ``WorldSettings/connecting`` the link is open or closed.
    ///
    /// A proxy sends a beacon for each of its subnets as soon as the link is open. `.anyProxy` is the node that the
    /// settings name, or else the first one that is powered and has its GATT proxy on. The node that the settings name,
    /// and a node that advertises its Node Identity, need not be proxies: they handle messages to themselves.
    package func connect(to target: LinkTarget) -> LinkIdentifier {
        let link = LinkIdentifier(rawValue: nextLink)
        nextLink += 1
        connecting[link] = target
        queue.add(.connect(link), at: now.advanced(by: max(settings.connecting, .zero)))
        return link
    }

    func finishConnecting(_ link: LinkIdentifier) {
        guard let target = connecting.removeValue(forKey: link) else { return }
        do throws(BearerError) {
            switch target {
            case .anyProxy: open(link, to: try proxy(settings.proxy))
            case .proxy(let advertiser): open(link, to: try proxy(advertiser))
            case .provisioning(let advertiser): openProvisioning(link, to: try provisionable(advertiser))
            }
        } catch {
            outbox.append(.closed(link, error))
        }
    }

    /// A link is open, to the proxy service or to the provisioning service.
    func open(_ link: LinkIdentifier, to node: Int, provisioning: ProvisioningService? = nil) {
        audit.expectNoRepetition()
        outbox.append(.opened(link, maximumPacketSize: maximumPacketSize))
        links[link] = ServedLink(
            node: node,
            toNode: ConnectionEvents(interval: settings.connectionInterval, packets: settings.packetsPerEvent),
            toClient: ConnectionEvents(interval: settings.connectionInterval, packets: settings.packetsPerEvent)
        )
        links[link]?.provisioning = provisioning
        guard provisioning == nil, !nodes[node].faults.quirks.contains(.noBeacon) else { return }
        for beacon in beaconsForClients(of: node) {
            notify(ProxyPDU(type: .beacon, payload: beacon), on: link)
        }
    }

    private func proxy(_ advertiser: AdvertiserIdentifier) throws(BearerError) -> Int {
        guard let uuid = DeviceUUID(advertiser: advertiser) else {
            throw BearerError("no device of the simulated network has that identifier")
        }
        let node = try proxy(uuid)
        let state = nodes[node].state
        guard
            state.isGATTProxyOn || state.uuid == settings.proxy
                || state.netKeys.contains(where: { $0.isIdentityRunning || $0.isPrivateIdentityRunning })
        else {
            throw BearerError(
                "the simulated node \(state.name) cannot be connected to",
                hint: "its GATT proxy is off, and its Node Identity is not advertised"
            )
        }
        return node
    }

    private func proxy(_ uuid: DeviceUUID?) throws(BearerError) -> Int {
        if let uuid {
            guard let node = positions[uuid] else {
                throw BearerError("the simulated network has no node \(uuid)")
            }
            guard nodes[node].isAlive else {
                throw BearerError(
                    "the simulated node \(nodes[node].state.name) cannot be connected to",
                    hint: "it has no power, or it was reset"
                )
            }
            return node
        }
        if let node = nodes.firstIndex(where: \.isProxy) { return node }
        if nodes.contains(where: { $0.state.isProvisioned && $0.state.isGATTProxyOn }) {
            throw BearerError("no simulated proxy node has power")
        }
        throw BearerError(
            "no node of the simulated network has its GATT proxy on",
            hint: "a client reaches a mesh only through a node whose proxy feature is on"
        )
    }

    /// Delivers a packet that a client writes to Data In. Does nothing on a closed link.
    package func inject(_ packet: [UInt8], on link: LinkIdentifier) {
        guard links[link] != nil else { return }
        statistics.packetsFromClient += 1
        guard let arrival = links[link]?.toNode.arrival(of: now) else { return }
        queue.add(.write(link, packet), at: arrival)
    }

    /// Ends a link or stops connecting, as a client does. No more events follow from the link.
    package func disconnect(_ link: LinkIdentifier) {
        leaveProvisioning(link)
        links[link] = nil
        connecting[link] = nil
        outbox.removeAll { $0.link == link }
    }

    /// The open links, in the order in which they were opened.
    package var openLinks: [LinkIdentifier] { links.filter { $0.value.remote == nil }.keys.sorted() }

    /// A packet of the client reaches the node.
    func receive(_ packet: [UInt8], on link: LinkIdentifier) {
        guard let end = links[link], !end.isEnding, !nodes[end.node].faults.isOff else { return }
        let node = end.node
        guard end.provisioning != nil || nodes[node].isAlive else { return }
        trace(packet, at: 0x2_0000 | Int(link.rawValue))
        links[link]?.packetsReceived += 1
        let pdu: ProxyPDU?
        do throws(ProxyProtocolError) {
            pdu = try links[link]?.reassembler.receive(packet, at: now) ?? nil
        } catch {
            self.end(link, reason: "the proxy could not put the packets together: \(error)")
            return
        }
        if let pdu, end.provisioning != nil {
            // The provisioning service accepts no other PDUs (Mesh Protocol 6.3.1).
            if pdu.type == .provisioning { receive(provisioning: pdu.payload, on: link) }
        } else if let pdu {
            switch pdu.type {
            case .network: receive(networkPDU: pdu.payload, at: node, on: link)
            case .beacon:
                carryOut(nodes[node].stack.receive(beacon: pdu.payload, at: now), at: node, from: .link(link))
            case .configuration: receive(configuration: pdu.payload, at: node, on: link)
            case .provisioning: break
            }
        }
        if let limit = settings.dropsLinkAfterPackets, links[link].map({ $0.packetsReceived >= limit }) ?? false {
            self.end(link, reason: "the proxy dropped the connection")
        }
    }

    private func receive(networkPDU octets: [UInt8], at node: Int, on link: LinkIdentifier) {
        let reading = observer.read(octets, as: .message, current: newestIVIndex)
        if let reading {
            check(reading, octets, by: .client(link))
            // A message that the node can read adds its source to the accept list (6.4.2).
            let keys = nodes[node].state.netKeys
            if keys.contains(where: { $0.key == reading.key || $0.oldKey == reading.key }) {
                links[link]?.filter.clientSent(from: reading.pdu.source)
            }
        }
        let pdu = SharedNetworkPDU(octets)
        remember(pdu, at: node)
        let reception = nodes[node].stack.receive(pdu, at: now)
        carryOut(reception, at: node, from: .link(link))
        bridge(octets, after: reception.actions, at: node, from: .link(link))
    }

    private func receive(configuration octets: [UInt8], at node: Int, on link: LinkIdentifier) {
        let reading = observer.read(octets, as: .proxyConfiguration, current: newestIVIndex)
        if let reading { check(reading, octets, by: .client(link)) }
        guard
            let received = try? nodes[node].stack.receive(proxyConfiguration: octets),
            let status = filter(received.message, from: reading?.pdu.source, at: node, on: link),
            !nodes[node].faults.isMute,
            let answer = try? nodes[node].stack.encode(status, netKeyIndex: received.netKeyIndex)
        else { return }
        if let reading = observer.read(answer, as: .proxyConfiguration, current: newestIVIndex) {
            check(reading, answer, by: .node(node))
        }
        notify(ProxyPDU(type: .configuration, payload: answer), on: link)
    }

    /// Changes the filter of a link as the client asks, as far as the node's quirks allow.
    ///
    /// - Returns: the Filter Status to answer with; nil for none.
    private func filter(
        _ message: ProxyConfigurationMessage,
        from client: UnicastAddress?,
        at node: Int,
        on link: LinkIdentifier
    ) -> ProxyConfigurationMessage? {
        let quirks = nodes[node].faults.quirks
        switch message {
        case .addAddresses, .removeAddresses: if quirks.contains(.noAddAddresses) { return nil }
        default: break
        }
        guard let status = links[link]?.filter.handle(message) else { return nil }
        if case .setFilterType = message, quirks.contains(.addsClient), let client {
            links[link]?.filter.clientSent(from: client)
        }
        guard case .filterStatus(let type, _) = status else { return status }
        let count = links[link]?.filter.addresses.count ?? 0
        return .filterStatus(type, listSize: quirks.contains(.miscountsFilter) ? 0 : UInt16(truncatingIfNeeded: count))
    }

    /// Sends a PDU to all clients of a node whose filters let it through. Returns whether there are any.
    @discardableResult
    func forward(_ pdu: [UInt8], to destination: Address, from node: Int, except origin: LinkIdentifier?) -> Bool {
        guard links.values.contains(where: { $0.node == node }) else { return false }
        var isTaken = false
        for (link, end) in links.sorted(by: { $0.key < $1.key }) where end.node == node && link != origin {
            if end.provisioning == nil, end.filter.passes(destination) {
                notify(ProxyPDU(type: .network, payload: pdu), on: link)
                isTaken = true
            }
        }
        return isTaken
    }

    func notify(_ pdu: ProxyPDU, on link: LinkIdentifier) {
        guard let end = links[link], !end.isEnding else { return }
        for packet in ProxySegmenter.packets(of: pdu, maximumSize: maximumPacketSize) {
            guard let arrival = links[link]?.toClient.arrival(of: now) else { return }
            statistics.packetsToClient += 1
            queue.add(.notify(link, packet), at: arrival)
        }
    }

    /// The node ends a link. What it sent before still arrives.
    func end(_ link: LinkIdentifier, reason: String) {
        guard let end = links[link], !end.isEnding else { return }
        guard end.remote == nil else {
            endRemoteLink(link)
            return
        }
        leaveProvisioning(link)
        links[link]?.isEnding = true
        let arrival = links[link]?.toClient.arrival(of: now) ?? now
        queue.add(.disconnect(link, reason: reason), at: arrival)
    }

    func endLinks(to node: Int, reason: String) {
        for (link, end) in links.sorted(by: { $0.key < $1.key }) where end.node == node {
            self.end(link, reason: reason)
        }
    }
}
