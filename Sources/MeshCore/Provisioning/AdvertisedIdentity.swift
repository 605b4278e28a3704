/// Who is behind the advertising of a proxy.
package enum AdvertisedIdentity: Hashable, Sendable {
    /// Some node of a subnet.
    case subnet(NetKeyIndex)
    /// The node with that address, known from a key of that subnet.
    case node(UnicastAddress, NetKeyIndex)
}

/// Tells whose advertising one sees, among all the subnets and nodes of a network (Mesh Protocol 7.2.2.2).
///
/// A Network ID costs one look-up and a private network identity one AES block a key. A node identity costs one block
/// for each node that has the key, all in one call; what was found is remembered, for the same advertisement comes many
/// times a second. Prepared keys make it belong to one thread.
package struct IdentityResolver {
    private struct Subnet {
        let index: NetKeyIndex
        let credentials: SubnetCredentials
    }

    private struct Remembered {
        let identity: AdvertisedIdentity?
    }

    private let schedules: KeySchedules
    /// Both keys of each subnet, sorted by index.
    private var subnets: [Subnet] = []
    private var subnetsByNetworkID: [UInt64: NetKeyIndex] = [:]
    private var members: [NetKeyIndex: [UnicastAddress]] = [:]
    private var keysOfNodes: [UnicastAddress: [NetKeyIndex]] = [:]
    private var remembered: [ProxyAdvertisement: Remembered] = [:]

    /// How many advertisements are remembered before all are forgotten.
    static let memory = 4096
    /// How many are remembered.
    var rememberedCount: Int { remembered.count }

    /// A resolver that knows nobody.
    package init(schedules: KeySchedules = KeySchedules()) {
        self.schedules = schedules
    }

    /// A resolver of the subnets and nodes of a network; both keys of a subnet count during its key refresh.
    ///
    /// Nodes are tried with every key that the database says they have. Excluded ones count too: they may be around.
    package init(_ network: MeshNetwork, schedules: KeySchedules = KeySchedules()) {
        self.init(schedules: schedules)
        for key in network.netKeys { set(key) }
        for node in network.nodes { set(node.unicastAddress, netKeys: node.netKeys.map(\.index)) }
    }

    /// Adds a subnet, or takes its keys as they are now.
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

    /// Adds a node, or takes its keys as they are now; without keys it is known no more.
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

    /// Who advertises so, or nil if nobody of the network does.
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
                if let place = advertisement.index(in: nodes, credentials: subnet.credentials) {
                    return .node(nodes[place], subnet.index)
                }
            }
        }
        return nil
    }
}
