import MeshCore
import Planning

/// Nodes with a Remote Provisioning Server listen for devices that the bearer does not hear (Mesh Protocol 1.1, 4.4.5).
extension ExecutionRun {
    /// How often servers are looked after.
    private static let serverInterval: Duration = .milliseconds(250)

    /// Whether links are needed for servers.
    var isRemoteBusy: Bool { !remoteLinks.isEmpty || !search.listening.isEmpty }

    /// When ``advanceRemote()`` wants to be called.
    var remoteDeadline: Instant? {
        var earliest = queue.isEmpty || search.isEmpty ? nil : heardServersAt.advanced(by: Self.serverInterval)
        for link in remoteLinks.values {
            guard let deadline = link.link.nextDeadline else { continue }
            earliest = earliest.map { min($0, deadline) } ?? deadline
        }
        return earliest
    }

    /// Takes a node in as a server if its composition says that it is one.
    func considerServer(_ uuid: DeviceUUID) {
        guard let node = network.node(uuid), node.deviceKey != nil, !node.isExcluded, !unreachable.contains(uuid),
            node.hasRemoteProvisioningServer, !subnets(ofServer: node).isEmpty
        else { return }
        search.add(node.unicastAddress, node: uuid, at: bearer.now)
    }

    /// A node is no server any more, or does not answer.
    func forgetServer(_ address: UnicastAddress) {
        search.remove(address)
        if remoteLinks[address] != nil { endRemoteLink(address, .silent) }
    }

    /// The subnets in which a server takes messages, sorted.
    func subnets(ofServer node: Node) -> [NetKeyIndex] {
        network.subnets(of: node)
    }

    /// Asks servers to scan while devices are missing, and has a link looked for that those need who have one to a device.
    func seekRemotely() {
        guard !queue.isEmpty, !search.isEmpty else { return endSeekingRemotely() }
        for (address, link) in remoteLinks.sorted(by: { $0.key < $1.key })
        where link.unsent != nil && serverRequests[link.server] == nil && !driver.client.isAsking(address) {
            outbox.append(.server(link.server, Question(RemoteProvisioningLinkGet())))
        }
        let now = bearer.now
        guard driver.client.isIVIndexKnown, linkFailure == nil,
            lookedAfterServers.advanced(by: Self.serverInterval) <= now
        else { return }
        lookedAfterServers = now
        let patience = driver.scanError == nil ? options.provisioning.remoteAfter : .zero
        let isLinkTaken = min(options.maximumConnections, bearer.maximumLinks) <= 1 && queue.isDirectWaiting()
        let room = max(1, window.size / 2) - serverRequests.count
        let listeners = queue.listeners(after: patience, at: now)
        if room > 0, !isLinkTaken, listeners != .some([]) {
            let requests = search.requests(
                count: room,
                at: now,
                isFree: { listeners.contains($1) && remoteLinks[$0] == nil && !driver.client.isAsking($0) },
                missing: { queue.missing(from: $0, through: $1, after: patience, at: now) }
            )
            for request in requests { outbox.append(.server(request.node, Question(request.message))) }
        }
        listenToServers()
    }

    /// Sends what a server is asked. To one node there is one request at a time; a step comes first.
    func transmitToServer(_ uuid: DeviceUUID, _ question: Question<Void>) {
        guard let node = network.node(uuid), !driver.client.isAsking(node.unicastAddress) else {
            if let address = network.node(uuid)?.unicastAddress { search.postpone(address, at: bearer.now) }
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
        serverRequests[uuid] = identifier
        perform(outputs)
    }

    /// Something else is to be asked of a node, or nothing more is needed of it as a server.
    func endAskingServer(_ uuid: DeviceUUID) {
        guard let identifier = serverRequests.removeValue(forKey: uuid) else { return }
        jobs[identifier] = nil
        guard let address = network.node(uuid)?.unicastAddress else { return }
        search.postpone(address, at: bearer.now)
        perform(driver.client.cancel(address, at: bearer.now))
    }

    /// What a server was asked is over; what it answered came with everything else that it says.
    func settleServer(_ uuid: DeviceUUID, isAnswered: Bool) {
        serverRequests[uuid] = nil
        guard !isAnswered, let address = network.node(uuid)?.unicastAddress else { return }
        search.unanswered(address, at: bearer.now)
        listenToServers()
    }

    /// Nothing more is looked for through servers.
    func endSeekingRemotely() {
        outbox.removeAll { if case .server = $0 { true } else { false } }
        for uuid in serverRequests.keys.sorted() { endAskingServer(uuid) }
        listenToServers()
    }

    /// Lets the client tell what those servers say who scan or have a link.
    func listenToServers() {
        let scanning = queue.isEmpty ? [] : search.listening
        perform(driver.client.listen(to: Set(scanning).union(remoteLinks.keys), at: bearer.now))
    }

    /// A server says something.
    func hearServer(_ server: UnicastAddress, _ payload: [UInt8]) {
        let now = bearer.now
        if let actions = remoteLinks[server]?.link.receive(payload, at: now) { carry(actions, through: server) }
        switch try? decodeFoundationMessage(payload) {
        case let status as RemoteProvisioningScanStatus: search.receive(status, from: server, at: now)
        case let report as RemoteProvisioningScanReport:
            let isWanted = search.node(of: server).map { queue.isWanted(report.uuid, through: $0) } ?? false
            if let best = search.receive(report, from: server, isWanted: isWanted, at: now) {
                _ = queue.heard(report.uuid, as: .remote(best))
            }
        default: break
        }
    }

    /// Time has passed.
    func advanceRemote() {
        let now = bearer.now
        heardServersAt = now
        for server in remoteLinks.keys.sorted() {
            if let actions = remoteLinks[server]?.link.advance(to: now) { carry(actions, through: server) }
        }
        guard !queue.isEmpty, !search.isEmpty else { return }
        for (uuid, server) in search.advance(to: now) { _ = queue.heard(uuid, as: .remote(server)) }
    }
}
