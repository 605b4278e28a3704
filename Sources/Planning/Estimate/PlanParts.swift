import MeshCore

/// What nodes are sent, in the order of their first messages.
struct PlanParts {
    /// Subnets that a node gets into after some of its messages.
    struct Gain {
        let messages: Int
        /// A bit each.
        let subnets: UInt64
    }

    /// One node's share of the steps between two barriers.
    struct Lane {
        let node: DeviceUUID
        var cost = MessageCost.zero
        /// Whether it is a device that becomes a node first, and whether a link of ours can reach it.
        var isDevice = false
        var isInReach = true
        /// The subnet that it joins as a device.
        var subnet: NetKeyIndex?
        /// How probable it is that it relays as soon as it is a node, and whether its steps switch that off.
        var relaysFirst = 0.0
        /// Whether the plan says what its GATT proxy is to be. Of a node of which it says neither that nor whether it
        /// relays, only those are taken to have a GATT proxy that are taken to be able to relay.
        var isProxyTold = false
        var relaysNoMore = false
        /// Whether its last step is a Node Reset.
        var leaves = false
        /// After how many of its messages its GATT proxy is on, and off, for all that is known.
        var becomesProxyAfter: Int?
        var losesProxyAfter: Int?
        /// The subnets that its steps bring it into.
        var gains: [Gain] = []
        /// Whether the first thing that it is asked changes nothing, so that nobody asks once more what became of it.
        var beginsReading = false
        /// Whether everything that it is asked only reads, so that it is given up sooner.
        var onlyReads = false
    }

    private(set) var lanes: [Lane] = []
    /// Where each part between two barriers begins in `lanes`; there is at least one.
    private(set) var starts = [0]
    /// What all nodes are sent.
    private(set) var cost = MessageCost.zero
    private var places: [DeviceUUID: Int] = [:]
    /// The lanes of devices, which stay known behind barriers.
    private var devices: [DeviceUUID: Int] = [:]
    /// Messages that are no steps, by lane.
    private var messages: [(lane: Int, cost: MessageCost)] = []

    /// Everything before is over before what follows begins.
    mutating func addBarrier() {
        starts.append(lanes.count)
        places = [:]
    }

    /// The lane of a node, made if there is none yet.
    mutating func lane(of node: DeviceUUID) -> Int {
        if let place = places[node] { return place }
        places[node] = lanes.count
        lanes.append(Lane(node: node))
        return lanes.count - 1
    }

    /// Takes in what is sent to a lane.
    mutating func add(_ added: MessageCost, to lane: Int) {
        lanes[lane].cost += added
        cost += added
        messages.append((lane, added))
    }

    mutating func change(_ lane: Int, _ change: (inout Lane) -> Void) { change(&lanes[lane]) }

    /// A node is provisioned first.
    mutating func addDevice(_ lane: Int) {
        lanes[lane].isDevice = true
        devices[lanes[lane].node] = lane
    }

    /// The plan says whether a node relays. If the node is still a device now, stock firmware has it relay as soon as
    /// it is a node, even if a barrier separates both.
    mutating func noteRelay(_ node: DeviceUUID) {
        if let lane = devices[node] { lanes[lane].relaysFirst = 1 }
    }

    /// The plan says whether a node is a GATT proxy; as with relaying, a device that becomes it is one at first.
    mutating func noteProxy(_ node: DeviceUUID) {
        if let lane = devices[node] { lanes[lane].isProxyTold = true }
    }

    /// The messages of some lanes, in the order of those.
    ///
    /// - Parameter chosen: positions of lanes, ascending.
    func messages(of chosen: [Int]) -> [[MessageCost]] {
        var places = [Int32](repeating: -1, count: lanes.count)
        for (place, lane) in chosen.enumerated() { places[lane] = Int32(place) }
        var found = [[MessageCost]](repeating: [], count: chosen.count)
        for (lane, cost) in messages where places[lane] >= 0 {
            let place = Int(places[lane])
            if cost.messages == 1 { found[place].append(cost) } else { found[place] += cost.divided }
        }
        return found
    }
}
