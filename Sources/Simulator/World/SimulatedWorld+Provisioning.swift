import MeshCore

extension SimulatedWorld {
    /// The device that advertises under an identifier and accepts connections for provisioning.
    ///
    /// - Throws: ``BearerError`` if there is no such device, or if it has no power, is already a node, or is already
    ///   connected.
    func provisionable(_ advertiser: AdvertiserIdentifier) throws(BearerError) -> Int {
        guard let uuid = DeviceUUID(advertiser: advertiser), let node = positions[uuid] else {
            throw BearerError("no device of the simulated network has that identifier")
        }
        let name = nodes[node].state.name
        guard !nodes[node].faults.isOff else {
            throw BearerError("the simulated device \(name) cannot be connected to", hint: "it has no power")
        }
        guard !nodes[node].state.isProvisioned else {
            throw BearerError(
                "the simulated device \(name) offers no provisioning service",
                hint: "it is a node already"
            )
        }
        // An unprovisioned device stops advertising while somebody is connected to it (Mesh Protocol 7.1.2).
        guard !links.values.contains(where: { $0.node == node && !$0.isEnding }) else {
            throw BearerError(
                "the simulated device \(name) cannot be connected to",
                hint: "somebody is connected to it already"
            )
        }
        guard nodes[node].device.provisioningBearers.contains(.gatt) else {
            throw BearerError(
                "the simulated device \(name) offers no provisioning service",
                hint: "it is provisioned through a node that hears it"
            )
        }
        if nodes[node].faults.provisioning.connectionsToRefuse > 0 {
            nodes[node].faults.provisioning.connectionsToRefuse -= 1
            throw BearerError("the simulated device \(name) refused the connection")
        }
        return node
    }

    /// A link to the provisioning service of a device is open.
    func openProvisioning(_ link: LinkIdentifier, to node: Int) {
        open(link, to: node, provisioning: ProvisioningService(device: provisioningSession(of: node)))
        scheduleProvisioningWake(link)
    }

    /// The device's side of a session on a link that was just opened.
    ///
    /// - Parameter reprovision: the node's present values, if a node is reprovisioned.
    func provisioningSession(of node: Int, reprovision: ReprovisionRules? = nil) -> ProvisioningDevice {
        let device = nodes[node].device
        let state = nodes[node].state
        var capabilities = device.capabilities
        let next = reprovision?.procedure == .nodeAddressRefresh ? state.nextComposition : nil
        capabilities.elementCount = UInt8(clamping: (next?.elements.count ?? state.elements.count))
        return ProvisioningDevice(
            capabilities: capabilities,
            staticValue: nodes[node].faults.provisioning.staticValue ?? device.staticValue,
            secrets: .random(using: &secretGenerator, keyPair: device.keyPair),
            reprovision: reprovision,
            at: now
        )
    }

    /// A PDU of the provisioning protocol reaches a device.
    func receive(provisioning pdu: [UInt8], on link: LinkIdentifier) {
        guard let node = links[link]?.node, var service = links[link]?.provisioning, !service.isSilent else { return }
        let actions: [ProvisioningDeviceAction]
        switch nodes[node].faults.provisioning.strike(at: service.device.stage) {
        case .silence:
            links[link]?.provisioning?.isSilent = true
            return
        case .linkLoss:
            end(link, reason: "the device dropped the connection")
            return
        case .failure(let code): actions = service.device.refuse(with: code, at: now)
        case nil: actions = service.device.receive(pdu, at: now)
        }
        links[link]?.provisioning = service
        carryOut(actions, on: link, of: node)
    }

    func carryOut(_ actions: [ProvisioningDeviceAction], on link: LinkIdentifier, of node: Int) {
        for action in actions {
            guard links[link].map({ !$0.isEnding }) ?? false else { return }
            switch action {
            case .send(let pdu): queueProvisioning(pdu, on: link)
            case .drawAttention(let seconds): setAttention(of: node, seconds: seconds)
            case .output(let action, _, let value):
                links[link]?.provisioning?.isTelling = true
                observe(.output(action, value), of: node)
            case .outputCompleted: endPrompts(on: link)
            case .askForInput(let action, let size):
                links[link]?.provisioning?.awaitedInput = (action, size)
                observe(.inputAwaited(action, size: size), of: node)
            case .provisioned(let data, let deviceKey):
                if let procedure = links[link]?.remote?.procedure {
                    let accepted = AcceptedReprovision(procedure: procedure, data: data, deviceKey: deviceKey)
                    links[link]?.remote?.accepted = accepted
                    continue
                }
                guard becomeNode(node, with: data, deviceKey: deviceKey) else {
                    end(link, reason: "the simulator cannot record that the device is a node")
                    return
                }
                links[link]?.provisioning?.isLast = true
                switch nodes[node].faults.provisioning.strike(at: .completed) {
                case .silence:
                    links[link]?.provisioning?.isSilent = true
                    return
                case .linkLoss:
                    end(link, reason: "the device dropped the connection")
                    return
                case .failure(let code):
                    queueProvisioning(ProvisioningPDU.failed(code).encoded, on: link)
                    return
                case nil: break
                }
            case .failed(let failure):
                endPrompts(on: link)
                if failure.reason == .timedOut { end(link, reason: "the device waited for 60 seconds") }
            }
        }
        scheduleProvisioningWake(link)
    }

    private func queueProvisioning(_ pdu: [UInt8], on link: LinkIdentifier) {
        guard let busyUntil = links[link]?.provisioning?.busyUntil else { return }
        let time = max(busyUntil, now.advanced(by: generator.duration(in: settings.processing)))
        links[link]?.provisioning?.busyUntil = time
        queue.add(.sendProvisioning(link, pdu), at: time)
    }

    /// A device sends a provisioning PDU. The last one ends the link.
    func sendProvisioning(_ pdu: [UInt8], on link: LinkIdentifier) {
        guard let end = links[link], let service = end.provisioning, !nodes[end.node].faults.isOff else { return }
        guard end.remote == nil else {
            sendToServer(pdu, on: link)
            return
        }
        notify(ProxyPDU(type: .provisioning, payload: pdu), on: link)
        if service.isLast { self.end(link, reason: "the device is a node now and no longer offers provisioning") }
    }

    /// The timer of a session may have expired.
    func wakeProvisioning(_ link: LinkIdentifier) {
        guard let node = links[link]?.node, links[link]?.provisioning?.wakeAt.map({ $0 <= now }) ?? false else {
            return
        }
        links[link]?.provisioning?.wakeAt = nil
        let actions = links[link]?.provisioning?.device.advance(to: now) ?? []
        carryOut(actions, on: link, of: node)
    }

    /// Schedules the wake event for a session's timer.
    func scheduleProvisioningWake(_ link: LinkIdentifier) {
        guard let service = links[link]?.provisioning, let deadline = service.device.nextDeadline else { return }
        if let planned = service.wakeAt, planned <= deadline { return }
        links[link]?.provisioning?.wakeAt = max(deadline, now)
        queue.add(.wakeProvisioning(link), at: max(deadline, now))
    }

    /// A link to a provisioning service ends, from either side.
    func leaveProvisioning(_ link: LinkIdentifier) {
        guard links[link]?.provisioning != nil else { return }
        _ = links[link]?.provisioning?.device.linkClosed(at: now)
        endPrompts(on: link)
    }

    /// Ends the prompts: nobody needs to watch the device or enter anything any more.
    func endPrompts(on link: LinkIdentifier) {
        guard let node = links[link]?.node, let service = links[link]?.provisioning else { return }
        if service.isTelling {
            links[link]?.provisioning?.isTelling = false
            observe(.outputEnded, of: node)
        }
        if service.awaitedInput != nil {
            links[link]?.provisioning?.awaitedInput = nil
            observe(.inputEnded, of: node)
        }
    }
}
