import MeshCore
import Planning

/// Finds out whether an earlier attempt has made devices nodes: asks them for their composition under each DeviceKey
/// that they may have, while the bearer scans for them as devices.
extension ExecutionRun {
    /// Begins to find out about a device, if there was an earlier attempt.
    func findOut(about uuid: DeviceUUID) {
        guard !isInterrupted, let pending = network.header.pendingProvisioning(of: uuid),
            let newest = pending.deviceKeys.last
        else { return }
        let patience =
            options.provisioning.notHeardAfter + options.retry.readBackDeadline * (2 * pending.deviceKeys.count)
        findingOut.begin(uuid, keys: pending.deviceKeys.reversed(), until: bearer.now.advanced(by: patience))
        driver.client.set(pending, deviceKey: newest)
        context.emit(.provisioningStage(uuid, .findingOut))
    }

    /// Stops finding out about a device.
    func endFindingOut(_ uuid: DeviceUUID) {
        guard findingOut.end(uuid) == true, let address = network.header.pendingProvisioning(of: uuid)?.address else {
            return
        }
        cancel(address, of: uuid)
    }

    /// Asks devices that may be nodes, once a proxy can carry the question.
    func askCandidates() {
        guard !findingOut.isEmpty, canCarry || driver.scanError != nil else { return }
        for uuid in findingOut.devices {
            guard jobs.count + outbox.count < window.size else { return }
            guard findingOut.canAsk(uuid), !queue.isBusy(uuid), network.header.pendingProvisioning(of: uuid) != nil
            else { continue }
            findingOut.ask(uuid)
            outbox.append(.candidate(uuid, .composition))
        }
    }

    /// Whether a proxy may carry a question.
    private var canCarry: Bool { driver.client.isLinkReady || findingOut.hasHeardProxy }

    /// Sends the question under the key that is being tried.
    func transmitCandidate(_ uuid: DeviceUUID, _ question: Question<Composition?>) {
        guard let key = findingOut.key(of: uuid), let pending = network.header.pendingProvisioning(of: uuid) else {
            return
        }
        driver.client.set(pending, deviceKey: key)
        let (identifier, outputs) = driver.client.request(
            question.inquiry,
            to: pending.address,
            subnets: [pending.netKeyIndex],
            deadline: options.retry.readBackDeadline,
            at: bearer.now
        )
        jobs[identifier] = .candidate(uuid, question)
        perform(outputs)
    }

    /// The device answered: it is a node with the key that was tried.
    ///
    /// - Parameter composition: the composition that it told; nil if that makes no sense.
    func settleCandidate(_ uuid: DeviceUUID, _ composition: Composition?) {
        guard let key = findingOut.key(of: uuid) else { return }
        _ = findingOut.end(uuid)
        let order = queue.order(of: uuid)
        perform(queue.remove(uuid))
        becomeNode(uuid, order, deviceKey: key, isAuthenticated: nil)
        defer { considerServer(uuid) }
        guard let composition, network.objection(to: composition, of: uuid) == nil else { return }
        network.update(uuid, at: context.now()) { node in
            node.record(composition)
            node.observedAt = context.now()
        }
    }

    /// A proxy was heard. The Node Identity of a device says that it is a node.
    func heardProxy(_ identity: AdvertisedIdentity) {
        let address: UnicastAddress? = if case .node(let address, _) = identity { address } else { nil }
        findingOut.heardProxy { network.header.pendingProvisioning(of: $0).map { $0.address == address } ?? false }
    }

    /// A device that is to be provisioned was not heard for a long time.
    func notHeard(_ uuid: DeviceUUID) -> [ProvisioningQueue.Output] {
        let now = bearer.now
        if let patience = findingOut.patience(for: uuid, at: now, canCarry: canCarry) {
            queue.listenOn(for: uuid, until: min(patience, now.advanced(by: .seconds(2))))
        } else if isSoughtRemotely(uuid) {
            queue.listenOn(for: uuid, until: now.advanced(by: .seconds(2)))
        } else {
            giveUp(uuid)
        }
        return []
    }

    /// Ends the search for devices without a step, from before the plan, when their time is over.
    func endOldSearches() {
        guard let end = searchEnd else { return }
        let isCarried = driver.client.carriedCount > 0
        for uuid in findingOut.devices where provisionSteps[uuid] == nil {
            if findingOut.isOver(uuid, at: bearer.now, end: end, isCarried: isCarried) { endFindingOut(uuid) }
        }
    }

    /// Cancels a request whose answer no longer matters.
    func cancel(_ address: UnicastAddress, of uuid: DeviceUUID) {
        for identifier in jobs.keys.sorted() where jobs[identifier]?.node == uuid { jobs[identifier] = nil }
        outbox.removeAll { $0.node == uuid }
        perform(driver.client.cancel(address, at: bearer.now))
    }
}

extension Question where Answer == Composition? {
    /// Asks for Composition Data page 0.
    static var composition: Question {
        // Enough for a node with four elements; the run waits for larger answers, too.
        Question(ConfigCompositionDataGet(page: 0), answerSize: 100) { status throws(DecodeError) in
            let composition = try status.composition()
            return composition?.withVendorModelsInOrder ?? composition
        }
    }
}
