import MeshCore

/// What a client knows of the nodes of its network as proxies: how they advertise, who must not be used, who is known
/// to forward for others.
struct ProxyNodes {
    private var resolver = IdentityResolver()
    /// The addresses of all elements of excluded nodes.
    private var excluded: Set<UInt16> = []
    /// Whether the GATT Proxy state of nodes is on, where it is known, by their primary elements.
    private var isProxyOn: [UnicastAddress: Bool] = [:]
    /// The NetKeys that nodes have, by their primary elements.
    private var netKeys: [UnicastAddress: [NetKeyIndex]] = [:]
    /// What nodes are called, by their primary elements.
    private var names: [UnicastAddress: String] = [:]

    /// Nobody.
    init() {}

    /// Those of a network as the database has it.
    init(_ network: MeshNetwork) {
        for key in network.netKeys { set(key) }
        for node in network.nodes { set(node) }
    }

    /// Adds a subnet, or takes its keys as they are now.
    mutating func set(_ key: NetKey) {
        resolver.set(key)
    }

    /// Adds a node, or takes it as it is now.
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
    }

    /// Adds a device that may have become a node.
    mutating func set(_ pending: PendingProvisioning) {
        resolver.set(pending.address, netKeys: [pending.netKeyIndex])
    }

    /// Forgets the node, or what may have become one, with that address of its primary element.
    mutating func remove(_ node: UnicastAddress) {
        resolver.set(node, netKeys: [])
        isProxyOn[node] = nil
        netKeys[node] = nil
        names[node] = nil
    }

    /// Who advertises so; nil for strangers and devices.
    mutating func resolve(_ advertisement: Advertisement) -> AdvertisedIdentity? {
        guard case .proxy(let content) = advertisement.content else { return nil }
        return resolver.resolve(content)
    }

    /// The NetKeys that a node is known to have; none of a stranger.
    func netKeys(of node: UnicastAddress) -> [NetKeyIndex] { netKeys[node] ?? [] }

    /// What a node is called; its address if it has no name.
    func name(of node: UnicastAddress) -> String {
        guard let name = names[node], !name.isEmpty else { return node.description }
        return name
    }

    /// Whether an element belongs to an excluded node, which is not to be given any message.
    func isExcluded(_ element: UnicastAddress) -> Bool { excluded.contains(element.rawValue) }

    /// Whether somebody who advertises says to be an excluded node.
    func isExcluded(_ identity: AdvertisedIdentity) -> Bool {
        guard case .node(let address, _) = identity else { return false }
        return isExcluded(address)
    }

    /// Whether it is known that a node's GATT proxy, open or private, is on.
    func isProxy(_ node: UnicastAddress) -> Bool { isProxyOn[node] == true }

    /// The only node whose GATT proxy can be on: that of all others is known to be off. Nil where there are several, or some
    /// of which it is not known.
    ///
    /// - Parameter own: a node that is none.
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

    /// Whether a node forwards messages for others: one that advertises its Node Identity need not.
    ///
    /// - Parameter default: what is supposed of a node of which it is not known.
    func forwards(_ node: UnicastAddress, supposing default: Bool) -> Bool { isProxyOn[node] ?? `default` }
}
