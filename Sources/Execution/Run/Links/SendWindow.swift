import Planning

/// How many nodes the run talks to at once: additive increase, multiplicative decrease, see ``WindowPolicy``.
///
/// The limit is mostly the proxy. Its queue drops messages silently, so loss means that too much was sent at once. A
/// node that never answers says nothing about the queue, and does not change the window.
struct SendWindow: Hashable, Sendable {
    private let maximum: Double
    private var value: Double
    /// How many answers came since the last decrease. One queue overflow delays several nodes, and must count only
    /// once.
    private var answersSinceDecrease = Int.max

    /// Whether it grows by one with every answer until the first loss, as TCP begins (RFC 5681, 3.1): an answer makes
    /// room for two PDUs at most, so nothing is sent in bursts.
    private var isProbing: Bool

    /// Starts at `initial` and stays between 1 and `maximum`.
    ///
    /// - Parameter isProbing: whether it grows by one with every answer until the first loss.
    init(initial: Int, maximum: Int, isProbing: Bool = false) {
        self.isProbing = isProbing
        self.maximum = Double(max(maximum, 1))
        value = min(Double(max(initial, 1)), self.maximum)
    }

    /// The number of nodes that may have an outstanding request, at least 1.
    var size: Int { Int(value) }

    /// An answer came. `attempts` is how often its request was sent.
    mutating func answered(attempts: Int) {
        if answersSinceDecrease < Int.max { answersSinceDecrease += 1 }
        if attempts <= 1 {
            value = min(maximum, value + (isProbing ? 1 : 1 / value))
        } else if answersSinceDecrease >= size {
            isProbing = false
            value = max(1, value * WindowPolicy.decrease)
            answersSinceDecrease = 0
        }
    }
}
