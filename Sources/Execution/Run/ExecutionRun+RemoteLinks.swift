import MeshCore
import Planning

/// Provisions devices through nodes that hear them (PB-Remote, Mesh Protocol 1.1, 5.2.3).
extension ExecutionRun {
    /// Asks a server to open a link to a device.
    func connect(_ uuid: DeviceUUID, through server: UnicastAddress) -> [ProvisioningQueue.Output] {
        let now = bearer.now
        queue.connecting(uuid, over: .remote(server), at: now)
        guard let node = servers.search.node(of: server), !servers.hasLink(server) else {
            queue.released(server)
            return queue.closed(.remote(server), .remote(.silent), at: now)
        }
        // The device was heard unprovisioned, so no node answers under an old key.
        endFindingOut(uuid)
        context.emit(.provisioningStage(uuid, .connectingThrough(node)))
        let actions = servers.open(uuid, through: server, of: node, at: now)
        listenToServers()
        carry(actions, through: server)
        return []
    }

    /// The queue no longer needs a link. Its server is told until it confirms, or is silent for a long time.
    func hangUp(_ server: UnicastAddress, isCompleted: Bool) {
        carry(servers.hangUp(server, isCompleted: isCompleted, at: bearer.now), through: server)
    }

    /// Carries out the actions of a link.
    func carry(_ actions: [RemoteProvisioningLink.Action], through server: UnicastAddress) {
        for action in actions {
            let now = bearer.now
            switch action {
            case .send(let payload): post(payload, to: server)
            case .opened:
                let secrets = context.provisioningSecrets()
                perform(queue.opened(.remote(server), carriage: .whole, secrets: secrets, at: now))
            case .received(let pdu):
                guard servers.isOpen(server) else { continue }
                perform(queue.received(pdu, on: .remote(server), at: now))
            case .closed(let end): endRemoteLink(server, end)
            }
        }
    }

    /// A server no longer has a link.
    func endRemoteLink(_ server: UnicastAddress, _ end: RemoteProvisioningLinkEnd) {
        guard let ended = servers.end(server) else { return }
        let outputs = ended.wasInUse ? queue.closed(.remote(server), .remote(end), at: bearer.now) : []
        if ended.wasInUse { servers.search.failed(ended.device, through: server) }
        // The link is over, so the queue's request to close it is already carried out.
        perform(outputs.filter { if case .close(.remote(server), _) = $0 { false } else { true } })
        queue.released(server)
        listenToServers()
    }

    private func post(_ payload: [UInt8], to server: UnicastAddress) {
        guard let uuid = servers.node(of: server), let node = network.node(uuid) else { return }
        servers.hold(nil, for: server)
        do throws(StackError) {
            let outputs = try driver.client.post(payload, to: server, subnets: subnets(ofServer: node), at: bearer.now)
            guard let outputs else {
                servers.hold(payload, for: server)
                return
            }
            recap.messagesSent += 1
            perform(outputs)
        } catch {
            if case .sequenceNumbers(let reason) = error { endSending(reason.explanation) }
        }
    }

    /// A proxy link is ready: sends what was waiting for one.
    func postUnsent() {
        for (server, _) in servers.waiting {
            if let payload = servers.unsent(for: server) { post(payload, to: server) }
        }
    }

    /// Gives all links up, because no server can be told.
    func abandonRemoteLinks() {
        for server in servers.linked { endRemoteLink(server, .silent) }
    }
}
