import MeshCore
import Planning
import Store

extension RunTiming {
    /// How long a run took compared with the estimate. Nil if that says nothing about later runs: it did not complete,
    /// continued what an earlier run had begun, or sent too little.
    ///
    /// - Parameter estimator: for the network as it was when the run began.
    init?(_ recap: Recap, of steps: [Step], by estimator: PlanEstimator) {
        guard recap.isComplete, recap.unchanged == 0, recap.doubtsResolved == 0 else { return nil }
        let messages = steps.reduce(0) { $0 + $1.cost.messages }
        guard messages >= PlanEstimator.leastMessagesToLearnFrom else { return nil }
        let estimate = estimator.estimate(steps, barriers: [])
        self.init(
            milliseconds: UInt32(clamping: recap.duration.microseconds / 1_000),
            estimatedMilliseconds: UInt32(clamping: Int64(min(estimate.total.median, 1_000_000) * 1_000)),
            messages: UInt32(clamping: messages)
        )
    }
}
