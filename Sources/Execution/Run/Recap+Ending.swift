import MeshCore
import Planning
import Store

extension Recap {
    /// Counts what is left when a run is over.
    ///
    /// - Parameter doubts: requests of earlier runs that are still in doubt.
    mutating func conclude(_ ledger: RunLedger, doubts: [JournalIntent]) {
        let open = ledger.journal.open
        total = ledger.steps.count
        inDoubt = open.count + doubts.count
        let decided = applied + unchanged + failed.count + blocked.count
        notStarted = max(total - decided - open.count, 0)
        // What was handed out but not sent waits like what was not begun.
        let steps = ledger.steps.indices.filter { ledger.steps[$0].concernsNode && open[ledger.subject(of: $0)] == nil }
        let states = steps.map { ledger.schedule.states[$0] }
        waiting = states.count { $0 == .waiting || $0 == .started }
        notStartedOfNodes = waiting + states.count { $0 == .pending }
        // Nobody knows of these nodes whether they were reset.
        let resets = (open.values.map(\.self) + doubts).filter { intent in
            (try? ConfigurationAction(decoding: intent.action)) == .resetNode
        }
        uncertainResets = Set(resets.map(\.node)).map { uuid in
            UncertainReset(node: uuid, name: ledger.network.name(of: uuid))
        }
        sort()
    }

    /// How the journal names the end of the run.
    var outcome: RunOutcome {
        switch ending {
        case .completed: isComplete ? .completed : .partial
        case .interrupted: .interrupted
        case .refused, .storeFailed, .linkFailed, .sendingFailed: .failed
        }
    }
}
