import MeshCore
import Planning

extension RetryPolicy {
    /// The time-out of the first transmission of a request.
    ///
    /// - Parameters:
    ///   - segments: segments of the request and of the expected answer beyond the first of each, 0 or more.
    ///   - node: the measurements of this node so far.
    ///   - others: the measurements of all nodes so far.
    ///   - isDirect: whether the link leads directly to the node, so that there are no hops.
    func firstTimeout(
        segments: Int,
        node: RoundTripEstimate,
        others: RoundTripEstimate,
        isDirect: Bool
    ) -> Duration {
        let allowance = timeoutPerSegment * max(segments, 0)
        if let measured = node.timeout ?? others.timeout {
            return min(maximumTimeout, max(minimumTimeout, measured)) + allowance
        }
        let hops = isDirect ? 0 : Int(ttl)
        return max(minimumTimeout, initialTimeout + timeoutPerHop * hops + allowance)
    }

    /// The time-out that follows `timeout`.
    func doubled(_ timeout: Duration) -> Duration {
        min(timeout * 2, max(maximumTimeout, timeout))
    }
}
