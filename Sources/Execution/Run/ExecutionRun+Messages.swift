import MeshCore
import Planning
import Store

/// The traffic between the run, its client and the bearer.
extension ExecutionRun {
    func transmit(_ job: Job) {
        // A new request makes the client look for a link again.
        linkFailure = nil
        switch job {
        case .candidate(let node, let question): return transmitCandidate(node, question)
        case .server(let node, let question): return transmitToServer(node, question)
        // A node gets one request at a time.
        case .ivIndex: endAskingServer(job.node)
        case .step, .doubt, .identity, .afterReset:
            endAskingServer(job.node)
            if hasSoughtIVIndex, network.node(job.node) != nil { endSeekingIVIndex() }
        }
        guard let node = network.node(job.node) else { return }
        let (identifier, outputs) = driver.client.request(
            job.inquiry,
            to: node.unicastAddress,
            subnets: network.subnets(of: node, for: job.action),
            withOldKey: node.netKeys.filter { !$0.isUpdated }.map(\.index),
            deadline: deadline(of: job),
            at: bearer.now
        )
        jobs[identifier] = job
        perform(outputs)
    }

    /// How long to wait for the answer to a request; nil for the usual time.
    private func deadline(of job: Job) -> Duration? {
        switch job {
        case .step(let request): deadline(of: request)
        case .doubt: options.retry.doubtDeadline
        case .afterReset: ResetWatches.askingTime
        case .candidate, .ivIndex, .server, .identity: options.retry.readBackDeadline
        }
    }

    private func deadline(of request: StepRequest) -> Duration? {
        switch request.phase {
        case .probe: options.retry.doubtDeadline
        case .readBack where request.action == .resetNode: options.retry.doubtDeadline
        // The rest of that time is left for the question whether the node answers at all.
        case .readBack: max(options.retry.readBackDeadline - options.retry.doubtDeadline, .seconds(1))
        case .prelude: options.retry.readBackDeadline
        case .request where request.action == .resetNode: options.retry.resetDeadline
        case .request: request.readings.isEmpty && !request.isBrief ? nil : options.retry.readBackDeadline
        }
    }

    /// Carries out the client's outputs and what follows from them, in order.
    func perform(_ outputs: [MeshClient.Output]) {
        driver.perform(outputs, storing: store) { take($0) }
    }

    /// Makes an IV index durable; returns why that failed.
    private func store(_ ivIndex: IVIndex, isCorrection: Bool) -> Recap.Ending? {
        network.record(ivIndex, isCorrection: isCorrection, at: context.now())
        return commitEarly() ? nil : stop
    }

    private func take(_ event: ClientDriver.Event) {
        switch event {
        case .listening:
            guard !driver.client.isLinkReady else { break }
            context.emit(.seekingProxy(forIVIndex: !driver.client.isIVIndexKnown))
        case .connecting(let target):
            guard !driver.client.isLinkReady else { break }
            let expected = driver.client.expectation(of: target)
            context.emit(.connecting(expected.node, signal: expected.signal))
        case .linkUp(let proxy, let times):
            linkFailure = nil
            direct.measure(times)
            postUnsent()
            context.emit(.linkUp(proxy: proxy, isDirect: false, times))
        case .directLinkUp(let node, let times):
            recap.directLinks += 1
            directLinkUp(to: node, times)
            postUnsent()
            context.emit(.linkUp(proxy: node, isDirect: true, times))
        case .directLinkDown(let node, let failure): directLinkDown(to: node, hasFailed: failure != nil)
        case .linkDown(let failure, let delay):
            context.emit(.linkDown(reason: failure.reason, retryIn: delay))
            // Devices that are still being provisioned may be the missing proxies.
            if delay == nil { linkFailure = failure }
        case .sent(let identifier, let transmissions): countSent(identifier, transmissions)
        case .answered(let identifier, let verdict, let transmissions):
            guard let job = jobs.removeValue(forKey: identifier) else { break }
            // Links for one node alone say nothing about the capacity of the mesh.
            if !direct.isLinked(job.node) { window.answered(attempts: transmissions) }
            settle(job, verdict)
        case .unanswered(let identifier):
            if let job = jobs.removeValue(forKey: identifier) { settleUnanswered(job) }
        case .unreachable(let identifier, let failure):
            if let job = jobs.removeValue(forKey: identifier) { settle(job, unreachable: failure) }
        case .unsendable(let identifier, let error):
            if let job = jobs.removeValue(forKey: identifier) { settle(job, unsendable: error) }
        case .said(let server, let payload): hearServer(server, payload)
        case .habit(let identifier, let habit):
            if let job = jobs[identifier] { meet(habit, of: job.node) }
        case .ivIndexStored: break
        case .keyRefreshPhaseChanged(let index, let phase): network.record(phase, of: index)
        case .stopped(let ending): stop = stop ?? ending
        }
    }

    private func countSent(_ identifier: RequestIdentifier, _ transmissions: Int) {
        recap.messagesSent += 1
        if transmissions > 1 { recap.retries += 1 }
        guard let job = jobs[identifier] else { return }
        if case .step(var request) = job, request.phase == .request {
            if transmissions == 1, request.round == 1 { context.emit(.stepSent(step: request.step)) }
            request.mayHaveArrived = true
            jobs[identifier] = .step(request)
        }
        if transmissions > 1, let step = job.step {
            context.emit(.stepRetried(step: step, transmissions: transmissions))
        }
    }

    /// Tells the client what has changed about a node.
    func tellClient(of uuid: DeviceUUID) {
        if let node = network.node(uuid) { driver.client.set(node) }
    }

    /// No proxy reaches the node. Asking again, or reading back, would not help.
    private func settle(_ job: Job, unreachable failure: LinkFailure) {
        switch job {
        case .candidate, .ivIndex, .server, .identity, .afterReset: return settleInVain(job)
        case .doubt: context.emit(.nodeUnreachable(job.node, reason: failure.reason))
        case .step(let request):
            context.emit(.nodeUnreachable(job.node, reason: failure.reason))
            journal.settle(subject(of: request.step), request.resultIfLeft)
        }
        suspend(job.node)
    }

    /// Nothing can be sent any longer.
    func endSending(_ reason: String) {
        if stop == nil { stop = .sendingFailed(reason) }
    }
}
