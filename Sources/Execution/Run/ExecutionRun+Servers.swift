import MeshCore
import Planning

/// Nodes with a Remote Provisioning Server listen for devices that the bearer does not hear (Mesh Protocol 1.1, 4.4.5).
extension ExecutionRun {
    /// Whether servers need links.
    var isRemoteBusy: Bool { !servers.hasNoLink || !servers.search.listening.isEmpty }

    /// When to call ``advanceRemote()``.
    var remoteDeadline: Instant? { servers.deadline(isSeeking: !queue.isEmpty) }

    /// Makes a node a server if its composition says that it is one.
    func considerServer(_ uuid: DeviceUUID) {
        guard let node = network.node(uuid), node.deviceKey != nil, !node.isExcluded, !unreachable.contains(uuid),
            node.hasRemoteProvisioningServer, !subnets(ofServer: node).isEmpty
        else { return }
        servers.search.add(node.unicastAddress, node: uuid, at: bearer.now)
    }

    /// A node is no longer a server, or does not answer.
    func forgetServer(_ address: UnicastAddress) {
        servers.search.remove(address)
        endRemoteLink(address, .silent)
    }

    /// The subnets in which a server takes messages, sorted.
    func subnets(ofServer node: Node) -> [NetKeyIndex] {
        network.subnets(of: node)
    }

    /// Asks servers to scan while devices are missing, and looks for a proxy link for the servers that have a link to a
    /// device.
    func seekRemotely() {
        guard !queue.isEmpty, !servers.search.isEmpty else { return endSeekingRemotely() }
        for (address, node) in servers.waiting where !servers.isAsking(node) && !driver.client.isAsking(address) {
            outbox.append(.server(node, Question(RemoteProvisioningLinkGet())))
        }
        let now = bearer.now
        guard driver.client.isIVIndexKnown, linkFailure == nil, servers.isDue(at: now) else { return }
        let patience = driver.scanError == nil ? options.provisioning.remoteAfter : .zero
        let isLinkTaken = min(options.maximumConnections, bearer.maximumLinks) <= 1 && queue.isDirectWaiting()
        let room = max(1, window.size / 2) - servers.requestCount
        let listeners = queue.listeners(after: patience, at: now)
        if room > 0, !isLinkTaken, listeners != .some([]) {
            let linked = Set(servers.linked)
            let requests = servers.search.requests(
                count: room,
                at: now,
                isFree: { listeners.contains($1) && !linked.contains($0) && !driver.client.isAsking($0) },
                missing: { queue.missing(from: $0, through: $1, after: patience, at: now) }
            )
            for request in requests { outbox.append(.server(request.node, Question(request.message))) }
        }
        listenToServers()
    }

    /// Sends a question to a server. A node gets one request at a time; a step comes first.
    func transmitToServer(_ uuid: DeviceUUID, _ question: Question<Void>) {
        guard let node = network.node(uuid), !driver.client.isAsking(node.unicastAddress) else {
            if let address = network.node(uuid)?.unicastAddress { servers.search.postpone(address, at: bearer.now) }
            return
        }
        let (identifier, outputs) = driver.client.request(
            question.inquiry,
            to: node.unicastAddress,
            subnets: subnets(ofServer: node),
            deadline: options.retry.readBackDeadline,
            at: bearer.now
        )
        jobs[identifier] = .server(uuid, question)
        servers.ask(uuid, identifier)
        perform(outputs)
    }

    /// Cancels the question to a server: the node is to be asked something else, or is no longer needed as a server.
    func endAskingServer(_ uuid: DeviceUUID) {
        guard let identifier = servers.endRequest(of: uuid) else { return }
        jobs[identifier] = nil
        guard let address = network.node(uuid)?.unicastAddress else { return }
        servers.search.postpone(address, at: bearer.now)
        perform(driver.client.cancel(address, at: bearer.now))
    }

    /// The question to a server is over. Its answer came with everything else that the server says.
    func settleServer(_ uuid: DeviceUUID, isAnswered: Bool) {
        _ = servers.endRequest(of: uuid)
        guard !isAnswered, let address = network.node(uuid)?.unicastAddress else { return }
        servers.search.unanswered(address, at: bearer.now)
        listenToServers()
    }

    /// Stops looking for devices through servers.
    func endSeekingRemotely() {
        outbox.removeAll { if case .server = $0 { true } else { false } }
        for uuid in servers.asked { endAskingServer(uuid) }
        listenToServers()
    }

    /// Lets the client report what servers say that scan or have a link.
    func listenToServers() {
        let scanning = queue.isEmpty ? [] : servers.search.listening
        perform(driver.client.listen(to: Set(scanning).union(servers.linked), at: bearer.now))
    }

    /// A server says something.
    func hearServer(_ server: UnicastAddress, _ payload: [UInt8]) {
        let now = bearer.now
        carry(servers.receive(payload, from: server, at: now), through: server)
        switch try? decodeFoundationMessage(payload) {
        case let status as RemoteProvisioningScanStatus: servers.search.receive(status, from: server, at: now)
        case let report as RemoteProvisioningScanReport:
            let isWanted = servers.search.node(of: server).map { queue.isWanted(report.uuid, through: $0) } ?? false
            if let best = servers.search.receive(report, from: server, isWanted: isWanted, at: now) {
                _ = queue.heard(report.uuid, as: .remote(best))
            }
        default: break
        }
    }

    /// Time has passed.
    func advanceRemote() {
        let now = bearer.now
        servers.hears(at: now)
        for server in servers.linked { carry(servers.advance(server, to: now), through: server) }
        guard !queue.isEmpty, !servers.search.isEmpty else { return }
        for (uuid, server) in servers.search.advance(to: now) { _ = queue.heard(uuid, as: .remote(server)) }
    }
}
