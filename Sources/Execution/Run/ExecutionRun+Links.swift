import MeshCore

/// Distributes the bearer's links and what it hears among the client, the provisioning queue and those who wait for a
/// reset.
extension ExecutionRun {
    /// Hands an event to those it concerns.
    func take(_ event: BearerEvent) {
        let now = bearer.now
        switch event {
        case .heard(let advertisement):
            hear(advertisement)
            perform(driver.client.handle(event, at: now))
        case .opened(let link, let size, _) where queue.owns(link):
            let secrets = context.provisioningSecrets()
            let carriage = ProvisioningCarriage.proxy(maximumPacketSize: size)
            perform(queue.opened(.bearer(link), carriage: carriage, secrets: secrets, at: now))
        case .received(let link, let packet) where queue.owns(link):
            perform(queue.received(packet, on: .bearer(link), at: now))
        case .closed(let link, let error) where queue.owns(link):
            perform(queue.closed(.bearer(link), .bearer(error), at: now))
        case .opened, .received, .closed: perform(driver.client.handle(event, at: now))
        }
    }

    private func hear(_ advertisement: Advertisement) {
        switch advertisement.content {
        case .unprovisioned(let device, uriHash: _):
            if queue.heard(device.uuid, as: .direct(advertisement.advertiser)) { return }
            if findingOut.contains(device.uuid) { endFindingOut(device.uuid) }
            heardReset(device.uuid)
        case .proxy:
            guard !findingOut.isEmpty, let identity = driver.client.resolve(advertisement) else { return }
            heardProxy(identity)
        }
    }

    /// Divides the links: one is kept for the mesh once there is a node to talk to; the others provision.
    func divideLinks() {
        let most = max(1, min(options.maximumConnections, bearer.maximumLinks))
        let isMeshBusy = isRemoteBusy || linkFailure == nil && !(jobs.isEmpty && outbox.isEmpty)
        guard !queue.isEmpty else {
            perform(driver.client.setMaximumLinks(most, at: bearer.now))
            return
        }
        if most == 1 {
            // They take turns: finishing nodes comes before beginning many.
            perform(driver.client.setMaximumLinks(isMeshBusy && queue.linkCount == 0 ? 1 : 0, at: bearer.now))
            if !isMeshBusy, driver.client.linkCount == 0 { startProvisioning(limit: 1) }
            if queue.linkCount == 0 { startRemoteProvisioning() }
            return
        }
        let isMeshThere = network.count > 1
        // Devices take free links first. The client gets the rest, and relies on no more than that.
        startProvisioning(limit: isMeshThere ? most - max(1, driver.client.linkCount) : most)
        perform(driver.client.setMaximumLinks(min(max(1, most / 2), most - queue.linkCount), at: bearer.now))
        startRemoteProvisioning()
    }

    private func startProvisioning(limit: Int) {
        guard !isInterrupted, driver.client.isIVIndexKnown else { return }
        perform(queue.start(limit: limit, at: bearer.now))
    }

    private func startRemoteProvisioning() {
        guard !isInterrupted, driver.client.isIVIndexKnown else { return }
        perform(queue.startRemote(at: bearer.now))
    }

    /// Lets the bearer scan as long as any part of the run needs it.
    func updateScan() {
        do throws(BearerError) {
            try driver.scan(alsoForOthers: queue.wantsScan || !findingOut.isEmpty || isResetting)
        } catch {
            // The user has interrupted.
            guard !error.isInterruption else {
                stop = stop ?? .interrupted
                return
            }
            // Nodes can still find other devices.
            let lost = provisionSteps.filter { queue.order(of: $0.key).map(isLost) ?? servers.search.isEmpty }
            for (uuid, step) in lost.sorted(by: { $0.value < $1.value }) {
                perform(queue.remove(uuid))
                endFindingOut(uuid)
                provisionSteps[uuid] = nil
                fail(step, .provisioning(.cannotScan(error)))
            }
            perform(driver.endClientScan())
        }
    }

    /// Takes a person's answer to an open question.
    func takeAnswer() {
        guard queue.awaitsAnswer, let answer = context.outOfBand.answer() else { return }
        perform(queue.answer(answer, at: bearer.now))
    }
}
