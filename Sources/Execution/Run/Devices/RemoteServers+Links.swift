import MeshCore
import Planning

/// Provisions devices through nodes that hear them (PB-Remote, Mesh Protocol 1.1, 5.2.3).
extension RemoteServers {
    /// Asks a server to open a link to a device.
    mutating func connect(
        _ uuid: DeviceUUID,
        through server: UnicastAddress,
        for queue: inout ProvisioningQueue,
        at now: Instant
    ) -> [RunOutput] {
        queue.connecting(uuid, over: .remote(server), at: now)
        guard let node = search.node(of: server), !hasLink(server) else {
            queue.released(server)
            return [.queue(queue.closed(.remote(server), .remote(.silent), at: now))]
        }
        let actions = open(uuid, through: server, of: node, at: now)
        return [
            // The device was heard unprovisioned, so no node answers under an old key.
            .endFindingOut(uuid), .emit(.provisioningStage(uuid, .connectingThrough(node))), .listenToServers,
            .remote(actions, through: server),
        ]
    }

    /// A server no longer has a link.
    mutating func end(
        _ server: UnicastAddress,
        _ end: RemoteProvisioningLinkEnd,
        _ queue: inout ProvisioningQueue,
        at now: Instant
    ) -> [RunOutput] {
        guard let ended = self.end(server) else { return [] }
        let outputs = ended.wasInUse ? queue.closed(.remote(server), .remote(end), at: now) : []
        if ended.wasInUse { search.failed(ended.device, through: server) }
        queue.released(server)
        // The link is over, so the queue's request to close it is already carried out.
        let rest = outputs.filter { if case .close(.remote(server), _) = $0 { false } else { true } }
        return [.queue(rest), .listenToServers]
    }

    /// Gives all links up, because no server can be told.
    mutating func abandonLinks(_ queue: inout ProvisioningQueue, at now: Instant) -> [RunOutput] {
        var outputs: [RunOutput] = []
        for server in linked { outputs += end(server, .silent, &queue, at: now) }
        return outputs
    }

    /// Sends a message to a server; it waits if no proxy link is ready.
    mutating func post(
        _ payload: [UInt8],
        to server: UnicastAddress,
        _ client: inout MeshClient,
        _ ledger: RunLedger,
        at now: Instant
    ) -> [RunOutput] {
        guard let uuid = node(of: server), let node = ledger.network.node(uuid) else { return [] }
        hold(nil, for: server)
        do throws(StackError) {
            let subnets = ledger.network.subnets(of: node)
            guard let outputs = try client.post(payload, to: server, subnets: subnets, at: now) else {
                hold(payload, for: server)
                return []
            }
            return [.posted(outputs)]
        } catch {
            guard case .sequenceNumbers(let reason) = error else { return [] }
            return [.stop(.sendingFailed(reason.explanation))]
        }
    }
}
