import MeshCore

/// What the world keeps while somebody scans.
struct ScanState {
    /// How many clients scan. Without any, nothing advertises.
    var scanners = 0
    /// Counts the beginnings of scans, so that the ticks of an earlier scan end.
    var session: UInt32 = 0
    var ticking: Set<DeviceUUID> = []
    /// The hops to each node from the one beside the scanner; nil if there is no path. Nodes that came later are
    /// missing.
    var hops: [Int?] = []
    /// A generator for advertisements only, so that scanning affects nothing else.
    var generator: SeededGenerator
    /// Makes the surroundings of devices differ.
    let salt: UInt64

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed ^ 0x5CA4_5CA4_5CA4_5CA4)
        salt = seed
    }
}

extension SimulatedWorld {
    /// A client begins to scan. From now on, everything that advertises is reported as ``BearerEvent/heard(_:)``: each
    /// advertiser once per ``WorldSettings/scannedInterval``, unless the advertisement is lost.
    ///
    /// While nobody scans, advertising costs nothing.
    package func addScanner() {
        scan.scanners += 1
        guard scan.scanners == 1 else { return }
        scan.session &+= 1
        scan.ticking = []
        scan.hops = hopsFromRoot
        for advertiser in advertisers { beginAdvertising(advertiser) }
    }

    /// A client stops scanning. After the last one, nothing is reported any more.
    package func removeScanner() {
        guard scan.scanners > 0 else { return }
        scan.scanners -= 1
        guard scan.scanners == 0 else { return }
        scan.ticking = []
        outbox.removeAll { $0.link == nil }
    }

    /// Every device that may advertise, whether it does at present or not, in a fixed order.
    private var advertisers: [DeviceUUID] { nodes.map(\.state.uuid) }

    /// What a device advertises now: several things in turn, or nothing if it is silent.
    private func advertised(by device: DeviceUUID) -> [Advertisement.Content] {
        guard let node = positions[device] else { return [] }
        guard nodes[node].isProvisionable else { return proxyAdvertisements(of: node).map { .proxy($0) } }
        // A device stops advertising while somebody is connected to it (Mesh Protocol 7.1.2.2.1).
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

    /// Makes a new device advertise if anybody scans. A second call does nothing.
    func beginAdvertising(_ device: DeviceUUID) {
        guard scan.scanners > 0, scan.ticking.insert(device).inserted else { return }
        let phase = scan.generator.microseconds(in: 0...scannedInterval.microseconds - 1)
        let tick = AdvertisingTick(device: device, session: scan.session, turn: 0)
        queue.add(.tick(tick), at: now.advanced(by: .microseconds(phase)))
    }

    /// A device advertises once, and schedules its next turn.
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

    /// At least a millisecond; otherwise time would stand still.
    var scannedInterval: Duration { max(settings.scannedInterval, .milliseconds(1)) }

    /// What a node advertises with the proxy service. For each subnet: its Node Identity while that runs, else its
    /// Private Node Identity while that runs, else the Network ID if its GATT proxy is on, openly or privately (Mesh
    /// Protocol 7.2.2.2).
    private func proxyAdvertisements(of node: Int) -> [ProxyAdvertisement] {
        guard nodes[node].isAlive, !nodes[node].faults.isMute else { return [] }
        let state = nodes[node].state
        return state.netKeys.compactMap { key in
            // In the first phase of a key refresh, the old key still identifies the network.
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

    /// A random value for so many minutes, the same in all runs with the same seed.
    private func random(of device: DeviceUUID, in subnet: NetKeyIndex, minutes: Int64) -> UInt64 {
        let period = UInt64(bitPattern: now.microseconds / (minutes * 60_000_000))
        var mixer = SeededGenerator(seed: surroundings(of: device) ^ period << 16 ^ UInt64(subnet.rawValue))
        return mixer.next()
    }

    /// A device's signal strength at the scanner in dBm: about -50 beside it, and 12 less for each hop. Walls and
    /// furniture add a fixed part for each device, and a small part varies.
    func signal(of device: DeviceUUID, hops: Int?) -> Int8 {
        let walls = Int(surroundings(of: device) % 13)
        let change = Int(scan.generator.microseconds(in: -2...2))
        return Int8(clamping: max(-44 - 12 * min(hops ?? 1, 8) - walls + change, -100))
    }

    /// A number that belongs to a device in this world.
    func surroundings(of device: DeviceUUID) -> UInt64 {
        var mixer = SeededGenerator(seed: scan.salt ^ device.rawValue.high ^ (device.rawValue.low &* 0x9E37_79B9))
        return mixer.next()
    }

    /// The share of a device's advertisements that the scanner misses.
    private func scanLoss(of node: Int?) -> Double {
        let loss = max(settings.copyLoss, node.flatMap { nodes[$0].faults.copyLoss } ?? 0)
        return 1 - (1 - loss) * Interference.survival(eventsPerSecond: settings.backgroundEvents)
    }
}

/// One device's turn to advertise.
struct AdvertisingTick {
    let device: DeviceUUID
    /// The scan that the turn belongs to.
    let session: UInt32
    /// Counts the device's turns.
    var turn: UInt32
}

extension RadioNeighbours {
    /// The fewest hops from a node to each node; nil if there is no path.
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
