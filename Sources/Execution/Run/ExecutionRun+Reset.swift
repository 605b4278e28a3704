import MeshCore
import Planning
import Store

/// Where a device was found after a node has answered that it was reset.
package enum ResetSighting: Hashable, Sendable {
    /// It advertises as a device without a network.
    case unprovisioned
    /// It answers as the node that it was: it was not reset.
    case stillNode
    /// It was neither heard as a device nor did it answer as a node; all that is known is its own status.
    case notSeen
    /// The bearer cannot hear advertising, or the run ended before.
    case notLookedFor
}

/// A node that has answered a Node Reset, while it is looked for.
struct ResetWatch {
    /// The step.
    let step: Int
    /// Whether the reset was confirmed by a read-back.
    let isByReadBack: Bool
    /// When the present stage is over.
    var deadline: Instant
    /// Whether the node is being asked if it is one still.
    var isAsking = false
    /// Whether it has answered that once: some nodes leave only a few seconds after their status.
    var hasAnswered = false

    /// How long advertising is listened to after the status: a device without a network advertises several times a
    /// second, and needs a moment to begin.
    static let listeningTime: Duration = .seconds(3)
    /// How long a node is given that still answers, before it is asked again.
    static let respite: Duration = .seconds(5)
    /// How long a node is asked that was not heard as a device.
    static let askingTime: Duration = .seconds(3)
    /// Nodes asked at once; of more that are out of hearing nobody finds out, so that a thousand cost no minutes.
    static let maximumAsked = 4
}

/// How nodes leave: a Node Reset is confirmed by its status, or by the device advertising as unprovisioned. That it was
/// reset is seen, not believed: the device is looked for while other nodes are spoken to.
extension ExecutionRun {
    /// Whether the outcome of a reset is awaited, so that advertisements are of use.
    var isResetting: Bool { !resetWatches.isEmpty || jobs.values.contains { $0.action == .resetNode } }

    /// A node says that it is reset: it is looked for.
    func watchReset(of request: StepRequest) {
        resetWatches[request.node] = ResetWatch(
            step: request.step,
            isByReadBack: request.phase != .request,
            deadline: bearer.now.advanced(by: ResetWatch.listeningTime)
        )
        if isInterrupted || driver.scanError != nil { endWatch(request.node, .notLookedFor) }
    }

    /// When a node that is looked for is to be looked at again.
    var watchDeadline: Instant? { resetWatches.values.map(\.deadline).min() }

    /// Time has passed: who was not heard as a device is asked whether it is a node.
    func advanceWatches() {
        let now = bearer.now
        for uuid in resetWatches.keys.sorted() {
            guard let watch = resetWatches[uuid], watch.deadline <= now else { continue }
            guard driver.scanError == nil else {
                endWatch(uuid, .notLookedFor)
                continue
            }
            let asked = resetWatches.values.count(where: \.isAsking)
            guard !watch.isAsking, driver.client.isLinkReady, asked < ResetWatch.maximumAsked, network.node(uuid) != nil
            else {
                endWatch(uuid, .notSeen)
                continue
            }
            resetWatches[uuid]?.isAsking = true
            // Longer than the question by what a link takes that is lost meanwhile.
            resetWatches[uuid]?.deadline = now.advanced(by: ResetWatch.askingTime * 2)
            // A late status of the reset says nothing.
            outbox.append(.afterReset(uuid, Question(ConfigDefaultTTLGet())))
        }
    }

    /// A node that says it is reset answers as one.
    func answersAfterReset(_ uuid: DeviceUUID) {
        guard resetWatches[uuid]?.hasAnswered == false, !isInterrupted else { return endWatch(uuid, .stillNode) }
        resetWatches[uuid]?.hasAnswered = true
        resetWatches[uuid]?.isAsking = false
        resetWatches[uuid]?.deadline = bearer.now.advanced(by: ResetWatch.respite)
    }

    /// Looks for nobody any more.
    func endWatches() {
        for uuid in resetWatches.keys.sorted() { endWatch(uuid, .notLookedFor) }
    }

    /// It is known where a device is that was reset, or nobody finds out.
    func endWatch(_ uuid: DeviceUUID, _ sighting: ResetSighting) {
        guard let watch = resetWatches.removeValue(forKey: uuid) else { return }
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
        if resetWatches[uuid] != nil { return endWatch(uuid, .unprovisioned) }
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
