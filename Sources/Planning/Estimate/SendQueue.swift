/// What a run is bound by, as a queue before one server with few customers, the nodes that are talked to at once: each is
/// served, is away until its next message is ready, and comes back. Mean value analysis tells how many pass a second.
struct SendQueue: Hashable {
    /// Seconds for which one message takes the server up.
    var service: Double
    /// Seconds for which a node is away between two messages if nobody stands in its way.
    var away: Double

    /// Seconds from one message to the next, of all nodes together.
    ///
    /// - Parameter customers: nodes that are talked to at once, at least 1; in between is interpolated.
    func interval(customers: Double) -> Double {
        var (waiting, rate, last) = (0.0, 0.0, 0.0)
        let count = max(customers, 1)
        for customer in 1...Int(count.rounded(.up)) {
            last = rate
            // Who comes finds the one being served half done, for all messages take the same.
            let stay = service * (1 + waiting - rate * service / 2)
            rate = Double(customer) / max(stay + away, 1e-9)
            waiting = rate * stay
        }
        let share = count - (count.rounded(.up) - 1)
        // The server is never faster than that.
        return max(1 / max(last + (rate - last) * share, 1e-9), service)
    }
}
