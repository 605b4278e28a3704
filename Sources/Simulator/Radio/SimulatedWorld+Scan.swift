import MeshCore

/// What the world keeps while somebody scans.
struct ScanState {
    /// How many scan; nobody advertises to nobody.
    var scanners = 0
    /// Counts beginnings, so that the ticks of an earlier scan end.
    var session: UInt32 = 0
    /// Who ticks already since that beginning.
    var ticking: Set<DeviceUUID> = []
    /// Hops to each node from the one beside the scanner, nil where there is no way; nodes that came later are not in it.
    var hops: [Int?] = []
    /// Draws for advertisements alone, so that scanning changes nothing else.
    var generator: SeededGenerator
    /// Tells the surroundings of one device from those of another.
    let salt: UInt64

    /// Nobody scans.
    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed ^ 0x5CA4_5CA4_5CA4_5CA4)
        salt = seed
    }
}

extension SimulatedWorld {
    /// Somebody begins to scan: everything that advertises is reported from now on as ``BearerEvent/heard(_:)``, each
    /// advertiser once in ``WorldSettings/scannedInterval`` unless the advertisement is lost.
    ///
    /// As long as nobody scans, advertising costs nothing.
    package func addScanner() {
        scan.scanners += 1
        guard scan.scanners == 1 else { return }
        scan.session &+= 1
        scan.ticking = []
        scan.hops = hopsFromRoot
        for advertiser in advertisers { beginAdvertising(advertiser) }
    }

    /// Somebody ceases to scan; after the last, nothing is reported any more.
    package func removeScanner() {
        guard scan.scanners > 0 else { return }
        scan.scanners -= 1
        guard scan.scanners == 0 else { return }
        scan.ticking = []
        outbox.removeAll { $0.link == nil }
    }

    /// Everybody who may advertise, whether they do at present or not, in a fixed order.
    private var advertisers: [DeviceUUID] { nodes.map(\.state.uuid) }

    /// What a device advertises now, nothing if it is silent; in turn where it is several things.
    private func advertised(by device: DeviceUUID) -> [Advertisement.Content] {
        guard let node = positions[device] else { return [] }
        guard nodes[node].isProvisionable else { return proxyAdvertisements(of: node).map { .proxy($0) } }
        // A device advertises no more while somebody is connected to it (Mesh Protocol 7.1.2.2.1).
        guard !nodes[node].faults.isMute, nodes[node].device.provisioningBearers.contains(.gatt),
            !links.values.contains(where: { $0.node == node && !$0.isEnding })
        else { return [] }
        let description = nodes[node].device
        let advertisement = ProvisioningAdvertisement(
            uuid: description.uuid,
            oobInformation: description.outOfBandInformation.rawValue
        )
        return [.unprovisioned(advertisement, uriHash: description.uriHash)]
    }

    /// Makes a device that has come into the world advertise if somebody scans; doing it twice does nothing.
    func beginAdvertising(_ device: DeviceUUID) {
        guard scan.scanners > 0, scan.ticking.insert(device).inserted else { return }
        let phase = scan.generator.microseconds(in: 0...scannedInterval.microseconds - 1)
        let tick = AdvertisingTick(device: device, session: scan.session, turn: 0)
        queue.add(.tick(tick), at: now.advanced(by: .microseconds(phase)))
    }

    /// A device advertises once, and will again.
    func tick(_ tick: AdvertisingTick) {
        guard scan.scanners > 0, tick.session == scan.session else { return }
        let delay = scannedInterval + scan.generator.duration(in: settings.advertisingDelay)
        var next = tick
        next.turn &+= 1
        queue.add(.tick(next), at: now.advanced(by: delay))
        let contents = advertised(by: tick.device)
        guard !contents.isEmpty else { return }
        let node = positions[tick.device]
        guard !scan.generator.happens(scanLoss(of: node)) else { return }
        let advertisement = Advertisement(
            advertiser: AdvertiserIdentifier(of: tick.device),
            content: contents[Int(tick.turn) % contents.count],
            signal: signal(of: tick.device, hops: node.flatMap { scan.hops.indices.contains($0) ? scan.hops[$0] : nil })
        )
        outbox.append(.heard(advertisement))
    }

    /// At least a millisecond, or time would stand still.
    var scannedInterval: Duration { max(settings.scannedInterval, .milliseconds(1)) }

    /// What a node advertises with the proxy service: for each subnet the Node Identity while it runs, else the private
    /// one while that runs, else the Network ID if its GATT proxy is on, openly or in private (Mesh Protocol 7.2.2.2).
    private func proxyAdvertisements(of node: Int) -> [ProxyAdvertisement] {
        guard nodes[node].isAlive, !nodes[node].faults.isMute else { return [] }
        let state = nodes[node].state
        return state.netKeys.compactMap { key in
            // In the first phase of a key refresh the network is still known by the old key.
            guard let material = state.transmitKey(key.index) else { return nil }
            let credentials = schedules.subnet(material)
            if key.isIdentityRunning {
                let random = random(of: state.uuid, in: key.index, minutes: 1)
                return .nodeIdentity(of: state.address, random: random, credentials: credentials)
            }
            if key.isPrivateIdentityRunning {
                let random = random(of: state.uuid, in: key.index, minutes: 10)
                return .privateNodeIdentity(of: state.address, random: random, credentials: credentials)
            }
            if state.proxy == .enabled { return .networkID(credentials.networkID) }
            guard state.privateGATTProxy == .enabled else { return nil }
            let random = random(of: state.uuid, in: key.index, minutes: 10)
            return .privateNetworkIdentity(random: random, credentials: credentials)
        }
    }

    /// A random for so many minutes, the same in all runs of a seed.
    private func random(of device: DeviceUUID, in subnet: NetKeyIndex, minutes: Int64) -> UInt64 {
        let period = UInt64(bitPattern: now.microseconds / (minutes * 60_000_000))
        var mixer = SeededGenerator(seed: surroundings(of: device) ^ period << 16 ^ UInt64(subnet.rawValue))
        return mixer.next()
    }

    /// The strength of a device's signal where the scanner is, in dBm: some -50 beside it and 12 less with each hop,
    /// walls and furniture of its own, and a little that changes.
    func signal(of device: DeviceUUID, hops: Int?) -> Int8 {
        let walls = Int(surroundings(of: device) % 13)
        let change = Int(scan.generator.microseconds(in: -2...2))
        return Int8(clamping: max(-44 - 12 * min(hops ?? 1, 8) - walls + change, -100))
    }

    /// A number that is a device's own in this world.
    func surroundings(of device: DeviceUUID) -> UInt64 {
        var mixer = SeededGenerator(seed: scan.salt ^ device.rawValue.high ^ (device.rawValue.low &* 0x9E37_79B9))
        return mixer.next()
    }

    /// The share of a device's advertisements that the scanner does not get.
    private func scanLoss(of node: Int?) -> Double {
        let loss = max(settings.copyLoss, node.flatMap { nodes[$0].faults.copyLoss } ?? 0)
        return 1 - (1 - loss) * Interference.survival(eventsPerSecond: settings.backgroundEvents)
    }
}

/// One device's turn to advertise.
struct AdvertisingTick {
    /// Who.
    let device: DeviceUUID
    /// The scan that the turn belongs to.
    let session: UInt32
    /// Counts the device's turns.
    var turn: UInt32
}

extension RadioNeighbours {
    /// The fewest hops from a node to each, nil where there is no way.
    func hops(from root: Int) -> [Int?] {
        var hops = [Int?](repeating: nil, count: neighbours.count)
        guard hops.indices.contains(root) else { return hops }
        hops[root] = 0
        var front = [root]
        var distance = 0
        while !front.isEmpty {
            distance += 1
            var next: [Int] = []
            for node in front {
                for neighbour in neighbours[node] where hops[neighbour.node] == nil {
                    hops[neighbour.node] = distance
                    next.append(neighbour.node)
                }
            }
            front = next
        }
        return hops
    }
}
