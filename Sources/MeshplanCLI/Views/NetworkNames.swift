import MeshCore

/// The names for the addresses and indexes of one network.
struct NetworkNames {
    private var groups: [SubscriptionAddress: String] = [:]
    private var nodes: [UInt16: (name: String, element: Int)] = [:]
    private var netKeys: [NetKeyIndex: String] = [:]
    private var appKeys: [AppKeyIndex: String] = [:]

    init(_ network: MeshNetwork) {
        for group in network.groups { groups[group.address] = group.name.printable }
        for key in network.netKeys { netKeys[key.index] = key.name.printable }
        for key in network.appKeys { appKeys[key.index] = key.name.printable }
        for node in network.nodes {
            for (element, address) in node.addresses.enumerated() { nodes[address] = (node.name.printable, element) }
        }
    }

    /// `kitchen (0xC001)`, or only the address.
    func text(_ address: SubscriptionAddress) -> String {
        named(groups[address] ?? fixedName(address), address.description)
    }

    /// `kitchen (0xC001)`, `switch-1 element 1 (0x0011)`, or only the address.
    func text(_ address: PublishAddress) -> String {
        switch address {
        case .group(let group): return text(SubscriptionAddress.group(group))
        case .virtual(let label): return text(SubscriptionAddress.virtual(label))
        case .unknownLabel(let virtual): return text(SubscriptionAddress.unknownLabel(virtual))
        case .unicast(let unicast):
            guard let (name, element) = nodes[unicast.rawValue] else { return unicast.description }
            return named(element == 0 ? name : "\(name) element \(element)", unicast.description)
        }
    }

    func text(_ address: Address) -> String {
        if let unicast = UnicastAddress(rawValue: address.rawValue) { return text(PublishAddress.unicast(unicast)) }
        if let group = GroupAddress(rawValue: address.rawValue) { return text(SubscriptionAddress.group(group)) }
        return address.description
    }

    /// The key's name, or its index.
    func text(_ index: NetKeyIndex) -> String { netKeys[index] ?? "NetKey \(index)" }

    /// The key's name, or its index.
    func text(_ index: AppKeyIndex) -> String { appKeys[index] ?? "AppKey \(index)" }

    private func named(_ name: String?, _ address: String) -> String {
        name.map { "\($0) (\(address))" } ?? address
    }

    private func fixedName(_ address: SubscriptionAddress) -> String? {
        switch address {
        case .group(let group): return group.fixedName
        case .virtual: return nil
        case .unknownLabel: return "unknown label"
        }
    }
}
