import MeshCore
import Planning

/// Finds out whether an earlier attempt has made devices nodes: asks them for their composition under each DeviceKey
/// that they may have, while the bearer scans for them as devices.
extension DeviceWork {
    /// Begins to find out about all devices of earlier attempts.
    ///
    /// - Parameter end: when the time is over for those that no step names.
    mutating func findOutAboutAll(until end: Instant, _ ledger: RunLedger, at now: Instant) -> [RunOutput] {
        searchEnd = end
        return ledger.network.header.pendingProvisionings.flatMap { findOut(about: $0.uuid, ledger, at: now) }
    }

    /// Begins to find out about a device, if there was an earlier attempt.
    mutating func findOut(about uuid: DeviceUUID, _ ledger: RunLedger, at now: Instant) -> [RunOutput] {
        guard !ledger.isInterrupted, let pending = ledger.network.header.pendingProvisioning(of: uuid),
            let newest = pending.deviceKeys.last
        else { return [] }
        let patience =
            options.provisioning.notHeardAfter + options.retry.readBackDeadline * (2 * pending.deviceKeys.count)
        findingOut.begin(uuid, keys: pending.deviceKeys.reversed(), until: now.advanced(by: patience))
        return [.tryKey(newest, of: pending), .emit(.provisioningStage(uuid, .findingOut))]
    }

    mutating func endFindingOut(_ uuid: DeviceUUID, _ ledger: RunLedger) -> [RunOutput] {
        guard findingOut.end(uuid) == true,
            let address = ledger.network.header.pendingProvisioning(of: uuid)?.address
        else { return [] }
        // An answer no longer matters.
        return [.withdraw(address) { $0.node == uuid }]
    }

    mutating func endAllFindingOut(_ ledger: RunLedger) -> [RunOutput] {
        findingOut.devices.flatMap { endFindingOut($0, ledger) }
    }

    /// Asks devices that may be nodes, once a proxy can carry the question.
    ///
    /// - Parameter room: how many may be asked now.
    mutating func askCandidates(_ ledger: RunLedger, _ routes: DeviceRoutes, room: Int) -> [RunOutput] {
        guard !findingOut.isEmpty, canCarry(routes) || routes.scanError != nil else { return [] }
        var questions: [RunOutput] = []
        for uuid in findingOut.devices {
            guard questions.count < room else { return questions }
            guard findingOut.canAsk(uuid), !queue.isBusy(uuid),
                ledger.network.header.pendingProvisioning(of: uuid) != nil
            else { continue }
            findingOut.ask(uuid)
            questions.append(.ask(.candidate(uuid, .composition)))
        }
        return questions
    }

    /// Whether a proxy may carry a question.
    private func canCarry(_ routes: DeviceRoutes) -> Bool { routes.isLinkReady || findingOut.hasHeardProxy }

    /// The device answered: it is a node with the key that was tried.
    ///
    /// - Parameter composition: the composition that it told; nil if that makes no sense.
    mutating func settleCandidate(
        _ uuid: DeviceUUID,
        _ composition: Composition?,
        _ ledger: inout RunLedger
    ) -> [RunOutput] {
        guard let key = findingOut.key(of: uuid) else { return [] }
        _ = findingOut.end(uuid)
        let order = queue.order(of: uuid)
        let outputs =
            discardAll(of: queue.remove(uuid), &ledger)
            + becomeNode(uuid, order, key, authentication: nil, &ledger)
        if let composition, ledger.network.objection(to: composition, of: uuid) == nil {
            ledger.record(composition, of: uuid)
        }
        return outputs + [.composed(uuid)]
    }

    /// A proxy was heard. The Node Identity of a device says that it is a node.
    mutating func heardProxy(_ identity: AdvertisedIdentity, _ ledger: RunLedger) {
        let address: UnicastAddress? = if case .node(let address, _) = identity { address } else { nil }
        findingOut.heardProxy {
            ledger.network.header.pendingProvisioning(of: $0).map { $0.address == address } ?? false
        }
    }

    /// A device that is to be provisioned was not heard for a long time.
    mutating func notHeard(
        _ uuid: DeviceUUID,
        _ ledger: inout RunLedger,
        _ routes: DeviceRoutes,
        at now: Instant
    ) -> [RunOutput] {
        if let patience = findingOut.patience(for: uuid, at: now, canCarry: canCarry(routes)) {
            queue.listenOn(for: uuid, until: min(patience, now.advanced(by: .seconds(2))))
            return []
        }
        if isSought(uuid, ledger, routes, at: now) {
            queue.listenOn(for: uuid, until: now.advanced(by: .seconds(2)))
            return []
        }
        return giveUp(uuid, &ledger, routes)
    }

    /// Whether a server may still find a device.
    private func isSought(
        _ uuid: DeviceUUID,
        _ ledger: RunLedger,
        _ routes: DeviceRoutes,
        at now: Instant
    ) -> Bool {
        guard let order = queue.order(of: uuid), let arrival = queue.arrival(of: uuid) else { return false }
        return routes.isSought(
            order,
            since: arrival,
            patience: options.provisioning.notHeardAfter * 4,
            isAnyUnderWay: queue.isAnyUnderWay,
            isMoreUnderWay: ledger.schedule.startedCount > steps.count,
            in: ledger.network,
            at: now
        )
    }

    /// A device was not heard for as long as it made sense to listen.
    private mutating func giveUp(
        _ uuid: DeviceUUID,
        _ ledger: inout RunLedger,
        _ routes: DeviceRoutes
    ) -> [RunOutput] {
        guard let order = queue.order(of: uuid), let problem = order.serverProblem(in: ledger.network),
            ledger.network.header.pendingProvisioning(of: uuid) == nil, let step = takeStep(of: uuid)
        else { return leavePending(uuid, &ledger, routes) }
        let outputs = drop(uuid, &ledger)
        ledger.network.release(uuid)
        ledger.fail(step, .provisioning(problem))
        return outputs
    }

    /// Ends the search for devices without a step, from before the plan, when their time is over.
    ///
    /// - Parameter isCarried: whether a link carries questions.
    mutating func endOldSearches(isCarried: Bool, _ ledger: RunLedger, at now: Instant) -> [RunOutput] {
        guard let end = searchEnd else { return [] }
        var outputs: [RunOutput] = []
        for uuid in findingOut.devices where steps[uuid] == nil {
            guard findingOut.isOver(uuid, at: now, end: end, isCarried: isCarried) else { continue }
            outputs += endFindingOut(uuid, ledger)
        }
        return outputs
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
