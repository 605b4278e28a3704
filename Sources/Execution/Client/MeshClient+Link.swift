package import MeshCore
import Planning

/// Events of the bearer: links that open and close, and their Proxy PDUs.
extension MeshClient {
    /// The bearer has begun to connect, as ``Output/connect(_:)`` asked.
    package mutating func connecting(_ identifier: LinkIdentifier, to target: LinkTarget, at now: Instant) -> [Output] {
        // A link that is no longer wanted is closed.
        transport.connecting(identifier, to: target) ? [] : [.closeLink(identifier)]
    }

    /// The bearer cannot connect to anything.
    package mutating func connectFailed(_ target: LinkTarget, _ error: BearerError, at now: Instant) -> [Output] {
        var outputs: [Output] = []
        change(target, at: now, into: &outputs) { link in
            link.identifier == nil ? [.lost(LinkFailure(error))] : []
        }
        return outputs + review(at: now)
    }

    /// An event of the bearer; events that concern others than the client are ignored.
    package mutating func handle(_ event: BearerEvent, at now: Instant) -> [Output] {
        guard let events = transport.handle(event, &exchanges, at: now) else { return [] }
        var outputs: [Output] = []
        follow(events, at: now, into: &outputs)
        return outputs + review(at: now)
    }

    /// Changes a link, and carries out what follows.
    mutating func change(
        _ target: LinkTarget,
        at now: Instant,
        into outputs: inout [Output],
        _ event: (inout ProxyLink) -> [ProxyLink.Action]
    ) {
        var events: [LinkTransport.Event] = []
        transport.change(target, at: now, &exchanges, into: &events, event)
        follow(events, at: now, into: &outputs)
    }

    /// Carries out what the transport has done.
    mutating func follow(_ events: [LinkTransport.Event], at now: Instant, into outputs: inout [Output]) {
        for event in events {
            switch event {
            case .output(let output): outputs.append(output)
            case .stack(let actions, let target): perform(actions, arrivedOn: target, at: now, into: &outputs)
            case .carried(let target): change(target, at: now, into: &outputs) { $0.carried(at: now) }
            case .links(let actions): follow(actions, at: now, into: &outputs)
            case .unsendable(let error):
                if transport.keeper.watch != nil { outputs.append(.watch(.unsendable(error))) }
                // The requests that wait for a link report it.
                for node in exchanges.nodes {
                    if let exchange = remove(node, at: now) { outputs.append(.unsendable(exchange.identifier, error)) }
                }
            }
        }
    }
}
