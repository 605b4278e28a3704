import MeshCore

/// The Remote Provisioning Servers of nodes: requests, reports and scanning.
extension SimulatedWorld {
    func handle(_ event: RemoteProvisioningEvent) {
        switch event {
        case .wake(let node):
            guard nodes[node].remote.wakeAt.map({ $0 <= now }) ?? false else { return }
            nodes[node].remote.wakeAt = nil
            carryOut(nodes[node].remote.server.advance(to: now), at: node)
        case .listen(let node): listen(node)
        case .post(let node, let message, let isPDUReport): post(message, isPDUReport: isPDUReport, from: node)
        case .attempt(let node, let uuid, let number): attempt(number, to: uuid, from: node)
        case .delivered(let link, let transfer, let pdu, let acknowledgedAt):
            delivered(pdu, on: link, transfer: transfer, acknowledgedAt)
        case .acknowledged(let link, let transfer):
            guard let carrier = links[link]?.remote, carrier.transfer == transfer else { return }
            carryOut(nodes[carrier.server].remote.server.pduDelivered(at: now), at: carrier.server)
        case .received(let link, let pdu):
            guard let carrier = links[link]?.remote, nodes[carrier.server].isAlive else { return }
            carryOut(nodes[carrier.server].remote.server.pduReceived(pdu, at: now), at: carrier.server)
        case .closed(let link, let node):
            guard nodes[node].remote.link == link else { return }
            nodes[node].remote.link = nil
            carryOut(nodes[node].remote.server.linkClosed(.fail), at: node)
        }
    }

    /// Whether an access message is for the Remote Provisioning Server of a node.
    func isRemoteProvisioning(_ opcode: Opcode, at node: Int) -> Bool {
        (0x804F...0x805F).contains(opcode.rawValue) && nodes[node].state.hasPrimary(.remoteProvisioningServer)
    }

    /// A request for the Remote Provisioning Server of a node has passed its stack.
    func deliver(remoteProvisioning message: IncomingMessage, at node: Int) {
        let client = RemoteProvisioningServer.Client(address: message.source, netKeyIndex: message.netKeyIndex)
        let own = own(node)
        nodes[node].remote.server.forgetsLinks = nodes[node].faults.quirks.contains(.forgetsRemoteLink)
        statistics.requests += 1
        carryOut(nodes[node].remote.server.receive(message.payload, from: client, own: own, at: now), at: node)
    }

    /// What a server reports about its own node.
    private func own(_ node: Int) -> RemoteProvisioningServer.Own {
        let device = nodes[node].device
        return RemoteProvisioningServer.Own(
            uuid: device.uuid,
            findings: .init(
                outOfBandInformation: device.outOfBandInformation,
                structures: device.advertisedStructures
            ),
            isCompositionRefreshable: nodes[node].state.isCompositionRefreshable
        )
    }

    func carryOut(_ actions: [RemoteProvisioningServer.Action], at node: Int) {
        for action in actions {
            switch action {
            case .answer(let payload, let client): queue(payload, to: client, isReport: false, from: node)
            case .report(let payload, let client): queue(payload, to: client, isReport: true, from: node)
            case .open(let target): openRemoteLink(to: target, from: node)
            case .send(let pdu): sendOverRemoteLink(pdu, from: node)
            case .close(let reason): closeRemoteLink(reason, of: node)
            }
        }
        let model = nodes[node].remote
        if model.server.isScanning, !model.isListening {
            nodes[node].remote.isListening = true
            let phase = generator.microseconds(in: 0...scannedInterval.microseconds - 1)
            queue.add(.remote(.listen(node: node)), at: now.advanced(by: .microseconds(phase)))
        }
        guard let deadline = model.server.nextDeadline, model.wakeAt.map({ $0 > deadline }) ?? true else { return }
        nodes[node].remote.wakeAt = max(deadline, now)
        queue.add(.remote(.wake(node: node)), at: max(deadline, now))
    }

    // MARK: Messages

    /// Queues a message; messages are sent in the order in which they were made. Reports of found devices have pauses
    /// between them, so that the reports of many servers do not collide.
    private func queue(
        _ payload: [UInt8],
        to client: RemoteProvisioningServer.Client,
        isReport: Bool,
        from node: Int
    ) {
        let state = nodes[node].state
        let delay = generator.duration(in: settings.processing) + generator.duration(in: settings.responseDelay)
        var time = max(now.advanced(by: delay), nodes[node].remote.busyUntil)
        if payload.starts(with: RemoteProvisioningScanReport.opcode.encoded) {
            time = time.advanced(by: generator.duration(in: .milliseconds(20)...(.milliseconds(120))))
        }
        nodes[node].remote.busyUntil = time
        nodes[node].remote.waiting += 1
        let message = OutgoingMessage(
            source: state.address,
            destination: .unicast(client.address),
            payload: payload,
            security: .device(node: state.address),
            netKeyIndex: client.netKeyIndex,
            ttl: state.defaultTTL,
            forcesSegmentation: isReport
        )
        let isPDUReport = payload.starts(with: RemoteProvisioningPDUReport.opcode.encoded)
        queue.add(.remote(.post(node: node, message, isPDUReport: isPDUReport)), at: time)
    }

    private func post(_ message: OutgoingMessage, isPDUReport: Bool, from node: Int) {
        nodes[node].remote.waiting = max(nodes[node].remote.waiting - 1, 0)
        guard nodes[node].isAlive, nodes[node].state.address == message.source else { return }
        do throws(StackError) {
            let (identifier, actions) = try nodes[node].stack.send(message, at: now)
            nodes[node].remote.underWay[identifier] = isPDUReport
            carryOut(actions, at: node, from: .itself)
        } catch {
            report("\(nodes[node].state.name) cannot answer: \(error)")
            if isPDUReport { carryOut(nodes[node].remote.server.pduReportFailed(), at: node) }
            reprovisionIfReady(node)
        }
    }

    /// Messages of a node's server may have been sent or given up.
    func finishRemoteProvisioning(of node: Int, after actions: [StackAction]) {
        guard !nodes[node].remote.underWay.isEmpty else { return }
        for action in actions {
            switch action {
            case .completed(let identifier): nodes[node].remote.underWay[identifier] = nil
            case .failed(let identifier, _):
                if nodes[node].remote.underWay.removeValue(forKey: identifier) == true {
                    carryOut(nodes[node].remote.server.pduReportFailed(), at: node)
                }
            default: break
            }
        }
        reprovisionIfReady(node)
    }

    // MARK: Scanning

    /// A node that scans hears the beacons of the devices in its range, each once per interval unless it is lost.
    private func listen(_ node: Int) {
        nodes[node].remote.isListening = false
        guard nodes[node].isAlive, !nodes[node].faults.isDeaf else { return }
        var actions = nodes[node].remote.server.advance(to: now)
        for neighbour in inRange(of: node) where nodes[node].remote.server.isScanning {
            guard advertisesOverPBADV(neighbour.node), !isLost(from: neighbour.node, to: node) else { continue }
            let device = nodes[neighbour.node].device
            let beacon = UnprovisionedDeviceBeacon(
                uuid: device.uuid,
                oobInformation: device.outOfBandInformation.rawValue,
                uriHash: device.uriHash
            )
            actions += nodes[node].remote.server.hear(
                beacon,
                signal: signal(of: device.uuid, hops: 1),
                structures: device.advertisedStructures,
                at: now
            )
        }
        if nodes[node].remote.server.isScanning {
            nodes[node].remote.isListening = true
            let delay = scannedInterval + generator.duration(in: settings.advertisingDelay)
            queue.add(.remote(.listen(node: node)), at: now.advanced(by: delay))
        }
        carryOut(actions, at: node)
    }

    /// Whether a device in no network sends beacons and would answer a Link Open of PB-ADV.
    func advertisesOverPBADV(_ device: Int) -> Bool {
        nodes[device].isProvisionable && !nodes[device].faults.isMute && !nodes[device].faults.isDeaf
            && nodes[device].device.provisioningBearers.contains(.advertising)
            && !links.values.contains { $0.node == device && !$0.isEnding }
    }

    /// Whether something that a node or device sends does not reach another one. Out of range, everything is lost.
    func isLost(from sender: Int, to receiver: Int) -> Bool {
        guard let neighbour = way(from: sender, to: receiver) else { return true }
        return generator.happens(copyLoss(from: sender, to: neighbour))
    }
}

extension DeviceDescription {
    /// What it advertises beside its beacon: its name in a scan response, and its URI if it has one.
    fileprivate var advertisedStructures: [AdvertisingStructure] {
        let name = AdvertisingStructure(type: AdvertisingStructure.completeLocalName, data: Array(self.name.utf8))
        guard let uri else { return [name] }
        return [name, AdvertisingStructure(type: AdvertisingStructure.uri, data: AdvertisedURI.encode(uri))]
    }
}
