import MeshCore

/// Over which links a client's messages go.
struct ClientRoutes {
    /// The link of the last message to each node; acknowledgments of its segments use the same link.
    private var last: [UnicastAddress: LinkTarget] = [:]
    /// The Remote Provisioning Servers whose messages are reported. The links over which they were last sent something
    /// stay open.
    var servers: Set<UnicastAddress> = []

    /// The link of the last message to a node.
    subscript(node: UnicastAddress) -> LinkTarget? { last[node] }

    /// The links that stay open although they carry no request, because a server uses them.
    var serverLinks: Set<LinkTarget> { Set(servers.compactMap { last[$0] }) }

    /// A message to a node was sent over a link.
    mutating func use(_ target: LinkTarget, for node: UnicastAddress) {
        last[node] = target
    }

    /// The link for a PDU: the link of the request to the node, else the link of the last message to the node, else the
    /// link of the message that is answered.
    ///
    /// - Parameters:
    ///   - exchanges: the requests.
    ///   - arrival: the link of the message that is answered.
    func link(
        to destination: Address,
        among links: ProxyLinks,
        for exchanges: Exchanges,
        arrivedOn arrival: LinkTarget?
    ) -> ProxyLink? {
        // Requests to the other elements of a node go over the node's link.
        let element = UnicastAddress(rawValue: destination.rawValue)
        let node = element.map { exchanges.node(asking: $0) ?? $0 }
        for target in [node.flatMap { exchanges[$0]?.carrier }, node.flatMap { last[$0] }, arrival] {
            if let target, let link = links.link(to: target), link.isReady { return link }
        }
        return links.first(where: \.isReady)
    }

    /// Whether a message is one of a server that the client listens to.
    ///
    /// - Parameter address: the client's.
    func listen(to message: IncomingMessage, at address: UnicastAddress) -> Bool {
        guard servers.contains(message.source), message.destination == address.address,
            message.security == .device(node: message.source)
        else { return false }
        var reader = ByteReader(message.payload)
        guard let opcode = try? Opcode(decoding: &reader) else { return false }
        return ClientRoutes.remoteProvisioningOpcodes.contains(opcode.rawValue)
    }

    /// From Remote Provisioning Scan Capabilities Get to Remote Provisioning PDU Report (Mesh Protocol 1.1, 4.3.4).
    private static let remoteProvisioningOpcodes: ClosedRange<UInt32> = 0x804F...0x805F
}
