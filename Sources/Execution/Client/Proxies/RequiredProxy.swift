package import MeshCore

/// The only proxy that may be used.
package enum RequiredProxy: Hashable, Sendable {
    /// A node, by the address of its primary element. Its Node Identity, or the link to it, identifies it.
    case node(UnicastAddress, name: String)
    /// The advertiser with a Bluetooth address.
    case bluetooth(BluetoothAddress)

    /// Its name for people.
    package var text: String {
        switch self {
        case .node(let address, let name): name.isEmpty ? address.description : name
        case .bluetooth(let address): address.description
        }
    }
}

/// A proxy as the user names it: a node's name, its unicast address or Device UUID, or a Bluetooth address.
package struct ProxyName: Hashable, Sendable {
    /// The text of the user.
    package var text: String

    /// The proxy with this text.
    package init(_ text: String) {
        self.text = text
    }

    /// The proxy in a network.
    ///
    /// - Returns: nil if the network has no such node.
    package func proxy(in network: MeshNetwork) -> RequiredProxy? {
        if let address = BluetoothAddress(text) { return .bluetooth(address) }
        let number = Self.number(text)
        let node =
            network.nodes.first { $0.name == text }
            ?? network.nodes.first { node in number.map { node.addresses.contains($0) } ?? false }
            ?? network.nodes.first { $0.uuid.description.lowercased() == text.lowercased() }
        return node.map { .node($0.unicastAddress, name: $0.name) }
    }

    /// The same proxy by a name of the network.
    ///
    /// - Parameter names: further names of nodes, such as those of a definition.
    /// - Returns: nil if the network has no node with any of these names.
    package func resolved(in network: MeshNetwork, names: [String: DeviceUUID]) -> ProxyName? {
        if proxy(in: network) != nil { return self }
        guard let other = names[text].map({ ProxyName($0.description) }), other.proxy(in: network) != nil else {
            return nil
        }
        return other
    }

    /// The message that a network has no such node; a sentence without a full stop.
    package var unknown: String { "the database has no node \(text), which is to be the proxy" }

    /// What the user can write instead.
    package var hint: Advice {
        """
        \(command: .chooseProxy) takes the name of a node, its unicast address (0x000A), its Device UUID, or a Bluetooth \
        address (C0:11:22:33:44:55)
        """
    }

    /// The unicast address in a text: hexadecimal with `0x`, or with four digits.
    private static func number(_ text: String) -> UInt16? {
        if text.lowercased().hasPrefix("0x") { return UInt16(text.dropFirst(2), radix: 16) }
        return text.utf8.count == 4 ? UInt16(text, radix: 16) : nil
    }
}
