import MeshCore
import Planning
import Store

/// How nodes leave. The status of a Node Reset, or the device that advertises as unprovisioned, confirms the reset. The
/// run checks it: it looks for the device while it talks to other nodes.
extension ExecutionRun {
    /// Whether the run waits for the outcome of a reset, so that it needs advertisements.
    var isResetting: Bool { !resetWatches.isEmpty || jobs.values.contains { $0.action == .resetNode } }

    /// A node says that it was reset: the run looks for it.
    func watchReset(of request: StepRequest) {
        let isByReadBack = request.phase != .request
        resetWatches.begin(request.node, step: request.step, isByReadBack: isByReadBack, at: bearer.now)
        if isInterrupted || driver.scanError != nil { endWatch(request.node, .notLookedFor) }
    }

    /// Time has passed: devices that were not heard are asked whether they still are nodes.
    func advanceWatches() {
        let canAsk = driver.scanError == nil && driver.client.isLinkReady
        for due in resetWatches.advance(to: bearer.now, mayAsk: { canAsk && network.node($0) != nil }) {
            switch due {
            // A late status of the reset would prove nothing.
            case .ask(let uuid): outbox.append(.afterReset(uuid, Question(ConfigDefaultTTLGet())))
            case .end(let uuid): endWatch(uuid, driver.scanError == nil ? .notSeen : .notLookedFor)
            }
        }
    }

    /// A node that claims to be reset answers as a node.
    func answersAfterReset(_ uuid: DeviceUUID) {
        if isInterrupted || !resetWatches.answered(uuid, at: bearer.now) { endWatch(uuid, .stillNode) }
    }

    /// Stops looking for any device.
    func endWatches() {
        for uuid in resetWatches.nodes { endWatch(uuid, .notLookedFor) }
    }

    /// The place of a device that was reset is known, or nobody will find out.
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

    /// Removes a node that was reset from the network.
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
