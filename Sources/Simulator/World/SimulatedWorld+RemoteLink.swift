import MeshCore

/// The links of Remote Provisioning Servers to devices. Of PB-ADV only the effect is simulated: a PDU arrives after the
/// time that its segments and their repetitions take on a lossy link, or not at all within 30 s.
extension SimulatedWorld {
    /// How often a server asks a device to open a link.
    private static let attemptInterval = Duration.milliseconds(500)
    /// How long a PDU is repeated (Mesh Protocol 5.3.2).
    private static let transactionTimeout = Duration.seconds(30)

    // MARK: Opening

    /// A server must open a link.
    func openRemoteLink(to target: RemoteProvisioningLinkOpen.Target, from node: Int) {
        nodes[node].remote.attempt &+= 1
        switch target {
        case .node(let procedure): open(to: node, from: node, procedure: procedure)
        case .device(let uuid, _):
            let number = nodes[node].remote.attempt
            let event = RemoteProvisioningEvent.attempt(node: node, uuid, number: number)
            queue.add(.remote(event), at: now.advanced(by: .milliseconds(50)))
        }
    }

    /// A server asks a device to open a link, until it gives up.
    func attempt(_ number: UInt32, to uuid: DeviceUUID, from node: Int) {
        guard nodes[node].isAlive, nodes[node].remote.attempt == number,
            nodes[node].remote.server.linkState == .opening
        else { return }
        if let device = positions[uuid], advertisesOverPBADV(device), !isLost(from: node, to: device),
            !isLost(from: device, to: node)
        {
            if nodes[device].faults.provisioning.connectionsToRefuse == 0 {
                open(to: device, from: node, procedure: nil)
                return
            }
            nodes[device].faults.provisioning.connectionsToRefuse -= 1
        }
        let event = RemoteProvisioningEvent.attempt(node: node, uuid, number: number)
        queue.add(.remote(event), at: now.advanced(by: Self.attemptInterval))
    }

    private func open(to device: Int, from node: Int, procedure: NodeProvisioningProcedure?) {
        let link = LinkIdentifier(rawValue: nextLink)
        nextLink += 1
        let reprovision = procedure.map { procedure in
            ReprovisionRules(
                procedure: procedure,
                netKeys: nodes[node].state.netKeys.map {
                    NetKey(index: $0.index, name: "", key: $0.key, oldKey: $0.oldKey, phase: $0.phase)
                },
                ivIndex: nodes[node].stack.ivIndex,
                addresses: nodes[node].state.addresses
            )
        }
        links[link] = ServedLink(
            node: device,
            toNode: ConnectionEvents(interval: settings.connectionInterval, packets: settings.packetsPerEvent),
            toClient: ConnectionEvents(interval: settings.connectionInterval, packets: settings.packetsPerEvent)
        )
        links[link]?.provisioning = ProvisioningService(
            device: provisioningSession(of: device, reprovision: reprovision)
        )
        links[link]?.remote = RemoteSession(server: node, procedure: procedure)
        nodes[node].remote.link = link
        scheduleProvisioningWake(link)
        carryOut(nodes[node].remote.server.linkOpened(at: now), at: node)
    }

    // MARK: PDUs

    func sendOverRemoteLink(_ pdu: [UInt8], from node: Int) {
        guard let link = nodes[node].remote.link, let end = links[link], let carrier = end.remote else { return }
        let number = carrier.transfer &+ 1
        links[link]?.remote?.transfer = number
        guard carrier.procedure == nil else {
            queue.add(.remote(.delivered(link, transfer: number, pdu, acknowledgedAt: now)), at: now)
            return
        }
        let (delivered, acknowledged) = transfer(pdu.count, from: node, to: end.node)
        guard let delivered else { return }
        queue.add(.remote(.delivered(link, transfer: number, pdu, acknowledgedAt: acknowledged)), at: delivered)
    }

    /// A PDU has reached the other side of a server's link.
    func delivered(_ pdu: [UInt8], on link: LinkIdentifier, transfer: UInt32, _ acknowledgedAt: Instant?) {
        guard let end = links[link], !end.isEnding, !nodes[end.node].faults.isOff, !nodes[end.node].faults.isMute,
            end.remote?.transfer == transfer
        else { return }
        if let acknowledgedAt {
            queue.add(.remote(.acknowledged(link, transfer: transfer)), at: max(acknowledgedAt, now))
        }
        // The other side acknowledges a PDU that it already has, and otherwise ignores it.
        guard end.remote?.lastPDU != pdu else { return }
        links[link]?.remote?.lastPDU = pdu
        receive(provisioning: pdu, on: link)
    }

    /// The other side of a server's link sends a PDU.
    func sendToServer(_ pdu: [UInt8], on link: LinkIdentifier) {
        guard let end = links[link], let carrier = end.remote else { return }
        var arrival = now
        if carrier.procedure == nil {
            let begin = max(now, carrier.busyUntil)
            let (delivered, acknowledged) = transfer(pdu.count, from: end.node, to: carrier.server, at: begin)
            guard let delivered else { return }
            arrival = delivered
            links[link]?.remote?.busyUntil = acknowledged ?? delivered
        }
        queue.add(.remote(.received(link, pdu)), at: arrival)
    }

    /// When a PDU arrives, and when its acknowledgment does; nil for what does not happen in time.
    ///
    /// The first segment of a transaction carries 20 octets, the others 23 (Mesh Protocol 5.3.1). Lost segments are
    /// sent again after a while.
    private func transfer(
        _ octets: Int,
        from sender: Int,
        to receiver: Int,
        at begin: Instant? = nil
    ) -> (delivered: Instant?, acknowledged: Instant?) {
        var time = begin ?? now
        let limit = time.advanced(by: Self.transactionTimeout)
        var missing = 1 + max(octets - 20 + 22, 0) / 23
        var delivered: Instant?
        while time < limit {
            // Everything is sent again, including what already arrived.
            for _ in 0..<max(missing, 1) {
                time = time.advanced(by: generator.duration(in: .milliseconds(20)...(.milliseconds(30))))
                if missing > 0, !isLost(from: sender, to: receiver) { missing -= 1 }
            }
            if missing == 0 {
                delivered = delivered ?? time
                if !isLost(from: receiver, to: sender) {
                    return (delivered, time.advanced(by: .milliseconds(20)))
                }
            }
            time = time.advanced(by: .milliseconds(200))
        }
        return (delivered.map { $0 <= limit } == true ? delivered : nil, nil)
    }

    // MARK: Closing

    /// A server closes its link, or stops opening it.
    func closeRemoteLink(_ reason: RemoteProvisioningCloseReason, of node: Int) {
        nodes[node].remote.attempt &+= 1
        guard let link = nodes[node].remote.link else { return }
        nodes[node].remote.link = nil
        let carrier = links[link]?.remote
        leaveProvisioning(link)
        links[link] = nil
        guard reason == .success, let accepted = carrier?.accepted else { return }
        nodes[node].remote.pendingReprovision = accepted
        reprovisionIfReady(node)
    }

    /// The other side of a server's link ends it. A device without power does not even say so.
    func endRemoteLink(_ link: LinkIdentifier) {
        guard let end = links[link], let carrier = end.remote else { return }
        leaveProvisioning(link)
        links[link] = nil
        guard !nodes[end.node].faults.isOff else { return }
        queue.add(.remote(.closed(link, node: carrier.server)), at: now.advanced(by: .milliseconds(50)))
    }

    /// A node abandons what its Remote Provisioning Server was doing, for example when it loses power.
    func stopRemoteProvisioning(of node: Int) {
        closeRemoteLink(.fail, of: node)
        let attempt = nodes[node].remote.attempt
        nodes[node].remote = RemoteProvisioningModel()
        nodes[node].remote.attempt = attempt
    }
}
