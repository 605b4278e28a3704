import MeshCore
import Planning
import Store

/// How nodes leave: a Node Reset is confirmed by its status, or by the device advertising as unprovisioned. That it was
/// reset is seen, not believed: the device is looked for while other nodes are spoken to.
extension ExecutionRun {
    /// Whether the outcome of a reset is awaited, so that advertisements are of use.
    var isResetting: Bool { !resetWatches.isEmpty || jobs.values.contains { $0.action == .resetNode } }

    /// A node says that it is reset: it is looked for.
    func watchReset(of request: StepRequest) {
        let isByReadBack = request.phase != .request
        resetWatches.begin(request.node, step: request.step, isByReadBack: isByReadBack, at: bearer.now)
        if isInterrupted || driver.scanError != nil { endWatch(request.node, .notLookedFor) }
    }

    /// Time has passed: who was not heard as a device is asked whether it is a node.
    func advanceWatches() {
        let canAsk = driver.scanError == nil && driver.client.isLinkReady
        for due in resetWatches.advance(to: bearer.now, mayAsk: { canAsk && network.node($0) != nil }) {
            switch due {
            // A late status of the reset says nothing.
            case .ask(let uuid): outbox.append(.afterReset(uuid, Question(ConfigDefaultTTLGet())))
            case .end(let uuid): endWatch(uuid, driver.scanError == nil ? .notSeen : .notLookedFor)
            }
        }
    }

    /// A node that says it is reset answers as one.
    func answersAfterReset(_ uuid: DeviceUUID) {
        if isInterrupted || !resetWatches.answered(uuid, at: bearer.now) { endWatch(uuid, .stillNode) }
    }

    /// Looks for nobody any more.
    func endWatches() {
        for uuid in resetWatches.nodes { endWatch(uuid, .notLookedFor) }
    }

    /// It is known where a device is that was reset, or nobody finds out.
    func endWatch(_ uuid: DeviceUUID, _ sighting: ResetSighting) {
        guard let watch = resetWatches.end(uuid) else { return }
        let isQuestion = { (job: Job) in if case .afterReset(uuid, _) = job { true } else { false } }
        outbox.removeAll(where: isQuestion)
        for identifier in jobs.keys.sorted() where jobs[identifier].map(isQuestion) ?? false {
            jobs[identifier] = nil
            if let address = network.node(uuid)?.unicastAddress {
                perform(driver.client.cancel(address, at: bearer.now))
            }
        }
        announce(.resetSeen(uuid, sighting))
        guard sighting != .stillNode else {
            journal.settle(subject(of: watch.step), .failed(status: ConfigStatusCode.unspecifiedError.rawValue))
            return fail(watch.step, .stillNode)
        }
        retire(uuid)
        journal.settle(subject(of: watch.step), .succeeded)
        schedule.succeed(watch.step)
        announce(.stepSucceeded(step: watch.step, byReadBack: watch.isByReadBack))
        finishNode(uuid)
    }

    /// Takes a node that was reset out of the network.
    func retire(_ uuid: DeviceUUID) {
        guard let node = network.node(uuid) else { return }
        network.retire(uuid, reason: .reset, at: context.now())
        driver.client.remove(node: node.unicastAddress)
        forgetServer(node.unicastAddress)
    }

    /// A device advertises as unprovisioned: a reset that was sent has taken effect.
    func heardReset(_ uuid: DeviceUUID) {
        if resetWatches.isWatching(uuid) { return endWatch(uuid, .unprovisioned) }
        guard let address = network.node(uuid)?.unicastAddress else { return }
        for identifier in jobs.keys.sorted() {
            guard let job = jobs[identifier], job.node == uuid, job.mayHaveReset else { continue }
            jobs[identifier] = nil
            perform(driver.client.cancel(address, at: bearer.now))
            settle(job, .holds(.resetNode))
            endWatch(uuid, .unprovisioned)
        }
    }
}
