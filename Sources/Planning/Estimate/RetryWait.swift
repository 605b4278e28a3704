/// What the executor waits for because something was lost: time-outs that double, within a deadline.
///
/// The figures are those of the executor's retries: RFC 6298 has a first time-out of a second at least, or of the round
/// trip and four times its deviation.
struct RetryWait: Hashable, Sendable {
    /// The least time-out in seconds.
    static let leastTimeout = 1.0
    /// Time-outs do not double beyond this.
    static let greatestTimeout = 8.0
    /// A request is given up after so long.
    static let deadline = 30.0
    /// By what a window of nodes is multiplied after a loss.
    static let windowDecrease = 0.7

    /// Seconds that an exchange waits on the average.
    private(set) var mean = 0.0
    /// Its variance.
    private(set) var variance = 0.0
    /// How often a request is sent on the average, at least 1.
    private(set) var transmissions = 1.0

    /// - Parameters:
    ///   - retryShare: the chance that a transmission comes to nothing.
    ///   - roundTrip: what an exchange takes if nothing is lost, queueing included, in seconds.
    init(retryShare: Double, roundTrip: Double) {
        // One standard deviation is a quarter of the round trip, which makes four of them another one.
        var timeout = min(max(Self.leastTimeout, 2 * roundTrip), Self.greatestTimeout)
        var (waited, chance, square) = (0.0, retryShare, 0.0)
        while waited < Self.deadline, chance > 0 {
            let step = min(timeout, Self.deadline - waited)
            mean += chance * step
            square += chance * step * (2 * waited + step)
            transmissions += chance
            waited += step
            timeout = min(2 * timeout, Self.greatestTimeout)
            chance *= retryShare
        }
        variance = square - mean * mean
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
        let balance = (1 - retryShare) / (retryShare * (1 - windowDecrease))
        return max(1, min(most, balance.squareRoot()))
    }
}
