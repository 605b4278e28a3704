/// Whose advertising a proxy's advertisement is.
package enum AdvertisedIdentity: Hashable, Sendable {
    case subnet(NetKeyIndex)
    /// The node with that address, identified with a key of that subnet.
    case node(UnicastAddress, NetKeyIndex)
}

/// Tells whose advertisement one hears, among all subnets and nodes of a network (Mesh Protocol 7.2.2.2).
///
/// A Network ID costs one look-up, and a private network identity one AES block for each key. A node identity costs one
/// block for each node that has the key, all in one call. Results are remembered, because the same advertisement comes
/// many times a second. The prepared keys tie the resolver to one thread.
package struct IdentityResolver {
    private struct Subnet {
        let index: NetKeyIndex
        let credentials: SubnetCredentials
    }

    private struct Remembered {
        let identity: AdvertisedIdentity?
    }

    private let schedules: KeySchedules
    /// One or both keys of each subnet, sorted by index.
    private var subnets: [Subnet] = []
    private var subnetsByNetworkID: [UInt64: NetKeyIndex] = [:]
    private var members: [NetKeyIndex: [UnicastAddress]] = [:]
    private var keysOfNodes: [UnicastAddress: [NetKeyIndex]] = [:]
    private var remembered: [ProxyAdvertisement: Remembered] = [:]

    /// How many advertisements are remembered before all are forgotten.
    static let memory = 4096
    var rememberedCount: Int { remembered.count }

    /// A resolver that knows nobody yet.
    package init(schedules: KeySchedules = KeySchedules()) {
        self.schedules = schedules
    }

    /// A resolver of the subnets and nodes of a network. During a key refresh both keys of a subnet count.
    ///
    /// Nodes are tried with every key that the database records for them, excluded nodes included: they may be nearby.
    package init(_ network: MeshNetwork, schedules: KeySchedules = KeySchedules()) {
        self.init(schedules: schedules)
        for key in network.netKeys { set(key) }
        for node in network.nodes { set(node.unicastAddress, netKeys: node.netKeys.map(\.index)) }
    }

    /// Adds a subnet, or replaces its keys.
    package mutating func set(_ key: NetKey) {
        remembered = [:]
        for subnet in subnets where subnet.index == key.index {
            subnetsByNetworkID[subnet.credentials.networkID] = nil
        }
        subnets.removeAll { $0.index == key.index }
        var place = subnets.firstIndex { $0.index > key.index } ?? subnets.count
        for material in [key.key, key.phase == .normal ? nil : key.oldKey] {
            guard let material else { continue }
            let credentials = schedules.subnet(material)
            subnets.insert(Subnet(index: key.index, credentials: credentials), at: place)
            subnetsByNetworkID[credentials.networkID] = key.index
            place += 1
        }
    }

    /// Adds a node, or replaces its keys. Without keys it is no longer known.
    ///
    /// - Parameter node: the address of its primary element.
    package mutating func set(_ node: UnicastAddress, netKeys: [NetKeyIndex]) {
        let before = keysOfNodes[node] ?? []
        guard netKeys != before else { return }
        remembered = [:]
        keysOfNodes[node] = netKeys.isEmpty ? nil : netKeys
        for index in before where !netKeys.contains(index) { members[index]?.removeAll { $0 == node } }
        for index in netKeys where !before.contains(index) { members[index, default: []].append(node) }
    }

    /// Whose advertisement it is; nil if nobody of the network sends it.
    package mutating func resolve(_ advertisement: ProxyAdvertisement) -> AdvertisedIdentity? {
        if case .networkID(let identifier) = advertisement {
            return subnetsByNetworkID[identifier].map { .subnet($0) }
        }
        if let known = remembered[advertisement] { return known.identity }
        let identity = search(advertisement)
        if remembered.count >= IdentityResolver.memory { remembered = [:] }
        remembered[advertisement] = Remembered(identity: identity)
        return identity
    }

    private func search(_ advertisement: ProxyAdvertisement) -> AdvertisedIdentity? {
        for subnet in subnets {
            switch advertisement {
            case .networkID(let identifier):
                if identifier == subnet.credentials.networkID { return .subnet(subnet.index) }
            case .privateNetworkIdentity(_, let random):
                let own = ProxyAdvertisement.privateNetworkIdentity(random: random, credentials: subnet.credentials)
                if own == advertisement { return .subnet(subnet.index) }
            case .nodeIdentity, .privateNodeIdentity:
                let nodes = members[subnet.index] ?? []
                if let index = advertisement.index(in: nodes, credentials: subnet.credentials) {
                    return .node(nodes[index], subnet.index)
                }
            }
        }
        return nil
    }
}
