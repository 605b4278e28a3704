internal import MeshCore

/// What the resources of a network are called in plans and diagnostics: by the definition, else by the database.
struct ResourceNames {
    private var netKeys: [NetKeyIndex: String] = [:]
    private var appKeys: [AppKeyIndex: String] = [:]
    private var groups: [SubscriptionAddress: String] = [:]
    private var nodes: [Int: String] = [:]
    private let network: MeshNetwork

    init(desired: DesiredState, network: MeshNetwork) {
        self.network = network
        for key in network.netKeys { netKeys[key.index] = key.name }
        for key in desired.subnets { netKeys[key.index] = key.name.value }
        for key in network.appKeys { appKeys[key.index] = key.name }
        for key in desired.applicationKeys { appKeys[key.index] = key.name.value }
        for group in network.groups { groups[group.address] = group.name }
        for group in desired.groups { groups[group.group.address] = group.group.name }
        for node in desired.nodes { nodes[node.position] = node.name.value }
    }

    func netKey(_ index: NetKeyIndex) -> String { netKeys[index] ?? "index \(index)" }

    func appKey(_ index: AppKeyIndex) -> String { appKeys[index] ?? "index \(index)" }

    func group(_ address: SubscriptionAddress) -> String {
        if let name = groups[address] { return name }
        if case .group(let group) = address, let name = group.fixedName { return name }
        return address.description
    }

    func target(_ address: PublishAddress) -> String {
        switch address {
        case .group(let group): return self.group(.group(group))
        case .virtual(let label): return group(.virtual(label))
        case .unicast(let unicast):
            guard let (position, element) = place(of: unicast) else { return unicast.description }
            let name = nodes[position] ?? network.nodes[position].name
            return element == 0 ? name : "\(name)/\(element)"
        }
    }

    /// Which element of which node has the address; the nodes are sorted by theirs.
    private func place(of address: UnicastAddress) -> (position: Int, element: Int)? {
        var low = 0
        var high = network.nodes.count
        while low < high {
            let middle = (low + high) / 2
            if network.nodes[middle].unicastAddress <= address { low = middle + 1 } else { high = middle }
        }
        guard low > 0, network.nodes[low - 1].addresses.contains(address.rawValue) else { return nil }
        return (low - 1, Int(address.rawValue) - Int(network.nodes[low - 1].unicastAddress.rawValue))
    }
}
