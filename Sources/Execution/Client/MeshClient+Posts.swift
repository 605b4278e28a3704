package import MeshCore
import Planning

/// Messages of the Remote Provisioning models, which do not pair up as requests and answers. Their user repeats what is
/// lost.
extension MeshClient {
    /// Whether a request to a node is neither answered nor given up.
    package func isAsking(_ node: UnicastAddress) -> Bool { exchanges[node] != nil }

    /// Listens to these Remote Provisioning Servers and no others. ``Output/said(_:_:)`` reports what they say, and the
    /// links over which they were last sent something stay open.
    package mutating func listen(to servers: Set<UnicastAddress>, at now: Instant) -> [Output] {
        guard servers != listenedTo else { return [] }
        let isKeepingFewer = !listenedTo.isSubset(of: servers)
        listenedTo = servers
        var outputs: [Output] = []
        if isKeepingFewer { review(at: now, into: &outputs) }
        return outputs
    }

    /// Sends an access message under a node's DeviceKey, once.
    ///
    /// - Parameters:
    ///   - node: the address of the node's primary element.
    ///   - subnets: the subnets in which the node takes messages, sorted, at least one.
    /// - Returns: nil if no ready link reaches the node; a request makes the client look for one.
    /// - Throws: ``StackError`` if neither this message nor others can be sent.
    package mutating func post(
        _ payload: [UInt8],
        to node: UnicastAddress,
        subnets: [NetKeyIndex],
        at now: Instant
    ) throws(StackError) -> [Output]? {
        let usable = links.indices.filter { links[$0].carries(to: node, in: subnets, nodes) }
        let accustomed = usable.first { links[$0].target == routes[node] }
        guard let place = accustomed ?? usable.min(by: { links[$0].load < links[$1].load }) else { return nil }
        let link = links[place]
        let message = OutgoingMessage(
            source: address,
            destination: .unicast(node),
            payload: payload,
            security: .device(node: node),
            netKeyIndex: subnets.first(where: link.subnets.contains) ?? .primary,
            ttl: ttl(to: node, over: link)
        )
        let (_, actions) = try stack.send(message, at: now)
        links[place].usedAt = now
        routes[node] = link.target
        var outputs: [Output] = []
        perform(actions, arrivedOn: link.target, at: now, into: &outputs)
        return outputs
    }

    /// Whether a link serves a server that the client listens to.
    func isListenedOn(_ link: ProxyLink) -> Bool {
        listenedTo.contains { routes[$0] == link.target }
    }

    /// Reports a message of a server that the client listens to.
    mutating func hear(_ message: IncomingMessage, arrivedOn arrival: LinkTarget?, into outputs: inout [Output]) {
        guard listenedTo.contains(message.source), message.destination == address.address,
            message.security == .device(node: message.source)
        else { return }
        var reader = ByteReader(message.payload)
        guard let opcode = try? Opcode(decoding: &reader),
            MeshClient.remoteProvisioningOpcodes.contains(opcode.rawValue)
        else { return }
        for target in [routes[message.source], arrival] { prove(target) }
        outputs.append(.said(message.source, message.payload))
    }

    /// From Remote Provisioning Scan Capabilities Get to Remote Provisioning PDU Report (Mesh Protocol 1.1, 4.3.4).
    private static let remoteProvisioningOpcodes: ClosedRange<UInt32> = 0x804F...0x805F
}
