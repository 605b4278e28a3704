import MeshCore

/// What a scan has heard: each device once and each proxy once, whatever addresses they advertise from.
struct ScanList {
    /// The strength of a signal, in dBm; nil if the bearer does not report it.
    struct Signal: Hashable {
        /// The strongest so far.
        var best: Int8?
        var last: Int8?
        var heardAt: Instant

        fileprivate mutating func hear(_ signal: Int8?, at now: Instant) {
            heardAt = now
            guard let signal else { return }
            last = signal
            best = best.map { max($0, signal) } ?? signal
        }
    }

    /// A device without a network.
    struct Device: Hashable {
        var uuid: DeviceUUID
        var information: OutOfBandInformation
        /// The hash of the URI that it advertises, if heard.
        var uriHash: UInt32?
        /// The signal, whoever hears it.
        var signal: Signal
        /// The signal at the bearer; nil if only nodes hear it.
        var direct: Signal?
        var nodes: [DeviceUUID: Signal] = [:]
    }

    /// A node with the proxy service.
    struct Proxy: Hashable {
        /// The node, if it advertises its identity and we know it.
        var node: UnicastAddress?
        /// The subnets that it has advertised, sorted; empty for a proxy if no network was given.
        var subnets: [NetKeyIndex]
        var advertisement: ProxyAdvertisement
        var signal: Signal
    }

    /// One line of the list.
    enum Entry: Hashable {
        case device(Device)
        case proxy(Proxy)

        /// The signal.
        var signal: Signal {
            switch self {
            case .device(let device): device.signal
            case .proxy(let proxy): proxy.signal
            }
        }
    }

    /// What an advertisement, or silence, has changed in the list.
    enum Change: Hashable {
        /// The first time it was heard.
        case appeared(Entry)
        /// A further node hears it.
        case reached(Device, by: DeviceUUID)
        /// A known proxy turned out to be a certain node.
        case identified(Proxy)
        case left(Entry)
    }

    fileprivate enum ProxyKey: Hashable {
        case node(UnicastAddress)
        case advertiser(AdvertiserIdentifier)
    }

    private var resolver: IdentityResolver?
    private var devicesByUUID: [DeviceUUID: Device] = [:]
    private var proxiesByKey: [ProxyKey: Proxy] = [:]
    private var keys: [AdvertiserIdentifier: ProxyKey] = [:]
    private var strangers: [AdvertiserIdentifier: Instant] = [:]

    /// An empty list.
    ///
    /// - Parameter network: the network whose proxies are identified and listed, while others are only counted; nil to
    ///   list all as they are.
    init(network: MeshNetwork?) {
        resolver = network.map { IdentityResolver($0) }
    }

    /// Devices that can be provisioned, the strongest first.
    var devices: [Device] {
        devicesByUUID.values.sorted {
            ($1.signal.best ?? .min, $0.uuid) < ($0.signal.best ?? .min, $1.uuid)
        }
    }

    /// Proxies, the strongest first.
    var proxies: [Proxy] {
        proxiesByKey.sorted { left, right in
            let (first, second) = (left.value.signal.best ?? .min, right.value.signal.best ?? .min)
            if first != second { return first > second }
            return left.key < right.key
        }
        .map(\.value)
    }

    /// The number of proxies of other networks.
    var strangerCount: Int { strangers.count }

    /// Adds an advertisement.
    ///
    /// - Returns: what is new; nil if only a signal has changed.
    mutating func hear(_ advertisement: Advertisement, at now: Instant) -> Change? {
        switch advertisement.content {
        case .unprovisioned(let device, let uriHash):
            return hear(device, uriHash, advertisement.signal, at: now)
        case .proxy(let proxy): return hear(proxy, from: advertisement.advertiser, advertisement.signal, at: now)
        }
    }

    private mutating func hear(
        _ advertised: ProvisioningAdvertisement,
        _ uriHash: UInt32?,
        _ signal: Int8?,
        at now: Instant
    ) -> Change? {
        var device =
            devicesByUUID[advertised.uuid]
            ?? Device(uuid: advertised.uuid, information: [], uriHash: nil, signal: Signal(heardAt: now))
        device.information = advertised.outOfBandInformation
        if let uriHash { device.uriHash = uriHash }
        device.signal.hear(signal, at: now)
        device.direct.hear(signal, at: now)
        return devicesByUUID.updateValue(device, forKey: device.uuid) == nil ? .appeared(.device(device)) : nil
    }

    /// Adds what a node that listens for us has heard.
    ///
    /// - Returns: what is new; nil if only a signal has changed.
    mutating func hear(_ report: RemoteProvisioningScanReport, by node: DeviceUUID, at now: Instant) -> Change? {
        var device =
            devicesByUUID[report.uuid]
            ?? Device(uuid: report.uuid, information: [], uriHash: nil, signal: Signal(heardAt: now))
        device.information = report.outOfBandInformation
        if let uriHash = report.uriHash { device.uriHash = uriHash }
        device.signal.hear(report.signal, at: now)
        let isKnownToNode = device.nodes[node] != nil
        device.nodes[node].hear(report.signal, at: now)
        guard devicesByUUID.updateValue(device, forKey: device.uuid) != nil else { return .appeared(.device(device)) }
        return isKnownToNode ? nil : .reached(device, by: node)
    }

    private mutating func hear(
        _ advertised: ProxyAdvertisement,
        from advertiser: AdvertiserIdentifier,
        _ signal: Int8?,
        at now: Instant
    ) -> Change? {
        let identity = resolver?.resolve(advertised)
        if resolver != nil, identity == nil {
            // A node of the network may also advertise its identity with a key that we do not have.
            if keys[advertiser] == nil { strangers[advertiser] = now }
            return nil
        }
        strangers[advertiser] = nil
        let previous = keys[advertiser]
        var key = previous ?? .advertiser(advertiser)
        if case .node(let address, _) = identity { key = .node(address) }
        let isNew = proxiesByKey[key] == nil
        var proxy =
            proxiesByKey[key] ?? previous.flatMap { proxiesByKey[$0] }
            ?? Proxy(node: nil, subnets: [], advertisement: advertised, signal: Signal(heardAt: now))
        if let previous, previous != key, let other = proxiesByKey.removeValue(forKey: previous) {
            proxy.subnets = Array(Set(proxy.subnets + other.subnets)).sorted()
        }
        keys[advertiser] = key
        proxy.advertisement = advertised
        proxy.signal.hear(signal, at: now)
        switch identity {
        case .node(let address, let subnet):
            proxy.node = address
            proxy.add(subnet)
        case .subnet(let subnet): proxy.add(subnet)
        case nil: break
        }
        proxiesByKey[key] = proxy
        guard isNew else { return nil }
        return previous == nil ? .appeared(.proxy(proxy)) : .identified(proxy)
    }

    /// Removes a device that has become a node.
    mutating func forget(_ device: DeviceUUID) { devicesByUUID[device] = nil }

    /// Removes what was not heard since `instant`.
    ///
    /// - Returns: a change for each removed line, in the order of the list.
    mutating func dropSilent(since instant: Instant) -> [Change] {
        var changes: [Change] = []
        for device in devices where device.signal.heardAt < instant {
            devicesByUUID[device.uuid] = nil
            changes.append(.left(.device(device)))
        }
        devicesByUUID = devicesByUUID.mapValues { device in
            var device = device
            device.nodes = device.nodes.filter { $0.value.heardAt >= instant }
            if let direct = device.direct, direct.heardAt < instant { device.direct = nil }
            return device
        }
        for proxy in proxies where proxy.signal.heardAt < instant { changes.append(.left(.proxy(proxy))) }
        proxiesByKey = proxiesByKey.filter { $0.value.signal.heardAt >= instant }
        keys = keys.filter { proxiesByKey[$0.value] != nil }
        strangers = strangers.filter { $0.value >= instant }
        return changes
    }
}

extension ScanList.Signal? {
    /// Records a signal, possibly the first one.
    fileprivate mutating func hear(_ signal: Int8?, at now: Instant) {
        var heard = self ?? ScanList.Signal(heardAt: now)
        heard.hear(signal, at: now)
        self = heard
    }
}

extension ScanList.Proxy {
    fileprivate mutating func add(_ subnet: NetKeyIndex) {
        guard !subnets.contains(subnet) else { return }
        subnets = (subnets + [subnet]).sorted()
    }
}

extension ScanList.ProxyKey: Comparable {
    /// Known nodes by address, then the others.
    static func < (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.node(let first), .node(let second)): first < second
        case (.node, .advertiser): true
        case (.advertiser, .node): false
        case (.advertiser(let first), .advertiser(let second)): first < second
        }
    }
}
