import MeshCore

/// What a client knows of the nodes of its network as proxies: how they advertise, which must not be used, which are
/// known to forward for others.
struct ProxyNodes {
    private var resolver = IdentityResolver()
    /// The addresses of all elements of excluded nodes.
    private var excluded: Set<UInt16> = []
    /// Whether the GATT Proxy state of a node is on, where known, by its primary element.
    private var isProxyOn: [UnicastAddress: Bool] = [:]
    /// The NetKeys of nodes, by their primary elements.
    private var netKeys: [UnicastAddress: [NetKeyIndex]] = [:]
    /// The names of subnets.
    private var subnets: [NetKeyIndex: String] = [:]
    /// The subnets in the middle of a key refresh, and its phase.
    private var refreshing: [NetKeyIndex: KeyRefreshPhase] = [:]
    /// The names of nodes, by their primary elements.
    private var names: [UnicastAddress: String] = [:]
    /// The primary elements of nodes, by their other elements.
    private var hosts: [UInt16: UnicastAddress] = [:]

    /// No nodes.
    init() {}

    /// The nodes of a network of the database.
    init(_ network: MeshNetwork) {
        for key in network.netKeys { set(key) }
        for node in network.nodes { set(node) }
    }

    /// Adds or replaces a subnet's keys.
    mutating func set(_ key: NetKey) {
        resolver.set(key)
        subnets[key.index] = key.name
        refreshing[key.index] = key.phase == .normal ? nil : key.phase
    }

    /// A failure for good, with what a key refresh has to do with it: whoever missed the new key, or does not go along,
    /// hears nobody any more.
    func explained(_ failure: LinkFailure) -> LinkFailure {
        guard failure.isOfSilence, let (index, phase) = refreshing.min(by: { $0.key < $1.key }) else { return failure }
        let subnet = name(of: index)
        let note: Advice = """
            subnet \(subnet) is in phase \(phase.rawValue) of a key refresh, in which a node with other keys is silent; \
            \(command: .refreshKeys(subnet: subnet)) goes on with it
            """
        var failure = failure
        failure.hint = failure.hint.map { $0.followed(by: "; ").followed(by: note) } ?? note
        return failure
    }

    /// Adds or replaces a node.
    mutating func set(_ node: Node) {
        let indexes = node.netKeys.map(\.index)
        resolver.set(node.unicastAddress, netKeys: indexes)
        netKeys[node.unicastAddress] = indexes
        if node.isExcluded {
            excluded.formUnion(node.addresses)
        } else if !excluded.isEmpty {
            excluded.subtract(node.addresses)
        }
        let isPrivateProxy = node.state(.privateGATTProxy) == .privateGATTProxy(.enabled)
        isProxyOn[node.unicastAddress] = isPrivateProxy ? true : node.features.proxy.map { $0 == .enabled }
        names[node.unicastAddress] = node.name
        for element in node.addresses.dropFirst() { hosts[element] = node.unicastAddress }
    }

    /// Adds a device that may have become a node.
    mutating func set(_ pending: PendingProvisioning) {
        resolver.set(pending.address, netKeys: [pending.netKeyIndex])
    }

    /// Forgets the node, or the device that may have become one, with this address of its primary element.
    mutating func remove(_ node: UnicastAddress) {
        resolver.set(node, netKeys: [])
        isProxyOn[node] = nil
        netKeys[node] = nil
        names[node] = nil
        var element = node.rawValue + 1
        while hosts[element] == node {
            hosts[element] = nil
            element += 1
        }
    }

    /// The primary element of the node with an element; the element itself if it is a primary one, or unknown.
    func host(of element: UnicastAddress) -> UnicastAddress {
        // A node that has replaced a larger one may have its primary element where that had another.
        names[element] == nil ? hosts[element.rawValue] ?? element : element
    }

    /// The sender of an advertisement; nil for strangers and devices.
    mutating func resolve(_ advertisement: Advertisement) -> AdvertisedIdentity? {
        guard case .proxy(let content) = advertisement.content else { return nil }
        return resolver.resolve(content)
    }

    /// The NetKeys that a node is known to have; none for a stranger.
    func netKeys(of node: UnicastAddress) -> [NetKeyIndex] { netKeys[node] ?? [] }

    /// The name of a node; its address if it has none.
    func name(of node: UnicastAddress) -> String {
        guard let name = names[node], !name.isEmpty else { return node.description }
        return name
    }

    /// The name of a subnet; its index if it is unknown.
    func name(of subnet: NetKeyIndex) -> String { subnets[subnet] ?? subnet.description }

    /// Whether an element belongs to an excluded node, which must get no messages.
    func isExcluded(_ element: UnicastAddress) -> Bool { excluded.contains(element.rawValue) }

    /// Whether an advertisement claims to be from an excluded node.
    func isExcluded(_ identity: AdvertisedIdentity) -> Bool {
        guard case .node(let address, _) = identity else { return false }
        return isExcluded(address)
    }

    /// Whether a node's GATT proxy, open or private, is known to be on.
    func isProxy(_ node: UnicastAddress) -> Bool { isProxyOn[node] == true }

    /// The only node whose GATT proxy can be on, because those of all others are known to be off. Nil if there may be
    /// several.
    ///
    /// - Parameter own: a node that does not count.
    func onlyProxy(besides own: UnicastAddress) -> UnicastAddress? {
        var found: UnicastAddress?
        for node in netKeys.keys where node != own {
            guard let isOn = isProxyOn[node] else { return nil }
            guard isOn else { continue }
            guard found == nil else { return nil }
            found = node
        }
        return found
    }

    /// Whether a node forwards messages for others; one that advertises its Node Identity may not.
    ///
    /// - Parameter default: the answer for a node of which this is unknown.
    func forwards(_ node: UnicastAddress, supposing default: Bool) -> Bool { isProxyOn[node] ?? `default` }
}
