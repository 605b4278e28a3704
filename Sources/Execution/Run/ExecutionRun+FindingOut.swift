import MeshCore
import Planning

/// What is known of a device of which an earlier attempt may have made a node.
struct FindingOut {
    /// The DeviceKeys that it may have, the likeliest first.
    let keys: [KeyMaterial]
    /// Which of them is tried next, or is being tried.
    var next = 0
    var isAsking = false
    /// Whether its Node Identity was heard: then it is a node, whatever it answers.
    var isIdentified = false
    /// When it is given up, should neither be heard.
    let deadline: Instant
}

/// Whether devices are nodes by an earlier attempt: they are asked for their composition under each DeviceKey that they
/// may have, while the bearer scans for them as devices.
extension ExecutionRun {
    /// Begins to find out about a device, if there was an attempt.
    func findOut(about uuid: DeviceUUID) {
        guard !isInterrupted, let pending = network.header.pendingProvisioning(of: uuid),
            let newest = pending.deviceKeys.last
        else { return }
        let patience =
            options.provisioning.notHeardAfter + options.retry.readBackDeadline * (2 * pending.deviceKeys.count)
        findingOut[uuid] = FindingOut(
            keys: pending.deviceKeys.reversed(),
            deadline: bearer.now.advanced(by: patience)
        )
        driver.client.set(pending, deviceKey: newest)
        context.emit(.provisioningStage(uuid, .findingOut))
    }

    /// Finds out no more about a device.
    func endFindingOut(_ uuid: DeviceUUID) {
        guard let state = findingOut.removeValue(forKey: uuid) else { return }
        if state.isAsking, let address = network.header.pendingProvisioning(of: uuid)?.address {
            cancel(address, of: uuid)
        }
    }

    /// Asks those who may be nodes, once there is somebody who can carry the question.
    func askCandidates() {
        guard !findingOut.isEmpty, driver.client.isLinkReady || hasHeardProxy || driver.scanError != nil else { return }
        for uuid in findingOut.keys.sorted() {
            guard jobs.count + outbox.count < window.size else { return }
            guard let state = findingOut[uuid], !state.isAsking, state.next < state.keys.count, !queue.isBusy(uuid),
                network.header.pendingProvisioning(of: uuid) != nil
            else { continue }
            findingOut[uuid]?.isAsking = true
            outbox.append(.candidate(uuid, .composition))
        }
    }

    /// Sends the question under the key that is tried.
    func transmitCandidate(_ uuid: DeviceUUID, _ question: Question<Composition?>) {
        guard let state = findingOut[uuid], state.next < state.keys.count,
            let pending = network.header.pendingProvisioning(of: uuid)
        else { return }
        driver.client.set(pending, deviceKey: state.keys[state.next])
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

    /// It answered: it is a node with the key that was tried.
    ///
    /// - Parameter composition: what it says that it is made of; nil if that makes no sense.
    func settleCandidate(_ uuid: DeviceUUID, _ composition: Composition?) {
        guard let state = findingOut[uuid], state.next < state.keys.count else { return }
        findingOut[uuid] = nil
        let order = queue.order(of: uuid)
        perform(queue.remove(uuid))
        becomeNode(uuid, order, deviceKey: state.keys[state.next], isAuthenticated: nil)
        defer { considerServer(uuid) }
        guard let composition, network.objection(to: composition, of: uuid) == nil else { return }
        network.update(uuid, at: context.now()) { node in
            node.record(composition)
            node.observedAt = context.now()
        }
    }

    /// Nobody answered under the key that was tried.
    func settleUnansweredCandidate(_ uuid: DeviceUUID) {
        findingOut[uuid]?.isAsking = false
        findingOut[uuid]?.next += 1
    }

    /// A proxy was heard. The Node Identity of a device says that it is a node.
    func heardProxy(_ identity: AdvertisedIdentity) {
        hasHeardProxy = true
        guard case .node(let address, _) = identity else { return }
        for uuid in findingOut.keys.sorted()
        where network.header.pendingProvisioning(of: uuid)?.address == address
            && findingOut[uuid]?.isIdentified == false
        {
            findingOut[uuid]?.isIdentified = true
            // It was off when it was asked before.
            if findingOut[uuid]?.isAsking == false { findingOut[uuid]?.next = 0 }
        }
    }

    /// A device that is to be provisioned was not heard for long.
    func notHeard(_ uuid: DeviceUUID) -> [ProvisioningQueue.Output] {
        let now = bearer.now
        if let state = findingOut[uuid], now < state.deadline, state.next < state.keys.count,
            state.isAsking || driver.client.isLinkReady || hasHeardProxy
        {
            queue.listenOn(for: uuid, until: min(state.deadline, now.advanced(by: .seconds(2))))
        } else if isSoughtRemotely(uuid) {
            queue.listenOn(for: uuid, until: now.advanced(by: .seconds(2)))
        } else {
            giveUp(uuid)
        }
        return []
    }

    /// Those without a step, which were found out about before planning, have had their time.
    func endOldSearches() {
        guard let end = searchEnd else { return }
        for uuid in findingOut.keys.sorted() where provisionSteps[uuid] == nil {
            guard let state = findingOut[uuid] else { continue }
            let isOver = bearer.now >= end && !(state.isAsking && driver.client.carriedCount > 0)
            if isOver || bearer.now >= state.deadline || state.next >= state.keys.count && bearer.now >= end {
                endFindingOut(uuid)
            }
        }
    }

    /// Gives up a request whose answer means nothing any more.
    func cancel(_ address: UnicastAddress, of uuid: DeviceUUID) {
        for identifier in jobs.keys.sorted() where jobs[identifier]?.node == uuid { jobs[identifier] = nil }
        outbox.removeAll { $0.node == uuid }
        perform(driver.client.cancel(address, at: bearer.now))
    }
}

extension Question where Answer == Composition? {
    /// Asks for Composition Data page 0.
    static var composition: Question {
        // A node with four elements; larger ones are waited for all the same.
        Question(ConfigCompositionDataGet(page: 0), answerSize: 100) { status throws(DecodeError) in
            let composition = try status.composition()
            return composition?.withVendorModelsInOrder ?? composition
        }
    }
}
