import MeshCore

/// What listening to advertising tells about the devices and proxies in reach.
struct AdvertisingListener {
    /// How many advertisers are remembered. The number is bounded, because others can advertise under any number of
    /// addresses.
    private static let memory = 65_536

    private var proxies: ProxyNodes
    /// The proxies of the network that were heard, and when it was listened.
    private(set) var heardProxies: HeardProxies
    /// The nodes by the addresses of their primary elements.
    private let nodes: [UnicastAddress: DeviceUUID]
    private let known: Set<DeviceUUID>
    private var advertisers: [AdvertiserIdentifier: Sighting] = [:]
    /// How nodes were last heard: whether as devices without a network.
    private var isUnprovisioned: [DeviceUUID: Bool] = [:]

    /// Nothing was heard yet.
    init(_ network: MeshNetwork, policy: LinkPolicy) {
        proxies = ProxyNodes(network)
        heardProxies = HeardProxies(policy: policy)
        nodes = Dictionary(firstOf: network.nodes.map { ($0.unicastAddress, $0.uuid) })
        known = Set(network.nodes.map(\.uuid))
    }

    /// The advertisers that were heard, each once, in the order of their identifiers.
    var sightings: [Sighting] { advertisers.sorted { $0.key < $1.key }.map(\.value) }

    /// Whether a node was last heard as a device without a network, if its record says otherwise; nil if it was not
    /// heard, or as recorded.
    func news(of node: Node) -> Bool? {
        guard let heard = isUnprovisioned[node.uuid], heard != (node.unprovisionedSeenAt != nil) else { return nil }
        return heard
    }

    /// Listens.
    ///
    /// - Parameters:
    ///   - enough: after this time it ends as soon as a proxy of the network has been heard; nil to listen for the
    ///     whole `duration`.
    ///   - isInterrupted: whether to end at once.
    mutating func listen(
        over bearer: any Bearer,
        for duration: Duration,
        enough: Duration?,
        unless isInterrupted: () -> Bool
    ) throws(ExecutionStop) {
        let start = bearer.now
        do throws(BearerError) {
            try bearer.scan(true)
            let end = start.advanced(by: duration)
            let earliestEnd = enough.map { start.advanced(by: $0) } ?? end
            while bearer.now < end, !isInterrupted() {
                if bearer.now >= earliestEnd, heardProxies.selection.hearsAnybody(at: bearer.now) { break }
                let next = bearer.now < earliestEnd ? earliestEnd : end
                let pause = min(next, bearer.now.advanced(by: .milliseconds(500)))
                guard case .heard(let advertisement) = try bearer.next(until: pause) else { continue }
                hear(advertisement, at: bearer.now)
            }
            try bearer.scan(false)
        } catch {
            throw ExecutionStop(Recap.Ending(error))
        }
        heardProxies.listened = start..<max(start, bearer.now)
    }

    private mutating func hear(_ advertisement: Advertisement, at now: Instant) {
        var sighting = Sighting(advertisement: advertisement, identity: nil)
        switch advertisement.content {
        case .unprovisioned(let device, uriHash: _):
            if known.contains(device.uuid) { isUnprovisioned[device.uuid] = true }
        case .proxy:
            sighting.identity = proxies.resolve(advertisement)
            if case .node(let address, _) = sighting.identity, let uuid = nodes[address] {
                isUnprovisioned[uuid] = false
            }
            if let identity = sighting.identity, !proxies.isExcluded(identity) {
                heardProxies.selection.heard(advertisement, as: identity, at: now)
            }
        }
        let isRoom = advertisers.count < Self.memory
        if isRoom || advertisers[advertisement.advertiser] != nil { advertisers[advertisement.advertiser] = sighting }
    }
}
