import MeshCore

/// What a rehearsal needs to know of a network's nodes, and how they and devices become its stations.
struct RehearsedSite {
    /// A node of the network.
    struct Known {
        let uuid: DeviceUUID?
        /// Its subnets, a bit each.
        var subnets: UInt64 = 1
        /// Whether it can relay, and whether it does. True if that is not known.
        var canRelay = true
        var isRelay = true
        /// Whether it counts as a proxy.
        var isProxy = false
        var transmit = Repetition.stock
        var retransmit = Repetition.stock
    }

    /// The network's nodes in their order.
    var known: [Known] = []

    /// The start of a rehearsal.
    struct Stage {
        var lanes: [RehearsedLane]
        var places: RehearsedPlaces
        /// The stations of proxies, the one beside the client first.
        var proxies: [Int]
    }

    /// The bit of a subnet.
    static func bit(_ index: NetKeyIndex) -> UInt64 { 1 << UInt64(index.rawValue & 63) }

    /// Gives every node and device a place.
    ///
    /// - Parameter nodes: the nodes of the lanes.
    func stage(_ lanes: [RehearsedLane], of nodes: [DeviceUUID?], hops: Int, _ dice: inout RehearsalDice) -> Stage {
        var lanes = lanes
        var (stations, proxies): ([RehearsedPlaces.Station], [Int]) = ([], [])
        var stationOf: [DeviceUUID: Int] = [:]
        var firstSubnets: [DeviceUUID: UInt64] = [:]
        let wanted = Set(nodes.compactMap(\.self))
        let root = known.firstIndex(where: \.isProxy) ?? known.firstIndex(where: \.isRelay)
        let isFirstDevice = known.isEmpty
        // Decides by chance which devices can relay if the plan does not say.
        let devices = lanes.indices.filter { lanes[$0].way == .device }
        let canRelay = Dictionary(uniqueKeysWithValues: devices.map { ($0, dice.happens(lanes[$0].relaysFirst)) })
        let first = isFirstDevice ? devices.first { canRelay[$0] == true } ?? devices.first : nil
        var levels = Levels(
            hops: hops,
            relays: known.count(where: \.canRelay) + canRelay.values.count(where: \.self),
            others: known.count { !$0.canRelay } + canRelay.values.count { !$0 }
        )
        let relayCount = known.count(where: \.isRelay)
        let most = max(RehearsedPlaces.mostSlots - 1 - min(devices.count, RehearsedPlaces.mostSlots / 2), 1)
        let stride = max((relayCount + most - 1) / most, 1)
        var covered: UInt64 = 0
        var relays = 0
        func add(_ node: Known, _ level: Int, hasSlot: Bool, at place: Int? = nil) -> Int {
            let station = RehearsedPlaces.Station(
                level: level,
                bearing: dice.unit(),
                subnets: node.subnets,
                isRelay: node.isRelay && hasSlot,
                transmit: node.transmit,
                retransmit: node.retransmit,
                slot: hasSlot ? 0 : nil
            )
            if let place { stations[place] = station } else { stations.append(station) }
            return place ?? stations.count - 1
        }
        // There is a station beside the client even if no node is known.
        _ = add(Known(uuid: nil, subnets: 0, isRelay: false), 0, hasSlot: true)
        for (place, node) in known.enumerated() {
            let isRoot = place == root
            let level = isRoot ? 0 : levels.next(canRelay: node.canRelay)
            if node.isRelay { relays += 1 }
            let isNewProxy = node.isProxy && node.subnets & ~covered != 0
            let isKept = node.isRelay && (relays % stride == 0) || isRoot || isNewProxy
            let isWanted = node.uuid.map(wanted.contains) ?? false
            guard isKept || isWanted else { continue }
            if isNewProxy { covered |= node.subnets }
            let station = add(node, level, hasSlot: isKept, at: isRoot ? 0 : nil)
            if node.isProxy, isKept { proxies.append(station) }
            if let uuid = node.uuid { stationOf[uuid] = station }
        }
        for lane in lanes.indices {
            if let uuid = nodes[lane], let station = stationOf[uuid] {
                lanes[lane].station = station
                // A device before a barrier is a node after it.
                let subnets = stations[station].subnets
                lanes[lane].subnets = subnets != 0 ? subnets : firstSubnets[uuid] ?? lanes[lane].subnets
            } else {
                let isDevice = lanes[lane].way == .device
                let node = Known(
                    uuid: nodes[lane],
                    subnets: isDevice ? 0 : lanes[lane].subnets,
                    isRelay: false
                )
                let relays = canRelay[lane] ?? false
                lanes[lane].relaysFirst = relays ? 1 : 0
                let isRoot = lane == first
                // A device that neither relays nor is set as a proxy lacks these features or lives on a battery. The
                // one beside the client must be a proxy, because the others are reached through it.
                if relays || isRoot { lanes[lane].isProxyFirst = true }
                if isDevice, !lanes[lane].isProxyFirst { lanes[lane].mayBeDirect = false }
                let level = isRoot ? 0 : levels.next(canRelay: relays)
                lanes[lane].station = add(node, level, hasSlot: isDevice, at: isRoot ? 0 : nil)
                if let uuid = nodes[lane] {
                    stationOf[uuid] = lanes[lane].station
                    firstSubnets[uuid] = lanes[lane].subnets
                }
            }
        }
        if proxies.isEmpty, devices.isEmpty {
            if stations[0].subnets == 0 { stations[0].subnets = lanes.reduce(0) { $0 | $1.subnets } }
            proxies = [0]
        }
        return Stage(lanes: lanes, places: RehearsedPlaces(stations), proxies: proxies)
    }

    /// Spreads nodes evenly over the hops: those that can relay from the inside, the others from the outside.
    private struct Levels {
        private let depth: Int
        private var relays = 0
        private var others = 0

        init(hops: Int, relays: Int, others: Int) {
            // The node beside the client is one of those that can relay.
            let further = max(relays - 1, 0)
            depth = max(min(hops, further + (others > 0 ? 1 : 0)), 1)
        }

        mutating func next(canRelay: Bool) -> Int {
            defer { if canRelay { relays += 1 } else { others += 1 } }
            return canRelay ? 1 + relays % depth : depth - others % depth
        }
    }
}
