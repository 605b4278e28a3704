import MeshCore
import Planning
import Store

/// How a run ends, for any reason.
extension ExecutionRun {
    /// Gives up what is in progress, closes what is open, and makes the last outcomes durable.
    func finish() {
        endWatches()
        for job in outbox.drained() { leave(job) }
        for identifier in jobs.keys.sorted() {
            if let job = jobs.removeValue(forKey: identifier) { leave(job) }
        }
        for uuid in readBacks.nodes { endReadBack(uuid) }
        perform(queue.shutDown())
        abandonRemoteLinks()
        findingOut.endAll()
        perform(driver.client.shutDown(at: bearer.now))
        updateScan()
        if stop == nil, isInterrupted, !(schedule.isFinished && doubts.isEmpty) { stop = .interrupted }
        recap.ending = stop ?? .completed
        if case .storeFailed = recap.ending {
            // Nobody can tell what a broken store still accepts; the journal says what is in doubt.
        } else {
            do throws(ExecutionStop) {
                try commit(isLast: true)
            } catch {
                recap.ending = error.ending
            }
        }
        recap.inDoubt = journal.openSubjects.count + doubts.values.reduce(0) { $0 + $1.count }
        let decided = recap.applied + recap.unchanged + recap.failed.count + recap.blocked.count
        recap.notStarted = max(recap.total - decided - journal.openSubjects.count, 0)
        // What was handed out but not sent waits like what was not begun.
        recap.waiting = schedule.waitingCount + schedule.startedSteps.count { journal.open[subject(of: $0)] == nil }
        noteUncertainResets()
        recap.sort()
        endJournal()
    }

    /// Adds to the recap the nodes of which nobody knows whether they were reset.
    private func noteUncertainResets() {
        let open = journal.open.values.map(\.self) + doubts.values.flatMap { $0 }
        let resets = open.filter { (try? ConfigurationAction(decoding: $0.action)) == .resetNode }
        recap.uncertainResets = Set(resets.map(\.node)).map { uuid in
            Recap.UncertainReset(node: uuid, name: network.name(of: uuid))
        }
    }

    private func endJournal() {
        if case .storeFailed = recap.ending { return }
        let outcome: RunOutcome =
            switch recap.ending {
            case .completed: recap.isComplete ? .completed : .partial
            case .interrupted: .interrupted
            case .refused, .storeFailed, .linkFailed, .sendingFailed: .failed
            }
        do throws(StoreError) {
            try journal.end(outcome, at: context.now(), timing: timing)
        } catch {
            recap.ending = .storeFailed(error.description)
        }
    }

    /// Gives a request up because the run ends.
    private func leave(_ job: Job) {
        guard case .step(let request) = job else { return }
        journal.settle(subject(of: request.step), request.resultIfLeft)
    }
}
