internal import MeshCore

/// What the executor waits for because something was lost: time-outs that double, within a deadline, as its
/// ``RetryPolicy`` has it.
struct RetryWait: Hashable, Sendable {
    /// Seconds that an exchange waits on the average.
    private(set) var mean = 0.0
    /// Its variance.
    private(set) var variance = 0.0
    /// How often a request is sent on the average, at least 1.
    private(set) var transmissions = 1.0
    /// The chance that an exchange waits at all.
    private(set) var chance = 0.0

    /// - Parameters:
    ///   - retryShare: the chance that a transmission comes to nothing.
    ///   - roundTrip: what an exchange takes if nothing is lost, queueing included, in seconds.
    ///   - policy: how long is waited.
    init(retryShare: Double, roundTrip: Double, policy: RetryPolicy = RetryPolicy()) {
        let (least, greatest) = (policy.minimumTimeout.seconds, policy.maximumTimeout.seconds)
        let deadline = policy.deadline.seconds
        // RFC 6298: the round trip and four times its deviation. One deviation is a quarter of it, so that four of them
        // make another one.
        var timeout = min(max(least, 2 * roundTrip), greatest)
        var (waited, chance, square) = (0.0, retryShare, 0.0)
        self.chance = retryShare
        while waited < deadline, chance > 0 {
            let step = min(timeout, deadline - waited)
            mean += chance * step
            square += chance * step * (2 * waited + step)
            transmissions += chance
            waited += step
            timeout = min(2 * timeout, greatest)
            chance *= retryShare
        }
        variance = square - mean * mean
    }

    /// How long is waited at the end of a part of a plan, when nothing else is left to be done meanwhile.
    ///
    /// - Parameter exchanges: how many were under way then.
    func tail(of exchanges: Double) -> Moments {
        guard chance > 0 else { return Moments(mean: 0, variance: 0) }
        var none = 1.0
        for _ in 0..<Int(exchanges) { none *= 1 - chance }
        let share = 1 - none
        let (wait, square) = (mean / chance, (variance + mean * mean) / chance)
        return Moments(mean: share * wait, variance: share * square - share * share * wait * wait)
    }

    /// How often segments are sent again although nothing is lost, because their acknowledgement waits in queues: every
    /// 200 ms and 50 ms for each hop of a TTL of 7 beyond the first, three times at most.
    ///
    /// - Parameter roundTrip: what an exchange takes, queueing included, in seconds.
    static func segmentRepeats(roundTrip: Double) -> Double {
        let timers = roundTrip / (0.2 + 6 * 0.05)
        // Round trips are spread, so that half a timer on the average is not over yet; none is before the first.
        return timers < 1 ? 0 : min(timers - 0.5, 3)
    }

    /// How many nodes the executor talks to at once on the average.
    ///
    /// Additive increase, multiplicative decrease: each answer at once adds 1/w, each late one takes a share of w.
    static func window(atMost most: Double, retryShare: Double) -> Double {
        guard retryShare > 0 else { return most }
        let balance = (1 - retryShare) / (retryShare * (1 - WindowPolicy.decrease))
        return max(1, min(most, balance.squareRoot()))
    }
}

extension Duration {
    /// In seconds.
    fileprivate var seconds: Double { Double(microseconds) / 1_000_000 }
}
