package import MeshCore
import Planning

/// Messages of the Remote Provisioning models, which do not pair up as requests and answers. Their user repeats what is
/// lost.
extension MeshClient {
    /// Listens to these Remote Provisioning Servers and no others. ``Output/said(_:_:)`` reports what they say, and the
    /// links over which they were last sent something stay open.
    package mutating func listen(to servers: Set<UnicastAddress>, at now: Instant) -> [Output] {
        guard servers != transport.keeper.routes.servers else { return [] }
        let isKeepingFewer = !transport.keeper.routes.servers.isSubset(of: servers)
        transport.keeper.routes.servers = servers
        return isKeepingFewer ? review(at: now) : []
    }

    /// Sends an access message under a node's DeviceKey, once.
    ///
    /// - Parameters:
    ///   - node: the address of the node's primary element.
    ///   - subnets: the subnets in which the node takes messages, sorted, at least one.
    ///   - limit: its TTL, unless a link leads directly to the node: then it is 0. Nil for the usual one.
    /// - Returns: nil if no ready link reaches the node; a request makes the client look for one.
    /// - Throws: ``StackError`` if neither this message nor others can be sent.
    package mutating func post(
        _ payload: [UInt8],
        to node: UnicastAddress,
        subnets: [NetKeyIndex],
        ttl limit: UInt8? = nil,
        at now: Instant
    ) throws(StackError) -> [Output]? {
        guard let (actions, target) = try transport.post(payload, to: node, subnets: subnets, ttl: limit, at: now)
        else { return nil }
        var outputs: [Output] = []
        perform(actions, arrivedOn: target, at: now, into: &outputs)
        return outputs
    }

    /// Whether a ready link reaches a node.
    func canPost(to node: UnicastAddress, subnets: [NetKeyIndex]) -> Bool {
        let keeper = transport.keeper
        return keeper.links.place(forMessageTo: node, in: subnets, keeper.nodes, accustomed: nil) != nil
    }

    /// Reports a message of a server that the client listens to.
    mutating func hear(_ message: IncomingMessage, arrivedOn arrival: LinkTarget?, into outputs: inout [Output]) {
        guard transport.keeper.routes.listen(to: message, at: address) else { return }
        for target in [transport.keeper.routes[message.source], arrival] { transport.keeper.prove(target) }
        outputs.append(.said(message.source, message.payload))
    }
}
