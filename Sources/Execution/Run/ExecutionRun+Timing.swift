import MeshCore
import Planning
import Store

extension ExecutionRun {
    /// How long the run took compared with the estimate. Nil if that says nothing about later runs: it did not
    /// complete, continued what an earlier run had begun, or sent too little.
    var timing: RunTiming? {
        guard recap.isComplete, recap.unchanged == 0, recap.doubtsResolved == 0 else { return nil }
        let messages = steps.reduce(0) { $0 + $1.cost.messages }
        guard messages >= PlanEstimator.leastMessagesToLearnFrom else { return nil }
        let estimate = estimatorAtStart.estimate(steps, barriers: [])
        return RunTiming(
            milliseconds: UInt32(clamping: recap.duration.microseconds / 1_000),
            estimatedMilliseconds: UInt32(clamping: Int64(min(estimate.total.median, 1_000_000) * 1_000)),
            messages: UInt32(clamping: messages)
        )
    }
}
