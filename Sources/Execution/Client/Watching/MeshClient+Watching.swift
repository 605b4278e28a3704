package import MeshCore

/// Hearing what nodes publish.
extension MeshClient {
    /// Hears messages to groups and virtual addresses from now on, too: keeps a link of the mesh, lets its proxy pass
    /// them, and reports everything that can be read by ``Output/watch(_:)``. If the client has given up looking for a
    /// proxy, it looks again.
    ///
    /// - Parameter wish: what to hear; nil for the answers to requests alone. A link that is ready keeps its filter.
    package mutating func watch(_ wish: WatchWish?, at now: Instant) -> [Output] {
        transport.keeper.watch = wish
        for label in wish?.labels ?? [] { transport.stack.keys.add(label) }
        if transport.keeper.search.phase == .exhausted { transport.keeper.search = LinkSearch() }
        return review(at: now)
    }

    /// Reports an access message, if the client watches.
    mutating func report(_ message: IncomingMessage, arrivedOn arrival: LinkTarget?, into outputs: inout [Output]) {
        guard transport.keeper.watch != nil, !isAnswerToTrial(message, arrivedOn: arrival) else { return }
        transport.keeper.prove(arrival)
        outputs.append(.watch(.message(message)))
    }

    /// Reports a heartbeat, if the client watches.
    mutating func report(
        _ heartbeat: Heartbeat,
        _ message: IncomingControlMessage,
        arrivedOn arrival: LinkTarget?,
        into outputs: inout [Output]
    ) {
        guard transport.keeper.watch != nil else { return }
        transport.heard.insert(message.source)
        transport.keeper.prove(arrival)
        outputs.append(.watch(.heartbeat(heartbeat, message)))
    }

    /// Whether a message only tells that its proxy passes something on: the client has asked for it before the link
    /// was ready.
    private func isAnswerToTrial(_ message: IncomingMessage, arrivedOn arrival: LinkTarget?) -> Bool {
        guard case .device = message.security, let arrival else { return false }
        return transport.keeper.links.link(to: arrival).map { !$0.isReady } ?? false
    }
}
