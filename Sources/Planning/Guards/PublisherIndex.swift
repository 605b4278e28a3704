import MeshCore

/// Who publishes to which addresses, and so from how many sources nodes must hear.
struct PublisherIndex {
    /// A source: the address of an element, and the AppKey that it publishes with.
    struct Source: Hashable {
        var address: UInt16
        var key: AppKeyIndex
    }

    /// A source to be added.
    typealias Addition = (address: PublishAddress, source: Source)

    private var sources: [PublishAddress: [Source]] = [:]

    var isEmpty: Bool { sources.isEmpty }

    mutating func add(_ node: Node) {
        for (address, source) in node.publishing { sources[address, default: []].append(source) }
    }

    /// Removes what was added for the same node.
    mutating func remove(_ node: Node) {
        for (address, source) in node.publishing {
            guard let index = sources[address]?.lastIndex(of: source) else { continue }
            sources[address]?.remove(at: index)
            if sources[address]?.isEmpty == true { sources[address] = nil }
        }
    }

    /// How many sources a node must hear, including this provisioner, which configures it. Counting stops above the
    /// limit, and may stop early if the limit cannot be reached.
    ///
    /// - Parameter additions: sources to be added.
    func demand(of node: Node, limit: Int, adding additions: [Addition] = []) -> Int {
        guard !sources.isEmpty || !additions.isEmpty else { return 1 }
        let addresses = node.heardAddresses
        let lists = addresses.compactMap { sources[$0] }
        let further = additions.filter { addresses.contains($0.address) }.map(\.source)
        // Usually there are too few publishers for an exact count to matter.
        guard lists.reduce(1 + further.count, { $0 + $1.count }) > limit else { return 1 }
        let own = node.addresses
        var heard: Set<UInt16> = []
        for source in [lists.joined().map(\.self), further].joined()
        where !own.contains(source.address) && node.knows(source.key) {
            heard.insert(source.address)
            if heard.count >= limit { return heard.count + 1 }
        }
        return heard.count + 1
    }
}

extension Node {
    /// What the node's elements publish, and where to.
    fileprivate var publishing: [PublisherIndex.Addition] {
        var publishing: [PublisherIndex.Addition] = []
        for index in elements.indices {
            let address = unicastAddress.rawValue &+ UInt16(truncatingIfNeeded: index)
            for model in elements[index].models.indices {
                guard let publication = elements[index].models[model].publication else { continue }
                publishing.append((publication.address, .init(address: address, key: publication.appKeyIndex)))
            }
        }
        return publishing
    }

    /// The addresses whose messages the node handles, each once.
    var heardAddresses: [PublishAddress] {
        var heard: [PublishAddress] = []
        for address in addresses {
            if let unicast = UnicastAddress(rawValue: address) { heard.append(.unicast(unicast)) }
        }
        heard.append(.group(.allNodes))
        if features.proxy == .enabled { heard.append(.group(.allProxies)) }
        if features.friend == .enabled { heard.append(.group(.allFriends)) }
        if features.relay == .enabled { heard.append(.group(.allRelays)) }
        var subscribed: Set<SubscriptionAddress> = []
        for element in elements.indices {
            for model in elements[element].models.indices {
                for address in elements[element].models[model].subscriptions where subscribed.insert(address).inserted {
                    switch address {
                    case .group(let group): heard.append(.group(group))
                    case .virtual(let label): heard.append(.virtual(label))
                    case .unknownLabel(let address): heard.append(.unknownLabel(address))
                    }
                }
            }
        }
        return heard
    }

    /// How many sources its replay protection list holds at least; nil if unknown. Every node needs at least one.
    var replayListSize: Int? {
        guard let size = product?.replayListSize, size > 0 else { return nil }
        return Int(size)
    }
}
