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
        guard transport.keeper.watch != nil else { return }
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
}
