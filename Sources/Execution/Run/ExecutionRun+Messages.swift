import MeshCore
import Planning
import Store

/// What goes between the run, its client and the bearer.
extension ExecutionRun {
    func transmit(_ job: Job) {
        // A request that is made makes the client look for a link anew.
        linkFailure = nil
        if job.isCandidate { return transmitCandidate(job) }
        if job.isForServer { return transmitToServer(job) }
        endAskingServer(job.node)
        guard let node = network.node(job.node) else { return }
        // To one node there is one request at a time.
        if !job.isForIVIndex, hasSoughtIVIndex { endSeekingIVIndex() }
        let deadline: Duration? =
            switch job.stage {
            case .doubt, .probe: options.retry.doubtDeadline
            case .afterReset: ResetWatch.askingTime
            case .readBack where job.action == .resetNode: options.retry.doubtDeadline
            // The rest of that time is for the question whether the node answers at all.
            case .readBack: max(options.retry.readBackDeadline - options.retry.doubtDeadline, .seconds(1))
            case .prelude, .ivIndex, .server, .identity: options.retry.readBackDeadline
            case .candidate: nil
            case .request where job.action == .resetNode: options.retry.resetDeadline
            case .request: job.readings.isEmpty && !job.isBrief ? nil : options.retry.readBackDeadline
            }
        let (identifier, outputs) = driver.client.request(
            job.inquiry,
            to: node.unicastAddress,
            subnets: network.subnets(of: node, for: job.action),
            withOldKey: node.netKeys.filter { !$0.isUpdated }.map(\.index),
            deadline: deadline,
            at: bearer.now
        )
        jobs[identifier] = job
        perform(outputs)
    }

    /// Carries out what the client wants, and what comes of that, in order.
    func perform(_ outputs: [MeshClient.Output]) {
        driver.perform(outputs, storing: store) { take($0) }
    }

    /// Makes an IV index durable; tells why that failed.
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
            // Devices that are still being provisioned may be the proxies that are missing.
            if delay == nil { linkFailure = failure }
        case .sent(let identifier, let transmissions): countSent(identifier, transmissions)
        case .answered(let identifier, let verdict, let transmissions):
            guard let job = jobs.removeValue(forKey: identifier) else { break }
            // Links of their own say nothing of what the mesh can carry.
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
        if case .request = job.stage { jobs[identifier]?.mayHaveArrived = true }
        guard let step = job.step else { return }
        if transmissions > 1 {
            context.emit(.stepRetried(step: step, transmissions: transmissions))
        } else if case .request = job.stage, job.round == 1 {
            context.emit(.stepSent(step: step))
        }
    }

    /// Lets the client know of a node what has changed.
    func tellClient(of uuid: DeviceUUID) {
        if let node = network.node(uuid) { driver.client.set(node) }
    }

    /// No proxy can be had that reaches the node; asking again, or reading back, would fare no better.
    private func settle(_ job: Job, unreachable failure: LinkFailure) {
        if job.isCandidate { return settleUnansweredCandidate(job) }
        if job.isForIVIndex { return }
        if job.isForServer { return settleServer(job, isAnswered: false) }
        if job.isForIdentity { return settleIdentity(job, isRunning: false) }
        if job.isAfterReset { return endWatch(job.node, .notSeen) }
        context.emit(.nodeUnreachable(job.node, reason: failure.reason))
        if let step = job.step {
            switch job.stage {
            case .doubt, .candidate, .ivIndex, .server, .identity, .afterReset, .probe(.some): break
            case .prelude: journal.settle(subject(of: step), .skipped)
            case .request, .readBack, .probe(nil):
                journal.settle(subject(of: step), job.mayHaveArrived ? .unknown : .skipped)
            }
        }
        suspend(job.node)
    }

    /// Nothing more can be sent.
    func endSending(_ reason: String) {
        if stop == nil { stop = .sendingFailed(reason) }
    }
}
