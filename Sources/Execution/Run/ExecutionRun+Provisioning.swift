internal import DefinitionModel
import MeshCore
import Planning
import Store

/// Makes devices nodes.
extension ExecutionRun {
    /// Begins to look for a device.
    func provision(_ step: Int, _ order: ProvisioningOrder) {
        let uuid = order.uuid
        if let node = network.node(uuid), !order.isReplacement || node.unprovisionedSeenAt == nil {
            schedule.succeed(step)
            announce(.stepSkipped(step: step))
            finishNode(uuid)
            return
        }
        if let error = driver.scanError, isLost(order) { return fail(step, .provisioning(.cannotScan(error))) }
        let mayBeNode = network.header.pendingProvisioning(of: uuid) != nil
        if !mayBeNode, let problem = serverProblem(order) { return fail(step, .provisioning(problem)) }
        provisionSteps[uuid] = step
        perform(queue.add(order, at: bearer.now))
        if !mayBeNode, let server = order.route.server, unreachable.contains(server) { return leavePending(uuid) }
        findOut(about: uuid)
    }

    /// Carries out the queue's outputs and what follows from them, in order.
    func perform(_ outputs: [ProvisioningQueue.Output]) {
        var pending = outputs[...]
        while let output = pending.popFirst() {
            let further = perform(output)
            if !further.isEmpty { pending = (further + pending)[...] }
        }
    }

    private func perform(_ output: ProvisioningQueue.Output) -> [ProvisioningQueue.Output] {
        switch output {
        case .connect(let uuid, .remote(let server)): return connect(uuid, through: server)
        case .connect(let uuid, .direct(let advertiser)):
            do throws(BearerError) {
                let link = try bearer.connect(to: .provisioning(advertiser))
                queue.connecting(uuid, over: .bearer(link), at: bearer.now)
                // The device was heard unprovisioned, so no node answers under an old key.
                endFindingOut(uuid)
            } catch {
                guard error.isInterruption else { return queue.connectFailed(uuid, error, at: bearer.now) }
                stop = stop ?? .interrupted
            }
        case .send(let packet, on: .remote(let server)):
            carry(servers.send(packet, through: server, at: bearer.now), through: server)
        case .send(let packet, on: .bearer(let link)):
            do throws(BearerError) {
                try bearer.send(packet, on: link)
            } catch {
                bearer.close(link)
                return queue.closed(.bearer(link), .bearer(error), at: bearer.now)
            }
        case .close(.bearer(let link), isCompleted: _): bearer.close(link)
        case .close(.remote(let server), let isCompleted): hangUp(server, isCompleted: isCompleted)
        case .progress(let uuid, let progress): context.emit(.provisioningStage(uuid, progress))
        case .capabilities(let order, let capabilities): return choose(order, capabilities)
        case .ask(let question): context.outOfBand.ask(question)
        case .withdraw: context.outOfBand.withdraw()
        case .store(let order, let candidate): store(order, candidate)
        case .discard(let uuid):
            storing.removeAll { $0 == uuid }
            if let key = candidates.removeValue(forKey: uuid)?.deviceKey { network.withdrawAttempt(of: uuid, key) }
        case .completed(let order, let node):
            candidates[order.uuid] = nil
            becomeNode(order.uuid, order, deviceKey: node.deviceKey, isAuthenticated: node.isAuthenticated)
        case .retrying(let uuid, let problem, in: let delay):
            servers.search.failed(uuid, through: nil)
            context.emit(.provisioningRetried(uuid, problem, in: delay))
            findOut(about: uuid)
        case .failed(let uuid, let problem):
            endFindingOut(uuid)
            network.release(uuid)
            guard let step = provisionSteps.removeValue(forKey: uuid) else { break }
            // Without the interrupt it would have been tried again.
            if isInterrupted, problem.canPass { schedule.putBack(step) } else { fail(step, .provisioning(problem)) }
        case .notHeard(let uuid): return notHeard(uuid)
        }
        return []
    }

    // MARK: Decisions

    /// Decides how to provision a device that told its capabilities, and with which data.
    private func choose(
        _ order: ProvisioningOrder,
        _ capabilities: ProvisioningCapabilities
    ) -> [ProvisioningQueue.Output] {
        do throws(ProvisioningProblem) {
            let choice = try order.choice(for: capabilities, at: context.outOfBand)
            guard let subnet = network.header.netKeys.first(where: { $0.index == order.netKeyIndex }) else {
                throw .noNetKey(order.netKeyIndex)
            }
            if let pending = network.header.pendingProvisioning(of: order.uuid),
                pending.addresses.contains(where: { UnicastAddress(rawValue: $0).map(driver.client.hasHeard) ?? false })
            {
                network.leaveBlock(of: order.uuid)
            }
            let address = try network.reserve(Int(capabilities.elementCount), for: order)
            let data = ProvisioningData(subnet: subnet, ivIndex: network.header.ivIndex, address: address)
            return queue.choose(order.uuid, choice, data: data, at: bearer.now)
        } catch {
            return queue.refuse(order.uuid, error, at: bearer.now)
        }
    }

    // MARK: Records

    /// Records what the device will be. This must be durable before the device learns it.
    private func store(_ order: ProvisioningOrder, _ candidate: ProvisioningConversation.Candidate) {
        network.recordAttempt(
            PendingProvisioning(
                uuid: order.uuid,
                name: order.name,
                address: candidate.address,
                elementCount: candidate.elementCount,
                deviceKeys: [candidate.deviceKey],
                netKeyIndex: candidate.netKeyIndex,
                isSecurelyProvisioned: candidate.isPublicKeyOutOfBand,
                attemptedAt: context.now()
            )
        )
        candidates[order.uuid] = candidate
        storing.append(order.uuid)
    }

    /// Sends the provisioning data to the devices whose records have become durable.
    func releaseData() {
        let durable = storing
        storing = []
        for uuid in durable { perform(queue.dataIsDurable(uuid, at: bearer.now)) }
    }

    /// A device has become a node: it said so itself, or the run found out.
    ///
    /// - Parameter isAuthenticated: nil if the run found out.
    func becomeNode(_ uuid: DeviceUUID, _ order: ProvisioningOrder?, deviceKey: KeyMaterial, isAuthenticated: Bool?) {
        endFindingOut(uuid)
        guard let (node, replaced) = network.promote(uuid, order, deviceKey: deviceKey, at: context.now()) else {
            return
        }
        if let replaced {
            driver.client.remove(node: replaced.unicastAddress)
            forgetServer(replaced.unicastAddress)
            // These doubts were about a node that no longer exists.
            for doubt in doubts.removeValue(forKey: uuid) ?? [] { journal.settle(doubt, .skipped) }
        }
        driver.client.set(node)
        unreachable.remove(uuid)
        announce(
            .provisioned(
                uuid,
                address: node.unicastAddress,
                elementCount: UInt8(truncatingIfNeeded: node.addresses.count),
                isAuthenticated: isAuthenticated
            )
        )
        guard let step = provisionSteps.removeValue(forKey: uuid) else { return }
        schedule.succeed(step)
        announce(.stepSucceeded(step: step, byReadBack: isAuthenticated == nil))
        if isAuthenticated != nil { awaitDirectLink(to: uuid) }
        finishNode(uuid)
    }

    /// A device was not heard, and is no node that answers: its steps wait for another run.
    func leavePending(_ uuid: DeviceUUID) {
        let listener = listener(for: queue.order(of: uuid))
        perform(queue.remove(uuid))
        endFindingOut(uuid)
        network.release(uuid)
        guard let step = provisionSteps.removeValue(forKey: uuid), let lane = schedule.lane(ofStep: step) else {
            return
        }
        let mayBeNode = network.header.pendingProvisioning(of: uuid) != nil
        announce(.deviceNotHeard(uuid, mayBeNode: mayBeNode, by: listener))
        let (pending, blocked) = schedule.suspend(lane: lane)
        announce(.nodePending(uuid, steps: pending.count))
        announceBlocked(blocked)
    }

    /// An interrupt: devices that already have their provisioning data are finished, all others are given up.
    func interruptProvisioning() {
        let (devices, outputs) = queue.interrupt()
        perform(outputs)
        endSeekingRemotely()
        for uuid in devices {
            network.release(uuid)
            if let step = provisionSteps.removeValue(forKey: uuid) { schedule.putBack(step) }
        }
        for uuid in findingOut.devices { endFindingOut(uuid) }
    }
}
