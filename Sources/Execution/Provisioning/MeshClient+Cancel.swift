import MeshCore

extension MeshClient {
    /// Gives up the request to a node, if there is one, without a word.
    mutating func cancel(_ node: UnicastAddress, at now: Instant) -> [Output] {
        remove(node)
        var outputs: [Output] = []
        review(at: now, into: &outputs)
        return outputs
    }
}
