internal import MeshCore

/// Who publishes to which addresses, and so from how many sources nodes have to hear.
struct PublisherIndex {
    /// A source: the address of an element and the AppKey it publishes with.
    struct Source: Hashable {
        var address: UInt16
        var key: AppKeyIndex
    }

    /// A source that is to come.
    typealias Addition = (address: PublishAddress, source: Source)

    private var sources: [PublishAddress: [Source]] = [:]

    /// Whether nobody publishes.
    var isEmpty: Bool { sources.isEmpty }

    /// Adds what a node publishes.
    mutating func add(_ node: Node) {
        for (address, source) in node.publishing { sources[address, default: []].append(source) }
    }

    /// Takes out what was added for the same node.
    mutating func remove(_ node: Node) {
        for (address, source) in node.publishing {
            guard let place = sources[address]?.lastIndex(of: source) else { continue }
            sources[address]?.remove(at: place)
            if sources[address]?.isEmpty == true { sources[address] = nil }
        }
    }

    /// How many sources a node has to hear, our provisioner included, which configures it; counting ends when that is more
    /// than the limit, and may end early when it cannot be.
    ///
    /// - Parameter additions: sources that are to come.
    func demand(of node: Node, limit: Int, adding additions: [Addition] = []) -> Int {
        guard !sources.isEmpty || !additions.isEmpty else { return 1 }
        let addresses = node.heardAddresses
        let lists = addresses.compactMap { sources[$0] }
        let further = additions.filter { addresses.contains($0.address) }.map(\.source)
        // Mostly there are too few publishers for a closer look to be needed.
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
    /// What its elements publish, and where to.
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

    /// The addresses whose messages it takes, each once.
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

    /// How many sources its replay protection list holds at least; nil if that is not told. No node does with none.
    var replayListSize: Int? {
        guard let size = product?.replayListSize, size > 0 else { return nil }
        return Int(size)
    }
}
