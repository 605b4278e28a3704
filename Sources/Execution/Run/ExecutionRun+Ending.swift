import MeshCore
import Planning
import Store

/// How a run ends, for any reason.
extension ExecutionRun {
    /// Gives up what is in progress, closes what is open, and makes the last outcomes durable.
    func finish() {
        board.carryOut(board.resets.endAll(&board.ledger))
        board.leaveAll()
        for uuid in board.readBacks.nodes { board.carryOut(board.readBacks.end(uuid, &board.ledger)) }
        board.carryOut(board.devices.shutDown(&board.ledger))
        board.carryOut(board.devices.abandonRemoteLinks())
        board.perform(driver.client.shutDown(at: bearer.now))
        updateScan()
        let isAllDone = board.ledger.schedule.isFinished && board.doubts.isEmpty
        if board.stop == nil, board.ledger.isInterrupted, !isAllDone { board.stop = .interrupted }
        board.recap.ending = board.stop ?? .completed
        let isBroken = if case .storeFailed = board.recap.ending { true } else { false }
        // Nobody can tell what a broken store still accepts; the journal says what is in doubt.
        if !isBroken {
            do throws(ExecutionStop) {
                try board.commit(isLast: true)
            } catch {
                board.recap.ending = error.ending
            }
        }
        board.recap.conclude(board.ledger, doubts: board.doubts.intents)
        if case .storeFailed = board.recap.ending { return }
        do throws(StoreError) {
            let timing = RunTiming(board.recap, of: board.ledger.steps, by: estimatorAtStart)
            let recap = board.recap
            try board.ledger.journal.end(
                recap.outcome,
                failed: recap.failed.count,
                at: board.ledger.now,
                timing: timing
            )
        } catch {
            board.recap.ending = .storeFailed(error.description)
        }
    }
}
