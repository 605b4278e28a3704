import MeshCore
import Planning

/// Nodes with a Remote Provisioning Server listen for devices that the bearer does not hear (Mesh Protocol 1.1, 4.4.5).
extension RemoteServers {
    var isBusy: Bool { !hasNoLink || !search.listening.isEmpty }

    /// Makes a node a server if its composition says that it is one.
    mutating func consider(_ uuid: DeviceUUID, _ ledger: RunLedger, at now: Instant) {
        guard let node = ledger.network.node(uuid), node.deviceKey != nil, !node.isExcluded,
            !ledger.unreachable.contains(uuid), node.hasRemoteProvisioningServer,
            !ledger.network.subnets(of: node).isEmpty
        else { return }
        search.add(node.unicastAddress, node: uuid, at: now)
    }

    /// Asks servers to scan while devices are missing, and looks for a proxy link for the servers that have a link to a
    /// device.
    ///
    /// - Parameters:
    ///   - client: tells which nodes are being asked, and listens to the servers.
    ///   - connections: how many links the bearer may have.
    ///   - patience: how long the bearer alone listens for devices; nil if servers are asked nothing now.
    ///   - window: how many nodes the run may talk to.
    mutating func seek(
        for queue: inout ProvisioningQueue,
        _ client: inout MeshClient,
        connections: Int,
        patience: Duration?,
        window: Int,
        _ ledger: RunLedger,
        at now: Instant
    ) -> [RunOutput] {
        guard !queue.isEmpty, !search.isEmpty else { return endSeeking(ledger, at: now) + [.listenToServers] }
        var outputs: [RunOutput] = []
        for (address, node) in waiting where !isAsking(node) && !client.isAsking(address) {
            outputs.append(.ask(.server(node, Question(RemoteProvisioningLinkGet()))))
        }
        guard client.isIVIndexKnown, let patience, isDue(at: now) else { return outputs }
        let isLinkTaken = connections <= 1 && queue.isDirectWaiting()
        let room = max(1, window / 2) - requestCount
        let listeners = queue.listeners(after: patience, at: now)
        if room > 0, !isLinkTaken, listeners != .some([]) {
            let linked = Set(linked)
            let requests = search.requests(
                count: room,
                at: now,
                isFree: { listeners.contains($1) && !linked.contains($0) && !client.isAsking($0) },
                missing: { queue.missing(from: $0, through: $1, after: patience, at: now) }
            )
            for request in requests { outputs.append(.ask(.server(request.node, Question(request.message)))) }
        }
        return outputs + [.listenToServers]
    }

    /// Lets the client report what servers say that scan or have a link.
    func listen(_ client: inout MeshClient, for queue: ProvisioningQueue, at now: Instant) -> [MeshClient.Output] {
        let scanning = queue.isEmpty ? [] : search.listening
        return client.listen(to: Set(scanning).union(linked), at: now)
    }

    // MARK: Questions

    /// Gives up the question to a server: the node is to be asked something else, or is no longer needed as a server.
    mutating func endAsking(_ uuid: DeviceUUID, _ ledger: RunLedger, at now: Instant) -> [RunOutput] {
        guard endRequest(of: uuid) != nil else { return [] }
        let address = ledger.network.node(uuid)?.unicastAddress
        if let address { search.postpone(address, at: now) }
        return [.withdraw(address) { if case .server(uuid, _) = $0 { true } else { false } }]
    }

    /// The question to a server is over. Its answer came with everything else that the server says.
    mutating func settle(
        _ uuid: DeviceUUID,
        isAnswered: Bool,
        _ ledger: RunLedger,
        at now: Instant
    ) -> [RunOutput] {
        _ = endRequest(of: uuid)
        guard !isAnswered, let address = ledger.network.node(uuid)?.unicastAddress else { return [] }
        search.unanswered(address, at: now)
        return [.listenToServers]
    }

    /// Stops looking for devices through servers.
    mutating func endSeeking(_ ledger: RunLedger, at now: Instant) -> [RunOutput] {
        var outputs = [RunOutput.withdraw { if case .server = $0 { true } else { false } }]
        for uuid in asked { outputs += endAsking(uuid, ledger, at: now) }
        return outputs
    }

    // MARK: Hearing

    /// A server says something.
    mutating func hear(
        _ server: UnicastAddress,
        _ payload: [UInt8],
        for queue: inout ProvisioningQueue,
        at now: Instant
    ) {
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

    /// The time to choose a server for devices that several hear has come.
    mutating func chooseServers(for queue: inout ProvisioningQueue, at now: Instant) {
        guard !queue.isEmpty, !search.isEmpty else { return }
        for (uuid, server) in search.advance(to: now) { _ = queue.heard(uuid, as: .remote(server)) }
    }
}
