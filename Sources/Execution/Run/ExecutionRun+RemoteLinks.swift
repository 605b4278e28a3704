import MeshCore
import Planning

/// The link of a Remote Provisioning Server to a device.
struct RemoteCarrier {
    /// The device.
    let device: DeviceUUID
    /// The node that has the server.
    let server: DeviceUUID
    var link: RemoteProvisioningLink
    /// Whether the queue has no use for it any more.
    var isHungUp = false
    /// What could not be sent because no proxy link was ready.
    var unsent: [UInt8]?
}

/// Devices are provisioned through nodes that hear them (PB-Remote, Mesh Protocol 1.1, 5.2.3).
extension ExecutionRun {
    /// For how long a server may try to open a link to a device, in seconds: the most there is, for bluetooth-meshd forgets
    /// the link when that time is over, although it is open. What is waited for is less.
    private static let openingTime: UInt8 = 60

    /// Has a server open a link to a device.
    func connect(_ uuid: DeviceUUID, through server: UnicastAddress) -> [ProvisioningQueue.Output] {
        let now = bearer.now
        queue.connecting(uuid, over: .remote(server), at: now)
        guard let node = search.node(of: server), remoteLinks[server] == nil else {
            queue.released(server)
            return queue.closed(.remote(server), .remote(.silent), at: now)
        }
        // It was heard unprovisioned, so that nobody answers there under an old key.
        endFindingOut(uuid)
        context.emit(.provisioningStage(uuid, .connectingThrough(node)))
        remoteLinks[server] = RemoteCarrier(
            device: uuid,
            server: node,
            link: RemoteProvisioningLink(target: .device(uuid, timeout: Self.openingTime))
        )
        listenToServers()
        if let actions = remoteLinks[server]?.link.open(at: now) { carry(actions, through: server) }
        return []
    }

    /// The queue has no use for a link any more; its server is told until it says so itself, or is silent for long.
    func hangUp(_ server: UnicastAddress, isCompleted: Bool) {
        remoteLinks[server]?.isHungUp = true
        let actions = remoteLinks[server]?.link.close(isCompleted ? .success : .fail, at: bearer.now)
        carry(actions ?? [], through: server)
    }

    /// Carries out what a link wants.
    func carry(_ actions: [RemoteProvisioningLink.Action], through server: UnicastAddress) {
        for action in actions {
            let now = bearer.now
            switch action {
            case .send(let payload): post(payload, to: server)
            case .opened:
                let secrets = context.provisioningSecrets()
                perform(queue.opened(.remote(server), carriage: .whole, secrets: secrets, at: now))
            case .received(let pdu):
                guard remoteLinks[server]?.isHungUp == false else { continue }
                perform(queue.received(pdu, on: .remote(server), at: now))
            case .closed(let end): endRemoteLink(server, end)
            }
        }
    }

    /// A server has no link any more.
    func endRemoteLink(_ server: UnicastAddress, _ end: RemoteProvisioningLinkEnd) {
        guard let carrier = remoteLinks.removeValue(forKey: server) else { return }
        let outputs = carrier.isHungUp ? [] : queue.closed(.remote(server), .remote(end), at: bearer.now)
        if !carrier.isHungUp { search.failed(carrier.device, through: server) }
        // What the queue wants of the link is done: it is over.
        perform(outputs.filter { if case .close(.remote(server), _) = $0 { false } else { true } })
        queue.released(server)
        listenToServers()
    }

    private func post(_ payload: [UInt8], to server: UnicastAddress) {
        guard let uuid = remoteLinks[server]?.server, let node = network.node(uuid) else { return }
        remoteLinks[server]?.unsent = nil
        do throws(StackError) {
            let outputs = try driver.client.post(payload, to: server, subnets: subnets(ofServer: node), at: bearer.now)
            guard let outputs else {
                remoteLinks[server]?.unsent = payload
                return
            }
            recap.messagesSent += 1
            perform(outputs)
        } catch {
            if case .sequenceNumbers(let reason) = error { endSending(reason.explanation) }
        }
    }

    /// A proxy link is ready: sends what has waited for one.
    func postUnsent() {
        for (server, carrier) in remoteLinks.sorted(by: { $0.key < $1.key }) {
            if let payload = carrier.unsent { post(payload, to: server) }
        }
    }

    /// Gives all links up: nobody can be told.
    func abandonRemoteLinks() {
        for server in remoteLinks.keys.sorted() { endRemoteLink(server, .silent) }
    }
}
